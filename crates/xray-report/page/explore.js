// Explore: the same page, and a person who changes the topics.

/** Shares and words before the last change, for what moved. @type {{share: number, words: Set<string>}[] | null} */
let before = null;
let asking = 0;

/** Asks the server, and shows the answer; a newer question makes an older one void. */
async function ask(what, body = {}) {
  const own = ++asking, start = performance.now();
  const slow = setTimeout(() => { byId("dot").classList.add("busy"); put("answered", "working …"); }, 200);
  /** @type {any} */
  let answer = null, refused = "";
  try {
    const reply = await fetch(what, { method: "POST", body: JSON.stringify(body) });
    answer = await reply.json();
    if (!reply.ok) refused = reply.status === 409 ? "superseded" : answer.error;
  } catch {
    refused = "The program has ended: start it again to go on.";
  }
  clearTimeout(slow);
  if (own !== asking) return null;
  byId("dot").classList.remove("busy");
  byId("refused").hidden = !refused;
  put("refused", refused);
  if (refused) {
    draw();
    drawLive(false);
    return null;
  }
  if (answer.saved) {
    put("answered", `saved ${answer.saved}`);
    return null;
  }
  show(answer, (performance.now() - start) / 1000);
  return answer;
}

/** Shows what a change has given, and what it moved. */
function show(answer, seconds) {
  const old = level().topics, names = old.map(topic => new Set(topic.words.slice(0, 24).map(entry => word(entry[0]))));
  const { came_from: places, went_to: next } = answer.live.moved, shares = old.map(share), open = state.topic;
  before = places.map(place => place === null ? { share: 0, words: new Set() } : { share: shares[place], words: names[place] });
  setModel(answer);
  state.k = model.k;
  const followed = open === null ? null : next[open - 1] ?? null;
  if (open !== null) replaceAddress(address({ topic: followed === null ? null : followed + 1 }));
  draw();
  drawLive(true);
  put("answered", `answered in ${seconds < 0.1 ? seconds.toFixed(2) : seconds.toFixed(1)} s`);
  byId("status").textContent = "Done: " + (answer.live.changes.at(-1) || "all changes are undone");
}

const change = edit => ask("change", edit);
const undo = times => ask("undo", { times });

function drawLive(answered) {
  const { changes, undone, commands } = model.live;
  byId("undo").disabled = !changes.length;
  byId("redo").disabled = !undone;
  if (!answered) put("answered", changes.length ? "" : "change a topic: the answer is exact");
  put("edits", changes.map((text, i) => h("li", null, h("span", null, bdi(text)),
    h("button", { onclick: () => undo(changes.length - i) }, "undo to here"))));
  put("edit-count", changes.length ? `${changes.length} ${changes.length === 1 ? "change" : "changes"}` : "No changes yet");
  put("command", commands.join(" &&\n"));
  byId("save").title = "to " + model.live.file;
  const number = byId("k-number");
  number.value = model.k;
}

added.list = () => {
  byId("k").hidden = byId("k-value").hidden = true;
  for (const row of byId("list").querySelectorAll("a")) {
    const id = Number(row.dataset.t), topic = topicOf(id), moved = before && topic ? share(topic) - before[id - 1].share : 0;
    if (Math.abs(moved) >= 0.0005) {
      row.classList.add("moved");
      const told = `${moved > 0 ? "▲" : "▼"} ${oneDecimal(100 * Math.abs(moved))}`;
      row.append(h("span.delta", { title: "change of its share by the last change" }, told));
    }
    row.addEventListener("dragover", event => { event.preventDefault(); row.classList.add("drop"); });
    row.addEventListener("dragleave", () => row.classList.remove("drop"));
    row.addEventListener("drop", event => {
      event.preventDefault();
      const dragged = event.dataTransfer.getData("text/x-word");
      if (dragged) change({ do: "seed", topic: id, word: dragged });
    });
  }
};

