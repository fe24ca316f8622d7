// A snapshot as a table: one row a section, indented by how deep it is, with a bar for its share.

const COLUMNS = ["section", "category", "count", "mean ms", "self ms", "total ms", ""];

/** Fills a table from a snapshot. Rows whose mean is near the clock's step are pale. */
export function showReport(table, snapshot) {
  const longest = Math.max(snapshot.totalMs, ...snapshot.sections.map((it) => it.totalMs));
  const ms = (value) => (value === null ? "" : value.toFixed(3));
  const head = document.createElement("tr");
  head.append(...COLUMNS.map((name) => cell("th", name)));
  const rows = snapshot.sections.map((it) => {
    const row = document.createElement("tr");
    const name = cell("td", it.name);
    name.style.setProperty("--depth", it.path.length - 1);
    const bar = cell("td", "");
    bar.className = "bar";
    bar.append(document.createElement("i"));
    bar.firstChild.style.width = `${longest > 0 ? (100 * it.totalMs) / longest : 0}%`;
    row.classList.toggle("near", it.nearPrice);
    row.dataset.path = it.path.join("/");
    row.append(
      name, cell("td", it.category), cell("td", it.count), cell("td", ms(it.meanMs)),
      cell("td", ms(it.selfMs)), cell("td", ms(it.totalMs)), bar,
    );
    return row;
  });
  table.replaceChildren(head, ...rows);
}

function cell(kind, text) {
  const element = document.createElement(kind);
  element.textContent = text;
  return element;
}
