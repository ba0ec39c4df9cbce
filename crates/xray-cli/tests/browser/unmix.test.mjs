// The page of unmix in a real browser.
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { after, before, test } from "node:test";
import { browser, dataOf, done, hash, isSound, open, parseCsv, path, read, settled, shots, texts, visit, withData, write, xray } from "./harness.mjs";

const HOSTILE = ["</script><script>alert(1)</script>", "<img src=x onerror=alert(2)>", '"\'&amp;\u202e'];

before(() => {
  xray("synth", "scene.hdr", "--cube", "30x40x60", "-r", "3", "--snr", "30", "--seed", "4");
  // Known spectra under names that would be code, and bands that were left out.
  const [, ...lines] = read("scene-truth.csv").trimEnd().split("\n");
  const quoted = HOSTILE.map(name => `"${name.replace(/"/g, '""')}"`);
  write("hostile.csv", ["wavelength", ...quoted].join(",") + "\n" + lines.join("\n") + "\n");
  xray("unmix", "scene.hdr", "--bands", "1-20,31-", "--truth", "hostile.csv", "--library", "hostile.csv", "-o", "unmix");
  xray("unmix", "scene.hdr", "-r", "3", "-o", "unmix-plain");
});
after(() => browser.close());

/** The byte of a map, as the page has it. */
const valueAt = (data, map, row, column) => Buffer.from(map, "base64")[(row - 1) * data.scene.columns + column - 1] / 254;
const bars = page => texts(page, "#mixture .num");

test("cards, facts and numbers are those of unmix.json", async () => {
  const page = await open("unmix/report.html"), report = JSON.parse(read("unmix/unmix.json")), data = dataOf("unmix/report.html");
  assert.equal(data.kind, "unmix");
  assert.equal(data.version, 1);
  assert.equal(await page.textContent("h1"), "3 endmembers in 1,200 pixels");
  assert.match(await page.textContent("#summary"), /scene\.hdr is 30 x 40 pixels in 50 bands; the number of endmembers, 3, is the knee .* mean angle to the truth is \d/);
  assert.deepEqual(data.unmix.endmembers.map(one => one.spectrum), report.endmembers.map(one => one.spectrum));
  const cards = await texts(page, ".card");
  assert.equal(cards.length, 4);
  report.endmembers.forEach((one, k) => {
    const known = report.truth.matched.indexOf(k + 1);
    assert.ok(cards[k].includes(`${(100 * one.share).toFixed(1)}\u00a0% of the scene`), cards[k]);
    assert.ok(cards[k].includes(`made of ${one.n_members} pixels`), cards[k]);
    assert.ok(cards[k].includes(`truth: ${report.truth.names[known]} (${report.truth.angles[known].toFixed(1)}°)`), cards[k]);
    assert.ok(cards[k].includes(`like: ${one.nearest[0].name}`), cards[k]);
  });
  await done(page);
});

test("the pixel follows the pointer, a click, the keys and the address", async () => {
  const page = await open("unmix/report.html"), data = dataOf("unmix/report.html");
  const told = (row, column) => data.scene.abundances.map(map => {
    const value = valueAt(data, map, row, column) * data.scene.high;
    return (value > 0 && value < 0.005 ? "< 1" : Math.round(100 * value)) + "\u00a0%";
  });
  const [row, column] = data.unmix.endmembers[0].members[0];
  assert.equal(await page.textContent("#pixel-name"), `Row ${row}, column ${column}`);
  assert.deepEqual(await bars(page), told(row, column));
  const box = await page.locator("#large").boundingBox();
  const move = (row, column) => page.mouse.move(box.x + (column - 0.5) / 40 * box.width, box.y + (row - 0.5) / 30 * box.height);
  await move(12, 7);
  assert.equal(await page.textContent("#pixel-name"), "Row 12, column 7");
  assert.deepEqual(await bars(page), told(12, 7));
  await page.mouse.move(2, 2);
  assert.equal(await page.textContent("#pixel-name"), `Row ${row}, column ${column}`, "back to the chosen pixel");
  await move(12, 7);
  await page.mouse.down();
  await page.mouse.up();
  await page.mouse.move(2, 2);
  assert.equal(await page.textContent("#pixel-name"), "Row 12, column 7");
  await page.focus("#stage");
  for (const key of ["ArrowRight", "ArrowDown", "Shift+ArrowDown", "ArrowLeft", "ArrowUp", "ArrowRight"]) await page.keyboard.press(key);
  assert.equal(await page.textContent("#pixel-name"), "Row 22, column 8");
  assert.deepEqual(await bars(page), told(22, 8));
  assert.match(await page.textContent("#status"), /^Row 22, column 8: endmember \d .*unexplained/);
  await page.waitForFunction(() => location.hash === "#map=1&row=22&column=8");
  await page.keyboard.press("j");
  await settled(page);
  assert.equal(await hash(page), "#map=2");
  assert.equal(await page.getAttribute(".card[aria-current]", "data-map"), "1");
  await visit(page, "map=unexplained&row=3&column=4");
  assert.equal(await page.textContent("#chosen-name"), "Unexplained");
  assert.equal(await page.textContent("#pixel-name"), "Row 3, column 4");
  await page.goBack();
  await settled(page);
  assert.equal(await page.textContent("#chosen-name"), "Endmember 2");
  await visit(page, "map=99&row=-3&column=x");
  assert.equal(await page.textContent("#chosen-name"), "Endmember 1");
  await done(page);
});

