// The vectors of the profile format, for tests in Node and in a page: bytes as Base64, and what they mean.

import { readFileSync } from "node:fs";

const folder = new URL("../../../core/tests/vectors/", import.meta.url);
const read = (name) => readFileSync(new URL(name, folder));

export const vectors = {
  profiles: Object.fromEntries(["empty", "full", "further", "ranks"].map((name) =>
    [name, { bytes: read(`${name}.xtp`).toString("base64"), meaning: JSON.parse(read(`${name}.json`)).profiles }])),
  reduced: read("reduced.xtp").toString("base64"),
  statistics: JSON.parse(read("statistics.json")),
};
