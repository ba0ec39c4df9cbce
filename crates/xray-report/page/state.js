// Topics: the address is the state.

/** What is shown; a server may answer with another. @type {TopicsData} */
let model = data;
/** @type {Map<number, Level>} */
let levels = new Map();

/** @param {TopicsData} next */
function setModel(next) {
  model = next;
  levels = new Map(next.levels.map(level => [level.k, level]));
}
setModel(data);

const state = {
  k: model.k, view: "map", word: "", sort: "share", lean: 0.35, rows: 25, byTopic: "", byClass: "", order: "weight",
  /** @type {number | null} */ topic: null,
  /** The topic that the tree was opened from. @type {number | null} */ path: null,
  /** Whether nothing was chosen yet. */ start: true,
};
/** What draws each view. @type {Record<string, () => any[]>} */
const views = {};
/** What may be added to what is drawn. */
const added = { list() {}, word(row, topic, text) {}, topic(parts, topic) {} };

/** @returns {Level} */
const levelAt = k => levels.get(k) || model.levels[0];
const level = () => levelAt(state.k);
const topicOf = id => level().topics.find(topic => topic.id === id);
const word = place => model.words[place];
/** @param {Topic} topic */
const share = topic => topic.documents / Math.max(1, model.facts.documents);
/** @param {Topic} topic */
const title = topic => topic.title || topic.name.map(part => cut(part, 32)).join(", ") || "no words";
/** @param {Topic} topic */
const anchorOf = topic => topic.anchor.map(place => cut(word(place), 40)).join(", ");

function address(change) {
  const next = { ...state, ...change };
  const parts = next.k === model.k ? [] : ["k=" + next.k];
  if (next.word) parts.push("word=" + encodeURIComponent(next.word));
  else if (next.topic) parts.push("topic=" + next.topic);
  else parts.push("view=" + next.view);
  return "#" + parts.join("&");
}

const toView = view => address({ topic: null, word: "", view });
const toTopic = (topic, k = state.k) => address({ k, topic, word: "" });
const go = change => { location.hash = address(change); };

function readAddress() {
  const query = new URLSearchParams(location.hash.slice(1));
  const asked = Number(query.get("k")), k = levels.has(asked) ? asked : model.k;
  const opened = state.topic ? follow(state.topic, k) : state.path && follow(state.path, k);
  state.path = query.get("view") === "tree" ? opened : null;
  state.k = k;
  const topic = topicOf(Number(query.get("topic")));
  state.topic = topic ? topic.id : null;
  state.word = (query.get("word") || "").slice(0, 200).toLowerCase();
  const view = query.get("view") || "";
  state.view = ["map", "tree", "documents", "topics"].includes(view) ? view : "map";
  state.start = !location.hash;
  state.rows = 25;
}

/** Documents that go from topics of one number to those of another, exactly. */
const flows = (from, to) => model.flows.find(flow => flow.from === from && flow.to === to)?.documents || [];

/** The topic at another number of them that most of a topic's documents are in, followed from one number to the next. */
function follow(id, k) {
  if (!id) return null;
  const ks = model.levels.map(one => one.k);
  let place = id - 1;
  for (let at = ks.indexOf(state.k); ks[at] !== k && at >= 0;) {
    const up = k > ks[at], next = up ? at + 1 : at - 1;
    const list = up ? flows(ks[at], ks[next]) : flows(ks[next], ks[at]);
    const [own, other] = up ? [0, 1] : [1, 0];
    const best = list.filter(flow => flow[own] === place && flow[other] >= 0).sort((a, b) => b[2] - a[2])[0];
    if (!best) return null;
    place = best[other];
    at = next;
  }
  return place + 1;
}

/** Where most of a topic's documents were at the number before. @param {Topic} topic */
function cameFrom(topic) {
  const at = model.levels.findIndex(one => one.k === state.k), before = model.levels[at - 1];
  if (!before) return null;
  const into = flows(before.k, state.k).filter(flow => flow[1] === topic.id - 1 && flow[0] >= 0);
  const best = into.sort((a, b) => b[2] - a[2])[0];
  return best ? { k: before.k, topic: before.topics[best[0]], part: best[2] / Math.max(1, topic.documents) } : null;
}

function sortedTopics() {
  /** @type {Record<string, (a: Topic, b: Topic) => number>} */
  const orders = {
    share: (a, b) => b.documents - a.documents,
    number: (a, b) => a.id - b.id,
    margin: (a, b) => (b.margin ?? 2) - (a.margin ?? 2),
    name: (a, b) => title(a).localeCompare(title(b), "en"),
  };
  return [...level().topics].sort((a, b) => orders[state.sort](a, b) || a.id - b.id);
}

/** Pairs of a topic and the part of the word that is in it, the largest first. @returns {any[][]} */
function topicsWith(text) {
  const known = state.k === model.k && model.lookup.find(entry => word(entry[0]) === text);
  if (known) {
    const pairs = known.slice(1), topics = level().topics;
    return pairs.flatMap((value, i) => i % 2 ? [] : [[topics[value], pairs[i + 1] / 100]]);
  }
  const listed = level().topics.map(topic => ({ topic, entry: topic.words.find(entry => word(entry[0]) === text) }));
  return listed.flatMap(({ topic, entry }) => entry ? [{ topic, part: entry[2] }] : [])
    .sort((a, b) => b.part - a.part).map(({ topic, part }) => [topic, part]);
}

// Small parts.

/** How clearly an anchor won: three dots, two or one; none if it was given. @param {Topic} topic */
function marginDots({ margin, given }) {
  if (margin === null) return given ? h("span.margin", null, "given") : "";
  const [dots, words] = margin >= 0.05 ? [3, "clear"] : margin >= 0.01 ? [2, "fair"] : [1, "close call"];
  const label = `margin ${margin.toFixed(3)}, ${words}`;
  return h("span.margin", { title: label, role: "img", "aria-label": label }, "●".repeat(+dots) + "○".repeat(3 - +dots));
}

const SCRIPTS = "\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}";
const UNSPACED = new RegExp(`[${SCRIPTS}]`, "u");

/**
 * The text with some words marked: runs of letters and digits, as the program reads them, and any place of words that are
 * written without spaces.
 */
function marked(text, words, beginnings) {
  const all = [...words].flatMap(one => one.split(" ")).filter(Boolean);
  const spaced = new Set(all.filter(one => !UNSPACED.test(one))), joined = all.filter(one => UNSPACED.test(one));
  const escaped = joined.map(one => one.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const runs = new RegExp([...escaped, `[[\\p{L}\\p{N}\\p{M}_]--[${SCRIPTS}]]{2,}`].join("|"), "giv"), out = [];
  let last = 0;
  for (const found of text.matchAll(runs)) {
    const run = found[0].toLowerCase();
    const hit = spaced.has(run) || joined.includes(run) || (beginnings && all.some(one => run.startsWith(one)));
    if (!hit) continue;
    out.push(text.slice(last, found.index), h("mark", null, found[0]));
    last = found.index + found[0].length;
  }
  return [...out, text.slice(last)];
}
