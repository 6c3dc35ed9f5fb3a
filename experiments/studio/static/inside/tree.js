// The tree of a search as a picture: a card for each node, the root on top, and as a list.

import { makeBoard } from "../boards/index.js";
import { h, s } from "../dom.js";
import { all, chooseNodes, place } from "./layout.js";
import { signOf, wins } from "./model.js";
import { figure, signed, some } from "./words.js";

const WIDTH = 104, GAP = 12, LEVEL = 46, TEXT = 15, BOARD = 66, EDGE = 26;
const SMALL = 81;  // cells of the largest board that is drawn on cards
const SIZES = [10, 20, 40, 80];

export class TreeView {
  /**
   * @param search what is known of it: info, kind.
   * @param words of the search.
   * @param positions those of nodes, as `Positions` keeps them.
   * @param onLook called with the number of a node that is to be looked at.
   * @param onChange called when something is folded: the picture must be drawn again.
   */
  constructor(search, words, positions, onLook, onChange) {
    Object.assign(this, { search, words, positions, onLook, onChange });
    this.folded = new Set();
    this.opened = new Set();
    this.zoom = null;  // null: as wide as there is room, if it can be read
    this.asList = false;
    this.most = 20;
    const { rows, cols } = search.info;
    this.boards = rows * cols <= SMALL;
    this.board = [(BOARD * cols) / Math.max(rows, cols), (BOARD * rows) / Math.max(rows, cols)];
    this.svg = s("svg", { class: "search-tree", role: "tree", "aria-label": "Search tree" });
    this.list = h("div", { class: "tree-list", hidden: true });
    this.scroll = h("div", { class: "tree-scroll" }, this.svg, this.list);
    const button = (text, label, run) => h("button", { type: "button", class: "quiet", "aria-label": label, title: label, onclick: run }, text);
    this.listButton = h("button", { type: "button", title: "The tree as a list (v)", onclick: () => this.toggleList() }, "List");
    this.size = h("select", {
      "aria-label": "Nodes drawn", onchange: () => { this.most = Number(this.size.value); this.onChange(); },
    }, SIZES.map((n) => h("option", { value: n, selected: n === this.most }, `${n} nodes`)));
    this.caption = h("p", { class: "tree-caption" });
    this.element = h("section", { class: "panel tree-panel", "aria-label": "Tree" },
      h("div", { class: "tree-tools" }, h("h2", {}, "Tree"), this.size, this.listButton,
        button("−", "Smaller (−)", () => this.scale(1 / 1.25)), button("+", "Larger (+)", () => this.scale(1.25)),
        button("⤢", "As wide as there is room (0)", () => this.fit())),
      this.scroll, this.caption);
    this.#defineBoard();
    this.svg.addEventListener("mousedown", (event) => event.preventDefault());  // arrow keys go on stepping
    this.svg.addEventListener("keydown", (event) => this.#key(event));
    this.#drag();
  }

  fit() { this.zoom = null; this.onChange(); }

  scale(by) {
    this.zoom = Math.min(Math.max((this.zoom ?? this.factor) * by, 0.2), 3);
    this.onChange();
  }

  toggleList() { this.asList = !this.asList; this.onChange(); }

  /** Fold a node whose children are drawn, else draw them. */
  toggle(number) {
    const card = this.cards?.get(number);
    if (!card) return;
    const open = card.children.length > 0;
    (open ? this.folded : this.opened).add(number);
    (open ? this.opened : this.folded).delete(number);
    this.onChange();
  }

  // Drawing.

  #defineBoard() {
    const model = this.model = makeBoard(this.search.info);
    this.defs = s("defs", {});
    for (const name of ["ground", "front"]) {
      const layer = model.layers[name].cloneNode(true);
      layer.querySelectorAll("text").forEach((text) => text.remove());
      this.defs.append(s("g", { id: `mini-${name}`, class: `board icon ${model.look.name}` }, layer));
    }
    this.thumbs = new Map();
  }

