// The package as it is published: what the tarball holds, how large it is, and that it works installed
// in an empty project: in Node, in TypeScript, bundled by esbuild and Vite.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import * as esbuild from "esbuild";
import * as vite from "vite";
import { launch, open, serve } from "./browser.js";

const here = new URL("..", import.meta.url).pathname;
let project, packed, browser;

const run = (program, ...rest) => execFileSync(program, rest, { cwd: project, encoding: "utf8" });
const write = (name, text) => writeFileSync(join(project, name), text);

before(async () => {
  project = mkdtempSync(join(tmpdir(), "xtimer-"));
  const pack = ["pack", "--json", "--pack-destination", project];
  [packed] = JSON.parse(execFileSync("npm", pack, { cwd: here, encoding: "utf8" }));
  write("package.json", JSON.stringify({ name: "empty", version: "1.0.0", private: true, type: "module" }));
  run("npm", "install", "--offline", "--no-audit", "--no-fund", join(project, packed.filename));
  browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(project, { recursive: true, force: true });
});

test("the tarball holds what it should, and nothing else", () => {
  const types = ["clock", "context", "devtools", "index", "load", "options", "section", "site", "snapshot", "timer",
    ...["bytes", "decode", "figures", "gathered", "index", "profile", "times"].map((it) => `profile/${it}`)];
  assert.deepEqual(packed.files.map((it) => it.path).sort(), [
    "LICENSE-APACHE", "LICENSE-MIT", "README.md",
    ...types.map((it) => `dist/${it}.d.ts`), "dist/node.js", "dist/profile.js", "dist/web.js",
    "dist/xtimer.wasm",
    "package.json",
  ].sort());
});

test("it is small", () => {
  const size = (name) => gzipSync(readFileSync(join(here, "dist", name)), { level: 9 }).length;
  const sizes = Object.fromEntries(["xtimer.wasm", "web.js", "node.js", "profile.js"].map((name) => [name, size(name)]));
  console.log("gzipped", sizes);
  assert.ok(sizes["xtimer.wasm"] <= 40 * 1024);
  assert.ok(sizes["web.js"] <= 5 * 1024 && sizes["node.js"] <= 5 * 1024);
  assert.ok(sizes["profile.js"] <= 7 * 1024); // who reads no profiles does not load it
});

test("the lock file tells no registry but the public one", () => {
  const { packages } = JSON.parse(readFileSync(join(here, "package-lock.json"), "utf8"));
  for (const [name, { resolved }] of Object.entries(packages)) {
    assert.ok(resolved === undefined || resolved.startsWith("https://registry.npmjs.org/"), `${name}: ${resolved}`);
  }
});

test("in Node, as a module and from CommonJS", () => {
  write("main.mjs", `
    import init, { Timer } from "xtimer-wasm";
    await init();
    const timer = new Timer();
    await timer.time("a", async () => { await 0; timer.section("b").end(); });
    console.log(timer.snapshot().sections.map((it) => it.path.join("/")).join());`);
  assert.equal(run("node", "main.mjs"), "a,a/b\n");
  write("profile.mjs", `
    import { Timer } from "xtimer-wasm";
    import { Gathered } from "xtimer-wasm/profile";
    const timer = new Timer({ samples: 2 });
    timer.record("a", 2);
    console.log(Gathered.of([timer.save(), timer.save({ rank: 1 })]).get("a").sumMs, timer.times("a").length);`);
  assert.equal(run("node", "profile.mjs"), "4 1\n");
  write("main.cjs", `
    import("xtimer-wasm").then(({ Timer }) => {
      const timer = new Timer();
      timer.section("a").end();
      console.log(timer.totalMs() >= 0);
    });`);
  assert.equal(run("node", "main.cjs"), "true\n");
});