test("the map has the colours of its values", async () => {
  const page = await open("unmix/report.html"), data = dataOf("unmix/report.html");
  const all = await page.$eval("#large", canvas => [...canvas.getContext("2d").getImageData(0, 0, 40, 30).data]);
  for (const [row, column] of [[1, 1], [12, 7], [30, 40]]) {
    const start = 4 * ((row - 1) * 40 + column - 1), shown = all.slice(start, start + 4);
    const place = 5 * valueAt(data, data.scene.abundances[0], row, column), below = Math.min(Math.floor(place), 4);
    const colour = [0, 1, 2].map(c => data.colours[below][c] + (place - below) * (data.colours[below + 1][c] - data.colours[below][c]));
    colour.forEach((value, c) => assert.ok(Math.abs(value - shown[c]) <= 1, `${row}, ${column}: ${colour} ${shown}`));
    assert.equal(shown[3], 255);
  }
  await done(page);
});

test("spectra tell the values of a band, and have gaps where bands were left out", async () => {
  const page = await open("unmix/report.html"), data = dataOf("unmix/report.html");
  assert.equal(await page.locator(".spectra .gap").count(), 1);
  assert.ok((await page.$$eval(".spectra .curve", lines => lines.map(line => line.getAttribute("d").split("M").length))).every(n => n === 3), "two runs a line");
  await page.focus(".spectra");
  for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowRight");
  const { spectrum } = data.unmix.endmembers[0], said = await page.getAttribute(".spectra", "aria-valuetext");
  assert.ok(said.includes(`(band 4): E1 ${+spectrum[3].toPrecision(4)}`), said);
  assert.equal(await page.textContent("#told"), said);
  const box = await page.locator(".spectra").boundingBox();
  await page.mouse.move(box.x + box.width * 0.5, box.y + box.height / 2);
  assert.match(await page.textContent("#told"), /band \d+\): E1 .* pixel .* mixture/);
  await page.click("#why summary");
  assert.equal(await page.locator("#why .dot").count(), data.unmix.suggestion.path.length);
  await isSound(page, "spectra and the path of the number");
  await done(page);
});

test("the mixture is near what was measured", async () => {
  const page = await open("unmix-plain/report.html");
  const worst = await page.evaluate(() => Math.max(...[0, 300, 777, 1199].map(square => {
    const { measured, mixture } = spectrumOf(square), norm = values => Math.hypot(...values);
    return Math.abs(norm(measured.map((value, i) => value - mixture[i])) / norm(measured) - unexplained(square));
  })));
  assert.ok(worst < 0.01, `off by ${worst}`);
  await done(page);
});

test("downloads", async () => {
  const page = await open("unmix/report.html");
  const fetched = async label => {
    await page.click("#download");
    const [download] = await Promise.all([page.waitForEvent("download"), page.click(`#menu button:has-text("${label}")`)]);
    return readFileSync(await download.path());
  };
  const own = parseCsv(read("unmix/endmembers.csv")), got = parseCsv((await fetched("Endmembers")).toString());
  assert.deepEqual(got[0], own[0]);
  assert.deepEqual(got.slice(1).map(row => row.map(Number)), own.slice(1).map(row => row.map(Number)));
  assert.equal(parseCsv((await fetched("This pixel")).toString()).length, 6);
  assert.equal((await fetched("This map")).subarray(1, 4).toString(), "PNG");
  assert.match((await fetched("Spectra")).toString(), /^<svg .*stroke-dasharray/s);
  assert.equal(JSON.parse((await fetched("All of this page")).toString()).kind, "unmix");
  await done(page);
});

