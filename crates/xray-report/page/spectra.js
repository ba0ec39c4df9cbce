// The chart of spectra: endmembers as lines, the pixel as dots, its mixture dashed, and the values of any band.

const axis = result.bands.wavelengths || result.bands.taken;
const unit = result.bands.wavelengths ? (result.bands.wavelength_units || "").replace(/^nanometers$/i, "nm").replace(/^micrometers$/i, "µm") : "";
const bandName = i => result.bands.wavelengths ? `${shortNumber(axis[i])}${unit ? "\u00a0" + unit : ""} (band ${result.bands.taken[i]})` : `band ${axis[i]}`;
const dead = new Set(result.bands.dead), isDead = i => dead.has(result.bands.taken[i]);

/** Bands that follow each other without a gap. @type {number[][]} */
const runs = [];
axis.forEach((_, i) => {
  const next = i > 0 && !isDead(i - 1) && result.bands.taken[i] - result.bands.taken[i - 1] <= unmixed.every;
  if (isDead(i)) return;
  if (next) runs[runs.length - 1].push(i);
  else runs.push([i]);
});

/** Where and what the chart shows. */
const chart = { width: 0, height: 0, top: 0, x: scaled([], false, 0, 1), y: scaled([], false, 0, 1) };
/** The band whose values are told. @type {number | null} */
let bandTold = null;

/** A line with its gaps; a band alone is a dot. */
const lineOf = values => runs.map(run => "M" + run.map(i => `${chart.x.place(axis[i]).toFixed(1)},${chart.y.place(values[i]).toFixed(1)}`).join("L") + (run.length === 1 ? "h0" : "")).join("");

/** Names at the ends of lines, none over another. */
function lineNames(chosen) {
  const last = runs.at(-1)?.at(-1) ?? 0, step = isNarrow() ? 24 : 15;
  const shown = ends.map((_, k) => k).filter(k => ends.length <= 12 || k === chosen);
  const sorted = shown.map(k => ({ k, y: chart.y.place(ends[k].spectrum[last]) + 4 })).sort((a, b) => a.y - b.y);
  sorted.forEach((one, i) => { if (i) one.y = Math.max(one.y, sorted[i - 1].y + step); });
  const over = Math.max(0, (sorted.at(-1)?.y ?? 0) - chart.height + 36);
  return sorted.map(({ k, y }) => h("text.name" + (k === chosen ? ".on" : ""), { x: chart.x.place(axis[last]) + 8, y: y - over }, `E${k + 1}`));
}

/** Axes, gaps and endmembers. */
function drawSpectra(chosen, top) {
  const narrow = isNarrow(), L = narrow ? 84 : 56, R = narrow ? 56 : 40, T = 12, B = narrow ? 60 : 40;
  Object.assign(chart, { width: 720, height: narrow ? 480 : 320, top });
  chart.x = scaled(axis, false, L, chart.width - R);
  chart.y = scaled([0, top, ...ends.flatMap(end => end.spectrum)], false, chart.height - B, T);
  const { width, height, x, y } = chart;
  const svg = h("svg.chart.spectra", {
    viewBox: `0 0 ${width} ${height}`, tabindex: 0, role: "slider", "aria-label": "Band of the spectra",
    "aria-valuemin": 0, "aria-valuemax": axis.length - 1, onpointermove: overBand, onpointerdown: overBand, onkeydown: bandKey,
    onfocus: () => tellBand(bandTold ?? runs[0]?.[0] ?? 0), onpointerleave: () => document.activeElement !== svg && tellBand(null),
  });
  runs.slice(1).forEach((run, i) => {
    const from = x.place(axis[runs[i].at(-1) ?? 0]), to = x.place(axis[run[0]]);
    svg.append(h("rect.gap", { x: Math.min(from, to), y: T, width: Math.abs(to - from), height: height - B - T }));
  });
  for (const value of ticks(y.low, y.high, false, 4)) {
    svg.append(h("line.grid", { x1: L, x2: width - R, y1: y.place(value), y2: y.place(value) }),
      h("text.tick", { x: L - 8, y: y.place(value) + 4, "text-anchor": "end" }, shortNumber(value)));
  }
  for (const value of ticks(x.low, x.high, false, narrow ? 4 : 8)) {
    svg.append(h("text.tick", { x: x.place(value), y: height - B + (narrow ? 28 : 17), "text-anchor": "middle" }, shortNumber(value)));
  }
  svg.append(h("text.tick", { x: width - R, y: height - 4, "text-anchor": "end" }, result.bands.wavelengths ? `wavelength${unit ? `, ${unit}` : ""}` : "band"));
  for (const band of result.bands.noisy) {
    const i = result.bands.taken.indexOf(band);
    if (i >= 0) svg.append(h("line.noisy", { x1: x.place(axis[i]), x2: x.place(axis[i]), y1: height - B, y2: height - B + 6 }));
  }
  const order = ends.map((_, k) => k).sort((a, b) => Number(a === chosen) - Number(b === chosen));
  svg.append(...order.map(k => h("path.curve" + (k === chosen ? ".on" : ""), { d: lineOf(ends[k].spectrum) })), ...lineNames(chosen),
    h("g", { id: "pixel-drawn" }), h("g", { id: "band-drawn" }));
  put("spectra", svg);
  tellBand(bandTold);
}

