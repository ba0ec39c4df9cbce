// Charts: curves and points that tell their values on hover and focus.

/** Round numbers between two ends. @returns {number[]} */
function ticks(low, high, log, wanted) {
  if (log) {
    const out = [];
    for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++) {
      for (const m of high / low < 20 ? [1, 2, 5] : [1]) out.push(m * 10 ** e);
    }
    return out.filter(value => value >= low * 0.999 && value <= high * 1.001);
  }
  const rough = (high - low) / wanted || 1, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map(m => m * power).find(one => one >= rough * 0.999) || power;
  const out = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) out.push(i * step);
  return out;
}

const shortNumber = value => value !== 0 && (Math.abs(value) < 1e-3 || Math.abs(value) >= 1e6)
  ? value.toExponential(0).replace("e+", "e") : String(+value.toPrecision(4));

/** A scale from numbers to places. */
function scaled(values, log, from, to, zero) {
  const fit = values.filter(value => Number.isFinite(value) && (!log || value > 0));
  let low = Math.min(...fit), high = Math.max(...fit);
  if (!fit.length) [low, high] = [log ? 1 : 0, 1];
  if (zero && !log && low > 0 && low < high / 2) low = 0;
  if (low === high) [low, high] = log ? [low / 2, high * 2] : [low - 0.5, high + 0.5];
  const change = log ? Math.log : (/** @type {number} */ value) => value, a = change(low), b = change(high);
  const place = value => from + (change(value) - a) / (b - a) * (to - from);
  return { low, high, place };
}

/** @typedef {{y: string, y_log: boolean, series: {name: string, points: [number, number][], scattered: boolean}[], marks: [number, string][]}} Panel */
/** @typedef {{title: string, x: string, x_log: boolean, panels: Panel[], marks: [number, string][]}} ChartData */

/**
 * One panel: a line for each series, or points; the chosen one in the accent, and its values told.
 * @param {ChartData} chart @param {Panel} panel @param {{chosen: string | null, tell: (text: string) => void, choose: (name: string) => void}} how
 */
function drawPanel(chart, panel, { chosen, tell, choose }) {
  const narrow = isNarrow(), W = 900, H = narrow ? 420 : 280, L = narrow ? 96 : 62, R = 20, T = 22, B = narrow ? 66 : 44;
  const points = panel.series.flatMap(one => one.points);
  const x = scaled([...points.map(p => p[0]), ...chart.marks.map(m => m[0])], chart.x_log, L + 12, W - R - 12);
  const y = scaled([...points.map(p => p[1]), ...panel.marks.map(m => m[0])], panel.y_log, H - B, T, true);
  const svg = h("svg.chart", { viewBox: `0 0 ${W} ${H}`, role: "group", "aria-label": `${panel.y} against ${chart.x}` });
  for (const value of ticks(y.low, y.high, panel.y_log, 4)) {
    svg.append(h("line.grid", { x1: L, x2: W - R, y1: y.place(value), y2: y.place(value) }),
      h("text.tick", { x: L - 8, y: y.place(value) + 4, "text-anchor": "end" }, shortNumber(value)));
  }
  for (const value of ticks(x.low, x.high, chart.x_log, narrow ? 4 : 8)) {
    svg.append(h("text.tick", { x: x.place(value), y: H - B + (narrow ? 28 : 18), "text-anchor": "middle" }, shortNumber(value)));
  }
  svg.append(h("text.tick", { x: W - R, y: H - 6, "text-anchor": "end" }, chart.x));
  for (const [at, name] of chart.marks) {
    svg.append(h("line.guide", { x1: x.place(at), x2: x.place(at), y1: T, y2: H - B }),
      h("text.name", { x: x.place(at) + 4, y: T + 10 }, name));
  }
  for (const [at, name] of panel.marks) {
    svg.append(h("line.guide", { x1: L, x2: W - R, y1: y.place(at), y2: y.place(at) }),
      h("text.name", { x: W - R, y: y.place(at) - 5, "text-anchor": "end" }, name));
  }
  const last = panel.series.filter(one => one.name === chosen), order = [...panel.series.filter(one => one.name !== chosen), ...last];
  for (const { name, points: own, scattered } of order) {
    const on = name === chosen || panel.series.length === 1 ? ".on" : "";
    const seen = own.filter(p => (!chart.x_log || p[0] > 0) && (!panel.y_log || p[1] > 0));
    if (!scattered) svg.append(h("polyline.curve" + on, { points: seen.map(p => `${x.place(p[0])},${y.place(p[1])}`).join(" ") }));
    const group = h("g", { tabindex: 0, role: "button", "aria-label": name || panel.y, "aria-pressed": String(name === chosen), onclick: () => choose(name) });
    let at = 0;
    const say = i => { at = i; tell(`${name ? name + ": " : ""}${panel.y} ${shortNumber(seen[i][1])} at ${chart.x} ${shortNumber(seen[i][0])}`); };
    seen.forEach((p, i) => group.append(
      h("circle.dot" + on, { cx: x.place(p[0]), cy: y.place(p[1]), r: scattered || on ? 5 : seen.length > 40 ? 1.5 : 3.5 }),
      h("circle.hit", { cx: x.place(p[0]), cy: y.place(p[1]), r: narrow ? 22 : 11, onmouseenter: () => say(i) })));
    if (seen.length) {
      group.addEventListener("focus", () => say(at));
      group.addEventListener("keydown", event => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (step && seen[at + step]) { event.preventDefault(); say(at + step); }
        if (event.key === "Enter") choose(name);
      });
      const end = seen[seen.length - 1], toLeft = x.place(end[0]) > W - 160;
      if (scattered || on) {
        group.append(h("text.name" + on, {
          x: x.place(end[0]) + (toLeft ? -10 : 10), y: y.place(end[1]) + (scattered ? 4 : -8), "text-anchor": toLeft ? "end" : "start", "aria-hidden": "true",
        }, cut(name, 40)));
      }
    }
    svg.append(group);
  }
  return svg;
}

/** A chart with its legend, in which one series is chosen. @param {ChartData} chart */
function drawChart(chart) {
  const names = [...new Set(chart.panels.flatMap(panel => panel.series.map(one => one.name)))].filter(Boolean);
  const figure = h("figure.panel"), told = h("p.told", { role: "status" });
  /** @type {string | null} */
  let chosen = null;
  const draw = () => {
    const focused = document.activeElement instanceof Element && figure.contains(document.activeElement)
      ? document.activeElement.getAttribute("aria-label") || document.activeElement.textContent : null;
    figure.replaceChildren(h("figcaption", null, h("b", null, chart.title), told),
      names.length > 1 && names.length < 16 ? h("div.legend", null, names.map(name => h("button", {
        "aria-pressed": String(name === chosen), onclick: () => choose(name),
      }, name))) : "",
      ...chart.panels.flatMap(panel => [h("p.small", null, panel.y),
        drawPanel(chart, panel, { chosen, choose, tell: text => { told.textContent = text; } })]));
    if (focused) [...figure.querySelectorAll("[tabindex], button")]
      .find(node => (node.getAttribute("aria-label") || node.textContent) === focused)?.focus();
  };
  const choose = name => { chosen = chosen === name ? null : name; draw(); };
  draw();
  addEventListener("resize", draw);
  return figure;
}
