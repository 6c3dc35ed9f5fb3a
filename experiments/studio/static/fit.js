// A level that fits: from the results of finished games against levels, which the browser remembers.

import { memory } from "./parts.js";
import { ratingOf } from "./rating.js";

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

/** The player's strength, taken to be around the middle of the levels before the first game, and the level nearest to an even game; null after too few games. */
export function fit(game, levels) {
  const results = Object.values(resultsOf(game));
  if (results.length < ENOUGH || !levels.length) return null;
  const low = levels[0].elo, high = levels.at(-1).elo, { rating, margin } = ratingOf(results, (low + high) / 2, (high - low) / 3);
  const away = levels.map((level) => Math.abs(level.elo - rating));
  return { games: results.length, elo: rating, low: rating - margin, high: rating + margin, level: away.indexOf(Math.min(...away)) + 1 };
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
