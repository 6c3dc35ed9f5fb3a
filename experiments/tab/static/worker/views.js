// Positions, turns and decisions as the pages draw them: the same values as experiments/studio/position.py gives.

import { Refusal } from "./refusal.js";

const LINE = 10;  // moves of an expected line

const textOf = (game, action) => (action === "resign" ? action : game.texts[action]);
const ownerOf = (piece) => (piece < 0 ? null : piece % 2);

/** The position after some actions. */
export const after = (position, actions) => actions.reduce((at, action) => at.play(action), position);

/** A legal move as clicks, on `start` if it moves a piece, then on `end`, read off the cells; null if it ends on none. */
function clicksOf(position, action) {
  const { game, player } = position, path = game.pathOf[action], cell = game.cellOf[action] ?? null;
  if (action === "resign" || action === game.passAction) return null;
  if (path) return { action, start: path[0], end: path[1], path };
  if (cell !== null) return { action, start: null, end: cell, path: [cell] };
  const successor = position.play(action), old = position.cells().map(ownerOf), now = successor.cells().map(ownerOf);
  const changed = [...old.keys()].filter((one) => old[one] !== now[one]);
  const only = (cells) => (cells.length === 1 ? cells[0] : null);
  const left = changed.filter((one) => old[one] === player), taken = only(changed.filter((one) => old[one] === 1 - player));
  const start = only(left), end = only(changed.filter((one) => now[one] === player));
  if (taken !== null && !left.length) return { action, start: null, end: taken, path: [taken] };
  return end === null ? null : { action, start, end, path: start === null ? [end] : [start, end], successor };
}

const clicksFrom = (position) => position.actions.map((action) => clicksOf(position, action)).filter(Boolean);

/** The turns that begin with a move: this move, or all moves of a piece that must continue. */
function turnsWith(position, first) {
  const successor = first.start === null ? null : first.successor ?? position.play(first.action);
  const following = successor?.player === position.player ? clicksFrom(successor) : [];
  if (!following.length || following.some(({ start }) => start !== first.end)) return [[first]];
  return following.flatMap((move) => turnsWith(successor, move).map((turn) => [first, ...turn]));
}

const pathOf = (turn) => (turn.length === 1 ? turn[0].path : [turn[0].start, ...turn.map(({ end }) => end)]);

