// One topic.

const WORDS_SHOWN = 14, BEST_SHOWN = 5, MARKED_WORDS = 24;

/** Weight counts at one end of the slider, exclusivity at the other. @param {PageWord} entry */
const relevance = ([, weight, exclusive]) => weight ** (1 - state.lean) * exclusive ** (1.6 * state.lean);

/** @param {Topic} topic */
const shownWords = topic => [...topic.words].sort((a, b) => relevance(b) - relevance(a)).slice(0, WORDS_SHOWN);

/** Bars are as long as the word is heavy, at any order; the dark part is what other topics do not have. @param {Topic} topic */
function drawWords(topic) {
  const most = Math.max(...topic.words.map(entry => entry[1]), 1e-9);
  return shownWords(topic).map(([place, weight, exclusive]) => {
    const text = word(place), row = h("li" + (topic.anchor.includes(place) ? ".anchor" : ""), {
      title: `${cut(text, 400)}: ${percent(weight)} of the topic's weight; ${whole(exclusive)} of the word is in this topic`,
    },
    h("a", { href: address({ word: text }) }, bdi(cut(text, 60))),
    h("span.track", { "aria-hidden": "true" },
      h("i", { width: 100 * weight / most + "%" }, h("b", { width: 100 * exclusive + "%" }))),
    h("span.v", null, Math.round(100 * exclusive) + "\u00a0%"));
    added.word(row, topic, text);
    return row;
  });
}

/** @param {{part?: number, beginnings?: boolean}} [how] */
function documentItem(d, words, how = {}) {
  const { documents } = model, named = classOf(d);
  const part = how.part === undefined ? null : [
    h("span.track", { "aria-hidden": "true" }, h("i", { width: how.part + "%" })), h("span", null, how.part + "\u00a0%")];
  return h("li", null,
    h("div.meta", null, part, named ? h("span.tag", null, bdi(named)) : null,
      h("span.id", null, bdi(cut(documents.id[d], 60)))),
    h("p", { dir: "auto" }, marked(documents.text[d], words, how.beginnings)));
}

const classOf = d => model.classes[model.documents.class?.[d] ?? -1] || "";

/** The percentage of a document that is a topic. */
function partOf(d, place) {
  const mix = level().mix[d];
  for (let i = 0; i < mix.length; i += 2) if (mix[i] === place) return mix[i + 1];
  return 0;
}

const backToList = () => h("a.back", { href: toView("topics") }, "‹ All topics");

/** @param {Topic} topic */
function topicFacts(topic) {
  const fact = (name, value, small, help) => h("div", null, h("dt", { title: help }, name), h("dd", null, value, " ", h("small", null, small)));
  const { margin, stability } = topic;
  return h("dl.facts", null,
    fact("Share", percent(share(topic)), `· ${count(topic.documents)} ${model.noun}`),
    fact(topic.anchor.length > 1 ? "Anchor words" : "Anchor word", bdi(anchorOf(topic)),
      [marginDots(topic), margin === null ? "" : " " + margin.toFixed(3)]),
    fact("Coherence", topic.npmi.toFixed(2), "NPMI", "How often its first ten words meet in documents: -1 to 1"),
    fact("Own words", whole(topic.exclusivity), "only here", "How much of the weight of its listed words is in this topic"),
    stability === undefined ? null
      : fact("Stability", whole(stability), "come again", "How much of it is one topic again in halves of the documents"));
}

/** What to know before judging a topic. @param {Topic} topic */
function topicNote(topic) {
  const from = cameFrom(topic);
  if (topic.left) {
    return note(`“${anchorOf(topic)}” found this topic, but has left it: refinement moved the topic. `
      + `Judge it by its words and ${model.noun}.`);
  }
  if (topic.margin !== null && topic.margin < 0.01) {
    const other = topic.runner_up === undefined ? "another word" : `“${cut(word(topic.runner_up), 40)}”`;
    return note(`Close call: ${other} would have served as anchor just as well. That says nothing bad about the topic.`);
  }
  if (!from || from.part > 0.9) return null;
  return note(`With ${from.k} topics, ${whole(from.part)} of its ${model.noun} were in `,
    h("a", { href: toTopic(from.topic.id, from.k) }, bdi(title(from.topic))), ".");
}

/** @param {Topic} topic */
function relatedTopics(topic) {
  if (!topic.related.length) return null;
  return h("section.sec", null, h("header", null, h("h3", null, "Related topics")), h("ul", null,
    topic.related.slice(0, 3).map(([place, alike, shared]) => {
      const other = level().topics[place];
      return h("li.rel", null, h("a", { href: toTopic(other.id) }, bdi(title(other))),
        h("div.small.muted", null, `${whole(alike)} alike: `, bdi(shared.map(one => cut(word(one), 40)).join(", "))));
    })));
}

