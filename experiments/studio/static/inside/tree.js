// The tree of a search as a picture: a card for each node, the root on top.

import { h, s } from "../dom.js";
import { cardHeight, drawCard, edge, LEVEL, Thumbs, WIDTH } from "./card.js";
import { all, chooseNodes, place } from "./layout.js";
import { Words } from "./words.js";

const GAP = 12, EDGE = 26;
const SIZES = [10, 20, 40, 80];

export class TreeView {
  /**
   * @param onLook called with the number of a selected node.
   * @param onChange called when something is folded: the picture must be drawn again.
   */
  constructor(search, words, positions, onLook, onChange) {
    Object.assign(this, { search, words, positions, onLook, onChange });
    this.folded = new Set();
    this.opened = new Set();
    this.most = 20;
    this.thumbs = new Thumbs(search.info);
    this.svg = s("svg", { class: "search-tree", role: "tree", "aria-label": "Search tree" });
    this.scroll = h("div", { class: "tree-scroll" }, this.svg);
    this.size = h("select", {
      "aria-label": "Nodes drawn", onchange: () => { this.most = Number(this.size.value); this.onChange(); },
    }, SIZES.map((n) => h("option", { value: n, selected: n === this.most }, `${n} nodes`)));
    this.caption = h("p", { class: "tree-caption" });
    this.phases = Words.phases(search).map((name) => h("li", {}, name));
    this.element = h("section", { class: "panel tree-panel", "aria-label": "Tree" },
      h("div", { class: "tree-tools" }, h("ol", { class: "phases", "aria-hidden": "true" }, ...this.phases), this.size), this.scroll, this.caption);
    new ResizeObserver(() => { if (this.tree) this.onChange(); }).observe(this.scroll);
    this.svg.addEventListener("mousedown", (event) => event.preventDefault());  // arrow keys still step
    this.svg.addEventListener("keydown", (event) => this.#key(event));
    // What is drawn there now: it may have been drawn anew since the button went down.
    this.svg.addEventListener("click", (event) => this.#click(event.pointerType ? document.elementFromPoint(event.clientX, event.clientY) : event.target));
  }

  /** Fold or unfold a node. */
  toggle(number) {
    const card = this.cards?.get(number);
    if (!card) return;
    const open = card.children.length > 0;
    (open ? this.folded : this.opened).add(number);
    (open ? this.opened : this.folded).delete(number);
    this.onChange();
  }

  /**
   * @param tree the tree after a step. @param focus the subject of the step, from `focusOf`.
   * @param looked the node whose children the table shows. @param phase the step's, or "".
   * @returns a promise: the cards have their pictures.
   */
  show(tree, focus, looked, phase) {
    Object.assign(this, { tree, focus, looked });
    for (const one of this.phases) one.classList.toggle("now", one.textContent === phase);
    const path = [...new Set([...focus.path, focus.at, ...tree.path(looked)])].filter((number) => tree.node(number));
    const root = chooseNodes(tree, { most: this.most, path: path.flatMap((number) => tree.path(number)), folded: this.folded, opened: this.opened });
    place(root, WIDTH + GAP);
    const cards = [...all(root)];
    this.cards = new Map(cards.map((card) => [card.node.number, card]));
    this.marked = new Set(focus.path);
    const who = this.words.who(tree.root.mover);
    this.caption.textContent = this.search.kind === "alphabeta"
      ? `Values on the cards are for ${who}, the player to move at the root: +1 is a win. Brackets: the window (alpha, beta). Orange: the current step; blue: the node in the table.`
      : `Values on the cards are ${who}'s share of the point (the player to move at the root): 1 is a win. Thicker lines have more visits. Orange: the current step; blue: the node in the table.`;
    this.#draw(cards);
    return this.thumbs.drawn ? this.#pictures(cards) : null;
  }

  /** Draw the positions of cards that have no picture yet. */
  async #pictures(cards) {
    const missing = cards.map(({ node }) => node.number).filter((number) => !this.thumbs.pictures.has(number));
    const found = await this.positions.of(missing.map((number) => this.tree.moves(number)));
    missing.forEach((number, i) => {
      this.thumbs.add(number, found[i]);
      const group = this.svg.querySelector(`.card[data-node="${number}"]`), card = this.cards.get(number);
      if (group && card) this.thumbs.putInto(group, card);
    });
  }

  #draw(cards) {
    const { tree, thumbs, marked, looked } = this, { kind } = this.search;
    this.height = cardHeight(cards, tree, kind, thumbs);
    const xs = cards.map(({ x }) => x), left = this.left = Math.min(...xs) - WIDTH / 2 - GAP;
    const width = Math.max(...xs) + WIDTH / 2 + GAP - left;
    const deepest = Math.max(...cards.map(({ depth }) => depth));
    const height = 10 + deepest * (this.height + LEVEL) + this.height + EDGE;
    const room = this.scroll.clientWidth - 4;
    const letter = Math.sqrt(parseFloat(getComputedStyle(document.documentElement).fontSize) / 16);  // larger in a lecture
    this.factor = Math.min(1.15 * letter, Math.max(0.8 * letter, room / width));  // as wide as there is room, if it can be read
    this.svg.setAttribute("viewBox", `${left} -8 ${width} ${height}`);
    this.svg.setAttribute("width", Math.round(width * this.factor));
    this.svg.setAttribute("height", Math.round(height * this.factor));
    for (const card of cards) card.y = card.depth * (this.height + LEVEL);
    const look = {
      tree, kind, thumbs, marked, looked, height: this.height, here: this.#here(), counted: this.focus.counted,
    };
    const isMarked = (...numbers) => numbers.every(({ node }) => marked.has(node.number));
    this.svg.replaceChildren(
      s("g", { class: "edges", "aria-hidden": "true" }, cards.flatMap((card) => (
        card.children.map((child) => edge(card, child, this.height, isMarked(card, child)))))),
      s("g", { role: "none" }, cards.flatMap((card) => drawCard(card, look))));
    this.#follow();
  }

