// What the kinds of boards look like. Colours are in boards.css; a cell is 100 units wide.
//
// A look is {name, ground(board, layer), front?(board, layer), piece(info, piece), columns?, labels?, margin?,
// places?, outline?(x, y)}: the outline of a cell that is not a square; `places`: where not all empty cells are legal, those that are have a dot. `info` is the `board_info` of dlgo/display.py; its `look` names one of these.

import { s } from "../dom.js";

export const CELL = 100;

/** Where the whole board and `air` around it are. */
const box = ({ width, height }, air) => ({ x: -air, y: -air, width: CELL * width + 2 * air, height: CELL * height + 2 * air });

function stone(side, radius) {
  return s("g", { class: `stone side${side}` },
    s("circle", { cx: 3, cy: 5, r: radius, class: "shadow" }),
    s("circle", { r: radius, class: "body" }),
    s("ellipse", { cx: -radius * 0.3, cy: -radius * 0.36, rx: radius * 0.36, ry: radius * 0.26, class: "shine" }));
}

/** A grid of cells with stones: for any game that has no board of its own. */
const cells = {
  name: "cells", places: true,
  ground({ info }, layer) {
    const { rows, cols } = info;
    let d = "";
    for (let i = 1; i < rows; i++) d += `M4 ${CELL * i}H${CELL * cols - 4}`;
    for (let i = 1; i < cols; i++) d += `M${CELL * i} 4V${CELL * rows - 4}`;
    layer.append(s("rect", { ...box(info, 8), rx: 16, class: "sheet" }), s("path", { d, class: "grid-line" }));
  },
  piece(info, piece) {
    const shape = stone(piece % 2, 40), mark = info.marks[piece >> 1];
    if (mark) shape.append(s("text", { class: "kind" }, mark));
    return shape;
  },
};

const noughts = {
  ...cells, name: "noughts",
  piece: (info, piece) => (piece % 2 ? s("circle", { r: 29, class: "nought" })
    : s("path", { d: "M-27 -27L27 27M27 -27L-27 27", class: "cross" })),
};

/** Go: stones on the crossings of lines. */
const lines = {
  name: "lines", margin: 4,
  ground(board, layer) {
    const { rows, cols, stars } = board.info, half = CELL / 2;
    let d = "";
    for (let i = 1; i < rows - 1; i++) d += `M${half} ${CELL * i + half}H${CELL * cols - half}`;
    for (let i = 1; i < cols - 1; i++) d += `M${CELL * i + half} ${half}V${CELL * rows - half}`;
    layer.append(
      s("rect", { x: 2 - board.left, y: 2 - board.top, width: board.width - 4, height: board.height - 4, rx: 18, class: "wood" }),
      s("path", { d, class: "grid-line" }),
      s("rect", { x: half, y: half, width: CELL * (cols - 1), height: CELL * (rows - 1), class: "grid-edge" }),
      ...stars.map((cell) => board.place(cell)).map(([cx, cy]) => s("circle", { cx, cy, r: 9, class: "star" })));
  },
  piece: (info, piece) => stone(piece % 2, 47),
};

/** Games of columns: discs fall behind a board with holes. A ring marks the first player's, a cross the second's. */
const drop = {
  name: "drop", margin: 26, columns: true, labels: "columns",
  ground({ info }, layer) { layer.append(s("rect", { ...box(info, 14), rx: 26, class: "back" })); },
  front(board, layer) {
    const { info } = board, id = `${board.id}-holes`, places = info.cellNames.map((_, cell) => board.place(cell));
    layer.append(
      s("mask", { id, maskUnits: "userSpaceOnUse", ...box(info, 20) }, s("rect", { ...box(info, 20), fill: "white" }),
        ...places.map(([cx, cy]) => s("circle", { cx, cy, r: 40, fill: "black" }))),
      s("rect", { ...box(info, 18), rx: 28, class: "face", mask: `url(#${id})` }),
      ...places.map(([cx, cy]) => s("circle", { cx, cy, r: 41, class: "hole" })));
  },
  piece: (info, piece) => s("g", { class: `disc side${piece % 2}` },
    s("circle", { r: 41, class: "body" }), s("circle", { r: 36, class: "rim" }),
    piece % 2 ? s("path", { d: "M0 -20.5V20.5M-20.5 0H20.5", class: "mark" }) : s("circle", { r: 22.5, class: "mark" })),
};

/** Draughts: men and kings on the squares that have numbers. */
const checkers = {
  name: "checkers", margin: 30, labels: false,
  ground(board, layer) {
    layer.append(s("rect", { ...box(board.info, 26), rx: 14, class: "edge" }));
    board.info.cellNames.forEach((name, cell) => {
      const [x, y] = board.place(cell);
      layer.append(s("rect", { x: x - 50, y: y - 50, width: CELL, height: CELL, class: name ? "dark" : "light" }));
      if (name) layer.append(s("text", { x: x - 44, y: y - 33, class: "number" }, name));
    });
  },
  piece: (info, piece) => s("g", { class: `man side${piece % 2}` },
    s("circle", { cx: 3, cy: 5, r: 39, class: "shadow" }), s("circle", { r: 39, class: "body" }),
    s("circle", { r: 31, class: "rim" }), s("circle", { r: 22, class: "rim" }),
    piece > 1 ? s("path", { d: "M-19 14L-22 -11L-10 0L0 -17L10 0L22 -11L19 14Z", class: "crown" }) : null),
};

/** Hex: a rhombus of hexagons. Its sides have the colours of the players who join them. */
const hex = {
  name: "hex", margin: 28,
  outline: (x, y) => ({ d: `M${x} ${y - 57.7}l50 28.9v57.7l-50 28.9l-50 -28.9v-57.7z` }),
  ground(board, layer) {
    const { rows, cols, width, height, places } = board.info;
    const red = `M0 28.9${"l50 -28.9l50 28.9".repeat(cols)}M${CELL * (width - cols)} ${CELL * height - 28.9}${"l50 28.9l50 -28.9".repeat(cols)}`;
    const blue = `M0 28.9${"v57.7l50 28.9".repeat(rows)}M${CELL * cols - 50} 0${"l50 28.9v57.7".repeat(rows)}`;
    layer.append(s("path", { d: blue, class: "rim side1" }), s("path", { d: red, class: "rim side0" }),
      s("path", { d: places.map((_, cell) => hex.outline(...board.place(cell)).d).join(""), class: "sheet" }));
  },
  piece: (info, piece) => stone(piece % 2, 38),
};

/** Othello: a green cloth. */
const felt = { ...cells, name: "cells felt" };

export const LOOKS = { hex, lines, drop, cells, checkers, noughts, felt };
