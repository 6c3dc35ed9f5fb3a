// A step of a search in one plain sentence.

import { capital, percent } from "../dom.js";
import { signOf, terms } from "./model.js";

/** A number with three digits behind the point; no -0. */
export const figure = (value, digits = 3) => (value === null || value === undefined ? ""
  : (Math.round(value * 10 ** digits) / 10 ** digits + 0).toFixed(digits));

/** A value from -1 to 1 with its sign; whole numbers are short. */
export function signed(value) {
  const text = figure(value, 2);
  if (/^-?[01]\.00$/.test(text)) return { "-1.00": "−1", "0.00": "0", "1.00": "+1" }[text];
  return text.startsWith("-") ? text.replace("-", "−") : `+${text}`;
}

/** What is known of a value, from the least and the most that it can be. */
export const between = (low, high) => (low === high ? signed(low) : high === 1 ? `at least ${signed(low)}`
  : low === -1 ? `at most ${signed(high)}` : `${signed(low)} to ${signed(high)}`);

const plural = (n, noun) => `${n} ${noun}${n === 1 ? "" : "s"}`;

export function some(moves, most = 4) {
  return moves.slice(0, most).join(", ") + (moves.length > most ? ` and ${moves.length - most} more` : "");
}

/** Words for one search: `who(mover)` are the players as people call them. */
export class Words {
  constructor(search) {
    this.search = search;
    const short = (text) => text.replace(/^.*\((.*)\)$/, "$1");
    this.names = { black: short(search.info.players[0]), white: short(search.info.players[1]) };
  }

  /** A move in a sentence: a number alone would be taken for something else. */
  move(text) { return this.search.info.look === "drop" && /^\d+$/.test(text) ? `column ${text}` : text; }

  who(mover) { return this.names[mover]; }
  other(mover) { return this.names[mover === "black" ? "white" : "black"]; }

  /** A result as black sees it. */
  result(value) {
    return value > 0 ? `${this.names.black} wins` : value < 0 ? `${this.names.white} wins` : "a draw";
  }

  /** Where a node is: "the root", "after B2 A1". */
  place(tree, number) {
    const moves = tree.moves(number);
    if (!moves.length) return "the root";
    return moves.length > 6 ? `after … ${moves.slice(-5).join(" ")}` : `after ${moves.join(" ")}`;
  }

  at(tree, number) {
    const place = this.place(tree, number);
    return place === "the root" ? "at the root" : place;
  }

  /** The phases of a search; a sentence begins with that of its step. */
  static phases({ kind, name }) {
    if (name === "minimax") return ["Enter", "Value"];
    return {
      uct: ["Select", "Expand", "Simulate", "Back up", "Prove"],
      puct: ["Select", "Evaluate", "Expand", "Back up", "Prove"],
      gumbel: ["Halve", "Select", "Evaluate", "Expand", "Back up", "Prove"],
      alphabeta: ["Enter", "Value", "Cut off"],
    }[kind];
  }

  /** The sentence; `tree` is the tree after the event. */
  sentence(event, tree) {
    if (!event) return `The search starts with the root only, where ${this.who(tree.root.mover)} is to move. Press → for a step, or Play.`;
    return this[event.event](event, tree);
  }

  Selected({ node: number, child }, tree) {
    const node = tree.node(number), chosen = tree.node(child), { kind } = this.search;
    const rows = terms(tree, node, this.search), row = rows[node.children.indexOf(child)];
    const where = this.at(tree, number);
    if (kind === "gumbel" && number === 0) {
      return `Select: at the root, the plan chooses ${this.move(chosen.move)}: it has the highest score of the moves with ${plural(chosen.visits, "visit")}.`;
    }
    if (kind === "gumbel") {
      return `Select: ${where}, ${this.move(chosen.move)} should have ${Math.round(100 * row.policy)}% of the visits and has ${Math.round(100 * row.share)}%, so it is furthest behind.`;
    }
    const sum = row.explore ? `${figure(row.wins)} for its wins + ${figure(row.explore)} for exploring = ${figure(row.score)}` : figure(row.score);
    const equal = rows.filter(({ score }) => score === row.score).length > 1;
    return `Select: ${where}, ${this.who(node.mover)} tries ${this.move(chosen.move)}, ${equal ? "the first of those with" : "which has"} the highest score: ${sum}.`;
  }

  Expanded({ node: number, children }, tree) {
    const where = this.at(tree, number);
    if (children.length === 1 && this.search.kind === "uct") {
      const left = tree.node(number).children.length;
      return `Expand: ${this.move(children[0].move)} has not been tried ${where}; it becomes a new node${left === 1 ? "" : `, the ${ordinal(left)} there`}.`;
    }
    const known = children.filter(({ prior }) => prior !== null);
    const best = known.reduce((a, b) => (b.prior > (a?.prior ?? -1) ? b : a), null);
    const even = known.length && known.every(({ prior }) => Math.abs(prior - known[0].prior) < 1e-9);
    const likely = percent(best?.prior, best?.prior < 0.1 ? 1 : 0);
    const prior = !best ? "" : even ? `, all with the same prior, ${likely}` : `; the likeliest is ${this.move(best.move)}, prior ${likely}`;
    return `Expand: ${where}, all ${plural(children.length, "move")} become nodes${prior}.`;
  }