/** A list of bars: label, part of the longest, value. */
const bars = (rows, kind = "") => h("ul.hbars" + kind, null, rows.map(([label, part, value]) => h("li", null, label,
  h("span.track", { "aria-hidden": "true" }, h("i", { width: 100 * part + "%" })), h("span.v", null, value))));

/** @param {Topic} topic */
function topicClasses(topic) {
  if (!topic.classes) return null;
  const most = Math.max(...topic.classes, 1);
  const named = topic.classes.map((n, i) => ({ n, name: model.classes[i] })).filter(one => one.n);
  const largest = named.sort((a, b) => b.n - a.n).slice(0, 6);
  return h("section.sec", null, h("header", null, h("h3", null, "Given classes")),
    bars(largest.map(({ n, name }) => [h("span.lab", { title: cut(name, 200) }, bdi(name)), n / most, count(n)])));
}

/** Its share over time. @param {Topic} topic */
function topicPeriods(topic) {
  const values = topic.periods;
  if (!values || values.length < 2) return null;
  const names = model.periods, days = names.map(name => Date.parse(name) / 864e5), first = days[0];
  // A period is as long as the nearest two are apart, unless that is more than a year, a month or a week.
  const longest = names[0].length < 5 ? 366 : names[0].length < 8 ? 31 : 7;
  const long = Math.min(longest, ...days.slice(1).map((day, i) => day - days[i]));
  const most = Math.max(...values, 1e-9), width = 300, height = 64, scale = width / (days[days.length - 1] + long - first);
  const peak = values.indexOf(Math.max(...values));
  const told = `From ${names[0]} to ${names[names.length - 1]}; most in ${names[peak]}: ${percent(values[peak])}`;
  return h("section.sec", null, h("header", null, h("h3", null, "Over time")),
    h("svg.time", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": told }, values.map((value, i) =>
      h("rect", { x: scale * (days[i] - first), y: height - height * value / most, width: Math.max(0.5, scale * long - 1), height: height * value / most }))),
    h("p.small.muted", null, told + "."));
}

views.topic = () => {
  const topic = /** @type {Topic} */ (topicOf(state.topic)), place = topic.id - 1;
  const best = h("ol.docs"), list = h("ol.words", { id: "words" });
  const draw = () => {
    list.replaceChildren(...drawWords(topic));
    const words = shownWords(topic).map(entry => word(entry[0]));
    best.replaceChildren(...topic.best.slice(0, BEST_SHOWN).map(d => documentItem(d, words, { part: partOf(d, place) })));
  };
  draw();
  const slider = h("input", {
    type: "range", min: 0, max: 1, step: 0.05, value: state.lean,
    "aria-label": "Order of words, from frequent in the topic to found only in the topic",
    oninput: event => { state.lean = Number(event.target.value); draw(); },
  });
  const parts = [backToList(),
    h("div.top", null,
      h("div", null, h("p.muted.small", { id: "which" }, `Topic ${topic.id} of ${state.k}`),
        h("h2", { id: "topic-title", tabindex: -1, title: cut(title(topic), 400) }, bdi(title(topic))), topicFacts(topic), topicNote(topic)),
      level().topics.length > 2
        ? h("a.locator", { href: toView("map"), "aria-label": "Back to the map" }, drawMap(true)) : null),
    h("div.two", null,
      h("div", null,
        h("section.sec", null, h("header", null, h("h3", null, "Words")),
          h("label.slide", null, h("span", null, "frequent"), slider, h("span", null, "only here")), list,
          h("p.key", null, h("span", null, h("i.a"), "only here"), h("span", null, h("i"), "shared with other topics"))),
        relatedTopics(topic), topicClasses(topic), topicPeriods(topic)),
      h("section.sec", null,
        h("header", null, h("h3", null, `Best ${model.noun}`), h("span.small.muted", null, "part of the text that is this topic")), best,
        h("p.more", null, h("a", {
          href: toView("documents"), onclick: () => { state.byTopic = String(topic.id); },
        }, `All ${model.noun} of this topic here`))))];
  added.topic(parts, topic);
  return parts;
};

// One word.

