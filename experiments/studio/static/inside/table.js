// The children of a node as a table, with the numbers that the search's formula uses.

import { capital, h, percent } from "../dom.js";
import { mean, terms, windowAt } from "./model.js";
import { between, figure, signed } from "./words.js";

const ROWS = 40;  // the best moves of large boards

const certain = (node, mover) => ["loss", "draw", "win"][mean(node, mover) + 1];

/** How a search finds the next move, in one line. */
function formula({ kind, settings }, node) {
  const n = node.visits;
  if (kind === "uct") return `score = wins + ${settings.c_uct} · √(ln N / n), N = ${n}: visits here; n: those of the move`;
  if (kind === "puct") return `score = wins + ${settings.c_puct} · prior · √N / (1 + n), N = ${n}: visits here; n: those of the move`;
  const plan = node.number ? "; the visits should be proportional to e^score" : "; the plan below assigns the visits";
  return `score = ln prior + (50 + most visits) · wins${plan}`;
}

export class ChildTable {
  /** @param onLook called with the number of a child that is chosen. */
  constructor(search, words, onLook) {
    Object.assign(this, { search, words, onLook });
    this.title = h("h2", {});
    this.note = h("p", { class: "formula" });
    this.rounds = h("ol", { class: "rounds", hidden: true });
    this.head = h("thead", {});
    this.body = h("tbody", {});
    this.foot = h("p", { class: "formula" });
    this.element = h("section", { class: "panel child-panel", "aria-label": "Moves of the node" }, this.title, this.note, this.rounds,
      h("div", { class: "children-scroll" }, h("table", { class: "children", "aria-label": "Moves of this node" }, this.head, this.body)), this.foot);
  }

  /** @param event the step; its choice is marked. */
  show(tree, number, event) {
    Object.assign(this, { tree, event });
    const node = tree.node(number);
    this.title.textContent = `${capital(this.words.at(tree, number))}: ${this.words.who(node.mover)} chooses`;
    if (this.search.kind === "alphabeta") this.#alphabeta(node);
    else this.#visits(node);
  }

  #name(node, chosen) {
    return [h("button", { class: "link", onclick: () => this.onLook(node.number) }, node.move), chosen ? h("span", { class: "chosen" }, " ◂") : ""];
  }

  #visits(node) {
    const { tree, search, event } = this, { kind } = search, gumbel = kind === "gumbel";
    const children = tree.children(node), numbers = terms(tree, node, search);
    const own = this.words.who(node.mover), hasPrior = children.some(({ prior }) => prior !== null);
    const root = node.number === 0;
    const sure = node.proven !== null;  // then no score is needed any more
    this.note.textContent = !children.length ? "" : sure ? "The result is certain: the search tries nothing more here." : formula(search, node);
    this.note.hidden = !children.length;
    const chosen = event?.event === "Selected" && event.node === node.number ? event.child
      : event?.event === "BackedUp" ? event.path[event.path.indexOf(node.number) - 1] ?? null : null;
    let rows = children.map((child, i) => ({ child, ...numbers[i] }));
    if (rows.length > ROWS) {
      rows.sort((a, b) => b.child.visits - a.child.visits || (b.child.prior ?? 0) - (a.child.prior ?? 0) || a.child.number - b.child.number);
      rows = rows.filter(({ child }, i) => i < ROWS || child.number === chosen);
    }
    const planned = new Set(gumbel && root ? tree.rounds.at(-1)?.candidates ?? [] : []);
    const best = Math.max(...numbers.map(({ score }) => score ?? -Infinity));
    const columns = [
      ["move", ({ child }) => this.#name(child, child.number === chosen)],
      ["visits", ({ child }) => String(child.visits)],
      ...(hasPrior ? [["prior", ({ child }) => percent(child.prior, 1)]] : []),
      [`wins for ${own}`, ({ child, wins, guess }) => (child.proven !== null ? h("b", {}, certain(child, node.mover)) : wins === null ? "" : guess ? (sure ? "" : `(${figure(wins)})`) : figure(wins))],
      ...(gumbel || sure ? [] : [["explore", ({ explore }) => (explore === null ? "" : figure(explore))]]),
      ...(sure ? [] : [["score", ({ score, lost }) => (score === null ? "" : lost ? "lost" : h(score === best ? "b" : "span", {}, figure(score, gumbel ? 2 : 3)))]]),
      ...(gumbel && root ? [["in", ({ child }) => (planned.has(child.number) ? "✓" : "")]] : []),
      ...(gumbel && !root && !sure ? [["should have", ({ policy }) => percent(policy, 1)], ["has", ({ share }) => percent(share, 1)]] : []),
    ];
    this.#fill(columns, rows, ({ child }) => ({ class: [child.number === chosen ? "chosen" : "", planned.size && !planned.has(child.number) ? "out" : ""].join(" "), "data-node": child.number }));
    const guesses = !sure && numbers.some(({ guess }) => guess);
    this.foot.textContent = [
      kind === "uct" && children.length && !sure ? "Untried moves come first." : "",
      guesses ? (gumbel ? "(in brackets: untried; estimated from the network's value and the tried moves)" : `(in brackets: untried; estimated as the position's value minus ${search.settings.fpu_reduction})`) : "",
      gumbel && root ? "✓: still in the plan." : "", children.length > ROWS ? `${children.length - ROWS} more moves.` : "",
      !children.length ? (node.proven !== null && !node.children.length ? "The game is over here." : "No move of this node has been tried yet.") : "",
    ].filter(Boolean).join(" ");
    this.rounds.hidden = !(gumbel && root && tree.rounds.length);
    this.rounds.replaceChildren(...tree.rounds.map(({ candidates, visits }) => h("li", {},
      `${candidates.length} move${candidates.length === 1 ? "" : "s"}, ${visits} visit${visits === 1 ? "" : "s"} each: ${candidates.map((one) => tree.node(one).move).join(", ")}`)));
  }

  #alphabeta(node) {
    const { tree, event } = this, { alpha, beta, given, rows } = windowAt(tree, node);
    const own = this.words.who(node.mover), over = node.reason === "result", deep = node.reason === "estimate";
    this.note.hidden = false;
    this.note.replaceChildren(
      "alpha ", h("b", {}, signed(alpha)), alpha > given[0] ? ` (${signed(given[0])} at first)` : "", " · beta ", h("b", {}, signed(beta)),
      ` · as ${own} sees them`);
    this.rounds.hidden = true;
    const chosen = event?.event === "Valued" ? event.node : null;
    const raised = rows.findLast(({ raised: better }) => better);
    const columns = [
      ["move", (row) => (row.skipped ? row.move : this.#name(row.node, row.node.number === chosen))],
      [`value for ${own}`, (row) => (row.skipped ? "" : row.done ? between(row.low, row.high) : "…")],
      ["", (row) => (row.skipped ? "cut off: not searched" : !row.done ? "searching" : row === raised ? "best so far" : "")],
    ];
    this.#fill(columns, rows, (row) => ({ class: row.skipped ? "cut" : row === raised ? "chosen" : "", "data-node": row.node?.number }));
    this.foot.textContent = over ? "The game is over here." : deep ? "The depth limit: the game's estimate is used here."
      : !rows.length ? "No move has been searched yet." : "";
  }

  #fill(columns, rows, attributes) {
    this.head.replaceChildren(h("tr", {}, columns.map(([name]) => h("th", { scope: "col" }, name))));
    this.head.hidden = !rows.length;
    this.body.replaceChildren(...rows.map((row) => h("tr", attributes(row), columns.map(([, cell]) => h("td", {}, cell(row))))));
  }
}
