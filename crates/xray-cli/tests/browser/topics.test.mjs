// The page of topics in a real browser.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { readFileSync } from "node:fs";
import { browser, dataOf, done, hash, isSound, open, parseCsv, path, read, settled, shots, texts, visit, withData, write, xray } from "./harness.mjs";

let printed;
before(() => {
  printed = xray("demo", "-o", "demo");
});
after(() => browser.close());

const PAGE = "demo/report.html";
/** Half to even, as the program rounds. */
const percent = x => {
  const tenths = 1000 * x, down = Math.floor(tenths), rest = tenths - down;
  const exact = rest > 0.5 || (rest === 0.5 && down % 2) ? down + 1 : down;
  return (exact / 10).toFixed(1);
};

test("numbers are those of topics.json and of the terminal", async () => {
  const page = await open(PAGE), report = JSON.parse(read("demo/topics.json"));
  const rows = await page.$$eval("#list a", nodes => nodes.map(node => ({
    id: Number(node.querySelector(".n").textContent), name: node.querySelector(".name").textContent,
    share: node.querySelector(".pc").textContent, anchor: node.querySelector(".sub bdi").textContent,
    margin: node.querySelector(".margin").getAttribute("aria-label"),
  })));
  assert.equal(rows.length, report.topics.length);
  for (const topic of report.topics) {
    const row = rows.find(one => one.id === topic.topic);
    assert.equal(row.name, topic.name);
    assert.equal(row.anchor, topic.anchor);
    assert.equal(row.share.replace("\u00a0", " "), percent(topic.share) + " %");
    assert.ok(row.margin.startsWith(`margin ${topic.margin.toFixed(3)}`), row.margin);
    const line = printed.split("\n").find(one => new RegExp(`^ *${topic.topic}  `).test(one));
    assert.ok(line.includes(row.share.replace("\u00a0", " ")) && line.includes(row.name), line);
    await visit(page, `#topic=${topic.topic}`);
    const facts = (await texts(page, ".facts dd")).join(" | ");
    assert.ok(facts.includes(topic.npmi.toFixed(2)) && facts.includes(`${Math.round(100 * topic.exclusivity)}`), facts);
    assert.ok(facts.includes(`${topic.documents} documents`), facts);
  }
  assert.equal(await page.textContent("h1"), `${report.documents} documents, ${report.rank} topics`);
  assert.ok((await page.textContent("#summary")).includes(`NMI ${report.nmi.toFixed(2)}`));
  await done(page);
});

test("each level is what a run with its number of topics finds", async () => {
  const data = dataOf(PAGE);
  assert.ok(data.levels.length >= 5 && data.levels.some(level => level.k > data.k));
  write("demo.tsv", demoCorpus());
  for (const { k, topics, nmi } of data.levels) {
    const own = JSON.parse(xray("topics", "demo.tsv", "--text", "text", "--labels", "subject", "-k", String(k), "--json"));
    assert.deepEqual(topics.map(topic => topic.name.join(", ")), own.topics.map(topic => topic.name), `${k} topics`);
    assert.deepEqual(topics.map(topic => topic.documents), own.topics.map(topic => topic.documents));
    assert.ok(Math.abs(nmi - own.nmi) < 1e-4);
  }
});
const demoCorpus = () => readFileSync(process.env.XRAY_DEMO_CORPUS, "utf8");

test("each address opens its view, and back returns", async () => {
  const page = await open(PAGE), seen = [];
  const views = { "#view=map": ".map circle", "#view=tree": ".tree rect", "#view=documents": "table.documents td", "#topic=3": "#words li", "#word=oil": ".hbars li", "#k=5&topic=2": "#words li", "#view=topics": ".map circle" };
  for (const [to, shows] of Object.entries(views)) {
    await visit(page, to);
    assert.ok(await page.$(shows), to);
    seen.push(await page.textContent("#view"));
  }
  assert.equal(new Set(seen).size, seen.length - 1, "views differ, but for the map, which is beside the list");
  for (const at of [5, 4, 3]) {
    await page.goBack();
    await settled(page);
    assert.equal(await page.textContent("#view"), seen[at], `back to ${Object.keys(views)[at]}`);
  }
  await done(page);
  for (const to of ["#k=999&topic=99", "#view=nothing", "#%%%", "#topic=-1&k=NaN", "#word=%F0%9F%98%80"]) {
    const odd = await open(PAGE, { hash: to.slice(1) });
    assert.ok(await odd.$("#list a"), to);
    await done(odd);
  }
});

