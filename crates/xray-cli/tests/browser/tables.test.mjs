// The pages of rank, compare and reproduce in a real browser.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { readFileSync } from "node:fs";
import { browser, dataOf, done, isSound, open, parseCsv, settled, shots, texts, write, xray } from "./harness.mjs";

before(() => {
  write("demo.tsv", readFileSync(process.env.XRAY_DEMO_CORPUS, "utf8"));
  xray("rank", "demo.tsv", "--text", "text", "--max", "12", "-o", "rank");
  xray("compare", "demo.tsv", "--text", "text", "--labels", "subject", "-r", "8", "--methods", "xray-greedy,xray-max,spa", "--runs", "1", "--no-accuracy", "-o", "compare");
  xray("reproduce", "table2", "--quick", "-o", "pages");
});
after(() => browser.close());

test("rank: the suggestion, its topics, and any other number", async () => {
  const data = dataOf("rank/rank.html"), page = await open("rank/rank.html");
  const report = parseCsv(readFileSync(new URL(page.url().replace("rank.html", "rank.csv")), "utf8"));
  assert.equal(data.anchors.length, report.length - 1);
  assert.equal(await page.textContent("h1"), `How many topics? ${data.suggested}`);
  assert.ok(data.levels.some(level => level.k === data.suggested));
  const names = data.levels.find(level => level.k === data.suggested).topics.map(topic => topic[1]);
  assert.deepEqual(new Set(await texts(page, "#chosen .name")), new Set(names));
  await page.$eval("#rank-k", input => { input.value = "2"; input.dispatchEvent(new Event("input")); });
  await settled(page);
  assert.equal(await page.textContent("#chosen h2"), "3 topics");
  await page.click("summary:has-text('The numbers')");
  assert.equal(await page.locator("#numbers tbody tr:visible").count(), data.anchors.length);
  await isSound(page, "rank with its numbers");
  await done(page);
});

test("compare: columns sort, and points tell their values", async () => {
  const data = dataOf("compare/compare.html"), page = await open("compare/compare.html");
  const { table } = data.sections.find(section => section.table);
  const column = table.columns.findIndex(one => one[0] === "NMI"), shown = () => texts(page, `main tbody td:nth-child(${column + 1})`);
  const heads = page.locator("main th button");
  await heads.nth(column).click();
  const rising = (await shown()).map(Number);
  assert.deepEqual(rising, [...rising].sort((a, b) => a - b));
  await heads.nth(column).click();
  assert.deepEqual((await shown()).map(Number), [...rising].reverse());
  assert.equal(await page.getAttribute(`main th:nth-child(${column + 1})`, "aria-sort"), "descending");
  await page.focus(".chart g[tabindex]");
  assert.match(await page.textContent(".told"), /at seconds/);
  await page.hover(".chart .hit");
  assert.match(await page.textContent(".told"), /\d/);
  await page.click(".legend button");
  assert.equal(await page.getAttribute(".legend button", "aria-pressed"), "true");
  assert.ok(await page.$(".chart .dot.on"));
  await isSound(page, "compare with a method chosen");
  await page.click("#download");
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#menu button:first-child")]);
  assert.equal(parseCsv(readFileSync(await download.path(), "utf8")).length, table.rows.length + 1);
  await done(page);
});

test("every page is sound at every width, light and dark, on paper and without a script", async () => {
  for (const [name, file] of [["rank", "rank/rank.html"], ["compare", "compare/compare.html"], ["table2", "pages/table2.html"]]) {
    for (const [width, theme] of [[1280, "light"], [1280, "dark"], [390, "light"], [390, "dark"], [320, "light"]]) {
      const page = await open(file, { width, theme });
      await isSound(page, `${name} ${width} ${theme}`);
      await page.screenshot({ path: `${shots}/${name}-${width}-${theme}.png`, fullPage: true });
      await page.emulateMedia({ media: "print" });
      assert.ok(await page.locator(".print tbody tr:visible").count() > 1);
      await done(page);
    }
    const plain = await open(file, { javaScriptEnabled: false });
    assert.ok(await plain.locator(".print tbody tr:visible").count() > 1);
    await plain.context().close();
  }
});
