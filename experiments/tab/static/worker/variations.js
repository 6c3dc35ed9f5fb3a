// A game with its variations: a tree of positions, each with its comment and its marks (experiments' dlgo/game_tree.py).

import { turnsPlayed } from "./views.js";

/** A position, the turn that led to it, what is said about it, and what follows; the first children are the main line. */
export class Node {
  constructor(position, actions = [], parent = null) {
    Object.assign(this, { position, actions, parent, comment: "", children: [] });
    this.markup = new Map();  // properties of SGF: a list of texts as they stand in a file
  }

  /** The child that a turn leads to; a new one if there is none. Refuses an illegal turn. */
  add(actions) {
    const known = this.children.find((child) => child.actions.join() === actions.join());
    if (known) return known;
    const child = new Node(actions.reduce((at, action) => at.play(action), this.position), actions, this);
    this.children.push(child);
    return child;
  }

  /** Become the first child of the parent. */
  lead() {
    const { children } = this.parent;
    children.splice(children.indexOf(this), 1);
    children.unshift(this);
  }

  say(text) { this.comment = [this.comment, text].filter(Boolean).join("\n\n"); }

  /** The nodes that lead here, without the root. */
  line() { return this.parent ? [...this.parent.line(), this] : []; }

  /** The last of the first children that follow each other. */
  get end() { return this.children.length ? this.children[0].end : this; }

  /** This node and all that follow, variations after the main line. */
  walk() { return [this, ...this.children.flatMap((child) => child.walk())]; }

  /** The node and all that follow, which may be changed then. */
  copy(parent = null) {
    const twin = Object.assign(new Node(this.position, this.actions, parent), { comment: this.comment, markup: new Map(this.markup) });
    twin.children = this.children.map((child) => child.copy(twin));
    return twin;
  }
}

/** Lead the main line of a tree to a position, along new nodes where it went elsewhere; the last of them. */
export function leadTo(root, position) {
  let node = root;
  for (const { actions } of turnsPlayed(position)) {
    node = node.add(actions);
    node.lead();
  }
  return node;
}

/** A tree whose main line leads to a position: a copy of `tree`, whose other lines become variations. */
export function treeOf(position, tree = null) {
  const root = tree?.copy() ?? new Node(position.history()[0]);
  leadTo(root, position).children = [];
  return root;
}

// Marks on cells: the letters of SGF, from the top left.

const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const SHAPES = { CR: "circle", TR: "triangle", SQ: "square", MA: "cross" };

/** SGF's name of a cell. */
export const pointOf = (cell, { rows, cols }) => LETTERS[cell % cols] + LETTERS[rows - 1 - Math.floor(cell / cols)];

/** The cells that `cc` or the rectangle `cc:ee` names; no cells if it names none. */
export function cellsOf(value, { rows, cols }) {
  if (!/^\s*[a-zA-Z]{2}(:[a-zA-Z]{2})?\s*$/.test(value)) return [];
  const [left, top, right, bottom] = [...value.trim().slice(0, 2), ...value.trim().slice(-2)].map((letter) => LETTERS.indexOf(letter));
  const range = (low, high, end) => Array.from({ length: Math.max(Math.min(high + 1, end) - low, 0) }, (_, i) => low + i);
  return range(top, bottom, rows).flatMap((row) => range(left, right, cols).map((col) => (rows - 1 - row) * cols + col));
}

/** What is drawn on a node's board. */
export function marksOf({ markup, position: { game: { info } } }) {
  const values = (key) => markup.get(key) ?? [], split = (value) => [value.slice(0, value.indexOf(":")), value.slice(value.indexOf(":") + 1)];
  const arrows = values("AR").map((value) => value.split(":").map((part) => cellsOf(part, info)));
  return {
    labels: Object.fromEntries(values("LB").map(split).flatMap(([place, text]) => cellsOf(place, info).map((cell) => [cell, plainValue(text)]))),
    arrows: arrows.filter((ends) => ends.length === 2 && ends.every((cells) => cells.length)).map(([from, to]) => [from[0], to[0]]),
    shapes: Object.fromEntries(Object.entries(SHAPES).flatMap(([key, shape]) => values(key).flatMap((value) => cellsOf(value, info)).map((cell) => [cell, shape]))),
  };
}

/** The text of a value of SGF. */
export const plainValue = (value) => value.replace(/\\(.)/gs, "$1");
