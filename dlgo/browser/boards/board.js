// A board that can be looked at; moves are made on it by `board_input.js`.
//
// Cells are numbered row by row from the bottom left. A move is a `text` and the `path` of cells
// that makes it. `looks.js` has the look of each kind of board.

import { at, h, patch, s } from "../dom.js";
import { BoardInput } from "./board_input.js";
import { CELL } from "./looks.js";
import { heatMarks, marksOver } from "./marks.js";
import { animate } from "./motion.js";
import { sounds } from "./sounds.js";

let boards = 0;

export class Board {
  /**
   * @param look how this kind of board is drawn.
   * @param info what does not change: rows, cols, labels, names of cells.
   * @param onMove called with the text of a move that has been made on the board, or of an illegal one: the server says why.
   * @param onSay called with a sentence about a click that made none.
   *
   * Set `onDraw` to let people draw marks with the right mouse button, or with any while `drawing` is set; it is called
   * with the first and the last cell. Set `onCell` to be called with the clicked cell when there is no move to make.
   */
  constructor(look, info, onMove = () => {}, onSay = () => {}) {
    Object.assign(this, { look, info, onMove, onSay });
    this.id = `board${++boards}`;
    this.flipped = false;
    this.view = null;
    this.moves = [];
    this.choice = "";  // the position and its moves, as a text
    this.cursor = null;
    this.drawn = [];
    this.marks = {};
    const { rows, cols, width, height } = info;
    // Letters that can be read whatever the size of the board, and room for them.
    const letter = this.letter = 14 + 2 * Math.max(width, height), margin = look.margin ?? 14;
    const around = look.labels === undefined;
    this.left = margin + (around ? 1.5 * letter : 0);
    this.top = margin + (around ? 1.3 * letter : 0);
    this.bottom = margin + (look.labels === false ? 0 : 1.3 * letter);
    this.margin = margin;
    this.width = CELL * width + this.left + (around ? this.left : margin);
    this.height = CELL * height + this.top + this.bottom;
    this.svg = s("svg", {
      viewBox: `${-this.left} ${-this.top} ${this.width} ${this.height}`,
      class: `board ${look.name}`, role: "grid", tabindex: 0,
      "aria-label": `${info.title} board; Enter chooses a cell by the arrow keys`,
      "aria-rowcount": rows, "aria-colcount": cols,
    });
    this.svg.style.setProperty("--ratio", this.width / this.height);
    this.layers = {};
    for (const name of ["ground", "heat", "taken", "pieces", "front", "marks", "cells"]) {
      this.layers[name] = s("g", { class: name });
      this.svg.append(this.layers[name]);
    }
    this.element = h("div", { class: "board-frame" }, this.svg);
    this.input = new BoardInput(this);
    this.#build();
  }

  place(cell) {
    const { width, height, places } = this.info;
    let [x, y] = places[cell];
    if (this.flipped) {
      if (!this.look.columns) y = height + 1 - y;  // what falls still falls down
      x = width + 1 - x;
    }
    return [CELL * (x - 0.5), CELL * (height + 0.5 - y)];
  }

