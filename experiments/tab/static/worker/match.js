// Games between two engines, as a tournament plays them (experiments/arena): with the same seed the same openings and moves.

import { standings } from "./ratings.js";
import { Refusal } from "./refusal.js";
import { Rng } from "./rng.js";
import { deriveSeed } from "./seeds.js";

const SIDES = ["first", "second"], COUNTS = ["simulations", "nodes"];
// Draws of an opening before a repeated one is accepted, and before the game is refused because it ends within them.
const FRESH_ATTEMPTS = 20, ATTEMPTS = 200;

export const routes = (tab) => ({
  /** Whether there is such an engine: a refusal if not. */
  async "/api/entrants"({ body: { game, spec } }) {
    await tab.engine(await tab.game(game), spec, 0);
    return {};
  },
  "/api/ratings": ({ body }) => standings(body.games),
});

export function streams(tab) {
  const openings = new Map(), engines = new Map();  // the engines of the last game; each has much memory

  async function playersOf(game, specs, seed) {
    const keys = specs.map((spec, player) => `${game.spec} ${spec} ${specs[0] === specs[1] ? player : ""}`);
    for (const key of engines.keys()) if (!keys.includes(key)) engines.delete(key);
    for (const [player, key] of keys.entries()) {
      if (!engines.has(key)) engines.set(key, await warmUp(game, await tab.engine(game, specs[player], 0)));
      engines.get(key).newGame(deriveSeed(seed, SIDES[player]));
    }
    return keys.map((key) => engines.get(key));
  }

  return {
    /** The number of plies after each move; at last the game, as a row of a report's `games.csv`. */
    async* "/api/match"({ body: { game: spec, first, second, pair, seed } }) {
      const game = await tab.game(spec), key = `${spec} ${seed}`, limit = Math.min(20 * game.numActions + 1000, 32768);
      if (!openings.has(key)) openings.set(key, new Openings(game, seed));
      let position = openings.get(key).get(pair);
      const opening = position, own = deriveSeed(seed, [spec, first, second, pair].join("|")), started = new Date().toISOString();
      const players = await playersOf(game, [first, second], own);
      const costs = SIDES.map(() => ({ moves: 0, wall: 0, simulations: 0, nodes: 0 }));
      while (!position.over && position.plies < limit) {
        const cost = costs[position.player], decision = await players[position.player].select(position);
        cost.moves++;
        for (const name of ["wall", ...COUNTS]) cost[name] += decision[name] ?? 0;
        position = position.play(decision.action);
        yield { plies: position.plies };
      }
      const textOf = (last) => last.history().slice(1).map(({ action }) => game.texts[action] ?? action).join(" ");
      const reason = position.action === "resign" ? "resignation" : position.over ? "" : `draw: length limit of ${limit} plies`;
      yield {
        result: {
          game: spec, first, second, pair, opening: textOf(opening), seed: String(own),
          result: position.over ? (position.result() + 1) / 2 : 0.5, reason,
          ...Object.assign({}, ...costs.map(({ moves, wall, ...counts }, player) => Object.fromEntries([
            ["moves", moves], ["wall_ms", moves ? 1000 * wall / moves : ""],
            ...COUNTS.map((name) => [name, moves ? counts[name] / moves : ""]),
          ].map(([name, value]) => [`${SIDES[player]}_${name}`, value])))),
          moves: textOf(position), started, finished: new Date().toISOString(),
        },
      };
    },
  };
}

/** Let an engine think for a moment, so that no move is charged with the compiling of its code. */
async function warmUp(game, engine) {
  const count = engine.budgets.find((name) => !["cpu", "wall"].includes(name));
  await engine.select(game.start(), count ? { [count]: 2 } : {});
  return engine;
}

/** Random, unfinished positions, all different if the game has enough of them; pair k of a seed has the same one always. */
class Openings {
  constructor(game, seed) { Object.assign(this, { game, seed, positions: [], keys: new Set() }); }

  get(pair) {
    while (this.positions.length <= pair) this.positions.push(this.#draw());
    return this.positions[pair];
  }

  #draw() {
    const { game, keys, positions } = this, rng = new Rng(deriveSeed(this.seed, game.spec, positions.length));
    let opening = null;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      let position = game.start();
      for (let ply = 0; ply < game.openingPlies && !position.over; ply++) {
        const plays = position.actions.filter((action) => action !== game.passAction), { actions } = position;
        position = position.play(plays.length ? plays[rng.below(plays.length)] : actions[rng.below(actions.length)]);
      }
      if (!position.over) opening = position;
      if (opening && (!keys.has(opening.key()) || attempt >= FRESH_ATTEMPTS)) {
        keys.add(opening.key());
        return opening;
      }
    }
    throw new Refusal(`${game.spec} ends within the ${game.openingPlies} plies of an opening`);
  }
}
