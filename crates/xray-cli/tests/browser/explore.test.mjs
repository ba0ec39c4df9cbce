// Topics that are changed by hand, in a real browser and by requests of all kinds.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { createInterface } from "node:readline";
import { browser, isSound, open, path, program, settled, shots, texts, visit, work, write, xray } from "./harness.mjs";

/** A program that serves; its address. */
async function serve(...args) {
  const child = spawn(program, ["explore", ...args, "--no-open"], { cwd: work, stdio: ["ignore", "pipe", "pipe"] });
  child.told = "";
  child.stderr.on("data", text => { child.told += text; });
  const lines = createInterface({ input: child.stdout });
  const address = await new Promise((done, fail) => {
    lines.once("line", done);
    child.once("exit", code => fail(new Error(`ended with ${code}: ${child.told}`)));
  });
  return { child, address };
}
const ended = child => child.exitCode !== null ? child.exitCode : new Promise(done => child.once("exit", code => done(code)));

/** A request with any headers; status and body. */
const ask = (address, { method = "GET", what = "", headers = {}, body = "" } = {}) => new Promise((done, fail) => {
  const url = new URL(address);
  const sent = request({ host: "127.0.0.1", port: url.port, path: url.pathname + what, method, headers: { host: url.host, ...headers } }, reply => {
    let text = "";
    reply.setEncoding("utf8").on("data", part => { text += part; }).on("end", () => done({ status: reply.statusCode, text, headers: reply.headers }));
  });
  sent.on("error", fail).end(body);
});
const post = (address, what, body = {}) => ask(address, { method: "POST", what, headers: { origin: new URL(address).origin }, body: JSON.stringify(body) });

/** The JSON of a page without what only this run knows. */
const stable = text => { const page = JSON.parse(text); delete page.live; delete page.command; return JSON.stringify(page); };

/** Takes all changes back. */
async function reset() {
  const { live } = JSON.parse((await post(server.address, "redo")).text);
  await post(server.address, "undo", { times: live.changes.length });
}

let server;
beforeEach(reset);
before(async () => {
  write("demo.tsv", readFileSync(process.env.XRAY_DEMO_CORPUS, "utf8"));
  server = await serve("demo.tsv", "--text", "text", "--labels", "subject", "-k", "8", "--save", "saved.npz");
});
after(async () => {
  server.child.kill("SIGINT");
  assert.equal(await ended(server.child), 0, server.child.told);
  await browser.close();
});

