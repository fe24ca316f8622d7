// Builds the package from the bound module: `node build.js BINDINGS`, where BINDINGS holds what
// wasm-bindgen wrote. `cargo xtask wasm` calls it.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const bindings = process.argv[2];
if (!bindings) throw new Error("usage: node build.js BINDINGS");
const here = import.meta.dirname;
const dist = join(here, "dist");
rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);

const run = (script, ...rest) =>
  execFileSync(process.execPath, [join(here, "node_modules", script), ...rest], { cwd: here, stdio: "inherit" });

// What JavaScript calls is all that has to stay: the glue of wasm-bindgen and its table do not.
const bound = join(bindings, "bindings_bg.wasm");
const exported = WebAssembly.Module.exports(new WebAssembly.Module(readFileSync(bound)))
  .map(({ name }) => name).filter((name) => !name.startsWith("__"));
const [graph, called] = [join(bindings, "graph.json"), join(bindings, "called.wasm")];
const nodes = [{ name: "root", root: true, reaches: exported }, ...exported.map((name) => ({ name, export: name }))];
writeFileSync(graph, JSON.stringify(nodes));
const features = ["bulk-memory", "multivalue", "mutable-globals", "nontrapping-float-to-int", "reference-types", "sign-ext"]
  .map((feature) => `--enable-${feature}`);
execFileSync(process.execPath,
  [join(here, "node_modules/binaryen/bin/wasm-metadce"), ...features, "--graph-file", graph, bound, "-o", called]);

// The core never traps but where it would have panicked: -tnh lets what only leads there go. The lowest
// memory is the end of the stack, where no object lies: -lmu.
run(
  "binaryen/bin/wasm-opt", "-Oz", "-tnh", "-lmu", ...features, "--strip-debug", "--strip-producers",
  "--strip-target-features", called, "-o", join(dist, "xtimer.wasm"),
);

const module = new WebAssembly.Module(readFileSync(join(dist, "xtimer.wasm")));
const imports = WebAssembly.Module.imports(module).map(({ name }) => name);
if (imports.length > 0) throw new Error(`ts/load.ts has nothing that the module could import: ${imports}`);
const known = readFileSync(join(here, "ts/core.ts"), "utf8");
for (const name of exported) {
  if (!new RegExp(`^  ${name}[(:]`, "m").test(known)) throw new Error(`ts/core.ts does not know ${name}`);
}

for (const [entry, platform] of [["web", "neutral"], ["node", "node"], ["profile/index", "neutral"]]) {
  await build({
    absWorkingDir: here,
    entryPoints: [`ts/${entry}.ts`],
    outfile: `dist/${entry.split("/")[0]}.js`,
    bundle: true,
    format: "esm",
    platform,
    target: "es2022",
    minify: true,
    mangleProps: /^_[a-z]/,
    sourcemap: false,
    legalComments: "none",
  });
}

// Types: of what index.ts exports, and what that needs.
run("typescript/bin/tsc", "--project", "tsconfig.json");
for (const own of ["web", "node", "check", "core", "storage", "text"]) rmSync(join(dist, `${own}.d.ts`));
for (const licence of ["LICENSE-MIT", "LICENSE-APACHE"]) cpSync(join(here, "..", licence), join(here, licence));

for (const file of ["xtimer.wasm", "web.js", "node.js", "profile.js"]) {
  const bytes = readFileSync(join(dist, file));
  console.log(`${file}: ${statSync(join(dist, file)).size} bytes, ${gzipSync(bytes, { level: 9 }).length} gzipped`);
}
