// Engines that play a network's scores without a search: engines/learning/policy_engine.py.

import { Rng } from "../rng.js";
import { Driver } from "./decision.js";

const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
const scaled = (numbers, total = sum(numbers)) => numbers.map((number) => number / total);

export class Policy extends Driver {
  newGame(seed) { this.rng = new Rng(seed); }

  * think(position) {
    const { program, game, facts, settings } = this;
    position.write(program, "score_actions", "state");
    const [n, value] = program.call("score_actions");
    const read = (name) => Array.from(program.array("score_actions", name).subarray(0, Number(n)), Number);
    let actions = read("actions"), scores = read("scores");
    if (settings.passes === "last" && actions.length > 1) {
      scores = scores.filter((_, i) => actions[i] !== game.passAction);
      actions = actions.filter((action) => action !== game.passAction);
    }
    const best = Math.max(...scores), first = scores.indexOf(best);
    const policy = facts.greedy ? scores.map((_, i) => (1 - settings.epsilon) * (i === first) + settings.epsilon / scores.length)
      : scaled(scores.map((score) => Math.exp(score - best)));
    const choice = this.#choose(policy), action = actions[choice];
    const known = facts.greedy ? scores[choice] : facts.values ? value : null;
    const order = [...actions.keys()].sort((a, b) => policy[b] - policy[a]);
    this.answer = {
      action, value: known === null ? null : Math.min(Math.max(known, -1), 1), pv: [action], nodes: 1,
      policy: new Map(order.map((i) => [actions[i], policy[i]])),
    };
  }

  /** Which candidate to play. */
  #choose(policy) {
    const { facts: { greedy, clip }, settings: { choose, temperature } } = this;
    if (greedy) return this.#draw(policy, 1);
    if (choose === "best") return policy.indexOf(Math.max(...policy));
    if (!clip) return this.#draw(policy, temperature);
    const powers = policy.map((share) => share ** (1 / temperature)), largest = Math.max(...policy);
    // A tiny temperature can underflow everything; then only the likeliest are left.
    const weights = sum(powers) > 0 ? scaled(powers) : policy.map((share) => Number(share === largest));
    return this.#draw(scaled(weights.map((weight) => Math.min(Math.max(weight, clip), 1 - clip))), 1);
  }

  /** engines/learning/selfplay/drawing.py */
  #draw(shares, temperature) {
    const largest = Math.max(...shares);
    const weights = shares.map((share) => (share ? (share / largest) ** (1 / temperature) : 0));
    const mark = this.rng.uniform() * sum(weights);
    let total = 0;
    const choice = weights.findIndex((weight) => (total += weight) > mark);
    return choice;
  }
}
