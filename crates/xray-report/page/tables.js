// Tables that sort, and charts.

/** @typedef {{columns: [string, boolean][], rows: string[][], values: (number | null)[][]}} TableData */

/** A table; a click on the head of a column sorts by it, another turns it round. @param {TableData} table */
function sortable(table, n) {
  const box = h("div.scroll", { tabindex: 0, role: "region", "aria-label": `Table ${n}` });
  let by = -1, down = false;
  const draw = () => {
    const order = table.rows.map((_, i) => i);
    if (by >= 0) {
      order.sort((a, b) => {
        const [x, y] = [table.values[a][by], table.values[b][by]];
        const missing = Number(x === null) - Number(y === null);
        const order = x !== null && y !== null ? x - y : missing || table.rows[a][by].localeCompare(table.rows[b][by], "en");
        return (down && !missing ? -order : order) || a - b;
      });
    }
    box.replaceChildren(h("table", null,
      h("thead", null, h("tr", null, table.columns.map(([name, right], c) => h("th" + (right ? ".num" : ""), {
        scope: "col", "aria-sort": c === by ? down ? "descending" : "ascending" : null,
      }, h("button", { onclick: () => { down = c === by ? !down : false; by = c; draw(); box.querySelectorAll("th button")[c].focus(); } },
        name, c === by ? down ? " ↓" : " ↑" : ""))))),
      h("tbody", null, order.map(i => h("tr", null, table.rows[i].map((text, c) =>
        h("td" + (table.columns[c][1] ? ".num" : ""), null, bdi(cut(text, 400)))))))));
  };
  draw();
  return box;
}

/** Words in bold, slanted or typed, as Markdown marks them. @param {string} text */
const inline = text => text.split(/(\*\*[^*]+\*\*|\*[^*]+\*|`[^`]+`)/).map(part =>
  part.startsWith("**") ? h("b", null, part.slice(2, -2))
    : part.startsWith("*") && part.length > 2 ? h("i", null, part.slice(1, -1))
      : part.startsWith("`") && part.length > 2 ? h("code", null, part.slice(1, -1)) : part);

/** @type {{image?: [string, string], text?: string[], list?: string[], table?: TableData, chart?: ChartData}[]} */
const sections = data.sections;
put("summary", data.summary);
let tables = 0;
put("view", sections.map(section => [
  (section.text || []).map(text => h("p", null, inline(text))),
  section.list ? h("ul", null, section.list.map(item => h("li", null, inline(item)))) : null,
  section.table ? sortable(section.table, ++tables) : null,
  section.chart ? drawChart(section.chart) : null,
  section.image ? h("figure", null, h("img", { src: section.image[1], alt: section.image[0] }), h("figcaption", null, section.image[0])) : null,
]));

/** @type {[string, () => void][]} */
const tableDownloads = sections.flatMap(section => {
  const { table } = section;
  return table ? [/** @type {[string, () => void]} */ (["", () => save("table.csv", "text/csv", csv([table.columns.map(one => one[0]), ...table.rows]))])] : [];
});
tableDownloads.forEach((item, i) => { item[0] = tableDownloads.length > 1 ? `Table ${i + 1}, CSV` : "Table, CSV"; });
offerDownloads([...tableDownloads,
  ["First picture, SVG", () => savePicture(document.querySelector("main svg"), "picture.svg")],
  ["All of this page, JSON", saveData]]);
