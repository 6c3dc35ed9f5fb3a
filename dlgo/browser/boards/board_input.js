// Moves made on a board: by clicks, by dragging, with a finger, and by the keys.
//
// Which clicks make which move follows from the paths of the legal moves alone.

import { at, h, s } from "../dom.js";

const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [1, 0], ArrowDown: [-1, 0] };

export class BoardInput {
  constructor(board) {
    this.board = board;
    this.prefix = [];  // the cells of a turn that has begun
    this.question = this.offered = null;  // buttons of moves that share their clicks, and the path of one of them
    this.drag = null;
    this.stroke = null;  // the cell where a mark begins that is being drawn
    const listeners = {
      pointerdown: (event) => this.#down(event), pointermove: (event) => this.#move(event),
      pointerup: (event) => this.#up(event), pointercancel: () => this.#cancel(),
      pointerleave: () => this.#hover(null), keydown: (event) => this.#key(event),
      contextmenu: (event) => { if (board.onDraw) event.preventDefault(); },
    };
    for (const [name, listener] of Object.entries(listeners)) board.svg.addEventListener(name, listener);
    // Not on the svg: one that listens to its focus is a tab stop, even a small picture.
    board.element.addEventListener("focusout", () => board.moveCursor(null));
    // A finger on a piece that can move moves it; elsewhere it moves the page.
    board.svg.addEventListener("touchmove", (event) => { if (this.drag?.moving || this.stroke !== null) event.preventDefault(); }, { passive: false });
  }

  /** Put back what has been picked up. */
  letGo() {
    this.prefix = [];
    this.stroke = null;
    this.#ask([]);
  }

