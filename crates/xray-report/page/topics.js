// Header and list.

const agreement = nmi => nmi > 0.8 ? "very well" : nmi > 0.5 ? "well" : nmi > 0.25 ? "in part" : "little";

function drawHeader() {
  const { nmi, in_no_topic: silent, topics } = level(), { noun } = model;
  const big = [...topics].sort((a, b) => b.documents - a.documents || a.id - b.id), n = big.length;
  const even = n > 1 && share(big[0]) < 1.2 * share(big[n - 1]);
  put("title", `${count(model.facts.documents)} ${noun}, ${state.k} ${state.k === 1 ? "topic" : "topics"}`);
  const first = even ? "All about the same size: " : n === 1 ? "Just one: " : n ? "The largest: " : "Nothing to show";
  const named = big.slice(0, 3).map((topic, i) => [i === 0 ? "" : i === 2 || n === 2 ? " and " : "; ",
    h("a", { href: toTopic(topic.id) }, bdi(title(topic))), ` (${percent(share(topic))})`]);
  put("summary", first, named, even && n > 3 ? " among them. " : ". ",
    nmi === undefined ? "" : `The topics agree ${agreement(nmi)} with the given classes (NMI ${nmi.toFixed(2)}). `,
    silent ? `${count(silent)} ${noun} ${silent === 1 ? "fits" : "fit"} no topic.` : "");
}

/** Which topics were not there at the number of topics before: few of their documents come from one that was its largest part. */
function newTopics() {
  return state.k === model.k ? new Set() : new Set(level().topics.filter(topic => {
    const from = cameFrom(topic);
    return from && from.part * topic.documents < from.topic.documents / 2;
  }).map(topic => topic.id));
}

/** @param {Topic} topic @param {{most: number, isNew: boolean, dim: boolean}} how */
function topicRow(topic, { most, isNew, dim }) {
  return h("li", null, h("a" + (dim ? ".dim" : ""), {
    "data-t": topic.id, href: toTopic(topic.id),
    "aria-current": state.topic === topic.id && !state.word ? "true" : null,
  },
  h("span.n", null, String(topic.id)), h("span.name", { title: cut(title(topic), 400) }, bdi(title(topic))),
  h("span.sub", null, h("span", null, isNew ? h("span.new", null, "new · ") : null, "anchor ", bdi(anchorOf(topic))),
    marginDots(topic)),
  h("span.line", { "aria-hidden": "true" }, h("i", { width: 100 * topic.documents / most + "%" })),
  h("span.pc", null, percent(share(topic)))));
}

let listed = "";
function drawList() {
  // A click on a topic moves the mark only.
  const key = [state.k, state.sort, state.word].join(" ");
  if (key === listed && !model.live) {
    for (const row of byId("list").querySelectorAll("a")) {
      if (Number(row.dataset.t) === state.topic && !state.word) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    }
    return;
  }
  listed = key;
  const topics = sortedTopics(), most = Math.max(...topics.map(topic => topic.documents), 1), fresh = newTopics();
  const hits = state.word ? new Set(topicsWith(state.word).map(hit => hit[0].id)) : null;
  byId("side").classList.toggle("compact", topics.length > 30);
  put("list", topics.map(topic => topicRow(topic, { most, isNew: fresh.has(topic.id), dim: !!hits && !hits.has(topic.id) })));
  const ks = model.levels.map(one => one.k), slider = byId("k");
  slider.max = ks.length - 1;
  slider.value = ks.indexOf(state.k);
  slider.setAttribute("aria-valuetext", state.k + " topics");
  slider.hidden = ks.length < 2;
  put("k-value", String(state.k));
  added.list();
}

// Drawing.

function drawTabs(view, listOnly) {
  for (const tab of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll(".tabs a"))) {
    const own = tab.dataset.view || "";
    const on = own === "topics" ? listOnly || state.topic : own === view && !(listOnly && isNarrow());
    tab.href = toView(own);
    tab.hidden = own !== "topics" && !views[own];
    if (on) tab.setAttribute("aria-current", "page");
    else tab.removeAttribute("aria-current");
  }
}

function draw(moved) {
  drawHeader();
  drawList();
  const listOnly = !state.word && !state.topic && (state.view === "topics" || state.start);
  const view = state.word ? "word" : state.topic ? "topic" : state.view === "topics" ? "map" : state.view;
  document.body.className = listOnly ? "only-topics" : "only-main";
  drawTabs(view, listOnly);
  put("view", (views[view] || views.map)());
  const search = byId("search"), topic = topicOf(state.topic);
  if (document.activeElement !== search) search.value = state.word;
  document.title = (topic ? title(topic) + " · " : "") + data.title + " · xray";
  byId("status").textContent = topic ? "Topic " + title(topic) : "";
  const top = byId("frame").offsetTop, opened = moved && (topic || state.word) && document.activeElement !== search;
  if (opened && (isNarrow() || scrollY > top)) scrollTo(0, top);
}

offerDownloads([
  ["Topics, CSV", () => save("topics.csv", "text/csv", csv([
    ["topic", "name", "share", "documents", "anchor", "margin", "words"],
    ...sortedTopics().map(topic => [topic.id, title(topic), share(topic), topic.documents, topic.anchor.map(word).join(" "),
      topic.margin ?? "", topic.words.slice(0, 20).map(entry => word(entry[0])).join(" ")])]))],
  ["Documents shown, CSV", () => save("documents-shown.csv", "text/csv", csv([
    ["document", "class", "topic", "percent", "text"],
    ...documentRows().map(({ d, top, part }) => [model.documents.id[d], classOf(d), top?.id ?? "", part, model.documents.text[d]])]))],
  ["This picture, SVG", () => savePicture(document.querySelector("main svg"), "topics.svg")],
  ["All of this page, JSON", () => save("page.json", "application/json", JSON.stringify(model))],
]);

// What people do.

function replaceAddress(to) {
  history.replaceState(null, "", to);
  readAddress();
}

byId("k").addEventListener("input", event => {
  const { k } = model.levels[Number(event.target.value)], topic = follow(state.topic, k), { start } = state;
  replaceAddress(address({ k, topic }));
  state.start = start && !topic;
  draw();
});
byId("sort").addEventListener("change", event => { state.sort = event.target.value; drawList(); });
byId("search").addEventListener("input", event => {
  replaceAddress(address({ word: event.target.value.trim().toLowerCase() }));
  draw();
});

function pressed(key) {
  const list = sortedTopics(), at = list.findIndex(topic => topic.id === state.topic);
  const ks = model.levels.map(one => one.k), k = ks[ks.indexOf(state.k) + (key === "]" ? 1 : -1)];
  if ((key === "j" || key === "k") && list.length) go({ topic: (list[at + (key === "j" ? 1 : -1)] || list[0]).id, word: "" });
  if ((key === "[" || key === "]") && k) go({ k, topic: follow(state.topic, k) });
}

document.addEventListener("keydown", event => {
  const at = /** @type {any} */ (event.target), search = byId("search");
  if (event.key === "Escape") {
    search.value = "";
    search.blur();
    return go({ topic: null, word: "" });
  }
  const typing = /^(input|select|textarea)$/i.test(at.tagName) && at.type !== "range";
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/") {
    event.preventDefault();
    search.focus();
  }
  pressed(event.key);
});
addEventListener("hashchange", () => { readAddress(); draw(true); });
let narrow = isNarrow();
addEventListener("resize", () => {
  if (narrow === isNarrow()) return;
  narrow = isNarrow();
  draw();
});
readAddress();
draw();
