// Map: places come with the data; here they get labels.

/** Where things are on the map; upright on a phone, as directions mean nothing. */
function mapFrame(small) {
  const narrow = !small && isNarrow(), pad = small ? 6 : 34;
  const [width, height] = small ? [300, 170] : narrow ? [560, 800] : [900, 560];
  const [wide, high] = narrow ? [1, 1.5] : [1.5, 1];
  const scale = Math.min((width - 2 * pad) / wide, (height - 2 * pad) / high);
  const [across, down] = narrow ? [1, 0] : [0, 1];
  return {
    width, height, pad, narrow, size: narrow ? 20 : 13, scale,
    /** @param {Topic} t */ x: t => (width - wide * scale) / 2 + t.place[across] * scale,
    /** @param {Topic} t */ y: t => (height - high * scale) / 2 + t.place[down] * scale,
    /** @param {Topic} t */ r: t => Math.max(small ? 2 : 5, t.place[2] * scale),
  };
}

/**
 * The place of a label that covers nothing: two words where they fit, else one.
 * @param {Topic} topic
 */
function labelOf(frame, topic, placed) {
  const { size, width, pad } = frame, x = frame.x(topic), y = frame.y(topic), r = frame.r(topic);
  const isFree = box => box[0] > -pad / 2 && box[2] < width + pad / 2
    && !placed.some(other => box[0] < other[2] && box[2] > other[0] && box[1] < other[3] && box[3] > other[1]);
  let first;
  for (const words of frame.narrow ? [1] : [2, 1]) {
    const text = topic.title ? cut(topic.title, 24) : topic.name.slice(0, words).map(part => cut(part, 16)).join(", ");
    const half = text.length * size * 0.27, side = r + half + 6, middle = size * 0.35, d = r * 0.72;
    const spots = r > half + 3 ? [[0, middle]] : [[0, r + size + 1], [0, -r - 6], [side, middle], [-side, middle],
      [d + half, d + size], [-d - half, d + size], [d + half, -d - 4], [-d - half, -d - 4]];
    for (const [dx, dy] of spots) {
      const box = [x + dx - half - 2, y + dy - size * 0.85, x + dx + half + 2, y + dy + 3];
      if (isFree(box)) return { text, x: x + dx, y: y + dy, box };
    }
    first = first || { text, x: x + spots[0][0], y: y + spots[0][1], box: null };
  }
  return /** @type {any} */ (first);
}

function drawMap(small) {
  const frame = mapFrame(small), { topics } = level(), chosen = topicOf(state.topic);
  const svg = h("svg.map", {
    viewBox: `0 0 ${frame.width} ${frame.height}`, role: small ? "img" : "group",
    "aria-label": small ? "Where the topic is on the map" : "Map of topics; arrow keys move between them",
  });
  if (chosen) for (const [place, alike] of chosen.related.slice(0, 3)) {
    const other = topics[place];
    svg.append(h("path", {
      d: `M${frame.x(chosen)} ${frame.y(chosen)}L${frame.x(other)} ${frame.y(other)}`, "stroke-width": 1 + 6 * alike,
    }));
  }
  /** @param {Topic} t */
  const isChosen = t => Number(t === chosen);
  const order = [...topics].sort((a, b) => isChosen(b) - isChosen(a) || b.documents - a.documents || a.id - b.id);
  const placed = small ? [] : topics.map(t => {
    const q = 0.9 * frame.r(t) + 1, x = frame.x(t), y = frame.y(t);
    return [x - q, y - q, x + q, y + q, t.id];
  });
  /** @type {any[]} */
  const labels = [];
  const nodes = order.map((topic, i) => {
    const node = h("g" + (topic === chosen ? ".on" : ""), {
      "data-t": topic.id, tabindex: small ? null : i ? -1 : 0, role: small ? null : "link",
      "aria-label": small ? null : `Topic ${topic.id}: ${title(topic)}, ${percent(share(topic))} of ${model.noun}`,
      onclick: small ? null : () => go({ topic: topic.id, word: "" }),
    }, h("circle", { cx: frame.x(topic), cy: frame.y(topic), r: frame.r(topic) }));
    if (small) return node;
    const own = placed.findIndex(box => box[4] === topic.id), circle = placed.splice(own, 1)[0];
    const spot = labelOf(frame, topic, placed);
    placed.push(circle, ...(spot.box ? [spot.box] : []));
    const label = h("text" + (spot.box ? "" : ".off"), { x: spot.x, y: spot.y, "aria-hidden": "true" }, spot.text);
    for (const [event, on] of [["mouseenter", true], ["focus", true],
      ["mouseleave", false], ["blur", false]]) node.addEventListener(event, () => label.classList.toggle("show", on));
    labels.push(label);
    return node;
  });
  svg.append(...nodes.reverse(), ...labels);
  if (!small) svg.addEventListener("keydown", event => mapKey(event, svg, frame));
  return svg;
}

/** Enter opens a topic; arrows go to the nearest in their direction. */
function mapKey(event, svg, frame) {
  const at = /** @type {any} */ (event.target), here = topicOf(Number(at.dataset.t));
  if (!here) return;
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    return go({ topic: here.id, word: "" });
  }
  const step = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[event.key];
  if (!step) return;
  event.preventDefault();
  event.stopPropagation();
  const ahead = level().topics.filter(topic => topic !== here).map(topic => {
    const dx = frame.x(topic) - frame.x(here), dy = frame.y(topic) - frame.y(here);
    return { topic, along: dx * step[0] + dy * step[1], far: Math.hypot(dx, dy) };
  }).filter(one => one.along > one.far / 2).sort((a, b) => a.far - b.far)[0];
  if (!ahead) return;
  const next = svg.querySelector(`[data-t="${ahead.topic.id}"]`);
  at.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}

views.map = () => {
  const { topics, kept } = level();
  if (!topics.length) {
    return [note(`No topics: none of the ${count(model.facts.documents)} ${model.noun} has a word that is left `
      + "after stop words and rare words are dropped. Try --min-df 1 or --stop-words none.")];
  }
  if (topics.length < 3) return [note("A map needs three topics or more. The list says all there is.")];
  return [h("figure", null, drawMap(false), h("figcaption", null,
    `Near means similar words; area is the share of ${model.noun}. Directions mean nothing, and circles that would overlap `
    + `are moved apart. Two dimensions keep ${whole(kept)} of the differences between the topics`,
    kept < 0.35 ? ", so trust the related topics of each rather than small distances here." : "."))];
};