views.word = () => {
  const text = state.word, hits = topicsWith(text), rest = 1 - hits.reduce((sum, hit) => sum + hit[1], 0);
  const before = UNSPACED.test(text) ? "" : "(^|[^\\p{L}\\p{N}_])";
  const pattern = new RegExp(before + text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "iu");
  const found = model.documents.text.flatMap((body, d) => pattern.test(body) ? [d] : []);
  const near = hits.length ? [] : model.words.filter(one => one.startsWith(text)).slice(0, 12);
  const rows = hits.map(([topic, part]) => [
    h("a.lab", { href: toTopic(topic.id), title: title(topic) }, bdi(title(topic))), part, whole(part)]);
  if (rest > 0.01) rows.push([h("span.lab.muted", null, "all other topics"), rest, whole(rest)]);
  const meant = near.map((one, i) => [i ? ", " : "", h("a", { href: address({ word: one }) }, bdi(cut(one, 40)))]);
  return [backToList(),
    h("p.muted.small", null, "Word"), h("h2", { id: "topic-title", tabindex: -1 }, bdi(cut(text, 80))),
    hits.length
      ? h("section.sec.gap", null, h("p.muted", null, hits.length === 1 ? "One topic has it." : `${hits.length} topics have it.`,
        " Bars: how its weight divides among the topics."), bars(rows, ".wide"))
      : note(meant.length ? ["No topic has it. Did you mean ", meant, "?"] : "No topic lists this word among its heaviest."),
    h("section.sec", null,
      h("header", null, h("h3", null, `${count(found.length)} of the ${count(model.documents.text.length)} ${model.noun} here`)),
      h("ol.docs", null, found.slice(0, state.rows).map(d => documentItem(d, [text], { beginnings: true }))))];
};

// Documents.

function documentRows() {
  const { mix, topics } = level(), { documents } = model;
  /** @type {Record<string, (a: DocumentRow, b: DocumentRow) => number>} */
  const orders = {
    weight: (a, b) => b.part - a.part || a.d - b.d,
    name: (a, b) => documents.id[a.d].localeCompare(documents.id[b.d], "en", { numeric: true }) || a.d - b.d,
    topic: (a, b) => (a.top?.id || 0) - (b.top?.id || 0) || b.part - a.part,
  };
  const rows = documents.text.map((_, d) => ({ d, top: mix[d].length ? topics[mix[d][0]] : null, part: mix[d][1] || 0 }));
  return rows.filter(row => (!state.byTopic || String(row.top?.id || 0) === state.byTopic)
    && (!state.byClass || String(documents.class[row.d]) === state.byClass)).sort(orders[state.order]);
}

/** @param {DocumentRow} row */
function documentLine({ d, top, part }) {
  const { documents } = model, mix = level().mix[d];
  const told = mix.map((value, i) => i % 2 ? value + " %\n" : title(level().topics[value]) + " ").join("");
  const words = top ? top.words.slice(0, MARKED_WORDS).map(entry => word(entry[0])) : [];
  return h("tr", null, h("td.num", null, bdi(cut(documents.id[d], 40))),
    documents.class ? h("td", null, classOf(d) ? h("span.tag.small", null, bdi(classOf(d))) : "") : null,
    h("td", null, top ? h("a", { href: toTopic(top.id) }, bdi(title(top))) : h("span.muted", null, "none")),
    h("td.mixcell", null, h("div.mix", { role: "img", "aria-label": part + " %", title: told },
      mix.map((value, i) => i % 2 ? h("i", { width: value + "%" }) : null))),
    h("td.text", null, h("div.clip", { dir: "auto" }, marked(documents.text[d], words))));
}

function filterBy(label, key, options) {
  const change = event => { state[key] = event.target.value; state.rows = 25; draw(); };
  return h("select", { "aria-label": label, onchange: change },
    options.map(([value, text]) => h("option", { value, selected: value === state[key] }, cut(text, 60))));
}

views.documents = () => {
  const rows = documentRows(), { documents, facts, noun } = model, { topics } = level();
  const head = (key, label, kind = "") => {
    const on = state.order === key;
    return h("th" + kind, { scope: "col", "aria-sort": on ? key === "weight" ? "descending" : "ascending" : null },
      h("button", { onclick: () => { state.order = key; draw(); } }, label, on ? " ↓" : ""));
  };
  const sample = documents.text.length < facts.documents
    ? `; this page has a sample of ${count(documents.text.length)}, documents.csv has all` : "";
  return [h("div.filters", null,
    filterBy("Topic", "byTopic", [["", "All topics"], ...topics.map(topic => [String(topic.id), `${topic.id} ${title(topic)}`]), ["0", "In no topic"]]),
    documents.class ? filterBy("Class", "byClass", [["", "All classes"], ...model.classes.map((name, i) => [String(i), name])]) : null,
    h("span.muted.small", null, rows.length === facts.documents ? `${count(rows.length)} ${noun}`
      : `${count(rows.length)} of ${count(facts.documents)} ${noun}${sample}`)),
  rows.length ? h("table.documents", null, h("caption.visually-hidden", null, "Documents with their topics"),
    h("thead", null, h("tr", null, head("name", "Name", ".num"), documents.class ? h("th", { scope: "col" }, "Class") : null,
      head("topic", "Heaviest topic"), head("weight", "Mixture"), h("th", { scope: "col" }, "Text"))),
    h("tbody", null, rows.slice(0, state.rows).map(documentLine))) : note("No document is left by these filters."),
  rows.length > state.rows ? h("p.more", null, h("button", { onclick: () => { state.rows += 50; draw(); } },
    `Show ${Math.min(50, rows.length - state.rows)} more`)) : null];
};
