// Unmix: a card for each endmember, one map in large, and what the pixel under the cursor is made of.

/** The map in large, the pixel that was chosen, and the one that is looked at: the same unless the pointer is on the map. */
const looking = { map: 0, chosen: 0, square: 0 };
const endName = k => k === UNEXPLAINED ? "Unexplained" : `Endmember ${k + 1}`;
const degrees = angle => `${angle.toFixed(1)}°`;
const things = (n, thing) => `${count(n)} ${thing}${n === 1 ? "" : "s"}`;

/** The known spectrum that an endmember was matched to, if there is one. */
function known(k) {
  const at = result.truth ? result.truth.matched.indexOf(k + 1) : -1;
  return result.truth && at >= 0 ? { name: result.truth.names[at], angle: result.truth.angles[at] } : null;
}

/** The endmember that is most like another. */
function mostLike(k) {
  const others = ends.map((end, i) => ({ i, angle: angleBetween(end.spectrum, ends[k].spectrum) })).filter(one => one.i !== k);
  return others.sort((a, b) => a.angle - b.angle)[0];
}

/** What is told of an endmember below its name. */
function cardFacts(k) {
  if (k === UNEXPLAINED) return [h("small", null, `${percent(result.residual)} of the light`), h("small", null, `at most ${percent(scene.most_unexplained)} of a ${scene.side > 1 ? "square" : "pixel"}`)];
  const truth = known(k), { nearest = [] } = ends[k];
  return [h("small", null, result.abundances === "nnls" ? `${ends[k].share.toFixed(2)} on average` : `${percent(ends[k].share)} of the scene`),
    ends[k].n_members ? h("small", null, `made of ${things(ends[k].n_members, "pixel")}`) : null,
    truth ? h("small", null, "truth: ", bdi(truth.name), ` (${degrees(truth.angle)})`) : null,
    nearest.length ? h("small", null, "like: ", bdi(nearest[0].name), ` (${degrees(nearest[0].angle)})`) : null];
}

function drawCards() {
  put("cards", maps.map((map, k) => {
    const canvas = h("canvas", { "aria-hidden": "true" });
    paint(canvas, k === UNEXPLAINED ? stretched.map : map, mapWidth, mapHeight);
    return h("li", null, h("a.card", { href: `#map=${k === UNEXPLAINED ? "unexplained" : k + 1}`, "data-map": k },
      h("span.pic", null, canvas), h("span", null, h("b", null, endName(k)), cardFacts(k))));
  }));
}

/** The facts of the endmember in large. */
function chosenFacts(k) {
  if (k === UNEXPLAINED) return "What no mixture of the endmembers gives, as a part of each pixel’s light.";
  const { members, n_members: made, nearest = [] } = ends[k], parts = [], like = mostLike(k), truth = known(k);
  if (made) parts.push(`The mean of ${things(made, "pixel")}; the best is ${result.is_image ? `row ${members[0][0]}, column ${members[0][1]} (ring)` : `pixel ${members[0][1]}`}.`);
  if (like) parts.push(` Its spectrum is ${degrees(like.angle)} from that of ${endName(like.i).toLowerCase()}, the most similar.`);
  if (truth) parts.push(" Of the truth it is matched with ", bdi(truth.name), `, ${degrees(truth.angle)} away.`);
  if (nearest.length) parts.push(" In the library it is nearest to ", nearest.map(({ name, angle }, i) => [i ? ", " : "", bdi(name), ` (${degrees(angle)})`]), ".");
  return parts;
}

/** Puts a mark on the large map. */
function mark(id, square) {
  const node = byId(id), x = square % mapWidth, y = Math.floor(square / mapWidth);
  node.style.left = `${100 * (x + 0.5) / mapWidth}%`;
  node.style.top = `${100 * (y + 0.5) / mapHeight}%`;
}

function drawMap() {
  const k = looking.map, all = k === UNEXPLAINED;
  for (const card of document.querySelectorAll(".card")) {
    if (card.getAttribute("data-map") === String(k)) card.setAttribute("aria-current", "true");
    else card.removeAttribute("aria-current");
  }
  put("chosen-name", endName(k));
  put("chosen-facts", chosenFacts(k));
  const canvas = byId("large");
  paint(canvas, all ? stretched.map : maps[k], mapWidth, mapHeight);
  canvas.setAttribute("aria-label", all ? "Map of what is unexplained" : `Map of ${endName(k).toLowerCase()}`);
  byId("ring").hidden = !ends[k]?.members.length;
  if (ends[k]?.members.length) mark("ring", firstSquare(k));
  put("ramp-top", all ? `${percent(stretched.top)} or more` : amount(scene.high));
  chart.top = 0;
}

