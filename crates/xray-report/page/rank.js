// Rank: curves over the same axis, one suggestion, the topics of any number.

/** @type {RankData} */
const study = data;
const ranks = study.anchors.length;
let at = (study.suggested || 1) - 1;

const inRange = k => !!study.range && k >= study.range[0] && k <= study.range[1];

/** @param {Curve} curve */
function rankCurve(curve) {
  const narrow = isNarrow(), W = 760, H = narrow ? 330 : 215, L = narrow ? 86 : 52, R = 14, T = 28, B = narrow ? 48 : 30;
  const known = curve.values.flatMap((value, i) => value === null ? [] : [{ value, i }]);
  const values = known.map(one => one.value);
  const y = scaled(values, false, H - B, T), half = (W - L - R) / Math.max(1, ranks - 1) / 2;
  const x = i => L + i * 2 * half;
  const now = curve.values[at], told = known.map(one => `${one.value.toFixed(curve.decimals)} at ${one.i + 1}`);
  const svg = h("svg.chart", {
    viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": `${curve.name}: ${told.length > 6 ? [...told.slice(0, 3), "…", ...told.slice(-2)].join(", ") : told.join(", ")}`,
  });
  if (study.range) {
    const [low, high] = study.range;
    svg.append(h("rect.band", { x: Math.max(L - half, x(low - 1) - half), y: T, width: x(high - 1) - x(low - 1) + 2 * half, height: H - T - B }));
  }
  for (const value of ticks(y.low, y.high, false, 3)) {
    svg.append(h("line.grid", { x1: L, x2: W - R, y1: y.place(value), y2: y.place(value) }),
      h("text.tick", { x: L - 8, y: y.place(value) + 4, "text-anchor": "end" }, shortNumber(value)));
  }
  const every = Math.ceil(ranks / (narrow ? 8 : 20));
  for (let i = 0; i < ranks; i++) {
    const mine = i + 1 === study.suggested;
    if ((i + 1) % every && !mine) continue;
    if (!mine && study.suggested && Math.abs(i + 1 - study.suggested) < every / 2) continue;
    svg.append(h("text.tick" + (mine ? ".sug" : ""), { x: x(i), y: H - 10, "text-anchor": "middle" }, String(i + 1)));
  }
  svg.append(h("polyline.curve.own", { points: known.map(one => `${x(one.i)},${y.place(one.value)}`).join(" ") }));
  for (const { value, i } of known) svg.append(h("circle.dot.own" + (i === at ? ".on" : ""), { cx: x(i), cy: y.place(value), r: i === at ? 6 : ranks > 60 ? 2 : 3 }));
  if (now !== null) {
    svg.append(h("text.value", {
      x: x(at), y: Math.max(T - 8, y.place(now) - 12), "text-anchor": at > ranks - 3 ? "end" : at < 2 ? "start" : "middle",
    }, now.toFixed(curve.decimals)));
  }
  for (let i = 0; i < ranks; i++) {
    svg.append(h("rect.hit", { x: x(i) - half, y: 0, width: 2 * half, height: H, onclick: () => chooseRank(i) }));
  }
  return h("figure.panel", null, h("figcaption", null, h("b", null, curve.name), " ", curve.help), svg);
}

function chooseRank(i) {
  at = i;
  drawRank();
}

/** The topics of the number, or of the nearest that was looked at. */
function chosenTopics() {
  const k = at + 1, near = [...study.levels].sort((a, b) => Math.abs(a.k - k) - Math.abs(b.k - k) || a.k - b.k)[0];
  if (!near) return null;
  const most = Math.max(...near.topics.map(topic => topic[2]), 1e-9), sorted = [...near.topics].sort((a, b) => b[2] - a[2] || a[0] - b[0]);
  return [near.k === k ? null : h("p.note", null, `These are the ${near.k} topics: ${k} were not looked at.`),
    h("ol", null, sorted.map(([id, name, part]) => h("li", null, h("span.n", null, String(id)), h("span.name", { title: cut(name, 400) }, bdi(name)),
      h("span.line", { "aria-hidden": "true" }, h("i", { width: 100 * part / most + "%" })), h("span.pc", null, percent(part)))))];
}

function drawRank() {
  const k = at + 1;
  put("title", `How many ${study.what}?` + (study.suggested ? ` ${study.suggested}` : ""));
  put("summary", study.reason ? `${study.reason}.` : "");
  put("what", study.what);
  put("charts", study.curves.map(rankCurve));
  const slider = byId("rank-k");
  slider.max = ranks - 1;
  slider.value = at;
  slider.setAttribute("aria-valuetext", `${k} ${study.what}`);
  const facts = study.curves.flatMap(curve => {
    const value = curve.values[at];
    return value === null ? [] : [`${curve.name.toLowerCase()} ${value.toFixed(curve.decimals)}`];
  });
  put("chosen", h("header", null, h("h2", null, `${k} ${study.what}`),
    k === study.suggested ? h("span.badge", null, "suggested") : inRange(k) ? h("span.badge.soft", null, "nearly as good") : null),
  h("p.small.muted", null, facts.join(" · "), " · newest anchor ", bdi(cut(study.anchors[at], 40))), chosenTopics());
  put("numbers", h("div.scroll", { tabindex: 0, role: "region", "aria-label": "Numbers" }, h("table", null,
    h("thead", null, h("tr", null, h("th.num", { scope: "col" }, "k"), h("th", { scope: "col" }, "anchor"),
      study.curves.map(curve => h("th.num", { scope: "col" }, curve.name.toLowerCase())))),
    h("tbody", null, study.anchors.map((anchor, i) => h("tr", null, h("td.num", null, String(i + 1)), h("td", null, bdi(cut(anchor, 40))),
      study.curves.map(curve => {
        const value = curve.values[i];
        return h("td.num", null, value === null ? "–" : value.toFixed(curve.decimals));
      })))))));
}

byId("rank-k").addEventListener("input", event => chooseRank(Number(event.target.value)));
addEventListener("resize", drawRank);
offerDownloads([
  ["Numbers, CSV", () => save("rank.csv", "text/csv", csv([["rank", "anchor", ...study.curves.map(curve => curve.name)],
    ...study.anchors.map((anchor, i) => [i + 1, anchor, ...study.curves.map(curve => curve.values[i] ?? "")])]))],
  ["First picture, SVG", () => savePicture(document.querySelector("main svg"), "rank.svg")],
  ["All of this page, JSON", saveData],
]);
drawRank();