/** Moves as texts: one each, or one for the jumps of a turn. */
function textsOf(game, actions) {
  const texts = [];
  for (const text of actions.map((action) => textOf(game, action))) {
    const start = text.split("x")[0];
    if (game.joins && texts.at(-1)?.endsWith(`x${start}`)) texts.push(texts.pop() + text.slice(start.length));
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

/** The actions of the turn in a text. Refuses one that is illegal, or several turns. */
export function findTurn(position, text) {
  if (/^\s*resign\s*$/i.test(text)) return ["resign"];
  const actions = [], { player } = position;
  for (const word of text.trim().split(/\s+/)) {
    if (position.player !== player) throw new Refusal(`'${text}' is more than one turn; play one at a time`);
    const moves = actionsOf(position, word);
    actions.push(...moves);
    position = after(position, moves);
  }
  return actions;
}

const plain = (text) => text.toLowerCase().replace(/[x:]/g, "-");

/** The actions of a turn, or of its first jumps; of jumps, squares between may be left out. */
export function actionsOf(position, text) {
  const { game } = position, turns = turnsOf(position), word = plain(text), squares = word.split("-");
  const named = turns.find((turn) => turn.text === text) ?? turns.find((turn) => plain(turn.text) === word);
  if (named) return named.actions;
  const jumps = game.joins && squares.length > 1 ? turns.map((turn) => ({ ...turn, path: plain(turn.text).split("-") })) : [];
  const fitting = jumps.filter(({ path }) => (
    path[0] === squares[0] && path.at(-1) === squares.at(-1) && squares.every((square) => path.includes(square))));
  if (new Set(fitting.map(({ actions }) => after(position, actions).key())).size > 1) {
    throw new Refusal(`'${text}' is ambiguous: write one of ${fitting.map((turn) => turn.text).join(", ")}`);
  }
  if (fitting.length) return fitting[0].actions;
  const begun = jumps.find(({ path }) => squares.every((square, i) => square === path[i]));
  if (begun) return begun.actions.slice(0, squares.length - 1);
  const action = game.texts.findIndex((one) => one && plain(one) === word), cell = game.cellOf[action] ?? null;
  if (position.over) throw new Refusal(`${text} is illegal: the game is over`);
  const examples = turns.slice(0, 5).map((turn) => turn.text).join(", ") + (turns.length > 5 ? " …" : "");
  if (action < 0) throw new Refusal(`'${text}' is not a move; legal are ${examples}`);
  const taken = cell !== null && position.cells()[cell] >= 0;
  throw new Refusal(`${text} is illegal: ${taken ? "the cell is taken" : "the rules forbid it here"}; legal are ${examples}`);
}

/** The cell of the last play, to be marked; after a swap, that of the stone. */
function lastCell({ game, previous, action }, cells) {
  if (previous === null) return null;
  if (action === game.swapAction) return cells.findIndex((piece) => piece >= 0);
  return game.pathOf[action]?.at(-1) ?? clicksOf(previous, action)?.end ?? null;
}

/** Stones of rows that are long enough. */
function rowsOf({ game: { info: { rows, cols }, winLength } }, cells) {
  const won = new Set();
  for (const [start, piece] of cells.entries()) {
    for (const [rise, run] of piece < 0 ? [] : [[0, 1], [1, 0], [1, 1], [1, -1]]) {
      const row = Math.floor(start / cols) + rise * (winLength - 1), col = (start % cols) + run * (winLength - 1);
      if (row >= rows || col < 0 || col >= cols) continue;
      const line = Array.from({ length: winLength }, (_, i) => start + i * (rise * cols + run));
      if (line.every((cell) => cells[cell] === piece)) line.forEach((cell) => won.add(cell));
    }
  }
  return [...won].sort((a, b) => a - b);
}

/** A shortest chain of Hex that joins the winner's sides. */
function chainOf({ game: { info: { rows: size } }, winner }, cells) {
  const along = (cell) => (winner ? cell % size : Math.floor(cell / size));
  const own = new Set([...cells.keys()].filter((cell) => cells[cell] === winner));
  const chains = [...own].filter((cell) => !along(cell)).map((cell) => [cell]);
  for (const chain of chains) {  // it grows: first all of one stone, then all of two
    const cell = chain.at(-1), col = cell % size;
    if (along(cell) === size - 1) return chain;
    const near = [size, size + 1, -size, -size - 1, 1, -1].map((step) => cell + step);
    for (const next of near) if (Math.abs((next % size) - col) < 2 && own.delete(next)) chains.push([...chain, next]);
  }
  return [];
}

/** What games say of their results, and below their boards; `sides` counts the pieces of both. */
const WORDS = {
  go: { win: (position) => ` by ${Math.abs(position.margin())} points`, draw: () => ": equal areas" },
  othello: {
    win: (_, sides) => ` ${Math.max(...sides)}-${Math.min(...sides)}`,
    draw: (_, sides) => ` ${sides.join("-")}`,
    note: (_, sides) => `black ${sides[0]}, white ${sides[1]}`,
  },
  draughts: {
    win: ({ player, game }, sides) => (
      `: ${game.info.players[player]} ${sides[player] ? "cannot move" : "has no pieces left"}`),
    draw: (position) => (position.history().filter((earlier) => earlier.key() === position.key()).length > 2
      ? ": the position has come up three times" : ": 40 moves each without a capture or a man's move"),
    note: ({ game, over, player, previous }) => (
      !over && previous?.player === player ? `${game.info.players[player]} must go on with the capture` : ""),
  },
};

function resultText(position, sides, won) {
  const { game: { name, info, winLength }, winner, action } = position, words = WORDS[name];
  if (winner === null) return `draw${winLength ? ": the board is full" : words?.draw(position, sides) ?? ""}`;
  const how = action === "resign" ? " by resignation" : words?.win(position, sides) ?? "";
  return `${info.players[winner]} wins${winLength && won.length ? ` with ${winLength} in a row` : how}`;
}

/** A position with its legal turns; `path`: the cells of the last turn. */
export function positionView(position) {
  const { game, player, over, winner, action } = position, cells = position.cells(), last = lastCell(position, cells);
  const count = (owners) => [0, 1].map((side) => owners.filter((owner) => owner === side).length);
  const sides = count(cells.map(ownerOf)), [start, ...later] = position.history(), turn = turnsPlayed(position).at(-1);
  const won = game.winLength ? rowsOf(position, cells) : winner === null || action === "resign" ? []
    : game.name === "hex" ? chainOf(position, cells) : game.name === "breakthrough" ? [last] : [];
  const plays = later.filter((one) => (game.cellOf[one.action] ?? null) !== null).map(({ previous }) => previous.player);
  const placed = count([...start.cells().map(ownerOf), ...plays]);
  return {
    cells, turn: player, over, last, won, result: over ? resultText(position, sides, won) : "",
    captured: game.name === "go" ? placed.map((stones, side) => stones - sides[side]) : null,
    winner, note: WORDS[game.name]?.note?.(position, sides) ?? "", path: turn ? turnView(turn.before, turn.actions).path : [],
    ...(over ? {} : { moves: turnsOf(position).map(({ text, path }) => ({ text, path })) }),
  };
}

/** The moves of one turn: its text and its path; [] if one of them does not end on a cell. */
export function turnView(position, actions) {
  const { game, player } = position, clicks = actions.map((action, i) => clicksOf(after(position, actions.slice(0, i)), action));
  return { text: turnText(game, actions), path: clicks.every(Boolean) ? pathOf(clicks) : [], player };
}

/** The first moves of an expected line that are legal. */
export function lineView(position, line) {
  const moves = [];
  for (const action of line.slice(0, LINE)) {
    if (!position.actions.includes(action)) break;
    moves.push(turnView(position, [action]));
    position = position.play(action);
  }
  return moves;
}

/** Black's share of the point, 0 to 1, by an engine that has searched for a player; null if it has not said. */
export function blackShare({ value, proven }, player) {
  const expected = proven ?? value ?? null;
  return expected === null ? null : (1 + Math.min(Math.max(expected, -1), 1) * (player ? -1 : 1)) / 2;
}

/** An engine's decision, with at most `most` moves, the best first. `views` keeps moves and lines between decisions. */
export function decisionView(position, decision, most = Infinity, views = new Map()) {
  const { action: best, policy, values, visits, priors } = decision;
  const columns = { visits, share: policy, value: values, prior: priors };
  const once = (key, make) => views.get(key) ?? views.set(key, make()).get(key);
  const moveView = (action) => once(action, () => turnView(position, [action]));
  const rank = (action) => [action === best, visits.get(action) ?? 0, policy.get(action) ?? 0, values.get(action) ?? -2];
  const moves = [...new Set([best, ...policy.keys(), ...values.keys(), ...visits.keys(), ...priors.keys()])]
    .map((action) => ({ action, ranks: rank(action) }))
    .sort((a, b) => a.ranks.map((number, i) => b.ranks[i] - number).find(Boolean) ?? 0);
  return {
    ...moveView(best), black: blackShare(decision, position.player),
    value: decision.value, lead: null, proven: decision.proven, depth: decision.depth, line: lineView(position, decision.pv),
    moves: moves.slice(0, most).map(({ action }) => {
      const line = decision.lines.get(action), known = Object.entries(columns).filter(([, numbers]) => numbers.has(action));
      return {
        ...moveView(action), ...Object.fromEntries(known.map(([name, numbers]) => [name, numbers.get(action)])),
        ...(line ? { line: once(line.join(), () => lineView(position, line)) } : {}),
      };
    }),
    cost: { simulations: decision.simulations, nodes: decision.nodes, wall: decision.wall },
  };
}