  flip(flipped = !this.flipped) {
    if (flipped === this.flipped) return;
    this.flipped = flipped;
    this.#build();
    if (this.view) this.show({ ...this.view }, this.moves, this.marks, true);
  }

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
        const shape = this.look.outline?.(x, y) ?? { x: x - CELL / 2, y: y - CELL / 2, width: CELL, height: CELL };
        line.append(s(shape.d ? "path" : "rect", {
          id: `${this.id}-${cell}`, "data-cell": cell, role: "gridcell", "aria-colindex": col + 1, ...shape,
          "aria-label": cellNames[cell] || "not used", class: cellNames[cell] ? "cell" : "cell none",
        }));
      }
      this.layers.cells.append(line);
    }
  }

  #labels() {
    const { rows, cols, height, rowLabels, colLabels } = this.info;
    const size = { "font-size": this.letter, class: "label" };
    const around = this.look.labels !== "columns", beside = CELL / 2 + this.left - 0.85 * this.letter;
    const low = CELL * height + this.bottom - 0.75 * this.letter, high = 0.75 * this.letter - this.top, texts = [];
    for (let col = 0; col < cols; col++) {
      const ends = [this.place(col), this.place((rows - 1) * cols + col)].sort(([, a], [, b]) => b - a);
      for (const [i, y] of (around ? [low, high] : [low]).entries()) texts.push(s("text", { x: ends[i][0], y, ...size }, colLabels[col]));
    }
    for (let row = 0; row < rows && around; row++) {
      const [left, right] = [this.place(row * cols), this.place(row * cols + cols - 1)].sort(([a], [b]) => a - b);
      for (const x of [left[0] - beside, right[0] + beside]) texts.push(s("text", { x, y: left[1], ...size }, rowLabels[row]));
    }
    this.layers.ground.append(...texts);
  }

  /**
   * Show a position.
   *
   * @param moves the legal moves, if a person may move here.
   * @param marks {hints: [{path, label, kind}], line: [{path, player}], heat: Map from cells
   *   to shares, ghost: whether a piece follows the pointer}. A label of two lines is a list.
   */
  show(view, moves = [], marks = {}, still = false) {
    const before = this.view;
    this.marks = marks;
    if (view === before && moves === this.moves) { this.drawMarks(); return; }
    this.view = view;
    this.moves = moves;
    // News of the same position, such as its evaluation, take nothing out of anybody's hand.
    const choice = JSON.stringify([view.cells, moves]);
    if (choice !== this.choice) this.input.letGo();
    this.choice = choice;
    this.#pieces(before, still);
    this.#describe();
    this.drawMarks();
  }

  #pieces(before, still) {
    const { cells, last, over, path = [] } = this.view, left = new Map(), come = [];
    this.layers.taken.replaceChildren();
    cells.forEach((piece, cell) => {
      const old = this.drawn[cell];
      if ((old?.piece ?? -1) === piece) return;
      if (old) left.set(cell, old);
      old?.element.remove();
      this.drawn[cell] = undefined;
      if (piece >= 0) come.push([cell, piece]);
    });
    for (const [cell, piece] of come) {
      const [x, y] = this.place(cell);
      const element = at(x, y, s("g", {}, this.look.piece(this.info, piece)));
      this.layers.pieces.append(element);
      this.drawn[cell] = { piece, element };
    }
    if (still || !before || come.filter(([cell]) => !left.has(cell)).length > 2 || !(come.length + left.size)) return;
    const end = path.at(-1), isWay = path.length > 1 && this.drawn[end] && (left.has(path[0]) || path[0] === end);
    const mover = this.drawn[end ?? last]?.piece ?? come[0]?.[1], taken = [...left].filter(([, { piece }]) => piece % 2 !== mover % 2);
    sounds.play(over && !before.over ? "end" : taken.length ? "capture" : "move");
    animate(this, come, left, isWay ? path : [], taken);
  }

  #describe() {
    const { cellNames, cols } = this.info, { cells, last, won, labels } = this.view;
    const starts = new Set(this.moves.map(({ path }) => (this.look.columns ? path[0] % cols : path[0])));
    cells.forEach((piece, cell) => {
      if (!cellNames[cell]) return;
      const parts = [cellNames[cell], piece < 0 ? "empty" : this.pieceName(piece)];
      if (cell === last) parts.push("last move");
      if (won.includes(cell)) parts.push("winning");
      if (labels?.[cell]) parts.push(`marked ${labels[cell]}`);
      const rect = this.svg.getElementById(`${this.id}-${cell}`);
      rect.setAttribute("aria-label", parts.join(", "));
      rect.classList.toggle("playable", starts.has(this.look.columns ? cell % cols : cell));
    });
  }

  pieceName(piece) {
    const owner = this.info.players[piece % 2].replace(/^.*\((.*)\)$/, "$1");
    const kind = this.info.kinds[piece >> 1] ?? "piece";
    return this.info.kinds.length > 1 ? `${owner} ${kind}` : owner;
  }

  drawMarks() {
    patch(this.layers.heat, heatMarks(this));
    patch(this.layers.marks, marksOver(this));
  }

  /** Put the mark of the keyboard on a cell; null: nowhere. */
  moveCursor(cell) {
    if (cell === this.cursor) return;
    this.cursor = cell;
    this.onPoint?.(cell);
    if (cell === null) this.svg.removeAttribute("aria-activedescendant");
    else this.svg.setAttribute("aria-activedescendant", `${this.id}-${cell}`);
    if (this.view) this.drawMarks();
  }
}