test("keys", async () => {
  const page = await open(PAGE), data = dataOf(PAGE);
  const order = await page.$$eval("#list a", nodes => nodes.map(node => Number(node.dataset.t)));
  const press = async key => { await page.keyboard.press(key); await settled(page); };
  await press("j");
  assert.equal(await hash(page), `#topic=${order[0]}`);
  await press("j");
  assert.equal(await hash(page), `#topic=${order[1]}`);
  await press("k");
  assert.equal(await hash(page), `#topic=${order[0]}`);
  await press("]");
  const ks = data.levels.map(level => level.k), more = ks[ks.indexOf(data.k) + 1];
  assert.ok((await hash(page)).startsWith(`#k=${more}&topic=`), await hash(page));
  await press("[");
  assert.equal(await hash(page), `#topic=${order[0]}`);
  await press("/");
  await page.keyboard.type("sto");
  await settled(page);
  assert.equal(await hash(page), "#word=sto");
  assert.match(await page.textContent("#view"), /Did you mean/);
  await press("Escape");
  assert.equal(await hash(page), "#view=map");
  await page.focus('.map g[tabindex="0"]');
  const first = await page.evaluate(() => document.activeElement.getAttribute("aria-label"));
  for (const key of ["ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"]) await press(key);
  const last = await page.evaluate(() => document.activeElement.getAttribute("aria-label"));
  assert.ok(first && last.startsWith("Topic "));
  assert.equal(await page.$$eval('.map [tabindex="0"]', nodes => nodes.length), 1, "one stop for the whole map");
  await press("Enter");
  assert.equal(await hash(page), `#topic=${last.match(/\d+/)[0]}`);
  await page.focus("#download");
  await press("Enter");
  assert.equal(await page.isVisible("#menu"), true);
  await press("Escape");
  assert.equal(await page.isVisible("#menu"), false);
  assert.equal(await page.evaluate(() => document.activeElement.id), "download");
  await done(page);
});

test("words are ordered by the slider, and bars keep their lengths", async () => {
  const data = dataOf(PAGE), page = await open(PAGE, { hash: "topic=6" });
  const { words } = data.levels.find(level => level.k === data.k).topics[5];
  const most = Math.max(...words.map(entry => entry[1]));
  for (const lean of [0, 0.35, 1]) {
    await page.$eval(".slide input", (input, value) => { input.value = value; input.dispatchEvent(new Event("input")); }, lean);
    const score = ([, weight, exclusive]) => weight ** (1 - lean) * exclusive ** (1.6 * lean);
    const expected = [...words].sort((a, b) => score(b) - score(a)).slice(0, 14);
    assert.deepEqual(await texts(page, "#words a"), expected.map(entry => data.words[entry[0]]), `at ${lean}`);
    const widths = await page.$$eval("#words .track > i", nodes => nodes.map(node => parseFloat(node.style.width)));
    expected.forEach((entry, i) => assert.ok(Math.abs(widths[i] - 100 * entry[1] / most) < 1e-3));
    const marks = new Set((await texts(page, ".docs mark")).map(text => text.toLowerCase()));
    const shown = new Set(expected.map(entry => data.words[entry[0]]));
    assert.ok(marks.size > 2 && [...marks].every(mark => shown.has(mark)), "exactly the words that are shown are marked");
  }
  await done(page);
});

