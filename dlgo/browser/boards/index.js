// Boards of games: `info` and positions are what dlgo/display.py says of them.

import { s } from "../dom.js";
import { Board } from "./board.js";
import { LOOKS } from "./looks.js";

/** A board for moves; see `Board`. */
export function makeBoard(info, onMove, onSay) {
  return new Board(LOOKS[info.look], info, onMove, onSay);
}

/** A board that is only looked at; an empty `label` is for decoration, without coordinates, which screen readers leave out. */
export function pictureOf(info, position, label = "") {
  const look = LOOKS[info.look], board = new Board(label ? look : { ...look, labels: false }, info);
  board.svg.removeAttribute("tabindex");
  board.svg.setAttribute("role", label ? "img" : "presentation");
  if (position) board.show(position, [], {}, true);
  board.layers.cells.setAttribute("aria-hidden", "true");
  board.svg.setAttribute(label ? "aria-label" : "aria-hidden", label || "true");
  return board;
}

/** A small picture of a side's piece, for names and lists. */
export function pieceIcon(info, side) {
  const look = LOOKS[info.look];
  return s("svg", { viewBox: "-54 -54 108 108", class: `icon board ${look.name}`, "aria-hidden": "true" },
    look.piece(info, side));
}
