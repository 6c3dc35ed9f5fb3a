// Which look a game's board has. A new kind of board is a file beside this one and a line here.

import { s } from "../dom.js";
import { Board } from "./board.js";
import { cells, noughts } from "./cells.js";
import { checkers } from "./checkers.js";
import { drop } from "./drop.js";
import { lines } from "./lines.js";

const LOOKS = { lines, drop, cells, checkers };

function lookOf(info) {
  return info.name === "tictactoe" ? noughts : LOOKS[info.board] ?? cells;
}

/** The board of a game; `info` is what the server tells of it. */
export function makeBoard(info, onMove, onSay) {
  return new Board(lookOf(info), info, onMove, onSay);
}

/** A small picture of a side's piece, for names and lists. */
export function pieceIcon(info, side) {
  const look = lookOf(info);
  return s("svg", { viewBox: "-54 -54 108 108", class: `icon board ${look.name}`, "aria-hidden": "true" },
    look.piece({ info }, side));
}
