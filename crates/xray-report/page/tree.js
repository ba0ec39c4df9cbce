// Tree: how topics split as their number grows.


const TREE = { width: 940, top: 30, bottom: 10, gap: 9, bar: 9, right: 190 };

/** Puts the nodes of a column below each other, in the order of their keys. */
function layColumn(column, height) {
  const { nodes } = column, room = height - TREE.top - TREE.bottom;
  nodes.sort((a, b) => a.key - b.key || a.place - b.place);
  const used = nodes.reduce((sum, node) => sum + node.height, 0);
  const space = nodes.length > 1 ? Math.min(60, (room - used) / (nodes.length - 1)) : 0;
  let y = TREE.top + (room - used - space * (nodes.length - 1)) / 2;
  for (const node of nodes) {
    node.y = y;
    y += node.height + space;
  }
}

/**
 * The mean place of the nodes that a node exchanges documents with.
 */
function pull(links, own, place, others) {
  let sum = 0, weight = 0;
  for (const link of links) {
    if (link[own] !== place) continue;
    const other = others.nodes.find(node => node.place === link[1 - own]);
    if (!other) continue;
    sum += link[2] * (other.y + other.height / 2);
    weight += link[2];
  }
  return weight ? sum / weight : null;
}

/** Columns with their nodes in place, and the flows between them. */
function layTree(ks) {
  const most = Math.max(...ks), height = Math.max(420, most * 24);
  const unit = (height - TREE.top - TREE.bottom - TREE.gap * (most - 1)) / Math.max(1, model.facts.documents);
  const step = (TREE.width - TREE.right - TREE.bar) / (ks.length - 1);
  const columns = ks.map((k, c) => ({
    k, x: c * step,
    nodes: levelAt(k).topics.map((topic, place) => ({
      topic, place, height: Math.max(2, topic.documents * unit), y: 0, out: 0, into: 0, key: topic.place[1] * height,
    })),
  }));
  const links = ks.slice(1).map((k, c) => flows(ks[c], k).filter(flow => flow[0] >= 0 && flow[1] >= 0));
  columns.forEach((column, c) => {
    if (c) for (const node of column.nodes) node.key = pull(links[c - 1], 1, node.place, columns[c - 1]) ?? node.key;
    layColumn(column, height);
  });
  for (let round = 0; round < 4; round++) {
    for (let c = columns.length - 2; c >= 0; c--) {
      for (const node of columns[c].nodes) node.key = pull(links[c], 0, node.place, columns[c + 1]) ?? node.y;
      layColumn(columns[c], height);
    }
  }
  return { columns, links, height, unit, step };
}

/** The nodes that documents of the opened topic come through and go to, as "column place". */
function treePath({ columns, links }) {
  const path = new Set(), here = columns.findIndex(column => column.k === state.k);
  if (!state.path || here < 0) return path;
  path.add(`${here} ${state.path - 1}`);
  const size = (c, place) => columns[c].nodes.find(node => node.place === place)?.topic.documents || 0;
  for (let c = here; c < links.length; c++) {
    for (const [a, b, n] of links[c]) if (path.has(`${c} ${a}`) && n > size(c + 1, b) / 4) path.add(`${c + 1} ${b}`);
  }
  for (let c = here - 1; c >= 0; c--) {
    for (const [a, b, n] of links[c]) if (path.has(`${c + 1} ${b}`) && n > size(c + 1, b) / 4) path.add(`${c} ${a}`);
  }
  return path;
}

/** The bands between two columns. */
function treeBands({ columns, links, unit }, c, path) {
  const [left, right] = [columns[c], columns[c + 1]];
  const node = (column, place) => column.nodes.find(one => one.place === place);
  const sorted = links[c].map(([a, b, n]) => ({ from: node(left, a), to: node(right, b), n }))
    .sort((p, q) => p.from.y - q.from.y || p.to.y - q.to.y);
  return sorted.map(({ from, to, n }) => {
    const w = n * unit, x0 = left.x + TREE.bar, x1 = right.x, m = (x0 + x1) / 2, y0 = from.y + from.out, y1 = to.y + to.into;
    from.out += w;
    to.into += w;
    if (w < 0.4) return null;
    const on = path.has(`${c} ${from.place}`) && path.has(`${c + 1} ${to.place}`);
    return h("path" + (on ? ".on" : ""), {
      d: `M${x0} ${y0}C${m} ${y0} ${m} ${y1} ${x1} ${y1}V${y1 + w}C${m} ${y1 + w} ${m} ${y0 + w} ${x0} ${y0 + w}Z`,
    });
  });
}

/** A topic in the tree and its label. */
function treeNode(tree, c, node, path) {
  const { columns, step } = tree, { topic } = node, { k, x } = columns[c], last = c === columns.length - 1;
  const on = path.has(`${c} ${node.place}`) ? ".on" : "", open = () => go({ k, topic: topic.id, word: "" });
  const told = `${title(topic)}, ${percent(share(topic))}, at ${k} topics`;
  const bar = h("g" + on, {
    tabindex: 0, role: "link", "aria-label": told, onclick: open, onmouseenter: () => hint(told), onfocus: () => hint(told),
    onkeydown: event => event.key === "Enter" && open(),
  }, h("rect", { x, y: node.y, width: TREE.bar, height: node.height, rx: 1.5 }));
  if (!last && node.height < 11) return [bar, null];
  const words = topic.title ? [topic.title] : topic.name.slice(0, last ? 3 : step > 130 ? 2 : 1);
  const text = cut(words.join(", "), last ? 27 : Math.floor(step / 7.4)), middle = node.y + node.height / 2;
  bar.append(h("rect.zone", { x: x + TREE.bar, y: middle - 9, width: text.length * 6.6, height: 18 }));
  return [bar, h("text" + on, { x: x + TREE.bar + 6, y: middle + 4, "aria-hidden": "true" }, text)];
}

function hint(text) {
  const caption = byId("hint");
  if (caption) caption.textContent = text;
}

views.tree = () => {
  const ks = model.tree;
  if (ks.length < 2) return [note("The tree needs topics at two or more numbers of topics: --levels 2,5,10 finds them.")];
  const tree = layTree(ks), path = treePath(tree);
  const svg = h("svg.tree", {
    viewBox: `0 0 ${TREE.width} ${tree.height}`, role: "group", "aria-label": "How topics split as their number grows",
  });
  tree.links.forEach((_, c) => svg.append(...treeBands(tree, c, path).filter(Boolean)));
  /** @type {any[]} */
  const labels = [];
  tree.columns.forEach((column, c) => {
    svg.append(h("text.k" + (column.k === state.k ? ".here" : ""), { x: column.x, y: 12 }, (c ? "" : "k = ") + column.k));
    for (const node of column.nodes) {
      const [bar, label] = treeNode(tree, c, node, path);
      svg.append(bar);
      if (label) labels.push(label);
    }
  });
  svg.append(...labels);
  return [h("figure", null, h("div.scroll", { tabindex: 0, role: "region", "aria-label": "Tree" }, svg), h("figcaption", { id: "hint" },
    `How ${count(model.facts.documents)} ${model.noun} move as topics are added, from left to right. Height is share. `
    + "Choose a topic to open it at that number of topics."))];
};
