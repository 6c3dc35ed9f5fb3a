// The view Inside, as experiments/studio/inside.py: searches in all their steps.
//
// Textbook searches run here. The course's searches with a network were recorded in Python, for the last digits.

import { positionAfter } from "./analyse.js";
import { readSpec } from "./engines.js";
import { pause } from "./pause.js";
import { gameOf } from "./play.js";
import { Refusal } from "./refusal.js";
import { PUCT, UCT } from "./textbook/mcts.js";
import { AlphaBeta, Minimax } from "./textbook/minimax.js";
import { decisionView, positionView } from "./views.js";

const SEARCHES = { "textbook-mcts": UCT, "textbook-puct": PUCT, "textbook-alphabeta": AlphaBeta, minimax: Minimax };
const MOST_STEPS = 20_000, MOST_BYTES = 12e6, MOST_SECONDS = 15, LARGEST_SEED = 2 ** 31, SLICE = 8;  // milliseconds

/** The position of a request: a `game`, or `from`, a game in progress, after `plies`; then `moves`. */
async function positionOf(tab, { from, plies, game, moves = "" }) {
  const played = from && gameOf(tab, { params: { id: from } });
  const position = played ? played.at(plies ?? played.plies) : (await tab.game(game)).start();
  return positionAfter(position, moves.replaceAll(",", " ").split(" ").filter(Boolean));
}

/** The algorithm of a request, its settings, and its limit, if it can be watched and is short enough. */
function searchOf({ algorithms, mostSimulations, mostDepth }, text) {
  const { name, options } = readSpec(text), live = algorithms.filter(({ recorded }) => !recorded);
  const algorithm = live.find(({ engine }) => engine === name);
  if (!algorithm) throw new Refusal(`engine ${name} cannot be watched here; these can: ${live.map(({ engine }) => engine).join(", ")}`);
  const { budget, settings } = algorithm, most = budget === "sims" ? mostSimulations : mostDepth, limit = Number(options.get(budget));
  if (!Number.isInteger(limit) || limit < 1 || limit > most) throw new Refusal(`engine ${text}: write ${budget}, at most ${most}`);
  const given = Object.fromEntries([...options].filter(([key]) => key !== budget).map(([key, value]) => [key, Number(value)]));
  const wrong = Object.keys(given).find((key) => !(key in settings) || Number.isNaN(given[key]));
  if (wrong) throw new Refusal(`engine ${text}: ${wrong} is none of its numbers here: ${[budget, ...Object.keys(settings)].join(", ")}`);
  return { name, settings: { ...settings, ...given }, limit };
}

/** A search: its position and settings, then its events in parts, then its choice. */
async function* search(tab, { engine, seed = 1, ...source }) {
  const offer = await tab.part("inside");
  const preset = offer.presets.find((one) => one.recorded && one.engine === engine && one.seed === seed && one.game === source.game && one.moves === source.moves);
  if (preset) {
    yield* await tab.part(`inside-${preset.name}`);
    return;
  }
  const { name, settings, limit } = searchOf(offer, engine), position = await positionOf(tab, source), { game } = position;
  if (position.over) throw new Refusal("the game is over here; take back a move to search");
  if (!(Number.isInteger(seed) && seed >= 0 && seed <= LARGEST_SEED)) throw new Refusal(`seed must be a whole number from 0 to ${LARGEST_SEED}`);
  yield { info: game.info, position: positionView(position), engine, name, settings, seed, mover: position.player ? "white" : "black" };
  const network = name === "textbook-puct" && game.entrants.find((one) => one.name === "alphazero" && one.fixed.search === "puct");
  const work = new SEARCHES[name](game, settings, seed, network ? await tab.engine(game, network.spec, seed) : null);
  const began = performance.now(), { hasNetwork } = work;
  let lines = [], steps = 0, bytes = 0, paused = began, reached = "";
  for (const event of work.search(position, limit)) {
    const line = JSON.stringify(event), now = performance.now();
    bytes += line.length;
    reached = steps >= MOST_STEPS ? `${MOST_STEPS.toLocaleString("en")} steps` : bytes > MOST_BYTES ? `${MOST_BYTES / 1e6} MB`
      : now - began > 1000 * MOST_SECONDS ? `${MOST_SECONDS} seconds` : "";
    if (reached) break;
    steps += 1;
    lines.push(line);
    if (now - paused > SLICE) {
      yield { part: `[${lines}]` };
      await pause();
      [lines, paused] = [[], performance.now()];
    }
  }
  if (lines.length) yield { part: `[${lines}]` };
  const decision = reached ? null : decisionView(position, { ...work.decision(), wall: (performance.now() - began) / 1000 });
  yield { steps, limit: reached, hasNetwork, decision };
}

export const routes = (tab) => ({
  "/api/inside": () => tab.part("inside"),
  async "/api/inside/position"({ body }) {
    const position = await positionOf(tab, body), [start, ...later] = position.history();
    const usual = start.key() === position.game.start().key();
    return { info: position.game.info, position: positionView(position), moves: usual ? later.map(({ action }) => position.game.texts[action]).join(" ") : null };
  },
  async "/api/inside/positions"({ body: { paths, ...source } }) {
    const root = await positionOf(tab, source), { texts } = root.game;
    const next = (position, move) => position.play(position.actions.find((action) => texts[action] === move) ?? -1);
    return { positions: paths.map((path) => positionView(path.reduce(next, root))) };
  },
});

export const streams = (tab) => ({ "/api/inside/search": ({ body }) => search(tab, body) });
