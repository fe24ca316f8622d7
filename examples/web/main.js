// The page: draws a picture, has it filtered by the worker, shows the result and where the time went.

import init, { Timer } from "./xtimer-wasm/web.js";
import { Gathered } from "./xtimer-wasm/profile.js";
import { showReport, showSpread } from "./report.js";

await init();
const timer = new Timer({ devtools: true, samples: 4096 });
const form = document.querySelector("form");
const [before, after] = ["before", "after"].map((id) =>
  document.getElementById(id).getContext("2d", { willReadFrequently: true }));

const worker = new Worker("worker.js", { type: "module" });
/** What the worker says next. */
const said = () =>
  new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = (event) => reject(new Error(event.message ?? "the worker failed"));
  });

/** A picture without a file: rings and a ramp, so that there are edges to find. */
function drawSample(context) {
  const { width, height } = context.canvas;
  const ramp = context.createLinearGradient(0, 0, width, height);
  ramp.addColorStop(0, "#1d3557");
  ramp.addColorStop(1, "#f1a208");
  context.fillStyle = ramp;
  context.fillRect(0, 0, width, height);
  context.lineWidth = 6;
  for (let ring = 1; ring <= 6; ring++) {
    context.strokeStyle = ring % 2 ? "#f1faee" : "#e63946";
    context.beginPath();
    context.arc(width / 2, height / 2, ring * 24, 0, 2 * Math.PI);
    context.stroke();
  }
}

/** Draws the chosen file, or the sample. */
async function drawPicture(file) {
  await timer.time("draw picture", async (ctx) => {
    if (!file) return drawSample(before);
    const image = await ctx.time("decode", { category: "io" }, () => createImageBitmap(file));
    before.drawImage(image, 0, 0, before.canvas.width, before.canvas.height);
    image.close();
  });
}

/** One picture through the worker. */
async function filterOnce(radius) {
  return timer.time("picture", async (ctx) => {
    const { width, height } = before.canvas;
    const { data: pixels } = ctx.time("read pixels", () => before.getImageData(0, 0, width, height));
    // Behind the await the page does other things meanwhile: the section goes on in `ctx`.
    const { pixels: filtered, profile } = await ctx.time("wait for the worker", { category: "wait" }, () => {
      const answer = said();
      worker.postMessage({ pixels, width, height, radius }, [pixels.buffer]);
      return answer;
    });
    ctx.time("show", () => after.putImageData(new ImageData(filtered, width, height), 0, 0));
    return profile;
  });
}

/** Page and worker are two ranks of one run: their profiles are united. */
function show(ofWorker) {
  const all = Gathered.of([timer.save({ label: "page" }), ofWorker]);
  showReport(document.getElementById("page"), timer.snapshot());
  showReport(document.getElementById("worker"), all.profiles[1]);
  showSpread(document.getElementById("spread"), all);
  const { quantumMs, pairMs } = timer.clock;
  document.getElementById("clock").textContent =
    `The clock tells ${(1000 * quantumMs).toFixed(1)} µs apart, a section costs ${(1e6 * pairMs).toFixed(0)} ns; ` +
    "pale rows are near that.";
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const [output, button] = [form.querySelector("output"), form.querySelector("button")];
  button.disabled = true;
  output.textContent = "working";
  try {
    await drawPicture(form.elements.file.files[0]);
    let profile;
    for (let left = Number(form.elements.times.value); left > 0; left--) {
      profile = await filterOnce(Number(form.elements.radius.value));
    }
    show(profile);
    output.textContent = "done";
  } catch (error) {
    output.textContent = error.message;
  }
  button.disabled = false;
});

form.elements.clear.addEventListener("click", () => {
  timer.clear();
  worker.postMessage({ clear: true });
  for (const id of ["page", "worker", "spread"]) document.getElementById(id).replaceChildren();
  form.querySelector("output").textContent = "cleared";
});

await said(); // the worker is ready
drawSample(before);
form.querySelector("output").textContent = "ready";