test("only the page itself gets anything", async () => {
  const { address } = server, own = new URL(address).origin, evil = "http://evil.example";
  const wrong = [
    [address.replace(/\/[0-9a-f]{32}\//, `/${"0".repeat(32)}/`), {}],
    [own + "/", {}], [own + "/favicon.ico", {}], [own + "/../../etc/passwd", {}],
    [address, { headers: { host: "evil.example" } }],
    [address, { headers: { host: `localhost.evil.example:${new URL(address).port}` } }],
    [address, { headers: { origin: evil } }],
    [address, { headers: { "sec-fetch-site": "cross-site" } }],
    [address, { what: "nothing" }],
    [address, { what: "change" }],
    [address, { method: "POST", what: "change", body: '{"do":"drop","topic":1}' }],
    [address, { method: "POST", what: "change", headers: { origin: evil }, body: '{"do":"drop","topic":1}' }],
    [address, { method: "POST", what: "change", headers: { origin: "null" }, body: '{"do":"drop","topic":1}' }],
    [address, { method: "OPTIONS", what: "change", headers: { origin: evil } }],
    [address, { method: "PUT", headers: { origin: own } }],
  ];
  for (const [to, how] of wrong) {
    const reply = await ask(to, how);
    assert.ok([403, 404].includes(reply.status), `${to} ${JSON.stringify(how)}: ${reply.status}`);
    assert.equal(reply.text, "");
    assert.ok(!Object.keys(reply.headers).some(name => name.startsWith("access-control")), "no page of others is let in");
  }
  const large = await post(address, "change", { do: "rename", topic: 1, name: "x".repeat(100_000) });
  assert.equal(large.status, 413);
  assert.equal((await post(address, "change", { do: "fly" })).status, 400);
  assert.equal((await post(address, "change", { do: "drop", topic: 1, more: 1 })).status, 400);
  const fine = await ask(address);
  assert.equal(fine.status, 200);
  assert.match(fine.headers["cache-control"], /no-store/);
  assert.equal(fine.headers["x-frame-options"], "DENY");
});

test("a person changes topics, looks, and takes it back", async () => {
  const page = await open(server.address), bytes = [stable((await post(server.address, "redo")).text)];
  const answered = async act => {
    await act();
    await page.waitForFunction(n => document.querySelectorAll("#edits li").length === n, bytes.length);
    await settled(page);
    bytes.push(stable((await post(server.address, "redo")).text));
  };
  await isSound(page, "before any change");
  await visit(page, "#topic=4");
  const first = await texts(page, "#words a"), word = first[3];
  await answered(() => page.click("#words li:nth-child(4) .do button:first-child"));
  assert.match(await page.textContent(".seeds"), new RegExp(`Begins with.*${word}`));
  assert.match(await page.textContent("#answered"), /answered in/);
  await isSound(page, "after a seed");
  await page.screenshot({ path: `${shots}/explore-1280-light.png` });
  const gone = (await texts(page, "#words a"))[1];
  await answered(async () => { await page.focus("#words li:nth-child(2) a"); await page.keyboard.press("x"); });
  assert.ok(!(await texts(page, "#words a")).includes(gone));
  await answered(async () => { await page.fill("#k-number", "7"); await page.press("#k-number", "Enter"); });
  assert.equal(await page.$$eval("#list a", rows => rows.length), 7);
  await answered(async () => { await page.fill("input.rename", "My <b>own</b> name"); await page.press("input.rename", "Tab"); });
  assert.ok((await texts(page, "#list .name")).includes("My <b>own</b> name"));
  await answered(async () => page.selectOption(".acts select", { index: 1 }));
  assert.equal(await page.$$eval("#list a", rows => rows.length), 6);
  await answered(() => page.click(".acts button:has-text('Split')"));
  assert.equal(await page.$$eval("#list a", rows => rows.length), 7);
  assert.ok(await page.$(".delta"), "what moved is told");
  await isSound(page, "after a split");
  await answered(async () => { await visit(page, "#topic=2"); await page.click(".acts button:has-text('Drop')"); });
  await visit(page, "#topic=1");
  await page.fill("input[aria-label='Add a word to begin with']", "wind");
  await page.press("input[aria-label='Add a word to begin with']", "Enter");
  await page.waitForSelector("#refused:not([hidden])");
  assert.match(await page.textContent("#refused"), /would be lost/);
  assert.equal(stable((await post(server.address, "redo")).text), bytes.at(-1), "an error leaves all as it was");
  for (const [width, theme] of [[1280, "dark"], [390, "light"], [390, "dark"]]) {
    const other = await open(server.address, { width, theme, hash: "topic=1" });
    await isSound(other, `explore ${width} ${theme}`);
    await other.screenshot({ path: `${shots}/explore-${width}-${theme}.png` });
    await other.context().close();
  }
  for (let n = bytes.length - 1; n > 0; n--) {
    if (n % 2) await page.click("#undo");
    else await page.keyboard.press("Control+z");
    await page.waitForFunction(left => document.querySelectorAll("#edits li").length === left, n - 1);
    assert.equal(stable((await ask(server.address)).text.match(/id="data">(.*?)<\/script>/s)[1]), bytes[n - 1], `undone to ${n - 1}`);
  }
  await page.keyboard.press("Control+Shift+z");
  await page.waitForFunction(() => document.querySelectorAll("#edits li").length === 1);
  page.faults = page.faults.filter(fault => !/status of 422/.test(fault));
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

const sha = name => createHash("sha256").update(readFileSync(path(name))).digest("hex");

test("the saved model is that of the commands, to the bit", async () => {
  const { address } = server;
  const changes = [
    { do: "seed", topic: 4, word: "fans" }, { do: "exclude", word: "minutes" }, { do: "topics", k: 9 },
    { do: "rename", topic: 1, name: "It's mine" }, { do: "merge", topics: [2, 5] }, { do: "split", topic: 1 },
    { do: "move", word: "wind", topic: 3 }, { do: "drop", topic: 4 },
  ];
  let live;
  for (const change of changes) {
    const reply = await post(address, "change", change);
    assert.equal(reply.status, 200, `${JSON.stringify(change)}: ${reply.text.slice(0, 300)}`);
    ({ live } = JSON.parse(reply.text));
  }
  assert.equal(live.changes.length, changes.length);
  assert.equal((await post(address, "save")).status, 200);
  for (const line of live.commands) {
    const words = [...line.matchAll(/'((?:[^']|'\\'')*)'|\S+/g)].map(found => found[1] === undefined ? found[0] : found[1].replace(/'\\''/g, "'"));
    assert.equal(words[0], "xray");
    xray(...words.slice(1), ...(words[1] === "topics" ? ["--no-report"] : []));
  }
  const last = live.commands.at(-1).match(/-o (\S+)$/)[1];
  const arrays = name => JSON.parse(xray("transform", name, "demo.tsv", "--text", "text", "--json", "--exact"));
  const [saved, made] = ["saved.npz", last].map(arrays);
  assert.deepEqual(saved.weights, made.weights);
  assert.equal(contentOf("saved.npz"), contentOf(last), "but for the time at which it was made");
});

/** The members of a model file but for its metadata, which tell when it was made. */
function contentOf(name) {
  const bytes = readFileSync(path(name)), hash = createHash("sha256");
  // Local headers of a zip: name and size; arrays are stored as they are.
  for (let at = 0; bytes.readUInt32LE(at) === 0x04034b50;) {
    const size = bytes.readUInt32LE(at + 18), named = bytes.readUInt16LE(at + 26), extra = bytes.readUInt16LE(at + 28);
    const start = at + 30 + named + extra, member = bytes.toString("utf8", at + 30, at + 30 + named);
    if (!/meta|json/.test(member)) hash.update(member).update(bytes.subarray(start, start + size));
    at = start + size;
  }
  return hash.digest("hex");
}

test("a newer change gives up an older one", async () => {
  const { address } = server;
  const replies = await Promise.all(["fans", "striker", "referee", "crossbar", "league"].map(word => post(address, "change", { do: "seed", topic: 4, word })));
  const statuses = replies.map(reply => reply.status);
  assert.ok(statuses.every(status => [200, 409].includes(status)), String(statuses));
  assert.equal(statuses.at(-1) === 200 || statuses.includes(200), true);
  const { live } = JSON.parse((await post(address, "redo")).text);
  assert.equal(live.changes.length, statuses.filter(status => status === 200).length);
});

test("hundreds of random changes do no harm", async () => {
  const { address, child } = server, memory = () => Number(readFileSync(`/proc/${child.pid}/statm`, "utf8").split(" ")[1]) * 4096;
  let seed = 1, done = 0, after = 0;
  const random = n => { seed = (seed * 1103515245 + 12345) % 2147483648; return Math.floor(seed / 65536) % n; };
  const words = ["fans", "wind", "bank", "soil", "planet", "unheard", "", "goal", "melody", "pan"];
  const rounds = Number(process.env.XRAY_CHANGES || 150);
  for (let round = 0; round < rounds; round++) {
    const word = words[random(words.length)], topic = random(11);
    const change = [
      { do: "seed", topic, word }, { do: "unseed", topic, word }, { do: "exclude", word }, { do: "topics", k: random(14) },
      { do: "merge", topics: [topic, random(10)] }, { do: "split", topic }, { do: "drop", topic }, { do: "rename", topic, name: word },
      { do: "move", word, topic },
    ][random(9)];
    const reply = random(3) ? await post(address, "change", change) : await post(address, random(3) ? "undo" : "redo", { times: 1 + random(2) });
    assert.ok([200, 422].includes(reply.status), `${reply.status} ${JSON.stringify(change)} ${reply.text.slice(0, 200)}`);
    done += reply.status === 200;
    if (round === Math.floor(rounds / 3)) after = memory();
  }
  assert.ok(done > rounds / 4, `${done} of ${rounds} could be made`);
  if (after) assert.ok(memory() < 1.5 * after + (64 << 20), `memory grew from ${after} to ${memory()}`);
});

test("a saved model is changed as it is", async () => {
  xray("topics", "demo.tsv", "--text", "text", "-k", "6", "-o", "kept", "--no-report");
  const { child, address } = await serve("kept/model.npz", "demo.tsv", "--text", "text", "--save", "changed.npz");
  assert.match((await post(address, "change", { do: "topics", k: 4 })).text, /saved model stays/);
  const { live } = JSON.parse((await post(address, "change", { do: "merge", topics: [1, 2] })).text);
  assert.equal((await post(address, "save")).status, 200);
  assert.deepEqual(live.commands, ["xray edit kept/model.npz demo.tsv --text text --merge 1,2 -o explored-1.npz"]);
  xray(...live.commands[0].split(" ").slice(1));
  assert.equal(contentOf("changed.npz"), contentOf("explored-1.npz"));
  child.kill("SIGINT");
  assert.equal(await ended(child), 0);
});

test("what cannot be served is told", async () => {
  assert.throws(() => xray("explore", "demo.tsv", "--text", "text", "-o", "x", "--no-open"), error => error.status === 2 && /--output/.test(error.stderr));
  assert.throws(() => xray("explore", "missing.csv", "--no-open"), error => error.status === 1);
  assert.throws(() => xray("explore", "saved.npz", "missing.csv", "-k", "3", "--no-open"), error => error.status === 1);
  assert.throws(() => xray("explore", "demo.tsv", "--text", "text", "--save", "x.txt", "--no-open"), error => error.status === 2 && /npz/.test(error.stderr));
});