test("names stay text", async () => {
  const page = await open("unmix/report.html");
  assert.equal(await page.locator("script").count(), 2);
  assert.equal(await page.locator("main img, .print img").count(), 0);
  const shown = await page.textContent("#cards");
  HOSTILE.forEach(name => assert.ok(shown.includes(name), name));
  await done(page);
});

test("one endmember, many, weights that are not parts, pixels left out, and lists", async () => {
  const change = (name, how) => withData("unmix-plain/report.html", name, data => { how(data, data.unmix); return data; });
  const files = [
    ["one", change("state-one.html", (data, unmix) => { unmix.endmembers.length = 1; data.scene.abundances.length = 1; })],
    ["many", change("state-many.html", (data, unmix) => {
      unmix.endmembers = Array.from({ length: 40 }, (_, k) => unmix.endmembers[k % 3]);
      data.scene.abundances = Array.from({ length: 40 }, (_, k) => data.scene.abundances[k % 3]);
    })],
    ["nnls", change("state-nnls.html", (data, unmix) => { unmix.abundances = "nnls"; data.scene.high = 2.7; })],
    ["left-out", change("state-left-out.html", data => {
      const half = text => Buffer.from(Buffer.from(text, "base64").map((value, i) => i % 40 < 20 ? 255 : value)).toString("base64");
      data.scene.abundances = data.scene.abundances.map(half);
      data.scene.unexplained = half(data.scene.unexplained);
    })],
    ["list", change("state-list.html", (data, unmix) => {
      Object.assign(unmix, { is_image: false, rows: 1, columns: 1200 });
      unmix.endmembers.forEach(one => { one.members = [[1, 7]]; });
      Object.assign(data.scene, { rows: 1, columns: 1200 });
      data.pixels.columns = 1200;
    })],
  ];
  for (const [name, file] of files) {
    const page = await open(file, { hash: "map=1&row=1&column=3" });
    await page.focus("#stage");
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.textContent("#pixel-name"), name === "list" ? "Pixel 4" : "Row 1, column 4");
    if (name === "left-out") assert.match(await page.textContent("#mixture"), /left out/);
    await isSound(page, name);
    await page.screenshot({ path: `${shots}/unmix-${name}.png`, fullPage: true });
    await done(page);
  }
});

test("a large scene is averaged, says so, and stays small", async () => {
  xray("synth", "large.hdr", "--cube", "700x900x24", "-r", "4", "--snr", "30");
  xray("unmix", "large.hdr", "--endmembers", "large-truth.csv", "-o", "unmix-large");
  assert.ok(statSync(path("unmix-large/report.html")).size <= 3e6);
  const page = await open("unmix-large/report.html", { hash: "map=2&row=699&column=899" }), data = dataOf("unmix-large/report.html");
  const { side } = data.scene;
  assert.ok(side > 1 && data.pixels.side % side === 0);
  assert.match(await page.textContent("#map-note"), new RegExp(`the mean of ${side} x ${side} pixels`));
  assert.match(await page.textContent("#pixel-name"), /^Rows \d+ to (699|700), columns \d+ to (899|900)$/);
  assert.match(await page.textContent("#mixture"), /The dots are the mean of rows/);
  await isSound(page, "a large scene");
  await page.screenshot({ path: `${shots}/unmix-large.png`, fullPage: true });
  await done(page);
});

test("sound at every width, light and dark, on paper and without a script", async () => {
  for (const [width, theme] of [[1280, "light"], [1280, "dark"], [768, "light"], [390, "light"], [390, "dark"], [320, "light"]]) {
    const page = await open("unmix/report.html", { width, theme });
    await isSound(page, `unmix ${width} ${theme}`);
    await page.screenshot({ path: `${shots}/unmix-${width}-${theme}.png`, fullPage: true });
    await page.emulateMedia({ media: "print" });
    assert.equal(await page.locator(".print tbody tr:visible").count(), 3);
    assert.equal(await page.locator(".card canvas:visible").count(), 4);
    if (width === 1280) await page.screenshot({ path: `${shots}/unmix-print-${theme}.png`, fullPage: true });
    await done(page);
  }
  const plain = await open("unmix/report.html", { javaScriptEnabled: false });
  assert.equal(await plain.locator(".print tbody tr:visible").count(), 3);
  assert.equal(await plain.locator(".unmix:visible").count(), 0);
  await plain.context().close();
});
