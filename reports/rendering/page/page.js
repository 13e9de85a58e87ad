"use strict";
(() => {
  const data = JSON.parse(document.getElementById("histories").textContent);
  const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  // Sorting: a cell's data-sort is the number behind its text; what is missing comes after everything.
  const size = text => { const value = parseFloat(text.replace(/,/g, "")); return isNaN(value) ? -Infinity : value; };
  Tablesort.extend("quantity", () => false, (one, other) => {
    const [a, b] = [size(one), size(other)];
    return a === b ? 0 : b > a ? 1 : -1;
  });

  const rowsOf = table => [...table.tBodies[0].rows].filter(row => !row.classList.contains("history"));

  // Filtering: every word typed must stand somewhere in the row, and the verdict must be the chosen one.
  function addFilter(table) {
    const rows = rowsOf(table);
    if (rows.length < 16) return;
    const bar = document.createElement("div");
    bar.className = "filter";
    const label = document.createElement("label");
    const words = document.createElement("input");
    words.type = "search";
    label.append("Filter ", words);
    const shown = document.createElement("output");
    bar.append(label);
    const verdict = addChoice(bar, rows);
    bar.append(shown);
    const texts = new Map(rows.map(row => [row, row.textContent.toLowerCase()]));
    const apply = () => {
      closeAll(table);
      const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
      let number = 0;
      for (const row of rows) {
        const fits = wanted.every(word => texts.get(row).includes(word)) &&
          (!verdict || !verdict.value || row.dataset.verdict === verdict.value);
        row.hidden = !fits;
        number += fits;
      }
      shown.textContent = `${number} of ${rows.length}`;
    };
    words.addEventListener("input", apply);
    if (verdict) verdict.addEventListener("change", apply);
    table.closest(".scroll").before(bar);
    shown.textContent = `${rows.length} of ${rows.length}`;
  }

  function addChoice(bar, rows) {
    const words = [...new Set(rows.map(row => row.dataset.verdict).filter(Boolean))];
    if (words.length < 2) return null;
    const label = document.createElement("label");
    const choice = document.createElement("select");
    choice.add(new Option("all", ""));
    for (const word of words) choice.add(new Option(word, word));
    label.append("Verdict ", choice);
    bar.append(label);
    return choice;
  }

  for (const table of document.querySelectorAll("table.sortable")) {
    new Tablesort(table);
    table.addEventListener("beforeSort", () => closeAll(table));
    addFilter(table);
  }

  // Histories: drawn when asked for.
  const open = new Map();

  function closeAll(table) {
    for (const button of [...open.keys()].filter(button => table.contains(button))) close(button);
  }

  function close(button) {
    const { row, plot } = open.get(button);
    plot.destroy();
    row.remove();
    open.delete(button);
    button.setAttribute("aria-expanded", "false");
  }

  function grow(button) {
    const row = document.createElement("tr");
    row.className = "history";
    const cell = row.insertCell();
    const host = button.closest("tr");
    cell.colSpan = host.cells.length;
    const chart = document.createElement("div");
    chart.className = "chart";
    chart.tabIndex = 0;
    chart.setAttribute("role", "img");
    const reading = document.createElement("p");
    reading.className = "reading";
    reading.setAttribute("aria-live", "polite");
    const marks = document.createElement("p");
    marks.className = "marks";
    chart.append(reading);
    cell.append(chart);
    host.after(row);
    button.setAttribute("aria-expanded", "true");
    const history = data.cases[button.dataset.case];
    marks.textContent = legend(history);
    chart.setAttribute("aria-label", `History of ${button.dataset.name}. ${marks.textContent}`);
    const width = Math.max(260, Math.min(980, host.closest(".scroll").clientWidth - 10));
    chart.style.width = `${width}px`;
    const plot = draw(chart, history, reading, width);
    chart.append(marks);
    open.set(button, { row, plot });
    let place = data.sessions.length - 1;
    chart.addEventListener("keydown", event => {
      const move = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!move) return;
      event.preventDefault();
      place = Math.min(data.sessions.length - 1, Math.max(0, place + move));
      plot.setCursor({ left: plot.valToPos(place, "x"), top: 10 });
      reading.textContent = told(history, place);
    });
  }

  function legend(history) {
    const parts = ["Line: median of each session; band: its interval."];
    if (history.levels.length) parts.push("Dashed: the level it is compared with.");
    for (const [place, word] of history.changes) parts.push(`${sign(word)} ${word} ${word === "recovered" ? "on" : "since"} ${data.sessions[place][1]}.`);
    for (const [place, reason] of history.accepted) {
      parts.push(`◆ accepted on ${data.sessions[place][1]}${reason ? `: ${reason}` : ""}.`);
    }
    return parts.join(" ");
  }

  const sign = word => ({ slower: "▲", faster: "▼" })[word] || "▽";

  const time = seconds => {
    if (seconds == null) return "no time";
    const [size, unit] = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [0, "ns"]].find(pair => Math.abs(seconds) >= pair[0] * 0.9995);
    return `${Number((seconds / (size || 1e-9)).toPrecision(3)).toLocaleString("en")} ${unit}`;
  };

  function columns(history) {
    const x = data.sessions.map((_, place) => place);
    const middle = history.times;
    const half = history.halves.map(share => (share == null ? 0 : share / 1e4));
    const low = middle.map((value, place) => (value == null ? null : value * (1 - half[place])));
    const high = middle.map((value, place) => (value == null ? null : value * (1 + half[place])));
    const level = x.map(() => null);
    for (const [first, last, value] of history.levels) for (let place = first; place <= last; place++) level[place] = value;
    return [x, low, high, middle, level];
  }

  function draw(chart, history, reading, width) {
    const text = colour("--text"), line = colour("--line"), ink = colour("--link");
    const axis = { stroke: text, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
    const quiet = { stroke: "transparent", points: { show: false } };
    const options = {
      width,
      height: 240,
      legend: { show: false },
      cursor: { y: false, drag: { x: true, y: false } },
      scales: { x: { time: false, range: (_, low, high) => [low - 0.5, high + 0.5] } },
      axes: [
        { ...axis, space: 90, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500],
          values: (_, ticks) => ticks.map(place => (data.sessions[place] ? data.sessions[place][1].slice(0, 10) : "")) },
        { ...axis, size: 74, values: (_, ticks) => ticks.map(time) },
      ],
      series: [
        {}, quiet, quiet,
        { stroke: ink, width: 1.5, spanGaps: true, points: { show: true, size: 4, fill: ink } },
        { stroke: colour("--level"), width: 1.5, dash: [7, 5], points: { show: false } },
      ],
      bands: [{ series: [2, 1], fill: colour("--band-fill") }],
      hooks: {
        draw: [plot => mark(plot, history)],
        setCursor: [plot => { if (plot.cursor.event && plot.cursor.idx != null) reading.textContent = told(history, plot.cursor.idx); }],
      },
    };
    reading.textContent = told(history, history.times.length - 1);
    return new uPlot(options, columns(history), chart);
  }

  function mark(plot, history) {
    const context = plot.ctx, ratio = devicePixelRatio, { top, height } = plot.bbox;
    const put = (place, word, ink) => {
      const x = plot.valToPos(place, "x", true);
      context.save();
      context.strokeStyle = context.fillStyle = ink;
      context.setLineDash([3 * ratio, 3 * ratio]);
      context.beginPath();
      context.moveTo(x, top);
      context.lineTo(x, top + height);
      context.stroke();
      context.font = `${13 * ratio}px system-ui, sans-serif`;
      context.textAlign = "center";
      context.fillText(word, x, top + 12 * ratio);
      context.restore();
    };
    for (const [place, word] of history.changes) put(place - 0.5, sign(word), colour(word === "slower" ? "--bad" : "--good"));
    for (const [place] of history.accepted) put(place, "◆", colour("--level"));
  }

  function told(history, place) {
    const [session, date, commit, environment] = data.sessions[place];
    const value = history.times[place], half = history.halves[place];
    const interval = value != null && half ? ` (${time(value * (1 - half / 1e4))} to ${time(value * (1 + half / 1e4))})` : "";
    return [
      date, `${time(value)}${interval}`, session, commit ? `commit ${commit}` : "", surroundings(place, environment),
    ].filter(Boolean).join(" · ");
  }

  function surroundings(place, environment) {
    const now = data.environments[environment];
    const before = place ? data.environments[data.sessions[place - 1][3]] : null;
    if (before && before !== now) {
      const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].filter(name => before[name] !== now[name]);
      return "changed: " + names.map(name => `${name} ${before[name] || "none"} → ${now[name] || "none"}`).join(", ");
    }
    return ["torch", "cuda", "driver", "python"].filter(name => now[name]).map(name => `${name} ${now[name]}`).join(", ");
  }

  document.addEventListener("click", event => {
    const button = event.target.closest(".grow");
    if (!button) return;
    if (open.has(button)) close(button);
    else grow(button);
  });

  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    for (const button of [...open.keys()]) { close(button); grow(button); }
  });
  addEventListener("beforeprint", () => { for (const fold of document.querySelectorAll("details")) fold.open = true; });
})();
