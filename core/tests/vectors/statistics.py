#!/usr/bin/env python3
"""Writes statistics.json: what numpy says of samples, for core/tests/profile/statistics.rs.

Needs numpy (2.4.6 wrote the file). Samples are whole nanoseconds.
"""

import json
import pathlib

import numpy

PERCENTS = [0, 0.1, 1, 5, 12.5, 25, 33.3, 50, 66.6, 75, 90, 95, 99, 99.9, 100]
rng = numpy.random.default_rng(20)
CASES = {
    "one": [7],
    "two": [1, 2],
    "equal": [250] * 9,
    "zeros": [0] * 4,
    "small": [3, 1, 4, 1, 5, 9, 2, 6],
    "lognormal": numpy.exp(rng.normal(13, 1, 500)).astype(int).tolist(),
    # A narrow spread on a large mean: where naive sums of squares lose everything.
    "hours": (3_600_000_000_000 + rng.integers(0, 1000, 200)).tolist(),
    "wide": [1, 10**4, 10**8, 10**12, 10**15],
}


def figures(samples):
    exact = numpy.array(samples, dtype=numpy.longdouble)
    values = numpy.array(samples, dtype=numpy.float64)
    return {
        "samples": samples,
        "sum": int(sum(samples)),
        "mean": float(values.mean()),
        # In 80 bits: in 64, numpy's own rounding is above 1e-12 where the spread is narrow.
        "std": float(exact.std(ddof=1)) if len(samples) > 1 else None,
        "min": int(values.min()),
        "max": int(values.max()),
        "percentiles": [float(value) for value in numpy.percentile(values, PERCENTS)],
    }


out = {"numpy": numpy.__version__, "percents": PERCENTS,
       "cases": {name: figures(samples) for name, samples in CASES.items()}}
path = pathlib.Path(__file__).with_name("statistics.json")
path.write_text(json.dumps(out) + "\n")
