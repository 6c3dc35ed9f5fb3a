// Alpha-beta and minimax, step by step: generators of the events of engines/watching/events.py, as engines/minimax/textbook.py.

import { decision } from "../drivers/decision.js";
import { Rng } from "../rng.js";

const MOVERS = ["black", "white"];

export class AlphaBeta {
  hasNetwork = false;
  cuts = true;

  constructor(game, settings, seed) { Object.assign(this, { game, rng: new Rng(seed), nodes: 0, estimated: false }); }

  movesOf(position) { return position.sensible(); }

  /** The events of a search. */
  * search(position, depth) {
    const moves = [...this.movesOf(position)];
    for (let i = 0; i < moves.length - 1; i++) {  // equal moves: a random one
      const j = i + this.rng.below(moves.length - i);
      [moves[i], moves[j]] = [moves[j], moves[i]];
    }
    Object.assign(this, { depth }, yield* this.value(position, depth, -1, 1, moves));
  }

  /** The value of a position for the player to move, and the moves of best play. */
  * value(position, depth, alpha, beta, moves = null, node = 0, parent = null) {
    const { game, cuts } = this, move = parent === null ? null : game.texts[position.action];
    yield { event: "Entered", node, parent, move, mover: MOVERS[position.player], depth, alpha, beta };
    let best = -Infinity, line = [], reason = "moves";
    if (position.over) [best, reason] = [position.result() * (position.player ? -1 : 1), "result"];
    else if (depth <= 0) {
      [best, reason] = [Math.tanh(position.evaluate() / 500), "estimate"];
      this.estimated = true;
    } else {
      const actions = moves ?? this.movesOf(position);
      for (const [i, action] of actions.entries()) {
        const after = position.play(action), sign = after.player === position.player ? 1 : -1, low = cuts ? Math.max(alpha, best) : -1;
        this.nodes += 1;
        const below = yield* this.value(after, depth - 1, ...(sign > 0 ? [low, beta] : [-beta, -low]), null, this.nodes, node);
        if (sign * below.best > best) [best, line] = [sign * below.best, [action, ...below.line]];
        const skipped = actions.slice(i + 1);
        if (cuts && best >= beta && skipped.length) {
          yield { event: "CutOff", node, value: best, alpha, beta, skipped: skipped.map((one) => game.texts[one]) };
          break;
        }
      }
    }
    yield { event: "Valued", node, value: best, reason };
    return { best, line };
  }

  decision() {
    const { best, line, depth, nodes } = this, value = best + 0;  // never -0
    const proven = this.estimated && Math.abs(value) < 1 ? null : value;
    return decision({ action: line[0], value, proven, depth, pv: line, values: new Map([[line[0], value]]), nodes });
  }
}

/** The same without cuts: it searches every legal move. */
export class Minimax extends AlphaBeta {
  cuts = false;

  movesOf(position) { return position.actions; }
}
