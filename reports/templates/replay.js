// Replays the games of a report. The data is JSON in the page; every position comes as rows of
// symbols, a character for each cell, so a new game needs nothing here: unknown boards are drawn
// as a grid of letters, and those without a grid as text. All text goes in as text, never as HTML.
(() => {
  "use strict";
  const source = document.getElementById("replays");
  if (!source) return;
  const groups = JSON.parse(source.textContent);
  const byId = (id) => document.getElementById(id);
  const pick = byId("pick"), board = byId("board"), text = byId("text"), slider = byId("ply");
  const CELL = 40, BELOW = 26;
  // Fill of the first and the second player's stones, by look.
  const STONES = {
    go: ["#151515", "#fbfbf8"], discs: ["#d55e00", "#f0e442"],
    checkers: ["#2b2b2b", "#f7efdd"], letters: ["var(--blue)", "var(--orange)"],
  };
  const games = groups.flatMap((group) => group.games);
  let game = games[0], ply = 0, timer = 0;

  function add(parent, name, attributes, content) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const key in attributes) element.setAttribute(key, attributes[key]);
    if (content !== undefined) element.textContent = content;
    parent.append(element);
    return element;
  }

  function drawCell(x, y, symbol, marked, edges) {
    const look = game.look, half = CELL / 2, cx = x + half, cy = y + half;
    const owner = game.symbols.findIndex((one) => one.toLowerCase() === symbol.toLowerCase());
    if (look === "go") {
      add(board, "rect", {x, y, width: CELL + 0.6, height: CELL + 0.6, fill: "#dcb573"});
      add(board, "path", {
        d: `M${edges.left ? cx : x} ${cy}H${edges.right ? cx : x + CELL}` +
           `M${cx} ${edges.top ? cy : y}V${edges.bottom ? cy : y + CELL}`,
        stroke: "#4a3a1c", "stroke-width": 1.2, fill: "none",
      });
    } else if (look === "discs") {
      // A trifle larger than the cell, or hairlines would show between them.
      add(board, "rect", {x, y, width: CELL + 0.6, height: CELL + 0.6, fill: "#0b4f86"});
      add(board, "circle", {cx, cy, r: 16, fill: "var(--paper)"});
    } else if (look === "checkers") {
      const square = symbol === " " ? "#efe2c6" : "#9c7a4f";
      add(board, "rect", {x, y, width: CELL, height: CELL, fill: square});
    } else {
      add(board, "rect", {x, y, width: CELL, height: CELL, fill: "var(--paper)",
        stroke: "var(--soft)", "stroke-width": 1});
      if (marked) {
        add(board, "rect", {x: x + 2, y: y + 2, width: CELL - 4, height: CELL - 4,
          fill: "#e69f00", "fill-opacity": 0.28});
      }
    }
    if (owner >= 0 && look !== "letters") {
      add(board, "circle", {cx, cy, r: look === "go" ? 18 : 15.5, fill: STONES[look][owner],
        stroke: "#1c1c1c", "stroke-width": 1});
      const contrast = owner === 0 ? "#ffffff" : "#000000";
      if (look === "checkers" && symbol !== symbol.toLowerCase()) {
        add(board, "text", {x: cx, y: cy + 6, "text-anchor": "middle", "font-size": 17,
          "font-weight": 700, fill: contrast}, "K");
      }
      if (marked) {
        add(board, "circle", {cx, cy, r: look === "checkers" ? 12 : 8, fill: "none",
          stroke: contrast, "stroke-width": 2.5});
      }
    } else if (symbol === "x" && game.symbols[0] === "x") {
      add(board, "path", {d: `M${x + 11} ${y + 11}l18 18m0 -18l-18 18`, stroke: STONES.letters[0],
        "stroke-width": 4.5, "stroke-linecap": "round"});
    } else if (symbol === "o" && game.symbols[1] === "o") {
      add(board, "circle", {cx, cy, r: 10.5, fill: "none", stroke: STONES.letters[1],
        "stroke-width": 4.5});
    } else if (symbol !== "." && symbol !== " ") {
      add(board, "text", {x: cx, y: cy + 7, "text-anchor": "middle", "font-size": 20,
        fill: owner < 0 ? "var(--ink)" : STONES.letters[owner]}, symbol);
    }
  }

  function drawBoard(frame) {
    board.replaceChildren();
    const rows = frame.rows.split("/"), columns = rows[0].length;
    const longest = Math.max(...game.left.map((label) => label.length), 0);
    const left = longest ? 12 + 7.5 * longest : 4, below = game.below.length ? BELOW : 4;
    const width = left + columns * CELL + 4, height = rows.length * CELL + below + 4;
    board.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const marks = new Set(frame.marks.map(([row, column]) => row * columns + column));
    rows.forEach((row, i) => {
      [...row].forEach((symbol, j) => drawCell(
        left + j * CELL, 4 + i * CELL, symbol, marks.has(i * columns + j),
        {left: j === 0, right: j === columns - 1, top: i === 0, bottom: i === rows.length - 1},
      ));
      add(board, "text", {x: left - 7, y: 9 + i * CELL + CELL / 2, "text-anchor": "end",
        "font-size": 13, fill: "var(--soft)"}, game.left[i] || "");
    });
    game.below.forEach((label, j) => add(board, "text", {
      x: left + (j + 0.5) * CELL, y: rows.length * CELL + 21, "text-anchor": "middle",
      "font-size": 13, fill: "var(--soft)"}, label));
  }

  function show() {
    const frame = game.frames[ply], hasRows = frame.rows !== undefined;
    board.toggleAttribute("hidden", !hasRows);
    text.toggleAttribute("hidden", hasRows);
    if (hasRows) drawBoard(frame); else text.textContent = frame.text;
    slider.max = game.plies;
    slider.value = ply;
    let line = `Start of the game, ${game.plies} plies.`;
    if (ply > 0) {
      line = `Ply ${ply} of ${game.plies}: ${[game.first, game.second][frame.by]} plays ${frame.move}`;
      if (frame.opening) line += " (drawn opening)";
      if (frame.cpu !== undefined) line += `, ${frame.cpu} ms CPU`;
      if (frame.value !== undefined) line += `, expects ${frame.value > 0 ? "+" : ""}${frame.value}`;
      line += ".";
    }
    if (ply === game.plies) line += ` End: ${game.result}, ${game.reason}.`;
    byId("status").textContent = line;
  }

  function stop() {
    clearInterval(timer);
    timer = 0;
    document.querySelector("[data-to=play]").textContent = "play";
  }

  function go(to) {
    ply = Math.max(0, Math.min(game.plies, to));
    if (ply === game.plies) stop();
    show();
  }

  function choose(number) {
    stop();
    game = games[number];
    ply = game.plies;
    const players = byId("players");
    players.replaceChildren();
    [game.first, game.second].forEach((name, side) => {
      const line = document.createElement("span"), chip = document.createElement("i");
      chip.className = "chip";
      chip.style.background = STONES[game.look][side];
      line.append(chip, `${name} (${side === 0 ? "first" : "second"})`);
      players.append(line);
    });
    show();
  }

  let count = 0;
  for (const group of groups) {
    const box = document.createElement("optgroup");
    box.label = group.game;
    for (const one of group.games) {
      box.append(new Option(`${one.first} - ${one.second}, ${one.result}: ${one.why}`, count++));
    }
    pick.append(box);
  }
  pick.addEventListener("change", () => choose(Number(pick.value)));
  slider.addEventListener("input", () => { stop(); go(Number(slider.value)); });
  const moves = {
    start: () => go(0), back: () => go(ply - 1), on: () => go(ply + 1), end: () => go(game.plies),
  };
  for (const button of document.querySelectorAll("[data-to]")) {
    button.addEventListener("click", () => {
      if (button.dataset.to !== "play") { stop(); moves[button.dataset.to](); return; }
      if (timer) { stop(); return; }
      if (ply === game.plies) go(0);
      timer = setInterval(() => go(ply + 1), 600);
      button.textContent = "stop";
    });
  }
  byId("viewer").removeAttribute("hidden");
  choose(0);
})();