test("an opened topic is followed by its documents, not by its number", async () => {
  const data = dataOf(PAGE), ks = data.levels.map(level => level.k);
  const from = data.flows.filter(flow => ks.indexOf(flow.to) === ks.indexOf(flow.from) + 1);
  // Where most documents of a topic are in one of another number.
  const changed = from.flatMap(flow => data.levels.find(level => level.k === flow.from).topics.flatMap((_, a) => {
    const best = flow.documents.filter(one => one[0] === a && one[1] >= 0).sort((p, q) => q[2] - p[2])[0];
    return best && best[1] !== a ? [{ flow, a, b: best[1] }] : [];
  }));
  assert.ok(changed.length > 0, "the demo has such topics");
  const { flow, a, b } = changed[0];
  const page = await open(PAGE, { hash: `k=${flow.from}&topic=${a + 1}` });
  await page.$eval("#k", (input, value) => { input.value = value; input.dispatchEvent(new Event("input")); }, ks.indexOf(flow.to));
  await settled(page);
  assert.match(await hash(page), new RegExp(`topic=${b + 1}$`));
  await done(page);
});

test("the tree's flows sum to all documents", async () => {
  const data = dataOf(PAGE);
  for (const { from, to, documents } of data.flows) {
    assert.equal(documents.reduce((sum, flow) => sum + flow[2], 0), data.facts.documents);
    const [before, after] = [from, to].map(k => data.levels.find(level => level.k === k).topics);
    before.forEach((topic, i) => assert.equal(documents.filter(flow => flow[0] === i).reduce((sum, flow) => sum + flow[2], 0), topic.documents));
    after.forEach((topic, i) => assert.equal(documents.filter(flow => flow[1] === i).reduce((sum, flow) => sum + flow[2], 0), topic.documents));
  }
  const page = await open(PAGE, { hash: "topic=4" });
  await page.click('.tabs a[data-view="tree"]');
  await settled(page);
  assert.ok(await page.$(".tree path.on"), "the way of the opened topic is marked");
  assert.equal(await page.$$eval(".tree g", nodes => nodes.length), data.tree.reduce((sum, k) => sum + k, 0));
  await page.screenshot({ path: `${shots}/tree-path-1280-light.png` });
  await page.click(".tree g:last-of-type");
  await settled(page);
  assert.match(await hash(page), /topic=\d+/);
  await done(page);
});

test("downloads can be read", async () => {
  const data = dataOf(PAGE), page = await open(PAGE, { hash: "view=map" }), files = {};
  for (let i = 0; i < 4; i++) {
    await page.click("#download");
    const [download] = await Promise.all([page.waitForEvent("download"), page.click(`#menu button:nth-child(${i + 1})`)]);
    files[download.suggestedFilename()] = readFileSync(await download.path(), "utf8");
  }
  assert.deepEqual(Object.keys(files), ["topics.csv", "documents-shown.csv", "topics.svg", "page.json"]);
  const topics = parseCsv(files["topics.csv"]);
  assert.equal(topics.length, data.k + 1);
  assert.ok(topics.every(row => row.length === topics[0].length));
  assert.equal(parseCsv(files["documents-shown.csv"]).length, data.facts.shown + 1);
  assert.deepEqual(JSON.parse(files["page.json"]), data);
  const drawn = await page.evaluate(text => {
    const svg = new DOMParser().parseFromString(text, "image/svg+xml");
    return [svg.querySelectorAll("parsererror").length, svg.querySelectorAll("circle").length, svg.querySelector("circle").getAttribute("fill")];
  }, files["topics.svg"]);
  assert.deepEqual([drawn[0], drawn[1]], [0, data.k]);
  assert.match(drawn[2], /^rgb/);
  await done(page);
});

test("nothing but the page's own style and script can act", async () => {
  const page = await open(PAGE);
  await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.ran = true";
    document.body.append(script);
    const link = document.createElement("img");
    link.src = "https://example.invalid/x.png";
    document.body.append(link);
    const styled = document.createElement("p");
    styled.setAttribute("style", "position: fixed");
    document.body.append(styled);
  });
  await page.waitForTimeout(100);
  assert.equal(await page.evaluate(() => window.ran), undefined);
  assert.equal(await page.$eval("body > p:last-of-type", node => getComputedStyle(node).position), "static");
  assert.ok(page.faults.length >= 2 && page.faults.every(fault => /Content Security Policy|^request to .*example.invalid/.test(fault)), page.faults.join("\n"));
  await page.context().close();
});

