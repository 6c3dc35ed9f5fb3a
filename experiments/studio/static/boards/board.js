// A board that can be looked at, clicked, dragged on and walked over with the arrow keys.
//
// Cells are numbered row by row from the bottom left. A move is a `text` and the `path` of cells
// that makes it; which clicks make which move follows from the paths alone. What a kind of board
// looks like is in its `look`: {name, ground(board, layer), front?(board, layer), piece(board, piece),
// columns?, labels?, margin?}. One cell is 100 units wide.

import { at, h, s } from "../dom.js";

export const CELL = 100;
const CALM = matchMedia("(prefers-reduced-motion: reduce)");
let boards = 0;

export class Board {
  /**
   * @param look how this kind of board is drawn.
   * @param info what does not change: rows, cols, labels, names of cells.
   * @param onMove called with the text of a move that has been made on the board.
   * @param onSay called with a sentence about a click that made none.
   */
  constructor(look, info, onMove = () => {}, onSay = () => {}) {
    Object.assign(this, { look, info, onMove, onSay });
    this.id = `board${++boards}`;
    this.flipped = false;
    this.view = null;
    this.moves = [];
    this.prefix = [];
    this.cursor = null;
    this.drawn = [];
    this.marks = {};
    const { rows, cols } = info;
    // Letters that can be read whatever the size of the board, and room for them.
    const letter = this.letter = 14 + 2 * Math.max(rows, cols), margin = look.margin ?? 14;
    this.left = margin + (look.labels === undefined ? 1.5 * letter : 0);
    this.bottom = margin + (look.labels === false ? 0 : 1.3 * letter);
    this.margin = margin;
    this.width = CELL * cols + this.left + margin;
    this.height = CELL * rows + this.bottom + margin;
    this.svg = s("svg", {
      viewBox: `${-this.left} ${-margin} ${this.width} ${this.height}`,
      class: `board ${look.name}`, role: "grid", tabindex: 0, "aria-label": `${info.title} board`,
      "aria-rowcount": rows, "aria-colcount": cols,
    });
    this.layers = {};
    for (const name of ["ground", "heat", "pieces", "front", "marks", "cells"]) {
      this.layers[name] = s("g", { class: name });
      this.svg.append(this.layers[name]);
    }
    this.element = h("div", { class: "board-frame" }, this.svg);
    this.#listen();
    this.#build();
  }

  // Where things are.

  place(cell) {
    const { rows, cols } = this.info;
    let row = Math.floor(cell / cols), col = cell % cols;
    if (this.flipped) { row = rows - 1 - row; col = cols - 1 - col; }
    return [CELL * (col + 0.5), CELL * (rows - row - 0.5)];
  }

  flip(flipped = !this.flipped) {
    if (flipped === this.flipped) return;
    this.flipped = flipped;
    this.#build();
    if (this.view) this.show({ ...this.view }, this.moves, this.marks, true);
  }

  // Drawing.