/** What the pixel is made of, in words. */
function inWords(square) {
  if (isLeftOut(square)) return "left out";
  const most = ends.map((_, k) => k).sort((a, b) => abundance(b, square) - abundance(a, square) || a - b).slice(0, 4);
  return [...most.map(k => `${endName(k).toLowerCase()} ${amount(abundance(k, square))}`), `unexplained ${percent(unexplained(square))}`].join(", ");
}

/** The parts of a pixel as bars; of many endmembers the largest. */
function mixtureBars(square) {
  const most = 12, order = ends.map((_, k) => k);
  if (order.length > most) order.sort((a, b) => abundance(b, square) - abundance(a, square) || a - b);
  const rest = order.slice(most).reduce((sum, k) => sum + abundance(k, square), 0);
  return [h("ul.parts", null, order.slice(0, most).map(k => h("li" + (k === looking.map ? ".on" : ""), null,
    h("span", null, endName(k)), h("span.line", { "aria-hidden": "true" }, h("i", { width: `${100 * abundance(k, square) / scene.high}%` })),
    h("span.num", null, amount(abundance(k, square)))))),
  order.length > most ? h("p.small.muted", null, `and ${amount(rest)} in ${things(order.length - most, "other")}`) : null];
}

/** Everything that changes with the pixel. */
function drawPixel() {
  const { square } = looking;
  mark("cross", square);
  const own = drawPixelSpectrum(square, looking.map);
  put("pixel-name", squareName(square));
  put("mixture", isLeftOut(square) ? h("p.muted", null, "This was left out: it has no data, or the mask says so.") : [mixtureBars(square),
    h("p.small.muted", null, `${percent(unexplained(square))} of its light is unexplained.`,
      own && result.abundances === "scaled" && ` It is ${own.light.toFixed(2)} times as bright as its mixture.`,
      own && pixels.side > scene.side && ` The dots are the mean of ${squareName(square, pixels.side).toLowerCase()}.`)]);
}

let addressTimer = 0;

/** Looks at a square; `stays` makes it the chosen one. */
function lookAt(square, stays) {
  looking.square = square;
  if (stays) {
    looking.chosen = square;
    clearTimeout(addressTimer);
    // Browsers count how often a page changes its address.
    addressTimer = setTimeout(() => history.replaceState(null, "", address()), 400);
  }
  drawPixel();
}

/** The address of what is shown. */
function address() {
  const { map, chosen } = looking, row = Math.floor(chosen / scene.columns) * scene.side, column = chosen % scene.columns * scene.side;
  return `#map=${map === UNEXPLAINED ? "unexplained" : map + 1}&row=${row + 1}&column=${column + 1}`;
}

/** Shows what the address says. */
function readAddress() {
  const wanted = new URLSearchParams(location.hash.slice(1)), number = Number(wanted.get("map"));
  looking.map = wanted.get("map") === "unexplained" ? UNEXPLAINED : ends[number - 1] ? number - 1 : 0;
  const row = Number(wanted.get("row")), column = Number(wanted.get("column"));
  const there = row >= 1 && row <= result.rows && column >= 1 && column <= result.columns;
  looking.chosen = looking.square = there ? squareAt(Math.floor(row) - 1, Math.floor(column) - 1) : firstSquare(looking.map);
  drawMap();
  drawPixel();
}

/** The square under the pointer, if there is one. */
function under(event) {
  const box = byId("large").getBoundingClientRect();
  const x = Math.floor((event.clientX - box.left) / box.width * mapWidth), y = Math.floor((event.clientY - box.top) / box.height * mapHeight);
  const square = y * mapWidth + x;
  return x >= 0 && x < mapWidth && y >= 0 && square < nSquares ? square : null;
}

