// What is drawn over and under the pieces of a board: heat, hints, a line of play, the last move.
//
// Both functions give lists that `patch` of dom.js draws. `board` is a Board of board.js, with its
// `view`, `moves`, `marks`, `cursor` and the turn that is being entered by its `hand`.

/** Under the pieces: where the last one has moved from and to, a square for each cell of the map from cells to shares, ways. */
export function heatMarks(board) {
  const { path = [] } = board.view, hints = shownHints(board);
  return [
    ...(path.length > 1 ? [path[0], path.at(-1)] : []).map((cell) => square(board, cell, 0, { class: "trail" })),
    ...[...board.marks.heat ?? []].map(([cell, share]) => (
      square(board, cell, 4, { rx: 12, class: share < 0 ? "heat less" : "heat", "fill-opacity": (0.1 + 0.8 * Math.abs(share)).toFixed(2) }))),
    ...[...hints, ...shownSteps(board)].filter((one) => one.path.length > 1)
      .map((one) => polyline(board, one.path, one === hints[0] ? "hint-way" : "hint-way other")),
  ];
}

function square(board, cell, air, more) {
  const [x, y] = board.place(cell), size = 100 - 2 * air;
  return ["rect", { x: x - size / 2, y: y - size / 2, width: size, height: size, ...more }];
}

export function marksOver(board) {
  const { ownership = [] } = board.marks;
  return [
    ...ownership.flatMap((share, cell) => ownerMarks(board, share, cell)), ...endMarks(board), ...turnMarks(board),
    ...shownHints(board).flatMap((hint, place) => hintMarks(board, hint, place)),
    ...shownSteps(board).flatMap((step) => stepMarks(board, step)), ...drawnMarks(board),
    ...(board.cursor === null ? [] : [square(board, board.cursor, 3, { rx: 10, class: "cursor" })]),
  ];
}

function ring(board, cell, radius, name) {
  const [x, y] = board.place(cell);
  return ["circle", { cx: x, cy: y, r: radius, class: name }];
}

function polyline(board, path, name) {
  return ["polyline", { points: path.map((cell) => board.place(cell).join()).join(" "), class: name }];
}

/** A small square of the player who owns a cell, larger the surer it is: +1 black, -1 white. */
function ownerMarks(board, share, cell) {
  if (Math.abs(share) < 0.1) return [];
  return [square(board, cell, 48 - 26 * Math.abs(share), { class: `owner side${share > 0 ? 0 : 1}` })];
}

/** The cells that win, else the last move. */
function endMarks(board) {
  const { cells, last, won } = board.view;
  if (won.length) return won.map((cell) => ring(board, cell, 45, "won"));
  if (last === null) return [];
  const letter = board.info.marks?.[cells[last] >> 1];  // the mark leaves it legible
  return [ring(board, last, letter ? 38 : 14, `last ${cells[last] < 0 ? "none" : `side${cells[last] % 2}`}`)];
}

/** The way of a piece that has been picked up and where it can go, else the pieces that can move. */
function turnMarks(board) {
  const { prefix, offered } = board.input;
  if (offered) return [polyline(board, offered, "way"), ring(board, offered.at(-1), 17, "target")];
  if (prefix.length) {
    return [
      ring(board, prefix[0], 46, "selected"), ...(prefix.length > 1 ? [polyline(board, prefix, "way")] : []),
      ...[...board.input.nextCells()].map((cell) => ring(board, cell, 17, "target")),
    ];
  }
  const places = board.look.places ? board.moves.filter(({ path }) => path.length === 1) : [];
  if (places.length && places.length < board.view.cells.filter((piece) => piece < 0).length) {
    return places.map(({ path }) => ring(board, path[0], 8, "place"));
  }
  const starts = new Set(board.moves.filter(({ path }) => path.length > 1).map(({ path }) => path[0]));
  return [...starts].map((cell) => ring(board, cell, 46, "movable"));
}

function hintMarks(board, { path, label, kind }, place) {
  if (!path.length) return [];
  const [x, y] = board.place(path.at(-1)), lines = label ? [label].flat() : [], two = lines.length > 1;
  return [
    ring(board, path.at(-1), label ? 42 : 20, kind ?? (place ? "hint other" : "hint")),
    ...lines.map((text, i) => ["text", {
      x, y: y + 28 * (i - (lines.length - 1) / 2), class: two ? "hint-text small" : "hint-text",
      css: `font-size: ${Math.min(two ? 22 : 44, 104 / text.length)}px`,  // it fits its disc
    }, text]),
  ];
}

/** The hints; of a piece that has been picked up, all that is known of its moves, and nothing of others. */
function shownHints({ marks: { hints = [], others = [] }, input: { prefix } }) {
  return prefix.length ? [...hints, ...others].filter(({ path }) => prefix.every((cell, i) => path[i] === cell)) : hints;
}

/** The steps of a line; of a cell that is played on twice, or has a hint, the first. */
function shownSteps({ marks: { hints = [], line = [] } }) {
  return line.filter(({ path }, place) => (
    path.length && ![...hints, ...line.slice(0, place)].some((other) => other.path.at(-1) === path.at(-1))));
}

/** A piece of a line with its number; one that was on the board has a way instead. */
function stepMarks(board, step) {
  const { path, player } = step, [x, y] = board.place(path.at(-1));
  const piece = { key: `piece${player}`, make: () => board.look.piece(board.info, player) };
  return [
    ...(path.length > 1 ? [] : [["g", { class: "line-piece", transform: `translate(${x} ${y})` }, piece]]),
    ["text", { x, y, class: `line-text side${player}` }, String(board.marks.line.indexOf(step) + 1)],
  ];
}

const SHAPES = {
  circle: "M-26 0A26 26 0 1 1 26 0A26 26 0 1 1 -26 0", triangle: "M0 -28L26 18H-26Z",
  square: "M-22 -22H22V22H-22Z", cross: "M-22 -22L22 22M22 -22L-22 22",
};

/** What people, or the file of a game, have drawn on a position: shapes, arrows, letters. */
function drawnMarks(board) {
  const { shapes = {}, arrows = [], labels = {} } = board.view, at = (cell) => board.place(Number(cell));
  return [
    ...Object.entries(shapes).map(([cell, shape]) => (
      ["path", { d: SHAPES[shape], transform: `translate(${at(cell)})`, class: "drawn" }])),
    ...arrows.map(([from, to]) => {
      const [x, y] = at(from), [a, b] = at(to), long = Math.hypot(a - x, b - y);
      const turn = Math.atan2(b - y, a - x) * 180 / Math.PI;
      return ["path", { d: `M0 0H${long - 20}M${long - 48} -26L${long - 14} 0L${long - 48} 26`, transform: `translate(${x} ${y}) rotate(${turn})`, class: "drawn arrow" }];
    }),
    ...Object.entries(labels).map(([cell, text]) => (
      ["text", { x: at(cell)[0], y: at(cell)[1], class: "drawn-text", css: `font-size: ${Math.min(52, 150 / text.length)}px` }, text])),
  ];
}