  #build() {
    const { rows, cols, cellNames } = this.info;
    for (const layer of Object.values(this.layers)) layer.replaceChildren();
    this.drawn = [];
    this.look.ground(this, this.layers.ground);
    this.look.front?.(this, this.layers.front);
    if (this.look.labels !== false) this.#labels();
    for (let row = rows - 1; row >= 0; row--) {
      const line = s("g", { role: "row" });
      for (let col = 0; col < cols; col++) {
        const cell = row * cols + col, [x, y] = this.place(cell);
        line.append(s("rect", {
          id: `${this.id}-${cell}`, "data-cell": cell, role: "gridcell",
          x: x - CELL / 2, y: y - CELL / 2, width: CELL, height: CELL,
          "aria-label": cellNames[cell], class: cellNames[cell] ? "cell" : "cell none",
        }));
      }
      this.layers.cells.append(line);
    }
  }

  #labels() {
    const { rows, cols, rowLabels, colLabels } = this.info;
    const size = { "font-size": this.letter, class: "label" };
    const left = -this.left + 0.85 * this.letter, low = CELL * rows + this.bottom - 0.75 * this.letter;
    const texts = [];
    for (let col = 0; col < cols; col++) {
      const [x] = this.place(col);
      texts.push(s("text", { x, y: low, ...size }, colLabels[col]));
    }
    for (let row = 0; row < rows && this.look.labels !== "columns"; row++) {
      const [, y] = this.place(row * cols);
      texts.push(s("text", { x: left, y, ...size }, rowLabels[row]));
    }
    this.layers.ground.append(...texts);
  }

  /**
   * Show a position.
   *
   * @param moves the legal moves, if somebody may move here.
   * @param marks {hints: [{path, label, kind}], line: [{path, player, label}], heat: Map from cells
   *   to shares, ghost: whether a piece follows the pointer}. A label of two lines is a list.
   */
  show(view, moves = [], marks = {}, still = false) {
    const before = this.view;
    this.marks = marks;
    if (view === before && moves === this.moves) { this.drawMarks(); return; }
    this.view = view;
    this.moves = moves;
    this.prefix = [];
    this.#pieces(before?.cells ?? [], still || CALM.matches);
    this.#describe();
    this.drawMarks();
  }

  #pieces(before, still) {
    const cells = this.view.cells, left = [], come = [];
    cells.forEach((piece, cell) => {
      const old = this.drawn[cell]?.piece ?? -1;
      if (old === piece) return;
      if (old >= 0) left.push([cell, old]);
      this.drawn[cell]?.element.remove();
      this.drawn[cell] = undefined;
      if (piece >= 0) come.push([cell, piece]);
    });
    for (const [cell, piece] of come) {
      const [x, y] = this.place(cell);
      const shape = this.look.piece(this, piece);
      const element = at(x, y, s("g", {}, shape));
      this.layers.pieces.append(element);
      this.drawn[cell] = { piece, element };
      if (still || come.length > 2) continue;
      const from = left.find(([, old]) => old % 2 === piece % 2);
      this.#animate(element.firstChild, cell, from?.[0]);
    }
  }

  #animate(shape, cell, from) {
    const [x, y] = this.place(cell), ease = "cubic-bezier(.3,.7,.3,1)";
    if (from !== undefined) {
      const [a, b] = this.place(from);
      shape.animate([{ transform: `translate(${a - x}px, ${b - y}px)` }, { transform: "none" }],
        { duration: 220, easing: ease });
    } else if (this.look.columns) {
      shape.animate([{ transform: `translateY(${-y - CELL}px)` }, { transform: "none" }],
        { duration: 120 + y / 2.2, easing: "cubic-bezier(.5,0,.9,.6)" });
    } else {
      shape.animate([{ transform: "scale(1.25)", opacity: 0.3 }, { transform: "none", opacity: 1 }],
        { duration: 140, easing: "ease-out" });
    }
  }

  #describe() {
    const { cellNames, cols } = this.info, { cells, last, won } = this.view;
    const starts = new Set(this.moves.map(({ path }) => (this.look.columns ? path[0] % cols : path[0])));
    cells.forEach((piece, cell) => {
      if (!cellNames[cell]) return;
      const parts = [cellNames[cell], piece < 0 ? "empty" : this.pieceName(piece)];
      if (cell === last) parts.push("last move");
      if (won.includes(cell)) parts.push("winning");
      const rect = this.cellAt(cell);
      rect.setAttribute("aria-label", parts.join(", "));
      rect.classList.toggle("playable", starts.has(this.look.columns ? cell % cols : cell));
    });
  }

  pieceName(piece) {
    const owner = this.info.players[piece % 2].replace(/^.*\((.*)\)$/, "$1");
    const kind = this.info.kinds[piece >> 1] ?? "piece";
    return this.info.kinds.length > 1 ? `${owner} ${kind}` : owner;
  }

  cellAt(cell) {
    return this.svg.getElementById(`${this.id}-${cell}`);
  }

  drawMarks() {
    const { last, won } = this.view, { hints = [], line = [], heat } = this.marks;
    const out = [], under = [];
    for (const [cell, share] of heat ?? []) {
      const [x, y] = this.place(cell);
      under.push(s("rect", {
        x: x - 46, y: y - 46, width: 92, height: 92, rx: 12, class: "heat", opacity: 0.1 + 0.8 * share,
      }));
    }
    const ring = (cell, radius, name) => {
      const [x, y] = this.place(cell);
      return s("circle", { cx: x, cy: y, r: radius, class: name });
    };
    if (won.length) out.push(...won.map((cell) => ring(cell, 45, "won")));
    else if (last !== null) out.push(...this.#lastMark(last));
    if (this.prefix.length) {
      out.push(ring(this.prefix[0], 46, "selected"));
      if (this.prefix.length > 1) out.push(this.#polyline(this.prefix, "way"));
      for (const cell of this.#nextCells()) out.push(ring(cell, 17, "target"));
    } else if (this.moves.some((move) => move.path.length > 1)) {
      const starts = new Set(this.moves.filter((m) => m.path.length > 1).map((m) => m.path[0]));
      for (const cell of starts) out.push(ring(cell, 46, "movable"));
    }
    hints.forEach((hint, place) => {
      if (!hint.path.length) return;
      const end = hint.path.at(-1), [x, y] = this.place(end);
      if (hint.path.length > 1) out.push(this.#polyline(hint.path, place ? "hint-way other" : "hint-way"));
      const kind = hint.kind ?? (place ? "hint other" : "hint");
      out.push(s("circle", { cx: x, cy: y, r: hint.label ? 42 : 20, class: kind }));
      if (hint.label) {
        const lines = [hint.label].flat();
        lines.forEach((text, i) => out.push(s("text", {
          x, y: y + 28 * (i - (lines.length - 1) / 2), class: lines.length > 1 ? "hint-text small" : "hint-text",
        }, text)));
      }
    });
    line.forEach((step) => {
      if (!step.path.length) return;
      const [x, y] = this.place(step.path.at(-1));
      if (step.path.length > 1) out.push(this.#polyline(step.path, "hint-way other"));
      else out.push(at(x, y, s("g", { class: "line-piece" }, this.look.piece(this, step.player))));
      out.push(s("text", { x, y, class: `line-text side${step.player}` }, step.label));
    });
    if (this.cursor !== null) {
      const [x, y] = this.place(this.cursor);
      out.push(s("rect", { x: x - 47, y: y - 47, width: 94, height: 94, rx: 10, class: "cursor" }));
    }
    this.layers.heat.replaceChildren(...under);
    this.layers.marks.replaceChildren(...out);
  }

  #lastMark(cell) {
    const [x, y] = this.place(cell), piece = this.view.cells[cell];
    const owner = piece < 0 ? "none" : `side${piece % 2}`;
    return [s("circle", { cx: x, cy: y, r: 14, class: `last ${owner}` })];
  }

  #polyline(path, name) {
    return s("polyline", { points: path.map((cell) => this.place(cell).join()).join(" "), class: name });
  }

  // Clicks, drags and keys.

  #starts(move, cell, cols) {
    if (!move.path.length) return false;
    if (this.look.columns) return move.path[0] % cols === cell % cols;
    return move.path[0] === cell;
  }

  /** The cells a piece that has been picked up can go to next. */
  #nextCells() {
    const n = this.prefix.length;
    return new Set(this.#candidates().flatMap((move) => [move.path[n], move.path.at(-1)]));
  }

  #candidates() {
    return this.moves.filter((move) => (
      move.path.length > this.prefix.length && this.prefix.every((cell, i) => move.path[i] === cell)
    ));
  }

  /** What a click on a cell does; `onCell` comes before the rules, for setting up. */
  click(cell) {
    if (this.onCell) { this.onCell(cell); return; }
    if (!this.moves.length) return;
    if (this.prefix.length) this.#goOn(cell);
    else this.#startAt(cell);
    this.drawMarks();
  }

  #startAt(cell) {
    const { cols } = this.info;
    const exact = this.moves.filter((move) => move.path[0] === cell);
    const found = exact.length ? exact
      : this.moves.filter((move) => move.path.length === 1 && this.#starts(move, cell, cols));
    const single = found.find((move) => move.path.length === 1);
    if (single) this.#play(single);
    else if (found.length) this.prefix = [cell];
    else if (this.moves.some((move) => move.path.length > 1)) {
      this.onSay("No legal move begins there; the pieces that can move are ringed.");
    } else this.onSay(null, this.info.cellNames[cell], cell);
  }

  #goOn(cell) {
    const all = this.#candidates(), n = this.prefix.length;
    const whole = all.find((move) => move.path.length === n + 1 && move.path[n] === cell);
    const longer = all.filter((move) => move.path[n] === cell);
    const ending = all.filter((move) => move.path.at(-1) === cell);
    if (whole) this.#play(whole);
    else if (longer.length === 1) this.#play(longer[0]);  // the rest of the capture is forced
    else if (longer.length) this.prefix.push(cell);
    else if (ending.length === 1) this.#play(ending[0]);
    else if (ending.length) this.onSay("Several captures end there; click their squares one by one.");
    else if (cell === this.prefix[0]) this.prefix = [];
    else if (this.moves.some((move) => move.path[0] === cell)) this.prefix = [cell];
    else this.onSay("That piece cannot go there.");
  }

  #play(move) {
    this.prefix = [];
    this.onMove(move.text);
  }

  #listen() {
    const cellOf = (event) => {
      const cell = document.elementFromPoint(event.clientX, event.clientY)?.closest?.("[data-cell]");
      return cell && this.svg.contains(cell) ? Number(cell.dataset.cell) : null;
    };
    let drag = null;
    this.svg.addEventListener("pointerdown", (event) => {
      const cell = cellOf(event);
      if (cell === null || event.button) return;
      this.cursor = null;
      const moving = this.moves.some((move) => move.path.length > 1 && move.path[0] === cell);
      drag = { cell, moving, x: event.clientX, y: event.clientY, moved: false };
    });
    this.svg.addEventListener("pointermove", (event) => {
      this.#hover(cellOf(event));
      if (!drag?.moving) return;
      if (!drag.moved && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < 6) return;
      if (!drag.moved) {
        drag.moved = true;
        this.svg.setPointerCapture?.(event.pointerId);
        this.prefix = [drag.cell];
        this.drawMarks();
        this.#hover(null);
      }
      const scale = this.svg.getScreenCTM().a, shape = this.drawn[drag.cell]?.element;
      const [x, y] = this.place(drag.cell);
      shape?.setAttribute("transform", `translate(${x + (event.clientX - drag.x) / scale} ${y + (event.clientY - drag.y) / scale})`);
      this.layers.pieces.append(shape);
    });
    const putBack = ({ cell }) => {
      const [x, y] = this.place(cell);
      this.drawn[cell]?.element.setAttribute("transform", `translate(${x} ${y})`);
    };
    const put = (event) => {
      if (!drag) return;
      const was = drag, cell = cellOf(event);
      drag = null;
      if (was.moved) {
        putBack(was);
        if (cell !== null && cell !== was.cell) this.#goOn(cell);
        else this.prefix = [];
        this.drawMarks();
      } else if (cell !== null && cell === was.cell) this.click(cell);
    };
    // A finger on a piece that can move moves it; elsewhere it moves the page.
    this.svg.addEventListener("touchmove", (event) => { if (drag?.moving) event.preventDefault(); }, { passive: false });
    this.svg.addEventListener("pointerup", put);
    this.svg.addEventListener("pointercancel", () => {
      if (drag?.moved) {
        putBack(drag);
        this.prefix = [];
        this.drawMarks();
      }
      drag = null;
    });
    this.svg.addEventListener("pointerleave", () => this.#hover(null));
    this.svg.addEventListener("keydown", (event) => this.#key(event));
    this.svg.addEventListener("blur", () => this.#moveCursor(null));
  }

  #hover(cell) {
    this.ghost?.remove();
    this.ghost = null;
    if (cell === null || !this.view || this.marks.ghost === false) return;
    const { cols } = this.info;
    const move = this.moves.find((m) => m.path.length === 1 && m.path[0] === cell)
      ?? this.moves.find((m) => m.path.length === 1 && this.#starts(m, cell, cols));
    if (!move || this.view.cells[move.path[0]] >= 0) return;
    const [x, y] = this.place(move.path[0]);
    this.ghost = at(x, y, s("g", { class: "ghost" }, this.look.piece(this, this.view.turn)));
    this.layers.pieces.append(this.ghost);
  }

  #key(event) {
    const { rows, cols } = this.info;
    const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [1, 0], ArrowDown: [-1, 0] };
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key in steps) {
      let [up, right] = steps[event.key];
      if (this.flipped) { up = -up; right = -right; }
      const start = this.cursor ?? this.view?.last ?? Math.floor(rows / 2) * cols + Math.floor(cols / 2);
      const row = Math.floor(start / cols), col = start % cols;
      const next = this.cursor === null ? start
        : Math.min(Math.max(row + up, 0), rows - 1) * cols + Math.min(Math.max(col + right, 0), cols - 1);
      this.#moveCursor(next);
    } else if ((event.key === "Enter" || event.key === " ") && this.cursor !== null) {
      this.click(this.cursor);
    } else if (event.key === "Escape" && this.prefix.length) {
      this.prefix = [];
      this.drawMarks();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #moveCursor(cell) {
    if (cell === this.cursor) return;
    this.cursor = cell;
    if (cell === null) this.svg.removeAttribute("aria-activedescendant");
    else this.svg.setAttribute("aria-activedescendant", `${this.id}-${cell}`);
    if (this.view) this.drawMarks();
  }
}
