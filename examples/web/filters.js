// What the worker does to pixels: plain functions over arrays.

/** Luminance of RGBA pixels, 0 to 255. */
export function grey(pixels) {
  const out = new Float32Array(pixels.length / 4);
  for (let i = 0; i < out.length; i++) {
    out[i] = 0.2126 * pixels[4 * i] + 0.7152 * pixels[4 * i + 1] + 0.0722 * pixels[4 * i + 2];
  }
  return out;
}

/** The mean of 2 * radius + 1 neighbours along one direction; the border repeats. `step` is from one to the
 * next, `stride` from one line to the next. */
export function blur(values, { length, lines, step, stride }, radius) {
  const out = new Float32Array(values.length);
  const width = 2 * radius + 1;
  for (let line = 0; line < lines; line++) {
    const at = (i) => line * stride + Math.min(Math.max(i, 0), length - 1) * step;
    let sum = 0;
    for (let i = -radius; i <= radius; i++) sum += values[at(i)];
    for (let i = 0; i < length; i++) {
      out[at(i)] = sum / width;
      sum += values[at(i + radius + 1)] - values[at(i - radius)];
    }
  }
  return out;
}

/** Sobel's gradient as RGBA pixels, dark on white; the border is white. */
export function edges(values, width, height) {
  const out = new Uint8ClampedArray(4 * values.length).fill(255);
  for (let y = 1; y < height - 1; y++) {
    for (let x = 1; x < width - 1; x++) {
      const i = y * width + x;
      const [up, down] = [i - width, i + width];
      const across = values[up + 1] + 2 * values[i + 1] + values[down + 1]
        - values[up - 1] - 2 * values[i - 1] - values[down - 1];
      const along = values[down - 1] + 2 * values[down] + values[down + 1]
        - values[up - 1] - 2 * values[up] - values[up + 1];
      const shade = 255 - 4 * Math.hypot(across, along);
      out[4 * i] = out[4 * i + 1] = out[4 * i + 2] = shade;
    }
  }
  return out;
}
