// A browser, pages that the program wrote, and what must hold in every state of them.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

export const [program, work, modules] = ["XRAY_PROGRAM", "XRAY_BROWSER_WORK", "XRAY_NODE_MODULES"].map(name => resolve(process.env[name] || "."));
const load = createRequire(join(modules, "package.json"));
const { chromium } = load("playwright-core");
const axe = readFileSync(load.resolve("axe-core/axe.min.js"), "utf8");

export const browser = await chromium.launch({ executablePath: process.env.XRAY_CHROMIUM || "/usr/bin/chromium" });
export const shots = join(work, "shots");
mkdirSync(shots, { recursive: true });

/** Runs the program in the folder of the tests; what it printed. */
export function xray(...args) {
  return execFileSync(program, args, { cwd: work, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], maxBuffer: 1 << 26 });
}
export const path = name => join(work, name);
export const read = name => readFileSync(path(name), "utf8");
export const write = (name, text) => {
  mkdirSync(join(path(name), ".."), { recursive: true });
  writeFileSync(path(name), text);
};

/** The data of a page, without a browser. */
export function dataOf(name) {
  const html = read(name), start = html.indexOf('id="data">') + 10;
  return JSON.parse(html.slice(start, html.indexOf("</script>", start)));
}

/** The same page with other data: the policy is about style and script. */
export function withData(name, other, change) {
  const html = read(name), start = html.indexOf('id="data">') + 10, end = html.indexOf("</script>", start);
  const json = JSON.stringify(change(dataOf(name))).replace(/[<>&\u2028\u2029]/g, c => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
  write(other, html.slice(0, start) + json + html.slice(end));
  return other;
}

/** A page in the browser that fails for every message, dialog and request. */
export async function open(name, { hash = "", width = 1280, theme = "light", ...more } = {}) {
  const context = await browser.newContext({ viewport: { width, height: width < 500 ? 844 : 800 }, colorScheme: theme, acceptDownloads: true, ...more });
  const page = await context.newPage();
  page.faults = [];
  page.on("console", message => ["error", "warning"].includes(message.type()) && page.faults.push(message.text()));
  page.on("pageerror", error => page.faults.push(String(error.stack || error)));
  page.on("dialog", dialog => { page.faults.push("dialog: " + dialog.message()); dialog.dismiss(); });
  const address = name.startsWith("http") ? name : pathToFileURL(path(name)).href;
  const own = new URL(address);
  page.on("request", request => {
    const to = new URL(request.url());
    const allowed = ["blob:", "data:"].includes(to.protocol) || (to.protocol === own.protocol && to.host === own.host);
    if (!allowed) page.faults.push("request to " + request.url());
  });
  await page.goto(address + (hash ? "#" + hash : ""));
  return page;
}

/** Goes to an address within the page. */
export async function visit(page, hash) {
  await page.evaluate(to => { location.hash = to; }, hash);
  await settled(page);
}
export const settled = page => page.evaluate(() => new Promise(done => requestAnimationFrame(() => setTimeout(done, 0))));
export const hash = page => page.evaluate(() => location.hash);
export const texts = (page, what) => page.$$eval(what, nodes => nodes.map(node => node.textContent));

/** No fault so far, nothing wider than the window, and nothing that axe finds serious. */
export async function isSound(page, what) {
  assert.deepEqual(page.faults, [], what);
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wider <= 0, `${what}: ${wider} pixels too wide`);
  await page.evaluate(axe);
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  const told = found.violations.map(one => `${one.impact} ${one.id}: ${one.nodes.slice(0, 3).map(node => `${node.target} ${node.failureSummary}`)}`);
  assert.deepEqual(told, [], what);
}

export async function done(page) {
  assert.deepEqual(page.faults, []);
  await page.context().close();
}

/** Records of a CSV file. */
export function parseCsv(text) {
  const rows = [[""]];
  let quoted = false;
  for (let i = text.startsWith("\ufeff") ? 1 : 0; i < text.length; i++) {
    const c = text[i], row = rows[rows.length - 1];
    if (quoted && c === '"' && text[i + 1] === '"') { row[row.length - 1] += '"'; i++; }
    else if (c === '"') quoted = !quoted;
    else if (!quoted && c === ",") row.push("");
    else if (!quoted && c === "\n") rows.push([""]);
    else if (quoted || c !== "\r") row[row.length - 1] += c;
  }
  return rows.slice(0, -1);
}