  #starts(move, cell) {
    if (!move.path.length) return false;
    const { cols } = this.board.info;
    return this.board.look.columns ? move.path[0] % cols === cell % cols : move.path[0] === cell;
  }

  #candidates() {
    return this.board.moves.filter((move) => (
      move.path.length > this.prefix.length && this.prefix.every((cell, i) => move.path[i] === cell)
    ));
  }

  /** The cells a piece that has been picked up can go to next. */
  nextCells() {
    const n = this.prefix.length;
    return new Set(this.#candidates().flatMap((move) => [move.path[n], move.path.at(-1)]));
  }

  /** Handle a click on a cell. */
  click(cell) {
    const { board } = this;
    if (!board.moves.length) { board.onCell?.(cell); return; }
    this.#ask([]);
    if (this.prefix.length) this.#goOn(cell);
    else this.#startAt(cell);
    board.drawMarks();
  }

  #startAt(cell) {
    const { look, moves, info, onMove, onSay } = this.board;
    const exact = moves.filter((move) => move.path[0] === cell);
    const found = exact.length ? exact : moves.filter((move) => move.path.length === 1 && this.#starts(move, cell));
    const single = found.filter((move) => move.path.length === 1);
    if (single.length) this.#end(cell, single, exact);
    else if (found.length) this.prefix = [cell];
    else if (moves.some((move) => move.path.length > 1)) {
      onSay(look.name === "checkers" && moves[0].text.includes("x") ? "A capture must be made; rings mark the pieces that can."
        : "No legal move starts there; rings mark the pieces that can move.");
    } else onMove(look.columns ? String(info.colLabels[cell % info.cols]) : info.cellNames[cell]);
  }

  #goOn(cell) {
    const all = this.#candidates(), n = this.prefix.length;
    const next = all.filter((move) => move.path[n] === cell), whole = next.filter((move) => move.path.length === n + 1);
    const ending = all.filter((move) => move.path.at(-1) === cell);
    if (whole.length) this.#end(cell, whole, next);
    else if (next.length === 1) this.#play(next[0]);  // the rest of the capture is forced
    else if (next.length) this.prefix.push(cell);
    else if (ending.length === 1) this.#play(ending[0]);
    else if (ending.length) this.#ask(ending);
    else if (cell === this.prefix[0]) this.prefix = [];
    else if (this.board.moves.some((move) => move.path[0] === cell)) this.prefix = [cell];
    else this.board.onSay("That piece cannot go there.");
  }

  /** Play the move that ends with this click, or ask, where other moves have the same clicks or go on from here. */
  #end(cell, whole, all) {
    if (whole.length === 1 && all.length <= 1) { this.#play(whole[0]); return; }
    if (all.length > whole.length) this.prefix.push(cell);
    this.#ask(all);
  }

  #play(move) {
    this.prefix = [];
    this.#ask([]);
    this.board.onMove(move.text);
  }

  /** Offer moves that the same clicks make, as buttons below the board, which show their ways; [] takes them away. */
  #ask(moves) {
    const { board } = this, held = this.question?.contains(document.activeElement);
    this.question?.remove();
    this.question = this.offered = null;
    if (held) board.svg.focus({ preventScroll: true });
    if (!moves.length) return;
    const show = (path) => { this.offered = path; board.drawMarks(); };
    this.question = h("div", { class: "choices", role: "group", "aria-label": "Which move?", onkeydown: (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      this.letGo();
      board.drawMarks();
    } }, "Which move? ", moves.map((move) => h("button", {
      onclick: () => this.#play(move), onfocus: () => show(move.path), onpointerenter: () => show(move.path),
    }, move.text)));
    board.element.append(this.question);
    this.question.querySelector("button").focus();
  }

  #cellAt({ clientX, clientY }) {
    const cell = document.elementFromPoint(clientX, clientY)?.closest?.("[data-cell]");
    return cell && this.board.svg.contains(cell) ? Number(cell.dataset.cell) : null;
  }

  #down(event) {
    const { board } = this, cell = this.#cellAt(event);
    if (cell !== null && board.onDraw && (event.button === 2 || (board.drawing && !event.button))) { this.stroke = cell; return; }
    if (cell === null || event.button) return;
    board.moveCursor(null);
    const moving = board.moves.some((move) => move.path.length > 1 && move.path[0] === cell);
    this.drag = { cell, moving, x: event.clientX, y: event.clientY, moved: false };
  }

  #move(event) {
    const { board, drag } = this;
    this.#hover(this.#cellAt(event));
    if (!drag?.moving) return;
    const right = event.clientX - drag.x, down = event.clientY - drag.y;
    if (!drag.moved && Math.hypot(right, down) < 6) return;
    if (!drag.moved) {
      drag.moved = true;
      board.svg.setPointerCapture?.(event.pointerId);
      this.prefix = [drag.cell];
      board.drawMarks();
      this.#hover(null);
    }
    const scale = board.svg.getScreenCTM().a, shape = board.drawn[drag.cell]?.element;
    const [x, y] = board.place(drag.cell);
    if (!shape) return;
    shape.setAttribute("transform", `translate(${x + right / scale} ${y + down / scale})`);
    board.layers.pieces.append(shape);
  }

  #up(event) {
    const { drag, stroke, prefix } = this, cell = this.#cellAt(event);
    this.#cancel();
    if (cell === null) return;
    if (stroke !== null) this.board.onDraw(stroke, cell);
    if (cell === drag?.cell) { if (!drag.moved) this.click(cell); return; }
    if (!drag?.moved) return;
    this.prefix = prefix;
    this.#goOn(cell);
    this.board.drawMarks();
  }

  /** Put back the piece that is dragged. */
  #cancel() {
    const { board, drag } = this;
    this.drag = this.stroke = null;
    if (!drag?.moved) return;
    board.drawn[drag.cell]?.element.setAttribute("transform", `translate(${board.place(drag.cell).join(" ")})`);
    this.prefix = [];
    board.drawMarks();
  }

  #hover(cell) {
    const { board } = this;
    board.onPoint?.(cell);
    this.ghost?.remove();
    this.ghost = null;
    if (cell === null || !board.view || board.marks.ghost === false) return;
    const move = board.moves.find((m) => m.path.length === 1 && m.path[0] === cell)
      ?? board.moves.find((m) => m.path.length === 1 && this.#starts(m, cell));
    if (!move || board.view.cells[move.path[0]] >= 0) return;
    const [x, y] = board.place(move.path[0]);
    this.ghost = at(x, y, s("g", { class: "ghost" }, board.look.piece(board.info, board.view.turn)));
    board.layers.pieces.append(this.ghost);
  }

  /** Enter begins to choose a cell; until Esc or the mouse ends it, the arrows are the board's. */
  #key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const { board } = this, { cursor } = board, isChoosing = cursor !== null;
    if (isChoosing && event.key in STEPS) board.moveCursor(this.#beside(STEPS[event.key]));
    else if (event.key === "Enter" && !isChoosing) board.moveCursor(this.#middle());
    else if (isChoosing && (event.key === "Enter" || event.key === " ")) {
      if (board.drawing) this.#draw(cursor, event.shiftKey);
      else this.click(cursor);
    } else if (event.key === "Escape" && (this.prefix.length || this.stroke !== null)) {
      this.letGo();
      board.drawMarks();
    } else if (event.key === "Escape" && isChoosing) board.moveCursor(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Draw with the keyboard: begin an arrow, end it, or write a letter. */
  #draw(cell, begin) {
    if (begin) this.board.onSay(`The arrow begins at ${this.board.info.cellNames[cell]}; press Enter where it ends.`);
    else this.board.onDraw(this.stroke ?? cell, cell);
    this.stroke = begin ? cell : null;
  }

  /** Where the cursor begins: at the last move, else in the middle. */
  #middle() {
    const { view, info: { rows, cols } } = this.board;
    return view?.last ?? Math.floor(rows / 2) * cols + Math.floor(cols / 2);
  }

  #beside([up, right]) {
    const { cursor, flipped, look, info: { rows, cols } } = this.board, turn = flipped ? -1 : 1;
    const row = Math.floor(cursor / cols) + (look.columns ? up : turn * up), col = cursor % cols + turn * right;
    return Math.min(Math.max(row, 0), rows - 1) * cols + Math.min(Math.max(col, 0), cols - 1);
  }
}
