// Positions, turns and decisions as the pages draw them: the same values as experiments/studio/position.py gives.

import { Refusal } from "./refusal.js";

const LINE = 10;  // moves of an expected line

export const textOf = (game, action) => (action === "resign" ? action : game.texts[action]);

const ownerOf = (piece) => (piece < 0 ? null : piece % 2);

/** A legal move as clicks, on `start` if it moves a piece, then on `end`, read off the cells; null if it ends on none. */
function clicksOf(position, action) {
  const { game, player } = position, path = game.pathOf[action], cell = game.cellOf[action] ?? null;
  if (action === "resign" || action === game.passAction) return null;
  if (path) return { action, start: path[0], end: path[1], path };
  if (cell !== null) return { action, start: null, end: cell, path: [cell] };
  const after = position.play(action), before = [...position.cells()].map(ownerOf), now = [...after.cells()].map(ownerOf);
  const cells = [...before.keys()].filter((cell) => before[cell] !== now[cell]);
  const left = cells.filter((cell) => before[cell] === player), reached = cells.filter((cell) => now[cell] === player);
  const taken = cells.filter((cell) => before[cell] === 1 - player);
  const start = left.length === 1 ? left[0] : null, end = reached.length === 1 ? reached[0] : null;
  if (taken.length === 1 && !left.length) return { action, start: null, end: taken[0], path: taken };
  return end === null ? null : { action, start, end, path: start === null ? [end] : [start, end], after };
}

const clicksFrom = (position) => position.actions.map((action) => clicksOf(position, action)).filter(Boolean);

/** The turns that begin with a move: this move, or all moves of a piece that must continue. */
function turnsWith(position, first) {
  const after = first.start === null ? null : first.after ?? position.play(first.action);
  const following = after && !after.over && after.player === position.player ? clicksFrom(after) : [];
  if (!following.length || following.some(({ start }) => start !== first.end)) return [[first]];
  return following.flatMap((move) => turnsWith(after, move).map((turn) => [first, ...turn]));
}

const pathOf = (turn) => (turn.length === 1 ? [...turn[0].path] : [turn[0].start, ...turn.map(({ end }) => end)].filter((cell) => cell !== null));

/** Moves as texts: one each, or one for the jumps of a turn. */
function textsOf(game, actions) {
  const texts = [];
  for (const text of actions.map((action) => textOf(game, action))) {
    const start = text.split("x")[0], last = texts.at(-1);
    if (game.joins && last?.endsWith(`x${start}`)) texts[texts.length - 1] += text.slice(start.length);
    else texts.push(text);
  }
  return texts;
}

export const turnText = (game, actions) => textsOf(game, actions).join(" ");

/** The turns that have led to a position: {player, actions, before}. */
export function turnsPlayed(position) {
  const turns = [];
  for (const { previous, action } of position.history().slice(1)) {
    const { player, game } = previous, last = turns.at(-1);
    if (last?.player === player && textsOf(game, [...last.actions, action]).length === 1) last.actions.push(action);
    else turns.push({ player, actions: [action], before: previous });
  }
  return turns;
}

/** Every legal turn: {actions, text, path}; passes come last. */
export function turnsOf(position) {
  const { game } = position, turns = clicksFrom(position).flatMap((first) => turnsWith(position, first)).map((turn) => {
    const actions = turn.map(({ action }) => action);
    return { actions, text: turnText(game, actions), path: pathOf(turn) };
  });
  const passes = position.actions.filter((action) => action === game.passAction);
  return [...turns, ...passes.map((action) => ({ actions: [action], text: textOf(game, action), path: [] }))];
}

export const movesView = (position) => turnsOf(position).map(({ text, path }) => ({ text, path }));

/** The actions of the turn in a text. Refuses one that is illegal, or several turns. */
export function findTurn(position, text) {
  if (/^\s*resign\s*$/i.test(text)) return ["resign"];
  const actions = [], { player } = position;
  for (const word of text.trim().split(/\s+/)) {
    if (actions.length && position.player !== player) throw new Refusal(`'${text}' is more than one turn; play one at a time`);
    for (const action of actionsOf(position, word)) {
      actions.push(action);
      position = position.play(action);
    }
  }
  return actions;
}

const plain = (text) => text.toLowerCase().replace(/[x:\u2010-\u2015\u2212]/g, "-");

