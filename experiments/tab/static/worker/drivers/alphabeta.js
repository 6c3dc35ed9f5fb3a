// Alpha-beta searches (alphabeta, ntuple): engines/minimax/engine.py around the compiled search.

import { slices } from "./clock.js";
import { decision } from "./decision.js";

const FIRST_NODES = 100;

export class AlphaBeta {
  constructor(game, program, facts, settings) {
    Object.assign(this, { program, facts, settings });
    this.table = program.array("deepen", "table");
    this.rng = program.array("start", "rng");
    [this.history, this.info, this.line] = ["history", "info", "line"].map((name) => program.array("start", `stack.${name}`));
    this.#set("TECHNIQUES", facts.techniques.reduce((bits, name, i) => bits + (settings[name] ? 2 ** i : 0), 0));
    this.#set("SOLVE", settings.solve);
  }

  #get(name) { return Number(this.info[this.facts.info[name]]); }
  #set(name, value) { this.info[this.facts.info[name]] = BigInt(value); }

  newGame(seed) {
    this.rng[0] = BigInt.asUintN(64, BigInt(seed));
    this.table.fill(0);
    this.history.fill(0n);
    this.#set("AGE", 0);
  }

  * think(position, { depth = Infinity, nodes = Infinity, wall }) {
    position.write(this.program, "start", "states");
    this.#set("DEEPEST", Math.min(depth, this.facts.deepest));
    this.program.call("start");
    if (this.#get("COUNT") === 1 && wall && !this.settings.solve) this.#set("DEEPEST", Math.min(this.#get("DEEPEST"), 2));
    yield* slices(nodes, wall, FIRST_NODES, (stop) => {
      this.#set("NODE_LIMIT", stop);
      const complete = this.program.call("deepen");
      return [this.#get("NODES"), complete];
    });
  }

  decision() {
    const { proven, scale, proves } = this.facts, score = this.#get("SCORE");
    const pv = Array.from(this.line.subarray(0, Number(this.program.call("principal_variation"))), Number);
    return decision({
      action: pv[0], value: Math.abs(score) >= proven ? Math.sign(score) : Math.tanh(score / scale), pv,
      proven: this.#get("SOLVED") && proves ? Math.sign(score) : null, depth: this.#get("DEPTH"), nodes: this.#get("NODES"),
    });
  }
}