const stage = byId("stage");
stage.addEventListener("pointermove", event => {
  const square = under(event);
  if (square !== null && square !== looking.square) lookAt(square, event.pointerType === "touch");
});
stage.addEventListener("pointerdown", event => {
  const square = under(event);
  if (square !== null) lookAt(square, true);
});
stage.addEventListener("pointerleave", () => lookAt(looking.chosen, false));
stage.addEventListener("keydown", event => {
  const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
  if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  const by = event.shiftKey ? 10 : 1, x = looking.chosen % mapWidth, y = Math.floor(looking.chosen / mapWidth);
  const to = Math.max(0, Math.min(mapHeight - 1, y + by * step[0])) * mapWidth + Math.max(0, Math.min(mapWidth - 1, x + by * step[1]));
  if (to >= nSquares) return;
  lookAt(to, true);
  put("status", `${squareName(to)}: ${inWords(to)}`);
});
document.addEventListener("keydown", event => {
  const step = { j: 1, k: -1 }[event.key];
  if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
  const to = (looking.map + step + maps.length) % maps.length;
  location.hash = `map=${to === UNEXPLAINED ? "unexplained" : to + 1}`;
  put("status", endName(to));
});
addEventListener("hashchange", readAddress);
addEventListener("resize", () => { chart.top = 0; drawPixel(); });

// What does not change.
put("summary", unmixed.summary);
stage.setAttribute("aria-label", `The map; arrow keys move the pixel`);
stage.style.maxWidth = `${38 * mapWidth / mapHeight}rem`;
document.querySelector(".work")?.classList.toggle("wide", mapWidth > 2 * mapHeight);
paint(byId("ramp"), Uint8Array.from({ length: 128 }, (_, i) => Math.round(i / 127 * HIGHEST)), 128, 1);
put("map-note", [
  result.is_image ? "" : "Pixels one after another: the list says nothing of where they are. ",
  scene.side > 1 ? `Every square is the mean of ${result.is_image ? `${scene.side} x ${scene.side}` : scene.side} pixels; abundances.npy has all. ` : "",
  "Point at a pixel to see what it is made of; a click keeps it."].join(""));
put("spectra-note", [
  "Lines: the endmembers. Dots: the pixel; dashed: the mixture that explains it best. ",
  pixels.side > scene.side ? `Dots are means of ${pixels.side} x ${pixels.side} pixels. ` : "",
  runs.length > 1 ? "Grey: bands that were left out. " : "",
  result.bands.noisy.length ? "Ticks below: noisy bands, which count for less. " : "",
  unmixed.every > 1 ? `One of ${unmixed.every} bands is shown; endmembers.csv has all.` : ""].join(""));
const why = byId("why");
why.hidden = !result.suggestion;
if (result.suggestion) {
  const { number, path } = result.suggestion;
  why.querySelector("summary").append("How the number came about");
  why.querySelector("div").append(drawChart({
    title: "What so many endmembers leave unexplained", x: "endmembers", x_log: false, marks: [[number, `${number}: the knee`]],
    panels: [{ y: "part of the light", y_log: true, marks: [], series: [{ name: "", scattered: false, points: path.map((left, i) => [i + 1, left]) }] }],
  }), h("p.small.muted", null, "The knee is where another endmember begins to explain little more. No rule is right for every scene: -r decides otherwise."));
}
offerDownloads([
  ["Endmembers, CSV", () => save("endmembers.csv", "text/csv", csv([[result.bands.wavelengths ? "wavelength" : "band", ...ends.map((_, k) => `endmember_${k + 1}`)],
    ...axis.map((place, i) => [place, ...ends.map(end => end.spectrum[i])])]))],
  ["This pixel, CSV", () => save("pixel.csv", "text/csv", csv([["part", "value"], ["place", squareName(looking.chosen)],
    ...ends.map((_, k) => [endName(k), isLeftOut(looking.chosen) ? "" : abundance(k, looking.chosen).toFixed(3)]), ["Unexplained", isLeftOut(looking.chosen) ? "" : unexplained(looking.chosen).toFixed(4)]]))],
  ["This map, PNG", () => byId("large").toBlob(blob => save("map.png", "image/png", blob))],
  ["Spectra, SVG", () => savePicture(document.querySelector("#spectra svg"), "spectra.svg")],
  ["All of this page, JSON", saveData],
]);
drawCards();
readAddress();