/** The actions of a turn, or of its first jumps; of jumps, squares between may be left out. */
export function actionsOf(position, text) {
  const { game } = position, turns = position.over ? [] : turnsOf(position), word = plain(text), squares = word.split("-");
  const named = turns.find((turn) => turn.text === text) ?? turns.find((turn) => plain(turn.text) === word);
  if (named) return named.actions;
  const fitting = game.joins ? turns.filter((turn) => {
    const path = plain(turn.text).split("-"), between = path.values();
    const inOrder = squares.every((square) => { for (const one of between) if (one === square) return true; return false; });
    return squares.length > 1 && squares[0] === path[0] && squares.at(-1) === path.at(-1) && inOrder;
  }) : [];
  const outcomes = new Set(fitting.map(({ actions }) => actions.reduce((at, action) => at.play(action), position).key()));
  if (outcomes.size > 1) throw new Refusal(`'${text}' is ambiguous: write one of ${fitting.map((turn) => turn.text).join(", ")}`);
  if (fitting.length) return fitting[0].actions;
  const begun = game.joins && turns.find((turn) => plain(turn.text).startsWith(`${word}-`));
  const single = position.actions.find((action) => plain(textOf(game, action)) === word);
  if (begun) return begun.actions.slice(0, squares.length - 1);
  if (single !== undefined && !position.over) return [single];
  const action = game.texts.findIndex((one) => one && plain(one) === word), cell = game.cellOf[action] ?? null;
  const reason = position.over ? "the game is over" : cell !== null && position.cells()[cell] >= 0 ? "the cell is taken"
    : "the rules forbid it here";
  const some = turns.slice(0, 5).map((turn) => turn.text).join(", ");
  const examples = turns.length ? `; legal are ${some}${turns.length > 5 ? " …" : ""}` : "";
  throw new Refusal(action >= 0 || position.over ? `${text} is illegal: ${reason}${examples}` : `'${text}' is not a move${examples}`);
}

/** The cell of the last play, to be marked; after a swap, that of the stone. */
function lastCell({ game, previous, action }, cells) {
  if (previous === null) return null;
  if (action === game.swapAction) return cells.findIndex((piece) => piece >= 0);
  return game.pathOf[action]?.at(-1) ?? clicksOf(previous, action)?.end ?? null;
}

/** Stones of rows that are long enough. */
function rowsOf({ game: { info, winLength } }, cells) {
  const { rows, cols } = info, owner = cells.map(ownerOf);
  const run = (row, col, rise, right, side) => {
    let length = 0;
    for (;;) {
      [row, col] = [row + rise, col + right];
      if (row < 0 || row >= rows || col < 0 || col >= cols || owner[row * cols + col] !== side) return length;
      length++;
    }
  };
  const wins = (row, col, side) => [[0, 1], [1, 0], [1, 1], [1, -1]].some(([rise, right]) => (
    1 + run(row, col, rise, right, side) + run(row, col, -rise, -right, side) >= winLength));
  return [...cells.keys()].filter((cell) => owner[cell] !== null && wins(Math.floor(cell / cols), cell % cols, owner[cell]));
}

/** A shortest chain of Hex that joins the winner's sides. */
function chainOf({ game: { info }, winner }, cells) {
  const { rows: size } = info, axis = (cell) => (winner ? cell % size : Math.floor(cell / size));
  const own = new Set([...cells.keys()].filter((cell) => cells[cell] === winner)), chains = [...own].filter((cell) => !axis(cell)).map((cell) => [cell]);
  for (const chain of chains) {  // it grows: first all of one stone, then all of two
    const cell = chain.at(-1), col = cell % size;
    if (axis(cell) === size - 1) return chain;
    const near = [-size - 1, -size, -1, 1, size, size + 1].filter((step) => Math.abs(((cell + step + size) % size) - col) < 2);
    for (const next of near.map((step) => cell + step)) if (own.delete(next)) chains.push([...chain, next]);
  }
  return [];
}

function wonCells(position, cells, last) {
  const { game: { winLength, name }, over, winner, action } = position;
  if (winLength) return rowsOf(position, cells);
  if (!over || winner === null || action === "resign") return [];
  return name === "hex" ? chainOf(position, cells) : name === "breakthrough" ? [last] : [];
}

/** What games say of their results, and below their boards; `sides` counts the pieces of both. */
const WORDS = {
  go: { win: (position) => ` by ${Math.abs(position.margin())} points`, draw: () => ": equal areas" },
  othello: {
    win: (_, sides) => ` ${Math.max(...sides)}-${Math.min(...sides)}`, draw: (_, sides) => ` ${sides.join("-")}`,
    note: (_, sides) => `black ${sides[0]}, white ${sides[1]}`,
  },
  draughts: {
    win: ({ player, game }, sides) => `: ${game.info.players[player]} ${sides[player] ? "cannot move" : "has no pieces left"}`,
    draw: (position) => (position.history().filter((earlier) => earlier.key() === position.key()).length > 2
      ? ": the position has come up three times" : ": 40 moves each without a capture or a man's move"),
    note: ({ game, over, player, previous }) => (!over && previous?.player === player ? `${game.info.players[player]} must go on with the capture` : ""),
  },
};