  /** The node that the step is about. */
  #here() { return this.focus.child ?? this.focus.at; }

  /** Scroll to the subject of the step. */
  #follow() {
    const key = [this.tree.steps, this.looked, this.factor, this.scroll.clientWidth, this.scroll.clientHeight].join("/");
    if (key === this.followed) return;
    this.followed = key;
    const card = this.cards.get(this.looked !== this.focus.at ? this.looked : this.#here()) ?? this.cards.get(0);
    const x = (card.x - this.left) * this.factor, y = (card.y + 8) * this.factor;
    const box = this.scroll, half = (WIDTH / 2) * this.factor, tall = this.height * this.factor;
    if (x - half < box.scrollLeft || x + half > box.scrollLeft + box.clientWidth) box.scrollLeft = x - box.clientWidth / 2;
    if (y < box.scrollTop || y + tall + 20 > box.scrollTop + box.clientHeight) box.scrollTop = y - Math.max(box.clientHeight - tall, 0) / 2;
  }

  #key(event) {
    const card = this.cards.get(Number(event.target.dataset?.node));
    if (!card || event.ctrlKey || event.altKey || event.metaKey) return;
    const number = card.node.number, parent = this.cards.get(card.node.parent);
    const beside = (by) => parent?.children[parent.children.indexOf(card) + by]?.node.number;
    const to = {
      ArrowUp: () => card.node.parent, ArrowDown: () => card.children[0]?.node.number,
      ArrowLeft: () => beside(-1), ArrowRight: () => beside(1),
    }[event.key];
    if (to) {
      const next = to();
      if (next !== undefined && next !== null) this.#focusOn(next);
    } else if (event.key === "Enter") this.onLook(number);
    else if (event.key === " ") this.toggle(number);
    else if (event.key === "Escape") document.activeElement?.blur();
    else return;
    event.preventDefault();
    event.stopPropagation();
    if (["Enter", " "].includes(event.key)) this.#focusOn(number);
  }

  #focusOn(number) {
    this.svg.querySelector(`.card[data-node="${number}"]`)?.focus();
  }

  #click(target) {
    const found = target?.closest?.(".knob, .card");
    if (!found || !this.svg.contains(found)) return;
    const { fold, node } = found.dataset;
    if (fold) this.toggle(Number(fold));
    else this.onLook(Number(node));
  }
}