/** The top of the chart that most pixels stay below. */
const usualTop = (() => {
  const highs = Array.from({ length: spectraRanges.byteLength / 8 }, (_, i) => spectraRanges.getFloat32(8 * i + 4, true)).sort((a, b) => a - b);
  return Math.max(...ends.flatMap(end => end.spectrum), highs[Math.floor(0.98 * (highs.length - 1))] ?? 0);
})();

/** The pixel and its mixture; the chart grows if they are beyond it. */
function drawPixelSpectrum(square, chosen) {
  const own = spectrumOf(square), top = own ? Math.max(usualTop, ...own.measured) : usualTop;
  if (top !== chart.top) drawSpectra(chosen, top);
  put("pixel-drawn", own && [
    h("path.mixture", { d: pixels.bands.map((band, i) => (i && runs.some(run => run.includes(band) && run.includes(pixels.bands[i - 1])) ? "L" : "M")
      + `${chart.x.place(axis[band]).toFixed(1)},${chart.y.place(own.mixture[i]).toFixed(1)}`).join("") }),
    own.measured.map((value, i) => h("circle.px", { cx: chart.x.place(axis[pixels.bands[i]]), cy: chart.y.place(value), r: isNarrow() ? 3.4 : 2.2 })),
  ]);
  tellBand(bandTold);
  return own;
}

/** The values of a band, in words and as a line. @param {number | null} i */
function tellBand(i) {
  bandTold = i;
  const svg = document.querySelector("#spectra svg");
  if (!svg) return;
  if (i === null) {
    put("band-drawn");
    put("told", "Point at the chart, or focus it and use the arrow keys, for the values of a band.");
    svg.setAttribute("aria-valuenow", "0");
    svg.setAttribute("aria-valuetext", "no band");
    return;
  }
  const own = spectrumOf(looking.square), k = pixels.bands.indexOf(i), most = 12;
  const parts = isDead(i) ? ["left out: no light"] : ends.slice(0, most).map((end, e) => `E${e + 1} ${shortNumber(end.spectrum[i])}`);
  if (ends.length > most) parts.push("…");
  if (own && k >= 0) parts.push(`pixel ${shortNumber(own.measured[k])}`, `mixture ${shortNumber(own.mixture[k])}`);
  if (result.bands.noisy.includes(result.bands.taken[i])) parts.push("noisy: counts for less");
  const text = `${bandName(i)}: ${parts.join(" · ")}`;
  put("told", text);
  svg.setAttribute("aria-valuenow", String(i));
  svg.setAttribute("aria-valuetext", text);
  const x = chart.x.place(axis[i]);
  put("band-drawn", h("line.guide", { x1: x, x2: x, y1: 12, y2: chart.height - 40 }),
    isDead(i) ? null : ends.map((end, e) => h("circle.dot" + (e === looking.map ? ".on" : ""), { cx: x, cy: chart.y.place(end.spectrum[i]), r: 3.5 })));
}

/** The band nearest to the pointer. */
function overBand(event) {
  const box = event.currentTarget.getBoundingClientRect(), at = (event.clientX - box.left) / box.width * chart.width;
  let best = 0;
  axis.forEach((value, i) => { if (Math.abs(chart.x.place(value) - at) < Math.abs(chart.x.place(axis[best]) - at)) best = i; });
  tellBand(best);
}

function bandKey(event) {
  const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10, Home: -Infinity, End: Infinity }[event.key];
  if (!step) return;
  event.preventDefault();
  tellBand(Math.min(axis.length - 1, Math.max(0, (bandTold ?? 0) + step)));
}