test("its types, for both ways of resolving, and without the newest library", () => {
  write("use.ts", `
    import init, { initSync, Timer, type Context, type Snapshot, type TimerOptions } from "xtimer-wasm";
    import { Gathered, Profile, type Across, type Exact, type ProfileSection, type Times } from "xtimer-wasm/profile";
    const options: TimerOptions = { sections: 8, devtools: { track: "x" }, clock: { now: () => 0 } };
    async function main(): Promise<Snapshot> {
      await init(new URL("x.wasm", "http://localhost"));
      initSync(new Uint8Array());
      const timer = new Timer(options);
      const plain: number = timer.time("a", (context: Context) => { context.record("b", 1); return 1; });
      const later: Promise<string> = timer.time("a", { category: "io" }, async () => "x");
      const same: (a: number) => string = timer.timerify((a: number) => String(a), { name: "n" });
      using section = timer.section("a", "io");
      using all = timer;
      const detached = timer.detached("a");
      detached.context.run((context) => context.section("b").end());
      const site = timer.site("a");
      site.exit(site.enter());
      const kept: Float64Array = timer.times("a");
      const profile = Profile.load(timer.save({ rank: 1, label: "w" }));
      const [row]: ProfileSection[] = profile.sections;
      const exact: Exact = profile.exact;
      const times: Times | undefined = Gathered.of([profile, new Uint8Array()]).get("a", "b");
      const across: Across | undefined = times?.across();
      console.log(kept, row?.selfMs, exact.total, across?.slowest?.rank, times?.hist(5).counts);
      // @ts-expect-error: what is internal is not told
      times?._ranks;
      // @ts-expect-error: a category is a string
      timer.section("a", 5);
      // @ts-expect-error: what is internal is not told
      timer._site;
      console.log(plain, await later, same(1), section, all, timer.clock.quantumMs);
      return timer.snapshot({ flatten: false });
    }
    export { main };`);
  const tsc = join(here, "node_modules/typescript/bin/tsc");
  for (const [module, resolution] of [["esnext", "bundler"], ["nodenext", "nodenext"]]) {
    run(process.execPath, tsc, "--noEmit", "--strict", "--target", "es2022", "--lib", "es2022,dom",
      "--module", module, "--moduleResolution", resolution, "use.ts");
  }
});

const MAIN = (source) => `
  import init, { Timer } from "xtimer-wasm";
  import { Profile } from "xtimer-wasm/profile";
  ${source.load ?? ""}
  await init(${source.give ?? ""});
  const timer = new Timer();
  await timer.time("a", async (context) => { await 0; context.section("b").end(); });
  document.body.textContent = Profile.load(timer.save()).sections.map((it) => it.path.join("/")).join();`;
const PAGE = (script) =>
  `<!doctype html><link rel=icon href=data:,><body><script type=module src="${script}"></script>`;

/** What the page at `folder` shows. */
async function shown(url) {
  const { page, errors } = await open(browser, url);
  await page.waitForFunction(() => document.body.textContent.trim() !== "", null, { timeout: 10_000 })
    .catch(() => assert.fail(`nothing is shown: ${errors}`));
  const text = await page.evaluate(() => document.body.textContent.trim());
  await page.close();
  return text;
}

test("in a browser without a bundler", async () => {
  const site = join(project, "plain");
  mkdirSync(site);
  cpSync(join(project, "node_modules/xtimer-wasm/dist"), join(site, "xtimer"), { recursive: true });
  writeFileSync(join(site, "main.js"), MAIN({}).replace('"xtimer-wasm"', '"./xtimer/web.js"').replace('"xtimer-wasm/profile"', '"./xtimer/profile.js"'));
  writeFileSync(join(site, "index.html"), PAGE("main.js"));
  const server = await serve(site);
  assert.equal(await shown(`${server.url}/`), "a,a/b");
  await server.close();
});

test("bundled by esbuild", async () => {
  const site = join(project, "esbuild");
  write("esbuild.js", MAIN({ load: 'import url from "xtimer-wasm/xtimer.wasm";', give: "url" }));
  await esbuild.build({
    absWorkingDir: project, entryPoints: ["esbuild.js"], outdir: site, bundle: true, format: "esm",
    loader: { ".wasm": "file" }, logLevel: "warning",
  });
  writeFileSync(join(site, "index.html"), PAGE("esbuild.js"));
  const server = await serve(site);
  assert.equal(await shown(`${server.url}/`), "a,a/b");
  await server.close();
});

test("built by Vite, and served by its development server", async () => {
  const root = join(project, "vite");
  mkdirSync(root);
  writeFileSync(join(root, "main.js"), MAIN({}));
  writeFileSync(join(root, "index.html"), PAGE("/main.js"));
  const shared = { root, logLevel: "warn", configFile: false };
  await vite.build({ ...shared, build: { target: "es2022" } });
  const server = await serve(join(root, "dist"));
  assert.equal(await shown(`${server.url}/`), "a,a/b");
  await server.close();

  const development = await vite.createServer({ ...shared, server: { host: "127.0.0.1", port: 0 } });
  await development.listen();
  assert.equal(await shown(development.resolvedUrls.local[0]), "a,a/b");
  await development.close();
});

test("rendered on a server: the entry for Node is taken, and importing does nothing", async () => {
  write("page.js", `import { Timer } from "xtimer-wasm"; export const render = () => typeof Timer;`);
  const server = await vite.createServer({ root: project, configFile: false, logLevel: "warn",
    server: { middlewareMode: true, ws: false }, appType: "custom" });
  const { render } = await server.ssrLoadModule("/page.js");
  assert.equal(render(), "function");
  await server.close();
});