  /** The position of a node as a small picture, once it is known. */
  #thumb(number, position) {
    if (this.thumbs.has(number)) return this.thumbs.get(number);
    const { look, margin, info } = this.model, [width, height] = this.board;
    const pieces = s("g", { class: `board icon ${look.name}` });
    position.cells.forEach((piece, cell) => {
      if (piece < 0) return;
      const [x, y] = this.model.place(cell);
      pieces.append(s("g", { transform: `translate(${x} ${y})` }, look.piece(info, piece)));
    });
    pieces.querySelectorAll(".shadow, .shine").forEach((part) => part.remove());
    const marks = s("g", {});
    if (position.last !== null && number) {
      const [cx, cy] = this.model.place(position.last);
      marks.append(s("circle", { cx, cy, r: 44, class: "mini-last" }));
    }
    const m = Math.min(margin, 26);
    const thumb = s("svg", {
      width, height, viewBox: `${-m} ${-m} ${100 * info.cols + 2 * m} ${100 * info.rows + 2 * m}`, "aria-hidden": "true",
    }, s("use", { href: "#mini-ground" }), pieces, s("use", { href: "#mini-front" }), marks);
    this.thumbs.set(number, thumb);
    return thumb;
  }

  /**
   * @param tree as it is after a step.
   * @param focus what the step is about, of `focusOf`.
   * @param looked the node whose children the table shows.
   */
  show(tree, focus, looked) {
    this.tree = tree;
    this.focus = focus;
    this.looked = looked;
    const path = [...new Set([...focus.path, focus.at, ...tree.path(looked)])].filter((number) => tree.node(number));
    const root = chooseNodes(tree, { most: this.most, path: path.flatMap((number) => tree.path(number)), folded: this.folded, opened: this.opened });
    place(root, WIDTH + GAP);
    const cards = [...all(root)];
    this.cards = new Map(cards.map((card) => [card.node.number, card]));
    this.marked = new Set(focus.path);
    this.listButton.setAttribute("aria-pressed", String(this.asList));
    this.svg.toggleAttribute("hidden", this.asList);
    this.list.hidden = !this.asList;
    const who = this.words.who(tree.root.mover);
    this.caption.textContent = this.search.kind === "alphabeta"
      ? `Values on the cards are for ${who}, to move at the root: +1 is a win; in brackets the window: what still matters. Orange: where the step is; blue: whose moves are listed.`
      : `Values on the cards are ${who}'s share of the point, to move at the root: 1 is a win. The thicker a line, the more visits. Orange: where the step is; blue: whose moves are listed.`;
    if (this.asList) this.#drawList(cards);
    else this.#draw(cards);
    if (this.boards && !this.asList) this.#want(cards);
  }

  #want(cards) {
    const missing = cards.map(({ node }) => node.number).filter((number) => !this.thumbs.has(number));
    if (!missing.length) return;
    this.positions.of(missing.map((number) => this.tree.moves(number)), (found) => {
      missing.forEach((number, i) => {
        this.#thumb(number, found[i]);
        const group = this.svg.querySelector(`.card[data-node="${number}"]`);
        if (group && this.cards.has(number)) this.#putThumb(group, this.cards.get(number));
      });
    });
  }

  #draw(cards) {
    const lines = Math.max(...cards.map((card) => this.#texts(card).length));
    const top = this.boards ? this.board[1] + 8 : 4;
    this.height = top + TEXT * lines + 6;
    const xs = cards.map(({ x }) => x), left = Math.min(...xs) - WIDTH / 2 - GAP;
    const width = Math.max(...xs) + WIDTH / 2 + GAP - left;
    const deepest = Math.max(...cards.map(({ depth }) => depth));
    const height = 10 + deepest * (this.height + LEVEL) + this.height + EDGE;
    const room = this.scroll.clientWidth - 4;
    this.factor = this.zoom ?? Math.min(1.15, Math.max(0.8, room / width));
    this.svg.setAttribute("viewBox", `${left} -8 ${width} ${height}`);
    this.svg.setAttribute("width", Math.round(width * this.factor));
    this.svg.setAttribute("height", Math.round(height * this.factor));
    this.size0 = { left };
    const edges = s("g", { class: "edges", "aria-hidden": "true" }), faces = s("g", { role: "none" });
    for (const card of cards) {
      card.y = card.depth * (this.height + LEVEL);
      for (const child of card.children) edges.append(this.#edge(card, child));
    }
    for (const card of cards) faces.append(this.#card(card, top));
    this.svg.replaceChildren(this.defs, edges, faces);
    this.#follow();
  }

  #edge(card, child) {
    const share = child.node.visits / Math.max(card.node.visits, 1);
    const y = card.y + this.height, bottom = child.depth * (this.height + LEVEL), middle = (y + bottom) / 2;
    const marked = this.marked.has(child.node.number) && this.marked.has(card.node.number);
    const edge = s("path", {
      d: `M${card.x} ${y}C${card.x} ${middle} ${child.x} ${middle} ${child.x} ${bottom}`,
      class: marked ? "edge-line marked" : child.node.visits || child.node.window ? "edge-line" : "edge-line faint",
      "stroke-width": Math.max(1.3 + 5 * share, marked ? 4 : 0).toFixed(1),
    });
    return edge;
  }

  #card(card, top) {
    const { node } = card, { x, y } = card, number = node.number;
    const marked = this.marked.has(number), texts = this.#texts(card);
    const here = number === (this.focus.child ?? this.focus.at);
    const group = s("g", {
      class: ["card", marked ? "marked" : "", here ? "here" : "", number === this.looked ? "looked" : "", this.#verdict(node)].filter(Boolean).join(" "),
      "data-node": number, role: "treeitem", "aria-level": card.depth + 1, tabindex: here ? 0 : -1,
      "aria-selected": String(number === this.looked), "aria-label": texts.map(({ text }) => text).join(", "),
      ...(node.children.length ? { "aria-expanded": String(card.children.length > 0) } : {}),
    }, s("rect", { x: x - WIDTH / 2, y, width: WIDTH, height: this.height, rx: 8, class: "face-of-card" }));
    if (this.thumbs.has(number)) this.#putThumb(group, card);
    texts.forEach(({ text, style }, i) => {
      const line = s("text", { x, y: y + top + TEXT * (i + 1) - 3, class: style }, text);
      group.append(line);
    });
    if (this.focus.counted && marked) {
      group.append(s("g", { class: "plus" }, s("circle", { cx: x + WIDTH / 2 - 4, cy: y + 4, r: 11 }), s("text", { x: x + WIDTH / 2 - 4, y: y + 8 }, "+1")));
    }
    if (node.children.length) group.append(this.#knob(card));
    return group;
  }

  #putThumb(group, { x, y, node }) {
    const thumb = this.thumbs.get(node.number);
    thumb.setAttribute("x", x - this.board[0] / 2);
    thumb.setAttribute("y", y + 6);
    group.append(thumb);
  }

  /** The button below a card that folds what hangs there. */
  #knob(card) {
    const { x, node } = card, y = card.y + this.height + 11, open = card.children.length > 0;
    const text = open ? (card.hidden ? `− +${card.hidden}` : "−") : `+${node.children.length}`;
    const width = 14 + 7 * text.length;
    const knob = s("g", {
      class: "knob", "data-fold": node.number, "aria-hidden": "true",
    }, s("rect", { x: x - width / 2, y: y - 9, width, height: 18, rx: 9 }));
    knob.append(s("title", {}, open ? `Fold${card.hidden ? `; ${card.hidden} more are not drawn` : ""}` : "Unfold"));
    if (open && card.hidden) {
      knob.append(s("text", { x: x - width / 2 + 11, y: y + 4 }, "−"),
        s("text", { x: x + 7, y: y + 4, "data-more": "" }, `+${card.hidden}`),
        s("rect", { x: x - width / 2 + 18, y: y - 9, width: width - 18, height: 18, "data-more": "", class: "catch" }));
    } else knob.append(s("text", { x, y: y + 4 }, text));
    return knob;
  }

  /** Draw the children of a node that are not drawn yet. */
  more(number) {
    this.opened.add(number);
    this.folded.delete(number);
    this.onChange();
  }

  #sign() { return signOf(this.tree.root.mover); }

  /** Whether a node is certain, for the player at the root. */
  #verdict(node) {
    let sure = node.proven;
    if (sure === null && node.reason === "result") sure = node.value;
    return sure === null ? "" : ["sure-loss", "sure-draw", "sure-win"][Math.sign(this.#sign() * sure) + 1];
  }

  /** The lines on a card. */
  #texts(card) {
    const { node } = card, { tree } = this, mover = tree.root.mover;
    const lines = [];
    if (this.search.kind === "alphabeta") {
      lines.push({ text: `${node.move ?? "root"}: ${node.mover === mover ? "max" : "min"}`, style: "title" });
      lines.push({ text: this.#worth(node), style: node.value === null ? "soft" : "" });
      const bounds = (node.window ?? [-1, 1]).map((bound) => this.#sign() * bound).sort((a, b) => a - b);
      lines.push({ text: `[${signed(bounds[0])}, ${signed(bounds[1])}]`, style: "soft" });
      if (node.skipped.length) lines.push({ text: `✂ ${some(node.skipped, 2).replace(" and ", " +").replace(" more", "")}`, style: "cut" });
      return lines;
    }
    lines.push({ text: node.move ?? "root", style: "title" });
    lines.push({ text: `${node.visits} visit${node.visits === 1 ? "" : "s"}`, style: node.visits ? "" : "soft" });
    if (node.proven !== null) lines.push({ text: ["loss", "draw", "win"][this.#sign() * node.proven + 1] + ", certain", style: "title" });
    else if (node.visits) lines.push({ text: `value ${figure(wins(node, mover), 2)}`, style: "" });
    if (node.prior !== null) lines.push({ text: `prior ${(100 * node.prior).toFixed(node.prior < 0.0995 ? 1 : 0)}%`, style: "soft" });
    return lines;
  }

  #worth(node) {
    if (node.value === null) return "looking …";
    const [low, high] = this.tree.bounds(node.number).map((bound) => this.#sign() * bound).sort((a, b) => a - b);
    if (low === high) return `${node.reason === "estimate" ? "estimate" : "value"} ${signed(low)}`;
    if (high === 1) return `at least ${signed(low)}`;
    return low === -1 ? `at most ${signed(high)}` : `${signed(low)} to ${signed(high)}`;
  }

  /** Keep what the step is about in sight. */
  #follow() {
    const key = `${this.tree.steps}/${this.looked}/${this.factor}`;
    if (key === this.followed) return;
    this.followed = key;
    const card = this.cards.get(this.looked !== this.focus.at ? this.looked : this.focus.child ?? this.focus.at) ?? this.cards.get(0);
    const x = (card.x - this.size0.left) * this.factor, y = (card.y + 8) * this.factor;
    const box = this.scroll, half = (WIDTH / 2) * this.factor, tall = this.height * this.factor;
    if (x - half < box.scrollLeft || x + half > box.scrollLeft + box.clientWidth) box.scrollLeft = x - box.clientWidth / 2;
    if (y < box.scrollTop || y + tall + 20 > box.scrollTop + box.clientHeight) box.scrollTop = y - Math.max(box.clientHeight - tall, 0) / 2;
  }

  #drawList(cards) {
    const row = (card) => {
      const [title, ...rest] = this.#texts(card), { node } = card;
      const name = h("button", {
        type: "button", class: "link", "aria-current": node.number === this.looked ? "true" : null,
        onclick: () => this.onLook(node.number),
      }, title.text);
      const cell = h("td", {}, name);
      cell.style.paddingLeft = `${0.3 + 1.1 * card.depth}rem`;
      return h("tr", { class: this.marked.has(node.number) ? "marked" : "", "data-node": node.number }, cell,
        h("td", {}, this.marked.has(node.number) ? "◂ step" : ""), h("td", {}, rest.map(({ text }) => text).join(" · ")),
        h("td", {}, card.hidden ? h("button", { type: "button", class: "link", onclick: () => this.more(node.number) }, `${card.hidden} more below`) : ""));
    };
    this.list.replaceChildren(h("table", {}, h("caption", { class: "hidden" }, "The tree, node by node; moves are indented by depth"),
      h("thead", {}, h("tr", {}, ["move", "", "what is known", ""].map((text) => h("th", {}, text)))),
      h("tbody", {}, cards.map(row))));
  }

  // Keys and pointers.

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

  /** The mouse draws the picture along, or clicks: on what is drawn now, not when it went down. */
  #drag() {
    let from = null, start = null, dragged = false;
    this.scroll.addEventListener("pointerdown", (event) => {
      if (event.button || this.asList) return;
      dragged = false;
      start = [event.clientX, event.clientY];
      if (event.pointerType === "mouse") from = [event.clientX + this.scroll.scrollLeft, event.clientY + this.scroll.scrollTop];
    });
    this.scroll.addEventListener("pointermove", (event) => {
      if (start && Math.hypot(event.clientX - start[0], event.clientY - start[1]) > 5) dragged = true;
      if (!from) return;
      this.scroll.scrollLeft = from[0] - event.clientX;
      this.scroll.scrollTop = from[1] - event.clientY;
    });
    this.scroll.addEventListener("pointercancel", () => { start = null; });
    this.svg.addEventListener("click", (event) => { if (!event.pointerType) this.#click(event.target); });  // a screen reader's
    addEventListener("pointerup", this.drop = (event) => {
      const clicked = start && !dragged;
      from = start = null;
      if (clicked) this.#click(document.elementFromPoint(event.clientX, event.clientY));
    });
  }

  #click(target) {
    const knob = target?.closest?.(".knob"), card = target?.closest?.(".card");
    if (!card || !this.svg.contains(card)) return;
    const number = Number(card.dataset.node);
    if (!knob) this.onLook(number);
    else if (target.dataset.more !== undefined) this.more(number);
    else this.toggle(number);
  }

  close() { removeEventListener("pointerup", this.drop); }
}