added.word = (row, topic, text) => {
  const known = before && before[topic.id - 1], seeds = model.live.seeds[topic.id - 1] || [], shown = cut(text, 60);
  const seed = () => change({ do: "seed", topic: topic.id, word: text }), exclude = () => change({ do: "exclude", word: text });
  row.classList.add("editable");
  row.draggable = true;
  if (known && known.words.size && !known.words.has(text)) row.classList.add("fresh");
  row.addEventListener("dragstart", event => event.dataTransfer.setData("text/x-word", text));
  row.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || !["s", "x"].includes(event.key)) return;
    event.stopPropagation();
    (event.key === "s" ? seed : exclude)();
  });
  row.querySelector(".v").replaceWith(h("span.do", null,
    seeds.includes(text) ? h("span.pin", { title: "this topic begins with it" }, "seed")
      : h("button", { title: `Begin this topic with ${shown} (s)`, "aria-label": `Seed ${shown}`, onclick: seed }, "+"),
    h("button", { title: `Exclude ${shown} everywhere (x)`, "aria-label": `Exclude ${shown}`, onclick: exclude }, "×")));
};

/** What can be done with a topic. @param {Topic} topic */
function topicActs(topic) {
  const others = topic.related.map(one => level().topics[one[0]]);
  const rest = level().topics.filter(other => other !== topic && !others.includes(other));
  const act = (label, title, edit) => h("button", { title, onclick: () => change(edit) }, label);
  const text = h("input", {
    type: "text", placeholder: "move a word here", "aria-label": "Move a word here", list: "known",
    onkeydown: event => enter(event, value => change({ do: "move", word: value, topic: topic.id })),
  });
  return h("div.acts", null, h("p.muted.small", null, `Topic ${topic.id} of ${model.k}`), h("span.grow"),
    h("select", {
      "aria-label": "Merge with another topic",
      onchange: event => event.target.value && change({ do: "merge", topics: [topic.id, Number(event.target.value)] }),
    }, h("option", { value: "" }, "Merge with …"), [...others, ...rest].map(other => h("option", { value: other.id }, `${other.id} ${cut(title(other), 40)}`))),
    act("Split", "Into the two topics that its documents form", { do: "split", topic: topic.id }),
    act("Drop", "Leave this topic out", { do: "drop", topic: topic.id }), text);
}

/** What was typed, on Enter; other keys are letters here. */
function enter(event, then) {
  event.stopPropagation();
  const value = event.target.value.trim();
  if (event.key === "Enter" && value) then(value);
}

/** Words that the topic begins with. @param {Topic} topic */
function topicSeeds(topic) {
  const seeds = model.live.seeds[topic.id - 1] || [];
  return h("div.seeds", null, h("span.small.muted", null, seeds.length ? "Begins with" : "Found by"),
    seeds.length ? seeds.map(text => h("span.chip", null, bdi(cut(text, 40)), h("button", {
      "aria-label": `Begin without ${cut(text, 40)}`, onclick: () => change({ do: "unseed", topic: topic.id, word: text }),
    }, "×"))) : h("span.chip", null, bdi(anchorOf(topic))),
    h("input", {
      type: "text", placeholder: "add a word", "aria-label": "Add a word to begin with", list: "known",
      onkeydown: event => enter(event, value => change({ do: "seed", topic: topic.id, word: value.toLowerCase() })),
    }));
}

added.topic = (parts, topic) => {
  const box = parts.find(part => part.classList?.contains("top")), head = box.querySelector("h2");
  head.replaceChildren(h("input.rename", {
    type: "text", value: title(topic), "aria-label": "Name of the topic", maxlength: 80,
    onchange: event => change({ do: "rename", topic: topic.id, name: event.target.value }),
    onkeydown: event => event.stopPropagation(),
  }));
  box.querySelector("#which").replaceWith(topicActs(topic));
  head.after(topicSeeds(topic));
};

byId("k").after(h("input", {
  type: "number", id: "k-number", min: 1, max: 1000, "aria-label": "Number of topics",
  onchange: event => change({ do: "topics", k: Number(event.target.value) }),
}));
byId("undo").addEventListener("click", () => undo(1));
byId("redo").addEventListener("click", () => ask("redo"));
byId("save").addEventListener("click", () => ask("save"));
byId("copy").addEventListener("click", () => navigator.clipboard?.writeText(byId("command").textContent));
document.addEventListener("keydown", event => {
  const typing = /^input$/i.test(/** @type {any} */ (event.target).tagName);
  if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z" || typing) return;
  event.preventDefault();
  if (event.shiftKey) ask("redo");
  else undo(1);
});
document.body.append(h("datalist", { id: "known" }, model.words.slice(0, 400).map(text => h("option", { value: text }))));
// Rows must not jump under the hand.
state.sort = byId("sort").value = "number";
setInterval(() => fetch("alive", { method: "POST" }).catch(() => null), 30000);
draw();
drawLive(false);