test("hostile text stays text", async () => {
  const wild = ["<script>alert(1)</script>", "</script><script>alert(2)</script>", "<img src=x onerror=alert(3)>", "\"'`${alert(4)}", "\u202egnirts\u202c", "a\u2028b\u2029c", "__proto__", "constructor", "toString", "=cmd()"];
  const filler = n => ["alpha beta gamma __proto__ constructor", `delta omega sigma ${"x".repeat(400)}`, "kappa lambda theta"][n % 3];
  const label = n => ["<b>bold</b>", "</script>", "\u05e9\u05dc\u05d5\u05dd\u202e"][n % 3];
  const quoted = text => `"${text.replace(/"/g, '""')}"`;
  const rows = Array.from({ length: 60 }, (_, n) => `${quoted(`=id${n}<i>`)},${quoted(`${wild[n % wild.length]} ${filler(n)} \u05e9\u05dc\u05d5\u05dd \u65e5\u672c\u8a9e${n === 7 ? " \0 nul" : ""}${n === 8 ? " " + "y".repeat(1 << 20) : ""}`)},${quoted(label(n))}`);
  const name = "a<script>alert(9)</script>'&.csv".replace("/", "∕");
  write(name, `id,text,label\n${rows.join("\n")}\n`);
  xray("topics", name, "--text", "text", "--id", "id", "--labels", "label", "-k", "3", "--keep", "all", "--min-df", "1", "--format", "csv", "-o", "wild");
  const data = dataOf("wild/report.html");
  assert.ok(data.words.includes("__proto__") && data.words.some(word => word.startsWith("xxx")));
  assert.ok(data.documents.text.some(text => text.includes("<script>alert(1)</script>")), "it is there, as text");
  assert.ok(data.title.includes("<script>") && data.command.includes("<script>"));
  assert.ok(read("wild/report.html").length < 400_000);
  for (const theme of ["light", "dark"]) {
    const page = await open("wild/report.html", { theme, width: theme === "light" ? 1280 : 390 });
    for (const to of ["#view=map", "#topic=1", "#topic=2", "#view=tree", "#view=documents", "#word=__proto__", "#word=<script>", "#word=constructor"]) {
      await visit(page, to);
      await isSound(page, `wild ${to} ${theme}`);
    }
    assert.equal(await page.$$eval("script, img, iframe, b bold", nodes => nodes.length), 2, "the data and the script");
    await page.screenshot({ path: `${shots}/wild-${theme === "light" ? 1280 : 390}-${theme}.png` });
    await page.evaluate(() => { location.hash = "#view=documents"; });
    await page.click("#download");
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#menu button:nth-child(2)")]);
    const csv = parseCsv(readFileSync(await download.path(), "utf8"));
    assert.ok(csv.slice(1).every(row => row[0].startsWith("'=id")), "no formula");
    await done(page);
  }
});

test("words without spaces are marked within the text", async () => {
  const other = withData(PAGE, "unspaced.html", data => {
    data.words.push("日本");
    const topic = data.levels.find(level => level.k === data.k).topics[0];
    topic.words.unshift([data.words.length - 1, 1, 1]);
    data.documents.text[topic.best[0]] = "今日は日本語を話します";
    return data;
  });
  const page = await open(other, { hash: "topic=1" });
  assert.ok((await texts(page, ".docs mark")).includes("日本"));
  await done(page);
});

const trimmed = (data, k) => ({ ...data, k, levels: [{ ...data.levels.find(level => level.k === data.k), k }], tree: [k], flows: [], lookup: [] });

test("few topics, and none", async () => {
  for (const k of [1, 2]) {
    xray("topics", "demo.tsv", "--text", "text", "-k", String(k), "-o", `few${k}`);
    const page = await open(`few${k}/report.html`);
    assert.equal(await page.textContent("h1"), `288 documents, ${k} topic${k === 1 ? "" : "s"}`);
    for (const to of ["#view=map", "#topic=1", "#view=documents"]) {
      await visit(page, to);
      await isSound(page, `${k} topics ${to}`);
    }
    await done(page);
  }
  assert.match(await (await open("few1/report.html")).textContent("#summary"), /Just one/);
  const none = withData(PAGE, "none.html", data => {
    const empty = trimmed(data, 0);
    empty.levels[0] = { ...empty.levels[0], topics: [], mix: data.documents.text.map(() => []) };
    return empty;
  });
  const page = await open(none);
  assert.match(await page.textContent("#view"), /No topics.*--min-df/);
  await isSound(page, "no topics");
  for (const key of ["j", "]", "/"]) await page.keyboard.press(key);
  await done(page);
});

