// How pieces move, fall, turn over and are captured. Nothing waits for it: the position is there already.

const CALM = matchMedia("(prefers-reduced-motion: reduce)");
const STEP = 200;  // milliseconds of a move, or of one jump of a capture

/**
 * Animate a change of a board.
 *
 * @param come [cell, piece] that are new. @param left Map from cells to what stood there.
 * @param path the way of the piece that stands at its end; [] if unknown. @param taken those of `left` that are captured.
 */
export function animate(board, come, left, path, taken) {
  if (CALM.matches) return;
  const shape = (cell) => board.drawn[cell].element.firstChild;
  for (const [cell, piece] of come) {
    if (cell === path.at(-1)) continue;
    const from = [...left].find(([, old]) => old.piece % 2 === piece % 2);
    if (left.has(cell)) shape(cell).animate([{ transform: "scaleX(0)" }, { transform: "none" }], { delay: STEP, duration: STEP, fill: "backwards" });
    else if (from) slide(board, shape(cell), [from[0], cell]);
    else appear(board, shape(cell), cell);
  }
  if (path.length) slide(board, shape(path.at(-1)), path);
  for (const [cell, { element }] of taken) {
    const turned = board.drawn[cell] && cell !== path.at(-1);
    leave(board, element, turned ? { transform: "scaleX(0)" } : { opacity: 0 }, turned ? 0 : STEP * passes(board, path, cell));
  }
}

/** Move a shape that stands at the end of a path along it, jump by jump. */
function slide(board, shape, path) {
  const places = path.map((cell) => board.place(cell)), [x, y] = places.at(-1);
  shape.animate(places.map(([a, b]) => ({ transform: `translate(${a - x}px, ${b - y}px)`, easing: "ease-in-out" })),
    { duration: STEP * (path.length - 1) });
}

function appear(board, shape, cell) {
  const y = board.place(cell)[1];
  if (board.look.columns) {
    shape.animate([{ transform: `translateY(${-y - 100}px)` }, { transform: "none" }],
      { duration: 120 + y / 2.2, easing: "cubic-bezier(.5,0,.9,.6)" });
  } else {
    shape.animate([{ transform: "scale(1.25)", opacity: 0.3 }, { transform: "none", opacity: 1 }],
      { duration: 140, easing: "ease-out" });
  }
}

/** After how many steps of a path its piece jumps over a cell; at its end if it never does. */
function passes(board, path, cell) {
  const places = path.map((one) => board.place(one)), [x, y] = board.place(cell);
  const jump = places.findIndex(([a, b], i) => i && places[i - 1][0] + a === 2 * x && places[i - 1][1] + b === 2 * y);
  return jump < 1 ? Math.max(path.length - 1, 0) : jump - 0.5;
}

function leave(board, element, end, delay) {
  board.layers.taken.append(element);
  element.firstChild.animate([end], { delay, duration: STEP, fill: "forwards" }).onfinish = () => element.remove();
}
