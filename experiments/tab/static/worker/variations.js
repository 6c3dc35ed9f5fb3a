// A game with its variations, as dlgo/game_tree.py has it: a tree of positions, each with its comment and its marks.

import { after, turnsPlayed } from "./views.js";

/** A position, the turn that led to it, what is said about it, and what follows; the first children are the main line. */
export class Node {
  constructor(position, actions = [], parent = null) {
    Object.assign(this, { position, actions, parent, comment: "", children: [] });
    this.markup = new Map();  // properties of SGF: lists of texts as they stand in a file
  }

  /** The child that a turn leads to; a new one if there is none. Refuses an illegal turn. */
  add(actions) {
    const known = this.children.find((child) => child.actions.join() === actions.join());
    if (!known) this.children.push(new Node(after(this.position, actions), actions, this));
    return known ?? this.children.at(-1);
  }

  /** Become the first child of the parent. */
  lead() {
    const { children } = this.parent;
    children.unshift(...children.splice(children.indexOf(this), 1));
  }

  say(text) { this.comment = [this.comment, text].filter(Boolean).join("\n\n"); }

  /** The nodes that lead here, without the root. */
  line() {
    const line = [];
    for (let node = this; node.parent; node = node.parent) line.unshift(node);
    return line;
  }

  /** The last node of the main line. */
  get end() {
    let node = this;
    while (node.children.length) [node] = node.children;
    return node;
  }

  /** This node and all that follow, variations after the main line. */
  walk() {
    const nodes = [], waiting = [this];
    while (waiting.length) {
      nodes.push(waiting.pop());
      waiting.push(...[...nodes.at(-1).children].reverse());
    }
    return nodes;
  }

  /** The node and all that follow, which may be changed then. */
  copy(parent = null) {
    const twin = Object.assign(new Node(this.position, this.actions, parent), { comment: this.comment });
    twin.markup = new Map(this.markup);
    twin.children = this.children.map((child) => child.copy(twin));
    return twin;
  }
}

/** Make the line to a position the main line of a tree; its last node. */
export function leadTo(root, position) {
  return turnsPlayed(position).reduce((node, { actions }) => {
    const child = node.add(actions);
    child.lead();
    return child;
  }, root);
}

/** A tree whose main line leads to a position: a copy of `tree`, of which other lines become variations. */
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

/** The cells that `cc` or the rectangle `cc:ee` names; an empty list if it names none. */
export function cellsOf(value, { rows, cols }) {
  if (!/^\s*[a-zA-Z]{2}(:[a-zA-Z]{2})?\s*$/.test(value)) return [];
  const [left, top, right, bottom] = Array.from(value.trim().slice(0, 2) + value.trim().slice(-2), (letter) => LETTERS.indexOf(letter));
  const cells = Array.from({ length: rows * cols }, (_, cell) => ({ cell, row: rows - 1 - Math.floor(cell / cols), col: cell % cols }));
  return cells.filter(({ row, col }) => row >= top && row <= bottom && col >= left && col <= right).map(({ cell }) => cell);
}

/** The text of a value of SGF. */
export const plainValue = (value) => value.replace(/\\(.)/gs, "$1");

/** What is drawn on a node's board. */
export function marksOf({ markup, position: { game: { info } } }) {
  const marks = { labels: {}, arrows: [], shapes: {} }, values = (key) => markup.get(key) ?? [];
  for (const value of values("LB")) {
    const at = value.indexOf(":");
    for (const cell of cellsOf(value.slice(0, at), info)) marks.labels[cell] = plainValue(value.slice(at + 1));
  }
  for (const value of values("AR")) {
    const ends = value.split(":").map((part) => cellsOf(part, info)[0]);
    if (ends.length === 2 && !ends.includes(undefined)) marks.arrows.push(ends);
  }
  for (const [key, shape] of Object.entries(SHAPES)) {
    for (const cell of values(key).flatMap((value) => cellsOf(value, info))) marks.shapes[cell] = shape;
  }
  return marks;
}
