// Tree searches (mcts, puct, alphazero, descent): engines/search/engine.py around the compiled loop.

import { Rng } from "../rng.js";
import { deriveSeed } from "../seeds.js";
import { slices } from "./clock.js";

const ROOT = 0, UNPROVEN = 2, NO_LIMIT = 1n << 62n, LINES = 12, LINE_LENGTH = 10, TRUSTED = 8;
const TREE = 0, REMAINING = 1, BUDGET = 2, N_NODES = 0, DEEPEST = 1, PLIES = 1;

export class TreeSearch {
  constructor(game, program, { constants, trees = "trees", roots = "roots", plan = "plan", rngs = "rngs", walks = null, steps = "most", best = null }, settings, given) {
    Object.assign(this, { game, program, settings, names: { roots, steps, best } });
    this.plan = program.array("run", plan);
    this.rng = program.array("run", rngs);
    this.fields = program.names("find_child").filter((name) => name.startsWith("tree.")).map((name) => name.slice(5));
    this.constants = Object.fromEntries(Object.entries(constants).filter(([option]) => option in given).map(([option, path]) => [path, given[option]]));
    this.rows = [0, 1].map((row) => Object.fromEntries(this.fields.map((field) => [field, program.row("run", `${trees}.${field}`, row)])));
    this.walks = walks && program.array("run", walks);  // best-first minimax values results by the plies before them
    this.counts = Object.fromEntries(["visits", "value_sums", "proven", "priors"].map((name) => [name, program.array("add_root", name)]));
  }

  newGame(seed) {
    this.rng[0] = BigInt.asUintN(64, BigInt(seed));
    this.draws = new Rng(seed);
    this.mistakes = new Rng(deriveSeed(seed, "mistake"));
    this.root = null;
  }

  get tree() { return this.rows[this.plan[TREE]]; }

