#!/usr/bin/env python3
"""Writes the vectors: profiles as bytes (.xtp), and what they mean (.json).

An encoder of its own, from docs/format.md alone, so that the one in Rust has something to be
measured against. Vectors are kept for ever: add some, never change one that was released.

Integers of 2^53 and above are strings of digits in the JSON, for readers whose numbers are floats.
"""

import json
import pathlib
import struct
import zlib

HERE = pathlib.Path(__file__).parent
MAGIC = b"\x89XTP"
MARKS = {"busy": 1, "late": 2, "exceeded": 4}
LARGEST = 2**64 - 1
LOSSES = ["unclosed", "too_deep", "refused", "not_open", "steps_back", "base_name", "no_slot",
          "categories", "late_contexts", "interrupted"]


def number(value):
    out = bytearray()
    while True:
        seven, value = value & 127, value >> 7
        out.append(seven | (128 if value else 0))
        if not value:
            return bytes(out)


def text(value):
    data = value.encode()
    return number(len(data)) + data


def difference(before, after):
    signed = (after - before) % 2**64
    signed = signed - 2**64 if signed >= 2**63 else signed
    return number(2 * signed if signed >= 0 else -2 * signed - 1)


def block(tag, content):
    return number(tag) + number(len(content)) + content


def whole(kind, blocks):
    length = 16 + len(blocks) + 4
    data = MAGIC + struct.pack("<HHQ", 1, kind, length) + blocks
    return data + struct.pack("<I", zlib.crc32(data))


def losses(values):
    return block(3, number(len(values)) + b"".join(map(number, values)))


def section(entry, categories):
    marks = sum(bit for name, bit in MARKS.items() if entry.get(name))
    above = entry.get("names_above", [])
    marks |= 8 * bool(above) | 16 * ("exclusive" in entry) | 32 * ("min" in entry)
    marks |= 64 * ("squares" in entry)
    out = number(entry["depth"]) + number(marks)
    if above:
        out += number(len(above)) + b"".join(map(text, above))
    out += text(entry["name"]) + number(categories.index(entry["category"]))
    out += number(entry["count"]) + number(entry["total"])
    for key in ("exclusive", "min", "max", "squares"):
        if key in entry:
            out += number(entry[key])
    out += number(entry.get("open", 0))
    if entry.get("open", 0):
        out += number(entry["open_time"])
    return out


def histograms(entries):
    out, after = number(len(entries)), 0
    for entry in entries:
        out += number(entry["section"] - after) + number(len(entry["buckets"]))
        after, next_bucket = entry["section"] + 1, 0
        for bucket, count in entry["buckets"]:
            out += number(bucket - next_bucket) + number(count)
            next_bucket = bucket + 1
    return block(64, out)


def samples(entries):
    out, last = number(len(entries)), 0
    for entry in entries:
        out += number(entry["section"] - last) + number(entry["lane"]) + number(entry["dropped"])
        out += number(len(entry["samples"]))
        last, start = entry["section"], 0
        for begun, duration in entry["samples"]:
            out += difference(start, begun) + number(duration)
            start = begun
    return block(65, out)


def profile(p, further=b"", more_losses=()):
    clock = p["clock"]
    categories = [category["name"] for category in p["categories"]]
    assert categories == sorted(categories, key=str.encode)
    blocks = block(1, number(p["rank"]) + text(p["label"]))
    blocks += block(2, text(clock["name"]) + b"".join(number(clock[key]) for key in (
        "multiplier", "shift", "width", "pair", "quantum")))
    blocks += losses(p["losses"] + list(more_losses))
    blocks += block(4, number(p["total"]) + number(len(categories)) + b"".join(
        text(c["name"]) + number(c["total"]) + number(c["lost_count"]) + number(c["lost_time"])
        for c in p["categories"]))
    blocks += block(5, number(len(p["sections"])) + b"".join(
        section(entry, categories) for entry in p["sections"]))
    if p["histograms"]:
        blocks += histograms(p["histograms"])
    if p["samples"]:
        blocks += samples(p["samples"])
    return whole(1, blocks + further)


def bucket_of(value):
    shift = max(0, value.bit_length() - 1 - 5)
    return 32 * shift + (value >> shift)


def buckets_of(durations):
    counts = {}
    for duration in durations:
        counts[bucket_of(duration)] = counts.get(bucket_of(duration), 0) + 1
    return [[bucket, counts[bucket]] for bucket in sorted(counts)]


# Reduced profiles.


def across_of(pairs):
    """Of (rank, time) pairs."""
    if not pairs:
        return {"ranks": 0}
    most, least = max(t for _, t in pairs), min(t for _, t in pairs)
    return {
        "ranks": len(pairs),
        "sum": sum(t for _, t in pairs),
        "squares": sum(t * t for _, t in pairs),
        "most": most,
        "slowest": min(r for r, t in pairs if t == most),
        "least": least,
        "fastest": min(r for r, t in pairs if t == least),
    }


