// UCT and PUCT, step by step: generators of the events of engines/watching/events.py.
//
// They are engines/mcts/textbook.py and engines/alphazero/textbook.py: the same seed gives the same steps.

import { decision } from "../drivers/decision.js";
import { Rng } from "../rng.js";

const MOVERS = ["black", "white"];

const compare = (a, b) => a.map((number, i) => number - b[i]).find(Boolean) ?? 0;

/** The first of the items with the largest key, a list of numbers. */
function best(items, keyOf) {
  const keys = items.map(keyOf);
  return items[keys.reduce((at, key, i) => (compare(key, keys[at]) > 0 ? i : at), 0)];
}

class Node {
  #position = null;
  #untried = null;

  /** @param position of the node, used now and made again where a search comes back: most nodes are never visited. */
  constructor(number, parent, action, prior, position) {
    Object.assign(this, { number, parent, action, prior, children: [], visits: 0, total: 0, proven: null });
    this.mover = position.player;
    this.sign = this.mover ? -1 : 1;
    if (!parent) this.#position = position;
  }

  get position() { return this.#position ??= this.parent.position.play(this.action); }
  get untried() { return this.#untried ??= this.position.over ? [] : this.position.sensible(); }
  set untried(actions) { this.#untried = actions; }

  /** The mean result for a player with this sign; the exact one if it is proven. */
  mean(sign) { return sign * (this.proven ?? this.total / Math.max(this.visits, 1)); }

  /** The result that the children prove, or null. */
  proof() {
    const known = this.children.filter(({ proven }) => proven !== null).map(({ proven }) => this.sign * proven);
    const complete = !this.untried.length && known.length === this.children.length;
    return known.includes(1) || complete ? this.sign * Math.max(...known) : null;
  }
}

export class UCT {
  hasNetwork = false;

  constructor(game, settings, seed) { Object.assign(this, { game, settings, rng: new Rng(seed) }); }

  /** The events of a search. */
  * search(position, sims) {
    this.root = new Node(0, null, null, 0, position);
    this.nodes = 1;
    for (this.done = 0; !this.done || (this.root.proven === null && this.done < sims); this.done++) yield* this.simulation();
  }

  * simulation() {
    const leaf = yield* this.expand(yield* this.select(this.root));
    yield this.backUp(leaf, leaf.proven ?? (yield* this.simulate(leaf)));
  }

  /** Walk down to a node that has an untried move or is proven. */
  * select(node) {
    while (node.children.length && !node.untried.length && node.proven === null) {
      const child = best(node.children, (one) => [this.score(node, one)]);
      yield { event: "Selected", node: node.number, child: child.number };
      node = child;
    }
    return node;
  }

  score(node, child) {
    const wins = (1 + child.mean(node.sign)) / 2;
    return child.proven !== null ? wins : wins + this.settings.c_uct * Math.sqrt(Math.log(node.visits) / child.visits);
  }

  * expand(node) {
    if (node.proven !== null) return node;
    const [action] = node.untried.splice(this.rng.below(node.untried.length), 1);
    yield this.addChildren(node, [[action, 0]]);
    const leaf = node.children.at(-1);
    if (leaf.position.over) yield* this.prove(leaf, leaf.position.result());
    return leaf;
  }

  addChildren(node, priors) {
    const added = priors.map(([action, prior]) => new Node(this.nodes++, node, action, prior, node.position.play(action)));
    node.children.push(...added);
    return {
      event: "Expanded", node: node.number,
      children: added.map(({ number, action, mover, prior }) => ({ node: number, move: this.game.texts[action], mover: MOVERS[mover], prior: prior || null })),
    };
  }

  /** A certain result, and what it proves about the nodes above. */
  * prove(node, result) {
    while (node && result !== null && node.proven === null) {
      node.proven = result;
      yield { event: "Proved", node: node.number, result };
      node = node.parent;
      result = node && node.proof();
    }
  }

  /** The result of a random game; players pass only without another sensible move. */
  * simulate(leaf) {
    const moves = [];
    let { position } = leaf;
    while (!position.over) {
      const actions = position.sensible(), plays = actions.filter((action) => action !== this.game.passAction);
      const among = plays.length ? plays : actions, action = among[this.rng.below(among.length)];
      moves.push(this.game.texts[action]);
      position = position.play(action);
    }
    const value = position.result();
    yield { event: "Simulated", node: leaf.number, moves, value };
    return value;
  }

  backUp(leaf, value) {
    const path = [];
    for (let node = leaf; node; node = node.parent) {
      path.push(node.number);
      node.visits += 1;
      node.total += value;
    }
    return { event: "BackedUp", path, value };
  }

  /** The child to play: a proven win comes first, a proven loss last. */
  favourite(node) {
    return best(node.children, (child) => [child.proven === null ? 0 : child.mean(node.sign), child.visits, child.mean(node.sign), child.prior]);
  }

  decision() {
    const { root } = this, { sign } = root, line = [this.favourite(root)], visited = root.children.filter(({ visits }) => visits);
    while (line.at(-1).children.length && this.favourite(line.at(-1)).visits) line.push(this.favourite(line.at(-1)));
    const total = visited.reduce((count, { visits }) => count + visits, 0), table = (nodes, number) => new Map(nodes.map((node) => [node.action, number(node)]));
    return decision({
      action: line[0].action, value: root.mean(sign), proven: root.proven === null ? null : root.mean(sign), pv: line.map(({ action }) => action),
      policy: table(visited, ({ visits }) => visits / total), values: table(visited, (child) => child.mean(sign)), visits: table(visited, ({ visits }) => visits),
      priors: table(root.children.filter(({ prior }) => prior), ({ prior }) => prior), simulations: this.done, nodes: this.nodes,
    });
  }
}

export class PUCT extends UCT {
  /** @param network an engine that asks a network about each position, or null. */
  constructor(game, settings, seed, network) {
    super(game, settings, seed);
    Object.assign(this, { network, hasNetwork: network !== null });
  }

  * simulation() {
    const leaf = yield* this.select(this.root);
    if (leaf.proven === null && leaf.position.over) yield* this.prove(leaf, leaf.position.result());
    if (leaf.proven === null) {
      const { priors, value } = this.evaluate(leaf.position);
      yield { event: "Evaluated", node: leaf.number, value };
      yield this.addChildren(leaf, priors);
      leaf.untried = [];
      yield this.backUp(leaf, value);
    } else yield this.backUp(leaf, leaf.proven);
  }

  score(node, child) {
    if (child.proven !== null) return (1 + child.mean(node.sign)) / 2;
    const wins = child.visits ? (1 + child.mean(node.sign)) / 2 : (1 + node.mean(node.sign)) / 2 - this.settings.fpu_reduction;
    return wins + this.settings.c_puct * (child.prior * Math.sqrt(node.visits) / (1 + child.visits));
  }

  /** A prior for each sensible move, and the value for black. A search of one simulation asks the network once. */
  evaluate(position) {
    const actions = position.sensible(), even = 1 / actions.length;
    if (!this.network) return { priors: actions.map((action) => [action, even]), value: (position.player ? -1 : 1) * Math.tanh(position.evaluate() / 500) };
    this.network.newGame(1);
    [...this.network.think(position, { sims: 1 })];
    const { priors } = this.network.decision(), [value] = this.network.driver.tree.value_sum;
    return { priors: actions.map((action) => [action, priors.size ? priors.get(action) ?? 0 : even]), value };
  }
}
