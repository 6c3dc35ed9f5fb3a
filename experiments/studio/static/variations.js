// The moves of an analysis: a line, the variations that leave it, and what is said of each position.

import { LOOKS } from "./boards/looks.js";
import { h, patch, s } from "./dom.js";
import { follow } from "./parts.js";

const STEP = 24, RADIUS = 8;  // pixels of the drawn tree: from node to node, of a node

export class Variations {
  /** @param info of the game. @param go shows a node. @param change asks the server for a change of the node that is shown. @param title of the list. */
  constructor(info, go, change, title) {
    this.next = new Map();  // by node: the one after it that has been looked at last
    const choose = ({ target }) => {
      const turn = target.closest("[data-node]");
      if (turn) go(Number(turn.dataset.node));
    };
    this.list = h("div", { class: "variations", role: "group", "aria-label": "Moves", onclick: choose });
    this.tree = s("svg", { role: "img", "aria-label": "The tree of the variations, which the list of moves tells, too" });
    this.drawing = h("div", { class: `drawn-tree ${LOOKS[info.look].name}`, onclick: choose }, this.tree);
    this.comment = h("textarea", {
      id: "comment", rows: 2, maxlength: 10_000, "aria-label": "Comment", placeholder: "A comment on this position",
      onchange: () => change({ comment: this.comment.value }),
    });
    const button = (text, title, run) => h("button", { title, onclick: run }, text);
    this.promote = button("Promote", "Put this variation first", () => change({ promote: true }));
    this.remove = button("Delete", "Delete this move and all that follow", () => {
      if (this.removing === this.at.id || !this.children.get(this.at.id)) change({ delete: true });
      else { this.removing = this.at.id; this.remove.textContent = "Really delete?"; }
    });
    this.element = h("section", { class: "panel analysis-moves" }, h("h2", {}, title), this.drawing, this.list, this.comment,
      h("div", { class: "buttons" }, this.promote, this.remove));
  }

  /** Show the tree. @param nodes as the server lists them. @param id of the one that the board shows. */
  show(nodes, id) {
    if (nodes !== this.given) {
      this.given = nodes;
      this.nodes = new Map(nodes.map((node) => [node.id, node]));
      this.children = new Map();
      for (const node of nodes) this.children.set(node.parent, [...this.children.get(node.parent) ?? [], node]);
    }
    const moved = this.at?.id !== id, before = this.at?.comment;
    this.at = this.nodes.get(id);
    for (let node = this.at; node.parent !== null; node = this.nodes.get(node.parent)) this.next.set(node.parent, node);
    patch(this.list, this.#line(nodes[0].id, 1));
    this.#draw(nodes);
    if (moved) { this.removing = null; follow(this.list); }
    if (moved || before !== this.at.comment) this.comment.value = this.at.comment;
    this.remove.textContent = this.removing === id ? "Really delete?" : "Delete";
    this.remove.disabled = this.at.parent === null;
    this.promote.disabled = !this.path().some((node) => node.parent !== null && this.children.get(node.parent)[0] !== node);
  }

  /** The nodes that lead to the one that is shown, the start first. */
  path() {
    const path = [this.at];
    while (path[0].parent !== null) path.unshift(this.nodes.get(path[0].parent));
    return path;
  }

  /** The same, and those that follow: the ones that were looked at last, else the first. */
  line() {
    const line = this.path();
    for (;;) {
      const following = this.children.get(line.at(-1).id), last = this.next.get(line.at(-1).id);
      if (!following) return line;
      line.push(following.find((node) => node.id === last?.id) ?? following[0]);
    }
  }

  /** The variation before (-1) or after the one that is shown: another move in place of the last one that has others; or undefined. */
  beside(by) {
    for (const node of this.path().reverse()) {
      const moves = this.children.get(node.parent), other = moves[moves.indexOf(node) + by];
      if (other) return other;
    }
    return undefined;
  }

  /** Draw the tree, if there is more than one line: moves from left to right, each variation on a row of its own. */
  #draw(nodes) {
    const places = new Map([[nodes[0].id, [0, 0]]]), ways = [];
    const visit = (id, rows) => {  // how many rows the tree has so far
      const [x, y] = places.get(id);
      for (const [number, child] of (this.children.get(id) ?? []).entries()) {
        const row = number ? rows : y;
        places.set(child.id, [x + 1, row]);
        ways.push(`M${x * STEP} ${y * STEP}V${Math.max(row - 0.5, y) * STEP}L${(x + (row > y ? 0.5 : 1)) * STEP} ${row * STEP}H${(x + 1) * STEP}`);
        rows = visit(child.id, Math.max(rows, row + 1));
      }
      return rows;
    };
    const rows = visit(nodes[0].id, 1), columns = Math.max(...[...places.values()].map(([x]) => x)) + 1;
    this.drawing.hidden = rows === 1;
    if (rows === 1) return;
    for (const [name, size] of [["width", columns], ["height", rows]]) this.tree.setAttribute(name, size * STEP);
    this.tree.setAttribute("viewBox", `${-STEP / 2} ${-STEP / 2} ${columns * STEP} ${rows * STEP}`);
    patch(this.tree, [["path", { d: ways.join("") }], ...nodes.map(({ id, player, text }) => {
      const [x, y] = places.get(id), here = id === this.at.id ? " here" : "";
      return ["circle", { cx: x * STEP, cy: y * STEP, r: text ? RADIUS : RADIUS / 2, class: `side${player ?? ""}${here}`, "data-node": id }, ["title", {}, text || "start"]];
    })]);
    const { drawing } = this, [x, y] = places.get(this.at.id);
    drawing.scrollTo(x * STEP - drawing.clientWidth / 2, y * STEP - drawing.clientHeight / 2);
  }

  /** The turns after a node, as `patch` takes them; variations stand after the turn that they replace. */
  #line(id, number) {
    const wanted = [];
    for (let following; (following = this.children.get(id)); number++) {
      const [main, ...others] = following;
      wanted.push(...this.#turn(main, number), ...others.map((other) => (
        ["div", { class: "variation" }, ...this.#turn(other, number), ...this.#line(other.id, number + 1)])));
      id = main.id;
    }
    return wanted;
  }

  #turn({ id, player, text, comment }, number) {
    const current = id === this.at.id ? { "aria-current": "true" } : {};
    return [
      ["button", { type: "button", class: `turn side${player}`, "data-node": id, ...current }, `${number}. ${text}`],
      ...(comment ? [["span", { class: "said" }, comment]] : []),
    ];
  }
}
