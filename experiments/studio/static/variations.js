// The moves of an analysis: a line, the variations that leave it, and what is said of each position.

import { h, patch } from "./dom.js";
import { follow } from "./parts.js";

export class Variations {
  /** @param go shows a node. @param change asks the server for a change of the node that is shown. @param title of the list. */
  constructor(go, change, title) {
    this.next = new Map();  // by node: the one after it that has been looked at last
    this.list = h("div", { class: "variations", role: "group", "aria-label": "Moves", onclick: ({ target }) => {
      const turn = target.closest("[data-node]");
      if (turn) go(Number(turn.dataset.node));
    } });
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
    this.element = h("section", { class: "panel analysis-moves" }, h("h2", {}, title), this.list, this.comment,
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