test("two hundred topics", async () => {
  const many = withData(PAGE, "many.html", data => {
    const next = trimmed(data, 200), own = next.levels[0].topics;
    next.levels[0].topics = Array.from({ length: 200 }, (_, i) => ({
      ...own[i % own.length], id: i + 1, place: [(i % 20) * 0.075 + 0.03, Math.floor(i / 20) * 0.1 + 0.04, 0.02], related: [],
    }));
    return next;
  });
  const page = await open(many);
  assert.equal(await page.$$eval("#side.compact #list a", nodes => nodes.length), 200);
  for (const to of ["#view=map", "#topic=150", "#view=documents"]) {
    const spent = await page.evaluate(async next => {
      const start = performance.now();
      location.hash = next;
      await new Promise(done => setTimeout(() => requestAnimationFrame(() => setTimeout(done, 0)), 0));
      return performance.now() - start;
    }, to);
    assert.ok(spent < 2000, `${to}: ${spent} ms`);
    await isSound(page, `200 topics ${to}`);
  }
  await done(page);
});

test("without a script, and on paper, every topic is there", async () => {
  const data = dataOf(PAGE);
  const plain = await open(PAGE, { javaScriptEnabled: false });
  assert.equal(await plain.locator(".print tbody tr:visible").count(), data.k);
  assert.equal(await plain.locator(".tools:visible, .frame:visible").count(), 0);
  await plain.context().close();
  const page = await open(PAGE, { theme: "dark" });
  await page.emulateMedia({ media: "print" });
  assert.equal(await page.locator(".print tbody tr:visible").count(), data.k);
  assert.equal(await page.locator(".frame:visible, .tools:visible").count(), 0);
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).color), "rgb(0, 0, 0)");
  await done(page);
});

test("every state is sound at every width, light and dark", async () => {
  for (const [width, theme] of [[1280, "light"], [1280, "dark"], [768, "light"], [390, "light"], [390, "dark"], [320, "light"]]) {
    const page = await open(PAGE, { width, theme });
    const views = ["", "#view=map", "#view=tree", "#view=documents", "#topic=3", "#word=light", "#k=12&topic=12"];
    for (const to of views) {
      if (to) await visit(page, to);
      await isSound(page, `${to || "start"} ${width} ${theme}`);
      if (width !== 768 && width !== 320) await page.screenshot({ path: `${shots}/${(to || "overview").replace(/[#=&]/g, "")}-${width}-${theme}.png` });
    }
    await done(page);
  }
});

test("periods without documents take room", async () => {
  const name = withData(PAGE, "times.html", data => {
    const answer = data.levels.find(level => level.k === data.k);
    for (const topic of answer.topics) topic.periods = [0.2, 0.4, 0.1];
    return { ...data, periods: ["1950", "1951", "1960"] };
  });
  const page = await open(name, { hash: "topic=1" });
  const left = await page.$$eval("svg.time rect", bars => bars.map(bar => Number(bar.getAttribute("x"))));
  assert.deepEqual(left.map(x => Math.round(10 * x / left[1]) / 10), [0, 1, 10]);
  await done(page);
});

test("the theme can be chosen", async () => {
  const page = await open(PAGE, { theme: "light" });
  const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await back();
  await page.click("#theme");
  assert.notEqual(await back(), light);
  await page.click("#theme");
  assert.equal(await back(), light);
  await done(page);
});

test("fingers find what they look for", async () => {
  const page = await open(PAGE, { width: 390, hash: "topic=3" });
  const low = await page.$$eval("button, select, input, .tabs a, #words a, .back", nodes => nodes.filter(node => node.offsetParent)
    .map(node => [node.id || node.textContent, Math.round(node.getBoundingClientRect().height)]).filter(one => one[1] < 44));
  assert.deepEqual(low, []);
  await done(page);
});