  Simulated({ node, moves, value }, tree) {
    const where = this.at(tree, node);
    return `Simulate: ${where}, ${plural(moves.length, "random move")} end the game: ${this.result(value)}.`;
  }

  Evaluated({ node: number, value }, tree) {
    const { mover } = tree.node(number), share = (1 + signOf(mover) * value) / 2;
    const source = this.search.name === "textbook-alphago" ? "the value network and a game of the fast policy expect"
      : this.search.hasNetwork ? "the network expects" : "without a network, the game's own estimate is";
    return `Evaluate: ${this.at(tree, number)}, ${source} ${figure(share)} of the point for ${this.who(mover)}, who is to move.`;
  }

  BackedUp({ path, value }) {
    const exact = Math.abs(value) === 1 ? this.result(value)
      : value === 0 && !["puct", "gumbel"].includes(this.search.kind) ? "a draw"
        : `${figure((1 + value) / 2)} of the point for ${this.names.black}, ${figure((1 - value) / 2)} for ${this.names.white}`;
    return `Back up: ${exact}. The search adds this result and one visit to ${path.length === 1 ? "the node" : `the ${path.length} nodes`} of the path.`;
  }

  Proved({ node, result }, tree) {
    const proved = tree.node(node), sign = signOf(proved.mover);
    const win = tree.children(proved).find((child) => sign * (child.proven ?? 0) === 1);
    const why = !proved.children.length ? "the game is over" : win && sign * result === 1 ? `${this.move(win.move)} wins` : "all its moves are known";
    const then = node === 0 ? "The search ends." : "There is nothing left to explore there.";
    return `Prove: ${this.at(tree, node)}, ${why}, so the result is certain: ${this.result(result)}. ${then}`;
  }

  Halved({ candidates, visits }, tree) {
    const moves = candidates.map((number) => tree.node(number).move);
    return `Halve: ${plural(moves.length, "candidate")}, ${some(moves, 8)}, ${moves.length === 1 ? "gets" : "get"} ${plural(visits, "visit")} each.`;
  }

  Entered({ node: number, alpha, beta, depth, mover }, tree) {
    const left = depth === null ? "to the end" : depth === 0 ? "no further move" : `${plural(depth, "move")} deeper`;
    const wide = alpha <= -1 && beta >= 1;
    const why = wide ? "any value matters" : `only values between alpha ${signed(alpha)} and beta ${signed(beta)} matter to ${this.who(mover)}`;
    return `Enter: ${this.place(tree, number)}, ${this.who(mover)} is to move; search ${left}; ${why}.`;
  }

  Valued({ node: number, value, reason }, tree) {
    const { mover } = tree.node(number), place = this.place(tree, number);
    if (reason === "result") return `Value: ${place}, the game is over: ${this.result(signOf(mover) * value)}.`;
    if (reason === "estimate") return `Value: ${place}, the search is deep enough; the game's estimate is ${signed(value)} for ${this.who(mover)}.`;
    const [low, high] = tree.bounds(number);
    const exact = low === high ? "" : signOf(mover) * low <= signOf(mover) * high ? "at least " : "at most ";
    return `Value: ${place}, the best that ${this.who(mover)} finds is ${exact}${signed(value)}.`;
  }

  CutOff({ node: number, value, beta, skipped }, tree) {
    const { mover, parent } = tree.node(number);
    const why = parent === null || beta >= 1 ? "nothing is better than a win"
      : `beta is ${signed(beta)}: ${this.other(mover)} has a move elsewhere that is at least as good, so this position is never reached`;
    return `Cut off: ${this.at(tree, number)}, ${this.who(mover)} gets at least ${signed(value)}; ${why}. ${capital(plural(skipped.length, "move"))} not searched: ${some(skipped)}.`;
  }

  /** Why the recording ends before the search, if it does. */
  shortened() {
    const { limit } = this.search;
    return limit ? `The recording is incomplete: it reached its limit of ${limit}. To see the whole search, choose a smaller board, fewer simulations or less depth.` : "";
  }

  /** The choice of the search at its end. */
  choice(decision) {
    if (!decision) return this.shortened();
    const words = [`It plays ${this.move(decision.text)}`];
    const visits = decision.moves[0]?.visits;
    if (decision.proven !== null) words.push(["a proven loss", "a proven draw", "a proven win"][decision.proven + 1]);
    else if (visits !== undefined) words.push(`the move with ${plural(visits, "visit")}`);
    const share = decision.proven === null && decision.value !== null ? figure((1 + decision.value) / 2) : "";
    if (share) words.push(visits === undefined ? `expecting ${share} of the point` : `with a mean of ${share} of the point over all simulations`);
    return `${words.join(", ")}.${decision.line.length > 1 ? ` Expected line: ${decision.line.map(({ text }) => text).join(" ")}.` : ""}`;
  }
}

function ordinal(n) {
  const ending = n % 100 > 10 && n % 100 < 14 ? "th" : { 1: "st", 2: "nd", 3: "rd" }[n % 10] ?? "th";
  return `${n}${ending}`;
}