function resultText(position, sides, won) {
  const { game: { name, info, winLength: row }, winner, action } = position, words = WORDS[name];
  if (winner === null) return `draw${row ? ": the board is full" : words?.draw(position, sides) ?? ""}`;
  const how = action === "resign" ? " by resignation" : row && won.length ? ` with ${row} in a row` : words?.win(position, sides) ?? "";
  return `${info.players[winner]} wins${how}`;
}

/** A position with its legal turns; `path`: the cells of the last turn. */
export function positionView(position) {
  const { game, player, over, winner } = position, cells = Array.from(position.cells(), Number), last = lastCell(position, cells);
  const sides = [0, 1].map((side) => cells.filter((piece) => ownerOf(piece) === side).length);
  const won = wonCells(position, cells, last), turn = turnsPlayed(position).at(-1);
  const [start, ...later] = position.history(), placed = Array.from(start.cells(), ownerOf);
  if (game.name === "go") placed.push(...later.filter(({ action }) => (game.cellOf[action] ?? null) !== null).map(({ previous }) => previous.player));
  return {
    cells, turn: player, over, last, won, result: over ? resultText(position, sides, won) : "",
    captured: game.name === "go" ? sides.map((left, side) => placed.filter((one) => one === side).length - left) : null,
    winner, note: WORDS[game.name]?.note?.(position, sides) ?? "",
    path: turn ? turnView(turn.before, turn.actions).path : [], ...(over ? {} : { moves: movesView(position) }),
  };
}

/** The moves of one turn: its text and its path; [] if one of them does not end on a cell. */
export function turnView(position, actions) {
  const { game, player } = position, clicks = [];
  for (const action of actions) {
    clicks.push(clicksOf(position, action));
    position = position.play(action);
  }
  return { text: turnText(game, actions), path: clicks.every(Boolean) ? pathOf(clicks) : [], player };
}

const moveView = (position, action) => turnView(position, [action]);

/** The first moves of an expected line that are legal. */
export function lineView(position, line) {
  const moves = [];
  for (const action of line.slice(0, LINE)) {
    if (position.over || !position.actions.includes(action)) break;
    moves.push(moveView(position, action));
    position = position.play(action);
  }
  return moves;
}

/** Black's share of the point, 0 to 1; null if an engine has not said. */
export function blackShare({ value, proven }, player) {
  const expected = proven ?? value ?? null;
  return expected === null ? null : (1 + Math.min(Math.max(expected, -1), 1) * (player ? -1 : 1)) / 2;
}

/** An engine's decision, with at most `most` moves, the best first. `views` of moves and lines are kept between decisions. */
export function decisionView(position, decision, most = Infinity, views = new Map()) {
  const { action: best, policy, values, visits, priors } = decision, once = (key, make) => {
    if (!views.has(key)) views.set(key, make());
    return views.get(key);
  };
  const moves = [...new Set([best, ...policy.keys(), ...values.keys(), ...visits.keys(), ...priors.keys()])];
  const rank = (action) => [action === best ? 1 : 0, visits.get(action) ?? 0, policy.get(action) ?? 0, values.get(action) ?? -2];
  const ranks = new Map(moves.map((action) => [action, rank(action)]));
  moves.sort((a, b) => ranks.get(a).map((number, i) => ranks.get(b)[i] - number).find(Boolean) ?? 0);
  const columns = { visits, share: policy, value: values, prior: priors };
  return {
    ...once(best, () => moveView(position, best)), black: blackShare(decision, position.player),
    value: decision.value, proven: decision.proven, depth: decision.depth, line: lineView(position, decision.pv),
    moves: moves.slice(0, most).map((action) => {
      const line = decision.lines.get(action);
      return {
        ...once(action, () => moveView(position, action)),
        ...Object.fromEntries(Object.entries(columns).filter(([, numbers]) => numbers.has(action)).map(([key, numbers]) => [key, numbers.get(action)])),
        ...(line ? { line: once(line.join(), () => lineView(position, line)) } : {}),
      };
    }),
    cost: { simulations: decision.simulations, nodes: decision.nodes, wall: decision.wall },
  };
}
