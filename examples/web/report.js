// Tables: a snapshot or profile, one row a section with a bar for its share; and how durations spread.

const COLUMNS = ["section", "category", "count", "mean ms", "self ms", "total ms", ""];

/** Fills a table from a snapshot or a profile. Rows whose mean is near the clock's step are pale. */
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
    row.classList.toggle("near", it.nearPrice ?? false);
    row.dataset.path = it.path.join("/");
    row.append(
      name, cell("td", it.category), cell("td", it.count), cell("td", ms(it.meanMs)),
      cell("td", ms(it.selfMs)), cell("td", ms(it.totalMs)), bar,
    );
    return row;
  });
  table.replaceChildren(head, ...rows);
}

const SPREAD = ["section", "where", "count", "median ms", "90 % ms", "max ms", "shortest to longest"];

/** Fills a table from gathered profiles: percentiles, and the counts of 16 bins as a row of bars. */
export function showSpread(table, all) {
  const labels = new Map(all.profiles.map((it) => [it.rank, it.label]));
  const head = document.createElement("tr");
  head.append(...SPREAD.map((name) => cell("th", name)));
  const rows = [...all].map(([path, times]) => {
    const row = document.createElement("tr");
    const name = cell("td", path.at(-1));
    name.style.setProperty("--depth", path.length - 1);
    row.dataset.path = path.join("/");
    const [median, ninety] = times.percentilesMs([50, 90]);
    const { counts } = times.hist(16);
    const most = Math.max(...counts);
    const bins = document.createElement("div");
    bins.className = "bins";
    bins.append(...counts.map((count) => {
      const bin = document.createElement("i");
      bin.title = count;
      bin.style.height = `${(100 * count) / most}%`;
      return bin;
    }));
    row.append(
      name, cell("td", times.byRank().map(({ rank }) => labels.get(rank)).join(", ")), cell("td", times.count),
      ...[median, ninety, times.maxMs].map((ms) => cell("td", ms.toFixed(3))), cell("td", ""),
    );
    row.lastChild.append(bins);
    return row;
  });
  table.replaceChildren(head, ...rows);
}

function cell(kind, text) {
  const element = document.createElement(kind);
  element.textContent = text;
  return element;
}
