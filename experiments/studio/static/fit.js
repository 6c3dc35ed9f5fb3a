// A level that fits: from the results of finished games against levels, which the browser remembers.

import { memory } from "./parts.js";

const [remembered, remember] = memory("results");
const ENOUGH = 3, MOST = 50;  // games: before a level is suggested, and remembered of a game

/** An Elo figure, no more exact than it was measured. */
export const round = (elo) => (10 * Math.round(elo / 10)).toLocaleString("en");

const resultsOf = (game) => JSON.parse(remembered(game, "{}"));

/** Remember the result of a finished game, if a person played against a level without hints or undo. */
export function keepResult({ id, game, sides, levels, position, assisted }) {
  const me = sides.indexOf("human"), level = levels[1 - me];
  if (me < 0 || !level || !position.over || assisted) return;
  const results = { ...resultsOf(game), [id]: [level.elo, position.winner === null ? 0.5 : Number(position.winner === me)] };
  remember(game, JSON.stringify(Object.fromEntries(Object.entries(results).slice(-MOST))));
}

/**
 * The player's strength by Bayes' rule, and the level nearest to an even game; null after too few games.
 *
 * Before the first game, the strength is taken to be normal around the middle of the levels. Each result has the
 * likelihood of the Elo formula.
 */
export function fit(game, levels) {
  const results = Object.values(resultsOf(game));
  if (results.length < ENOUGH || !levels.length) return null;
  const low = levels[0].elo, high = levels.at(-1).elo, middle = (low + high) / 2, spread = (high - low) / 3;
  const grid = Array.from({ length: 401 }, (_, i) => low - 600 + ((high - low + 1200) * i) / 400);
  const logs = grid.map((elo) => results.reduce((sum, [level, score]) => {
    const expected = 1 / (1 + 10 ** ((level - elo) / 400));
    return sum + score * Math.log(expected) + (1 - score) * Math.log(1 - expected);
  }, -(((elo - middle) / spread) ** 2) / 2));
  const top = Math.max(...logs), weights = logs.map((log) => Math.exp(log - top));
  const total = weights.reduce((sum, weight) => sum + weight);
  const mean = (values) => values.reduce((sum, value, i) => sum + value * weights[i], 0) / total;
  const elo = mean(grid), error = 1.96 * Math.sqrt(mean(grid.map((value) => (value - elo) ** 2)));
  const away = levels.map((level) => Math.abs(level.elo - elo));
  return { games: results.length, elo, low: elo - error, high: elo + error, level: away.indexOf(Math.min(...away)) + 1 };
}

/** What the results so far say, as a sentence. */
export function fitWords(game, levels) {
  const found = fit(game, levels);
  if (!found) {
    const left = ENOUGH - Object.keys(resultsOf(game)).length;
    return `Play ${left} game${left > 1 ? "s" : ""} by level, without hints and undo, to get a suggested level.`;
  }
  return `Level ${found.level} fits you: ${found.games} games rate you at ${round(found.elo)} Elo above random moves (95%: ${round(found.low)} to ${round(found.high)}).`;
}
