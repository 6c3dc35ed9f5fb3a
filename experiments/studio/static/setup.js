// A position put together piece by piece (#/setup/GAME/NODE): from one of an analysis, written as a file that the server reads.

import { ask, send } from "./api.js";
import { makeBoard, pieceIcon } from "./boards/index.js";
import { capital, h } from "./dom.js";
import { goTo } from "./files.js";
import { controls, desk, toolbar } from "./parts.js";

/** By the names of games: the name of a file of a position and its text, and the kinds of pieces. `turn`: 0 if black moves. */
const WRITERS = {
  go: { kinds: [""], options: ["size", "komi"], write({ cols, rows, options }, cells, turn) {
    const point = (cell) => `[${String.fromCharCode(97 + cell % cols, 96 + rows - Math.floor(cell / cols))}]`;
    const stones = ["AB", "AW"].map((key, side) => {
      const points = [...cells.keys()].filter((cell) => cells[cell] === side);
      return points.length ? key + points.map(point).join("") : "";
    });
    return ["position.sgf", `(;GM[1]FF[4]SZ[${cols}]KM[${options.komi}]${stones.join("")}PL[${"BW"[turn]}])`];
  } },
  draughts: { kinds: ["man", "king"], options: [], write({ cellNames }, cells, turn) {
    const pieces = (side) => [...cells.keys()].filter((cell) => cells[cell] >= 0 && cells[cell] % 2 === side)
      .map((cell) => (cells[cell] > 1 ? "K" : "") + cellNames[cell]).join();
    return ["position.pdn", `[SetUp "1"]\n[FEN "${"BW"[turn]}:W${pieces(1)}:B${pieces(0)}"]\n\n*\n`];
  } },
};

/** Whether positions of a game can be set up: its rules can be written into a file. */
export function canSetUp({ name, game }) {
  const changed = (game.split(":")[1] ?? "").split(",").filter(Boolean).map((option) => option.split("=")[0]);
  return changed.every((option) => WRITERS[name]?.options.includes(option)) && name in WRITERS;
}

export async function open(root, place, app) {
  const [id, node] = place.split("/"), path = `/api/games/${encodeURIComponent(id)}`;
  const [info, { position }] = await Promise.all([ask(path), ask(`${path}/tree?node=${node}`)]);
  const { kinds, write } = WRITERS[info.name], pieces = [0, 1].flatMap((side) => kinds.map((kind, i) => [side + 2 * i, `${info.players[side]} ${kind}`]));
  const cells = [...position.cells];
  let piece = 0;
  const board = makeBoard(info, () => {}, app.say);
  board.onCell = (cell) => {
    if (!info.cellNames[cell]) return;
    cells[cell] = cells[cell] === piece ? -1 : piece;
    draw();
  };
  const turn = h("select", { id: "turn" }, info.players.map((name, side) => h("option", { value: side, selected: side === position.turn }, `${capital(name)} to move`)));
  const goOn = (view) => goTo(app, view, (async () => {
    const [name, text] = write(info, cells, Number(turn.value));
    return send(`/api/games/load?${new URLSearchParams({ name, black: "human", white: "human" })}`, new TextEncoder().encode(text).buffer);
  })());
  const { keys, bars } = controls({
    engine: {
      analyse: ["Analyse", "a", "analyse this position", () => goOn("analyse"), { class: "main" }],
      play: ["Play", "p", "play from this position", () => goOn("play")],
      clear: ["Clear", "c", "take all pieces off the board", () => { cells.fill(-1); draw(); }],
    },
    view: {
      flip: ["Flip", "f", "turn the board", () => board.flip()],
      back: ["Back", "Escape", "back to the analysis", () => app.go(`analyse/${id}`)],
    },
  });
  const palette = h("fieldset", { class: "panel palette" }, h("legend", {}, "A click puts, or takes away"), pieces.map(([number, words]) => (
    h("label", { class: "inline" }, h("input", { type: "radio", name: "piece", checked: number === piece, onchange: () => { piece = number; } }), pieceIcon(info, number), words))));
  root.append(desk("setup", `A position of ${info.title}`, info, board.element, [
    toolbar(bars), palette, h("div", { class: "field" }, h("label", { for: "turn" }, "Turn"), turn)]));

  function draw() {
    board.show({ ...position, cells, last: null, won: [], path: [], labels: {}, shapes: {}, arrows: [] }, [], {}, true);
  }
  draw();
  return { keys };
}
