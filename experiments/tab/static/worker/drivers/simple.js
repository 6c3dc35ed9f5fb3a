// Engines without a tree: random, heuristic, and Connect Four's solver.

import { slices } from "./clock.js";
import { Driver } from "./decision.js";

const FIRST_NODES = 20_000;

/** engines/random_bot/engine.py */
export class Random extends Driver {
  newGame(seed) {
    this.program.array("random_action", "rng")[0] = BigInt.asUintN(64, BigInt(seed));
  }

  * think(position) {
    position.write(this.program, "random_action", "state");
    const action = Number(this.program.call("random_action"));
    this.answer = { action, nodes: 1 };
  }
}

/** engines/heuristic/engine.py */
export class Heuristic extends Driver {
  newGame(seed) {
    this.program.array("random_action_of", "rng")[0] = BigInt.asUintN(64, BigInt(seed));
  }

  * think(position) {
    const { program } = this, visited = program.array("filter_moves", "visited");
    position.write(program, "filter_moves", "states");
    program.array("filter_moves", "allowed").fill(1);
    visited[0] = 0n;
    const won = program.call("filter_moves", { level: this.settings.level }), action = Number(program.call("random_action_of"));
    this.answer = { action, value: won ? 1 : null, nodes: Number(visited[0]) };
  }
}

/** engines/solver/engine.py */
export class Solver extends Driver {
  newGame() {
    this.program.array("solve", "table").fill(0n);
  }

  * think(position, { wall }) {
    const { program, facts } = this, { NODES, LIMIT, RESUME } = facts.info, info = program.array("solve", "info");
    const central = Math.min(...position.actions.map((action) => Math.abs(action - 3)));
    const action = position.actions.find((column) => Math.abs(column - 3) === central);
    this.answer = { action };  // until the position is solved
    info[NODES] = info[RESUME] = 0n;
    const pv = [];
    let at = position, [own, mask] = this.#stones(at), score, result;
    yield* slices(Infinity, wall, FIRST_NODES, (stop) => {
      info[LIMIT] = BigInt(stop);
      while (!at.over) {
        const answer = Number(score === undefined ? program.call("solve", { own, mask }) : program.call("best_move", { own, mask, score }));
        if (answer === facts.unfinished) return [Number(info[NODES]), false];
        if (score === undefined) {
          score = answer;
          result = Math.sign(score);
          continue;
        }
        pv.push(answer);
        at = at.play(answer);
        score = -score;
        [own, mask] = this.#stones(at);
      }
      this.answer = { action: pv[0], value: result, proven: result, depth: pv.length, pv, nodes: Number(info[NODES]) };
      return [this.answer.nodes, true];
    });
  }

  /** Stones of the player to move, and all stones. */
  #stones(position) {
    position.write(this.program, "stones_of", "state");
    return this.program.call("stones_of");
  }
}
