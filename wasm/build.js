// Builds the package from the bound module: `node build.js BINDINGS`, where BINDINGS holds what
// wasm-bindgen wrote. `cargo xtask wasm` calls it.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
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

// The core never traps but where it would have panicked: -tnh lets what only leads there go.
run(
  "binaryen/bin/wasm-opt", "-Oz", "-tnh", "--all-features", "--strip-debug", "--strip-producers",
  "--strip-target-features", join(bindings, "bindings_bg.wasm"), "-o", join(dist, "xtimer.wasm"),
);

const module = new WebAssembly.Module(readFileSync(join(dist, "xtimer.wasm")));
const imports = WebAssembly.Module.imports(module).map(({ name }) => name);
if (imports.join() !== "__wbindgen_init_externref_table") {
  throw new Error(`ts/load.ts does not have what the module imports: ${imports}`);
}

for (const [entry, platform] of [["web", "neutral"], ["node", "node"]]) {
  await build({
    absWorkingDir: here,
    entryPoints: [`ts/${entry}.ts`],
    outfile: `dist/${entry}.js`,
    bundle: true,
    format: "esm",
    platform,
    target: "es2022",
    minify: true,
    mangleProps: /^_[a-z]/,
    sourcemap: false,
    legalComments: "none",
    alias: { "xtimer-bindings": join(bindings, "bindings_bg.js") },
  });
}

// Types: of what index.ts exports, and what that needs.
run("typescript/bin/tsc", "--project", "tsconfig.json");
for (const own of ["web", "node", "check", "storage", "text"]) rmSync(join(dist, `${own}.d.ts`));
for (const licence of ["LICENSE-MIT", "LICENSE-APACHE"]) cpSync(join(here, "..", licence), join(here, licence));

for (const file of ["xtimer.wasm", "web.js", "node.js"]) {
  const bytes = readFileSync(join(dist, file));
  console.log(`${file}: ${statSync(join(dist, file)).size} bytes, ${gzipSync(bytes, { level: 9 }).length} gzipped`);
}