  /** The parameters of an argument that is a row of the trees. */
  #row(argument, row = Number(this.plan[TREE])) {
    return Object.fromEntries(this.fields.map((field) => [`${argument}.${field}.data`, this.rows[row][field].byteOffset]));
  }

  #child(node, action) { return Number(this.program.call("find_child", { ...this.#row("tree"), node, action })); }

  /** The node of a position that continues the game of the last search, else -1. */
  #nodeOf(position) {
    const line = [];
    for (let at = position; at !== this.root; at = at.previous) {
      if (!at.previous || !this.root) return -1;
      line.unshift(at.action);
    }
    let node = ROOT;
    for (const action of line) {
      node = action === "resign" ? -1 : this.#child(node, action);
      if (node < 0 || !this.tree.visits[node]) return -1;
    }
    return this.tree.n_children[node] > 0 ? node : -1;
  }

  #setRoot(position) {
    const { program, names } = this, node = this.settings.reuse ? this.#nodeOf(position) : -1;
    position.write(program, "run", names.roots);
    if (this.walks) this.walks[PLIES] = BigInt(position.plies);
    if (node < 0) {
      position.write(program, "set_root", "state");
      program.call("set_root", this.#row("tree"));
    } else if (node > 0) {
      const spare = 1 - Number(this.plan[TREE]);
      program.call("advance", { ...this.#row("tree"), ...this.#row("spare", spare), node });
      this.plan[TREE] = BigInt(spare);
    }
    this.root = position;
  }

  * think(position, { sims, evals, wall }) {
    this.#setRoot(position);
    const { program, tree, names } = this, most = sims ?? evals ?? Infinity, fresh = tree.n_children[ROOT] === 0;
    this.nodes = -Number(tree.info[N_NODES]);
    this.simulations = 0;
    this.plan[REMAINING] = Number.isFinite(most) ? BigInt(most) : NO_LIMIT;
    tree.info[BUDGET] = Number.isFinite(most) ? BigInt(most - fresh) : 0n;
    yield* slices(most, wall, 16, (stop) => {
      this.simulations += Number(program.call("run", { ...this.constants, [names.steps]: stop - this.simulations })[0]);
      return [this.simulations, tree.proven[ROOT] !== UNPROVEN];
    });
  }

  decision() {
    const { program, tree, counts, settings } = this;
    counts.visits.fill(0n);
    counts.value_sums.fill(0);
    counts.proven.fill(UNPROVEN);
    counts.priors.fill(0);
    let action = Number(program.call("add_root", this.#row("tree")));
    const sign = 1 - 2 * tree.mover[ROOT], proof = tree.proven[ROOT] === UNPROVEN ? null : tree.proven[ROOT];
    const visits = Array.from(counts.visits, Number), total = visits.reduce((a, b) => a + b, 0);
    const visited = visits.flatMap((n, move) => (n ? [move] : [])).sort((a, b) => visits[b] - visits[a]);
    const valueOf = (move) => (counts.proven[move] !== UNPROVEN ? counts.proven[move] : this.names.best ? counts.value_sums[move] : counts.value_sums[move] / visits[move]);
    const value = this.names.best ? tree.value_sum[ROOT] : counts.value_sums.reduce((a, b) => a + b, 0) / Math.max(total, 1);
    if (this.names.best) action = this.#best(action);
    else if (proof === null && settings.temperature > 0 && this.root.plies < settings.sample_plies) action = this.#draw(visited, visits, sign) ?? action;
    const known = counts.priors.filter((prior) => prior > 0), guided = known.length > 0 && known.some((prior) => prior !== known[0]);
    if (settings.mistake > 0 && proof === null) action = this.#err(action, visited.filter((move) => move === action || visits[move] >= (settings.mistake === 1 ? 1 : TRUSTED)), (move) => (1 + sign * valueOf(move)) / 2);
    if (settings.rules) action = this.#obey([action, ...visited, ...this.root.actions]);
    const table = (moves, number) => new Map(moves.map((move) => [move, number(move)]));
    return {
      action, value: sign * (proof ?? value), proven: proof === null ? null : sign * proof, depth: Number(tree.info[DEEPEST]),
      policy: table(visited, (move) => visits[move] / total), values: table(visited, (move) => sign * valueOf(move)),
      visits: table(guided ? Array.from(counts.priors).flatMap((prior, move) => (prior ? [move] : [])) : visited, (move) => visits[move]),
      priors: guided ? table(Array.from(counts.priors).flatMap((prior, move) => (prior ? [move] : [])), (move) => counts.priors[move]) : new Map(),
      pv: this.#line(ROOT, 30, action), lines: table(visited.slice(0, LINES), (move) => this.#lineAfter(move)),
      simulations: this.simulations, nodes: this.nodes + Number(tree.info[N_NODES]),
    };
  }

  /** The expected moves from a node; `action` alone if they begin with another. */
  #line(node, length, action) {
    const line = this.program.array("principal_variation", "out");
    const n = Number(this.program.call("principal_variation", { ...this.#row("tree"), node, "out.shape.0": length, "out.size": length }));
    const moves = Array.from(line.subarray(0, n), Number);
    return action === undefined || moves[0] === action ? moves : [action];
  }

  #lineAfter(action) {
    const node = this.#child(ROOT, action);
    return node < 0 || !this.tree.visits[node] ? [action] : [action, ...this.#line(node, LINE_LENGTH)];
  }

  /** Best-first minimax: a proven move that is better than all estimates is played, though it is not visited again. */
  #best(action) {
    const { tree } = this, child = Number(this.program.call(this.names.best, { ...this.#row("tree"), node: ROOT, only_open: 0 }));
    return tree.proven[child] !== UNPROVEN ? tree.action[child] : action;
  }

  /** A move that a beginner might play, of those visited enough; `wins`: the share of wins of each. */
  #err(best, moves, wins) {
    const { alert, careless, mistake } = this.settings;
    if (!moves.includes(best) || (alert && this.#takes(best)) || (careless < 1 && this.mistakes.uniform() >= careless)) return best;
    const choices = moves.filter((move) => move === best || wins(move) >= wins(best) - mistake);
    return choices[this.mistakes.below(choices.length)];
  }

  /** Whether a move takes pieces off the board. */
  #takes(action) {
    const { root } = this, [before, after] = [root, root.play(action)].map((position) => position.cells().filter((piece) => piece >= 0));
    const theirs = (pieces) => pieces.filter((piece) => piece % 2 !== root.player).length;
    return after.length <= before.length && theirs(after) < theirs(before);
  }

  /** The first move that obeys the rules of thumb. */
  #obey(moves) {
    const { program, settings: { rules } } = this, allowed = program.array("filter_moves", "allowed").fill(1);
    this.root.write(program, "filter_moves", "states");
    program.call("filter_moves", { level: rules });
    return moves.find((move) => allowed[move]);
  }

  /** A move drawn by visits ** (1 / temperature); none that is proven to lose. */
  #draw(visited, visits, sign) {
    const open = visited.filter((move) => this.counts.proven[move] !== -sign);
    const weights = open.map((move) => (visits[move] / visits[open[0]]) ** (1 / this.settings.temperature));
    let mark = this.draws.uniform() * weights.reduce((a, b) => a + b, 0);
    return open.find((_, i) => (mark -= weights[i]) < 0);
  }
}