def across(entry):
    keys = ("ranks", "sum", "squares", "most", "slowest", "least", "fastest")
    return b"".join(number(entry[key]) for key in keys if key in entry)


def paths_of(p):
    open_paths, paths = [], []
    for entry in p["sections"]:
        del open_paths[entry["depth"]:]
        above = open_paths[-1] if open_paths else entry.get("names_above", [])
        path = list(above) + [entry["name"]]
        open_paths.append(path)
        paths.append(path)
    return paths


def reduce(profiles):
    ranks = [p["rank"] for p in profiles]
    rows = {}
    for p in profiles:
        for index, (path, entry) in enumerate(zip(paths_of(p), p["sections"])):
            kept = [h["buckets"] for h in p["histograms"] if h["section"] == index]
            lanes = [lane for lane in p["samples"] if lane["section"] == index]
            durations = [d for lane in lanes for _, d in lane["samples"]]
            if not kept and durations and len(durations) == entry["count"]:
                kept = [buckets_of(durations)]
            rows.setdefault(tuple(n.encode() for n in path), []).append((p["rank"], entry, kept))
    names = sorted({row[1]["category"] for rows_of in rows.values() for row in rows_of}
                   | {c["name"] for p in profiles for c in p["categories"]}, key=str.encode)
    sections, hists = [], []
    for path in sorted(rows):
        of = rows[path]
        timed = [entry for _, entry, _ in of if entry["count"]]
        categories = {entry["category"] for _, entry, _ in of}
        row = {
            "path": [n.decode() for n in path],
            "category": min(categories, key=str.encode),
            "mixed": len(categories) > 1,
            "busy": any(entry.get("busy") for _, entry, _ in of),
            "late": any(entry.get("late") for _, entry, _ in of),
            "count": sum(entry["count"] for _, entry, _ in of),
            "across": across_of([(rank, entry["total"]) for rank, entry, _ in of]),
            "open": sum(entry.get("open", 0) for _, entry, _ in of),
        }
        if timed and all("min" in entry for entry in timed):
            row["min"] = min(entry["min"] for entry in timed)
            row["max"] = max(entry["max"] for entry in timed)
        if all("squares" in entry for entry in timed):
            row["squares"] = sum(entry["squares"] for entry in timed)
        counts = {}
        for _, _, kept in of:
            for bucket, count in (pair for buckets in kept for pair in buckets):
                counts[bucket] = counts.get(bucket, 0) + count
        if counts:
            hists.append({"section": len(sections), "buckets": [[b, counts[b]] for b in sorted(counts)]})
        sections.append(row)
    all_of = lambda name: [(p["rank"], c) for p in profiles for c in p["categories"] if c["name"] == name]
    return {
        "ranks": len(profiles),
        "lowest": min(ranks),
        "highest": max(ranks),
        "losses": [sum(p["losses"][i] for p in profiles) for i in range(len(LOSSES))],
        "total": across_of([(p["rank"], p["total"]) for p in profiles]),
        "categories": [{
            "name": name,
            "across": across_of([(rank, c["total"]) for rank, c in all_of(name)]),
            "lost_count": sum(c["lost_count"] for _, c in all_of(name)),
            "lost_time": sum(c["lost_time"] for _, c in all_of(name)),
        } for name in names],
        "sections": sections,
        "histograms": hists,
    }


def reduced(r):
    names = [category["name"] for category in r["categories"]]
    ranks = number(r["ranks"])
    if r["ranks"]:
        ranks += number(r["lowest"]) + number(r["highest"])
    blocks = block(1, ranks) + losses(r["losses"])
    blocks += block(4, across(r["total"]) + number(len(names)) + b"".join(
        text(c["name"]) + across(c["across"]) + number(c["lost_count"]) + number(c["lost_time"])
        for c in r["categories"]))
    out, before = number(len(r["sections"])), []
    for row in r["sections"]:
        path = row["path"]
        kept = 0
        while kept < min(len(path), len(before)) and path[kept] == before[kept]:
            kept += 1
        before = path
        marks = row["busy"] * 1 | row["late"] * 2 | row["mixed"] * 8
        marks |= 32 * ("min" in row) | 64 * ("squares" in row)
        out += number(kept) + number(len(path) - kept) + b"".join(map(text, path[kept:]))
        out += number(marks) + number(names.index(row["category"])) + number(row["count"])
        out += across(row["across"])
        for key in ("min", "max", "squares"):
            if key in row:
                out += number(row[key])
        out += number(row["open"])
    blocks += block(5, out)
    if r["histograms"]:
        blocks += histograms(r["histograms"])
    return whole(2, blocks)


# What the vectors hold.

PLAIN_CLOCK = {"name": "manual", "multiplier": 1, "shift": 0, "width": 64, "pair": 0, "quantum": 0}


