"use strict";
// What all pages share. No markup is ever parsed: all text goes in as text, so nothing in the data can become code.

/** @type {any} */
const data = JSON.parse(/** @type {HTMLElement} */ (document.getElementById("data")).textContent || "{}");

/** @returns {any} */
const byId = id => document.getElementById(id);

const count = n => n.toLocaleString("en");

/** Decimals as the program prints them: a tie, which only .25 and .75 can be, goes to the even digit. */
function oneDecimal(x) {
  const tie = Number.isInteger(4 * x) && !Number.isInteger(2 * x), down = Math.floor(10 * x);
  return tie ? ((down % 2 ? down + 1 : down) / 10).toFixed(1) : x.toFixed(1);
}

const percent = x => oneDecimal(100 * x) + "\u00a0%";

const whole = x => (x > 0 && x < 0.005 ? "< 1" : Math.round(100 * x)) + "\u00a0%";

function cut(text, n) {
  if (text.length <= n) return text;
  const letters = [...text.slice(0, 2 * n)];
  return letters.length > n ? letters.slice(0, n - 1).join("") + "…" : text;
}

const SVG = new Set(["svg", "g", "circle", "rect", "path", "text", "line", "polyline"]);

/**
 * h("li.docs", {title: "x"}, child, "text"): an element. Strings are text, and null is left out; "width" of what is no
 * picture is a style, which the policy lets a script set.
 * @param {Record<string, any> | null} [props] @returns {any}
 */
function h(what, props, ...children) {
  const [tag, ...classes] = what.split(".");
  const drawn = SVG.has(tag);
  const node = drawn ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  if (classes.length) node.setAttribute("class", classes.join(" "));
  for (const [key, value] of Object.entries(props || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key === "width" && !drawn) /** @type {HTMLElement} */ (node).style.width = value;
    else node.setAttribute(key, value === true ? "" : String(value));
  }
  node.append(...children.flat(9).filter(child => child !== null && child !== undefined && child !== false));
  return node;
}

const put = (id, ...children) => byId(id).replaceChildren(...children.flat(9).filter(Boolean));

/** Text whose direction of writing is its own. */
const bdi = text => h("bdi", null, text);

const note = (...parts) => h("p.note", null, parts);
const isNarrow = () => matchMedia("(max-width: 52rem)").matches;

// Downloads.

/** A cell of a CSV file; what a spreadsheet would take for a formula gets an apostrophe. */
function cell(value) {
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? "'" + value : String(value);
  return /[",\n\r]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
}

const csv = rows => "\ufeff" + rows.map(row => row.map(cell).join(",")).join("\r\n") + "\r\n";

function save(name, type, body) {
  const url = URL.createObjectURL(new Blob([body], { type }));
  const link = h("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

const DRAWN_STYLES = ["fill", "stroke", "stroke-width", "opacity", "font-size", "font-weight", "text-anchor", "visibility",
  "paint-order", "stroke-dasharray"];

/** A picture as it is shown, with its colours written in. */
function savePicture(svg, name) {
  if (!svg) return;
  const copy = /** @type {SVGElement} */ (svg.cloneNode(true));
  const from = svg.querySelectorAll("*"), to = copy.querySelectorAll("*");
  from.forEach((element, i) => {
    const style = getComputedStyle(element);
    for (const name of DRAWN_STYLES) to[i].setAttribute(name, style.getPropertyValue(name));
  });
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("font-family", "system-ui, sans-serif");
  save(name, "image/svg+xml", new XMLSerializer().serializeToString(copy));
}

/** Fills the menu of downloads: what each is called, and what makes it. @param {[string, () => void][]} items */
function offerDownloads(items) {
  const menu = document.querySelector("details.menu"), button = byId("download");
  const close = () => menu?.removeAttribute("open");
  put("menu", items.map(([label, make]) => h("button", { onclick: () => { make(); close(); button.focus(); } }, label)));
  document.addEventListener("click", event => event.target instanceof Node && !menu?.contains(event.target) && close());
  menu?.addEventListener("keydown", event => {
    if (/** @type {any} */ (event).key !== "Escape" || !menu.hasAttribute("open")) return;
    event.stopPropagation();
    close();
    button.focus();
  });
}

const saveData = () => save("page.json", "application/json", JSON.stringify(data));

// Light and dark.

const theme = document.documentElement.dataset;
try {
  const kept = localStorage.getItem("xray-theme");
  if (kept === "dark" || kept === "light") theme.theme = kept;
} catch { /* a file may have no storage */ }
byId("theme").addEventListener("click", () => {
  const dark = theme.theme ? theme.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  theme.theme = dark ? "light" : "dark";
  try { localStorage.setItem("xray-theme", theme.theme); } catch { /* as above */ }
});
document.documentElement.classList.add("js");
