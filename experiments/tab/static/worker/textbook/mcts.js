// UCT and PUCT, step by step: generators of the events of engines/watching/events.py.
//
// They are engines/mcts/textbook.py and engines/alphazero/textbook.py: the same seed gives the same steps. Their tree and
// their scores are those that the page shows.

import { decision } from "../drivers/decision.js";
import { mean, SearchTree, signOf, terms } from "../model.js";
import { Rng } from "../rng.js";

const MOVERS = ["black", "white"];

const compare = (a, b) => a.map((number, i) => number - b[i]).find(Boolean) ?? 0;

export class UCT {
  kind = "uct";
  hasNetwork = false;

  constructor(game, settings, seed) { Object.assign(this, { game, settings, rng: new Rng(seed) }); }

  /** The events of a search. */
  * search(position, sims) {
    const { root } = this.tree = new SearchTree(MOVERS[position.player]);
    root.position = position;
    for (this.done = 0; !this.done || (root.proven === null && this.done < sims); this.done++) yield* this.simulation();
  }

  /** Note an event in the tree, as the page that is told of it does. */
  tell(event) {
    this.tree.apply(event);
    return event;
  }

  positionOf(node) {
    return node.position ??= this.positionOf(this.tree.node(node.parent)).play(this.game.texts.indexOf(node.move));
  }

  untriedOf(node) {
    return node.untried ??= this.positionOf(node).over ? [] : this.positionOf(node).sensible();
  }

  * simulation() {
    const leaf = yield* this.expand(yield* this.select(this.tree.root));
    yield this.backUp(leaf, leaf.proven ?? (yield* this.simulate(leaf)));
  }

  /** Walk down to a node that has an untried move or is proven. */
  * select(node) {
    while (node.children.length && !this.untriedOf(node).length && node.proven === null) {
      const scores = terms(this.tree, node, this).map(({ score }) => score), child = node.children[scores.indexOf(Math.max(...scores))];
      yield this.tell({ event: "Selected", node: node.number, child });
      node = this.tree.node(child);
    }
    return node;
  }

  * expand(node) {
    if (node.proven !== null) return node;
    const untried = this.untriedOf(node), [action] = untried.splice(this.rng.below(untried.length), 1);
    yield this.addChildren(node, [[action, 0]]);
    const leaf = this.tree.node(node.children.at(-1));
    yield* this.proveEnd(leaf);
    return leaf;
  }

  addChildren(node, priors) {
    const first = this.tree.nodes.size, children = priors.map(([action, prior], i) => ({
      node: first + i, move: this.game.texts[action], mover: MOVERS[this.positionOf(node).play(action).player], prior: prior || null }));
    return this.tell({ event: "Expanded", node: node.number, children });
  }

  /** The result of a position where the game has ended, and what it proves about the nodes above. */
  * proveEnd(node) {
    let result = this.positionOf(node).over ? this.positionOf(node).result() : null;
    while (node && result !== null && node.proven === null) {
      yield this.tell({ event: "Proved", node: node.number, result });
      node = this.tree.node(node.parent);
      result = node ? this.proofOf(node) : null;
    }
  }

  /** The result that the children prove, or null. */
  proofOf(node) {
    const sign = signOf(node.mover), known = this.tree.children(node).filter(({ proven }) => proven !== null).map(({ proven }) => sign * proven);
    const complete = !this.untriedOf(node).length && known.length === node.children.length;
    return known.includes(1) || complete ? sign * Math.max(...known) : null;
  }

  /** The result of a random game; players pass only without another sensible move. */
  * simulate(leaf) {
    const moves = [];
    let position = this.positionOf(leaf);
    while (!position.over) {
      const actions = position.sensible(), plays = actions.filter((action) => action !== this.game.passAction);
      const among = plays.length ? plays : actions, action = among[this.rng.below(among.length)];
      moves.push(this.game.texts[action]);
      position = position.play(action);
    }
    const value = position.result();
    yield this.tell({ event: "Simulated", node: leaf.number, moves, value });
    return value;
  }

  backUp({ number }, value) { return this.tell({ event: "BackedUp", path: this.tree.path(number).reverse(), value }); }

  /** The child to play: a proven win comes first, a proven loss last. */
  favourite(node) {
    const key = (child) => [child.proven === null ? 0 : mean(child, node.mover), child.visits, mean(child, node.mover), child.prior];
    return this.tree.children(node).reduce((best, child) => (compare(key(child), key(best)) > 0 ? child : best));
  }

  decision() {
    const { root, nodes } = this.tree, { mover } = root, line = [this.favourite(root)];
    while (line.at(-1).children.length && this.favourite(line.at(-1)).visits) line.push(this.favourite(line.at(-1)));
    const children = this.tree.children(root), visited = children.filter(({ visits }) => visits);
    const actionOf = ({ move }) => this.game.texts.indexOf(move), table = (some, number) => new Map(some.map((node) => [actionOf(node), number(node)]));
    const total = visited.reduce((count, { visits }) => count + visits, 0);
    return decision({
      action: actionOf(line[0]), value: mean(root, mover), proven: root.proven === null ? null : mean(root, mover), pv: line.map(actionOf),
      policy: table(visited, ({ visits }) => visits / total), values: table(visited, (child) => mean(child, mover)), visits: table(visited, ({ visits }) => visits),
      priors: table(children.filter(({ prior }) => prior), ({ prior }) => prior), simulations: this.done, nodes: nodes.size,
    });
  }
}

export class PUCT extends UCT {
  kind = "puct";

  /** @param network an engine that asks a network about each position, or null. */
  constructor(game, settings, seed, network) {
    super(game, settings, seed);
    Object.assign(this, { network, hasNetwork: network !== null });
  }

  * simulation() {
    const leaf = yield* this.select(this.tree.root);
    if (leaf.proven === null) yield* this.proveEnd(leaf);
    if (leaf.proven === null) {
      const { priors, value } = this.evaluate(this.positionOf(leaf));
      yield this.tell({ event: "Evaluated", node: leaf.number, value });
      yield this.addChildren(leaf, priors);
      leaf.untried = [];
      yield this.backUp(leaf, value);
    } else yield this.backUp(leaf, leaf.proven);
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