def plain(rank, label, sections=(), categories=(), total=0, **more):
    return {
        "rank": rank,
        "label": label,
        "clock": PLAIN_CLOCK,
        "losses": [0] * len(LOSSES),
        "total": total,
        "categories": list(categories),
        "sections": list(sections),
        "histograms": [],
        "samples": [],
    } | more


def category(name, total, lost_count=0, lost_time=0):
    return {"name": name, "total": total, "lost_count": lost_count, "lost_time": lost_time}


def timed(depth, name, category, durations, **more):
    entry = {"depth": depth, "name": name, "category": category, "count": len(durations),
             "total": sum(durations), "squares": sum(d * d for d in durations)}
    if durations:
        entry |= {"min": min(durations), "max": max(durations)}
    return entry | more


FULL = plain(
    4294967295, "node-7 \u00b5s \u2603",
    [
        timed(0, "train", "default", [1000, 3000], exclusive=500, exceeded=True),
        timed(1, "forward/backward", "gpu", [7] * 3, exclusive=0),
        timed(2, "", "", [0, 0]),
        timed(1, "\u00e9t\u00e9 \U0001f600", "io", [LARGEST], squares=LARGEST**2, exclusive=LARGEST),
        {"depth": 1, "name": "late", "category": "io", "count": 5, "total": 50, "late": True},
        timed(0, "save", "(other)", [], open=2, open_time=123456789, busy=True),
        timed(0, "left over", "io", [12], names_above=["epoch", "step[3]"]),
        timed(1, "inner", "io", [5]),
    ],
    [category("", 0), category("(other)", 17, 3, 17), category("default", 4000),
     category("gpu", 21), category("io", LARGEST)],
    4012 + 17,
    clock={"name": "tsc", "multiplier": 7933813846571008512, "shift": 64, "width": 64,
           "pair": 13250, "quantum": 870},
    losses=[1, 0, 3, 0, 0, 128, LARGEST, 16384, 2, 6],
    histograms=[
        {"section": 0, "buckets": buckets_of([1000, 3000])},
        {"section": 1, "buckets": buckets_of([7] * 3)},
        {"section": 3, "buckets": buckets_of([LARGEST])},
    ],
    samples=[
        {"section": 0, "lane": 0, "dropped": 0, "samples": [[100, 1000]]},
        {"section": 0, "lane": 9, "dropped": 0, "samples": [[50, 3000]]},
        {"section": 1, "lane": 0, "dropped": 1, "samples": [[110, 7], [5, 7]]},
        {"section": 2, "lane": 300, "dropped": 2, "samples": []},
        {"section": 3, "lane": 0, "dropped": 0, "samples": [[LARGEST, LARGEST]]},
    ],
)


def lane(section, samples, dropped=0):
    return {"section": section, "lane": 0, "dropped": dropped, "samples": samples}


RANKS = [
    plain(0, "fast", [
        timed(0, "step", "compute", [10, 20, 40]),
        timed(1, "load", "io", [3, 4]),
    ], [category("compute", 70), category("io", 7)], 70,
        samples=[lane(0, [[0, 10], [20, 20], [50, 40]]), lane(1, [[1, 3], [22, 4]])]),
    plain(1, "slow", [
        timed(0, "step", "compute", [100, 200]),
        timed(1, "save", "disk", [50]),
        timed(1, "load", "disk", [30]),
    ], [category("compute", 300), category("disk", 80)], 300,
        samples=[lane(0, [[5, 100], [205, 200]]), lane(1, [[300, 50]]), lane(2, [[10, 30]])]),
    plain(2, "idle"),
    plain(7, "other", [timed(0, "load", "io", [5] * 4)], [category("io", 20)], 20,
          histograms=[{"section": 0, "buckets": buckets_of([5] * 4)}]),
]


def for_json(value):
    if isinstance(value, dict):
        return {key: for_json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [for_json(item) for item in value]
    return str(value) if isinstance(value, int) and value >= 2**53 else value


def write(name, data, meaning):
    (HERE / f"{name}.xtp").write_bytes(data)
    lines = json.dumps(for_json(meaning), indent=1, ensure_ascii=True)
    (HERE / f"{name}.json").write_text(lines + "\n")


EMPTY = plain(0, "")
write("empty", profile(EMPTY), {"profiles": [EMPTY]})
write("full", profile(FULL), {"profiles": [FULL]})
# Written by a later version of the same format: further losses, further blocks.
FURTHER = block(66, b"\xff\x00") + block(2**32 - 1, b"")
write("further", profile(RANKS[0], FURTHER, [5, 6]), {"profiles": [RANKS[0]]})
write("ranks", b"".join(map(profile, RANKS)), {"profiles": RANKS})
REDUCED = reduce([FULL, *RANKS])
write("reduced", reduced(REDUCED), {"of": ["full", "ranks"], "reduced": REDUCED})
