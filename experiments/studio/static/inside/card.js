// A node of a search tree as a card: its texts, the position as a small picture, the line to it.

import { pictureOf } from "../boards/index.js";
import { percent, s } from "../dom.js";
import { signOf, wins } from "./model.js";
import { between, figure, signed, some } from "./words.js";

export const WIDTH = 104;
export const LEVEL = 46;
const TEXT = 15, BOARD = 66;
const SMALL = 81;  // cells of the largest board that is drawn on cards

/** Positions of nodes as small pictures, of which each is drawn once. */
export class Thumbs {
  constructor(info) {
    const { width, height, places } = info, unit = BOARD / Math.max(width, height);
    Object.assign(this, { info, drawn: places.length <= SMALL, width: unit * width, height: unit * height, pictures: new Map() });
  }

  add(number, position) {
    if (this.pictures.has(number)) return;
    const { svg, layers } = pictureOf(this.info, position);
    layers.cells.remove();
    svg.querySelector(".last")?.setAttribute("r", 44);  // pictures that are saved know no style sheet
    svg.classList.add("icon");
    svg.setAttribute("width", this.width);
    svg.setAttribute("height", this.height);
    this.pictures.set(number, svg);
  }

  /** Put the picture of a card's node, if it is there, into the card. */
  putInto(group, { x, y, node }) {
    const picture = this.pictures.get(node.number);
    if (!picture) return;
    picture.setAttribute("x", x - this.width / 2);
    picture.setAttribute("y", y + 6);
    group.append(picture);
  }
}

/** The lines on a card: {text, style}. `card` has the node, `tree` is the tree after a step. */
export function cardTexts({ node }, tree, kind) {
  const { mover } = tree.root, sign = signOf(mover);
  if (kind === "alphabeta") {
    const [low, high] = (node.window ?? [-1, 1]).map((bound) => sign * bound).sort((a, b) => a - b);
    const lines = [
      { text: `${node.move ?? "root"}: ${node.mover === mover ? "max" : "min"}`, style: "title" },
      { text: worth(node, tree, sign), style: node.value === null ? "soft" : "" },
      { text: `[${signed(low)}, ${signed(high)}]`, style: "soft" },
    ];
    if (node.skipped.length) lines.push({ text: `✂ ${some(node.skipped, 2).replace(" and ", " +").replace(" more", "")}`, style: "cut" });
    return lines;
  }
  const lines = [
    { text: node.move ?? "root", style: "title" },
    { text: `${node.visits} visit${node.visits === 1 ? "" : "s"}`, style: node.visits ? "" : "soft" },
  ];
  if (node.proven !== null) lines.push({ text: `${["loss", "draw", "win"][sign * node.proven + 1]}, certain`, style: "title" });
  else if (node.visits) lines.push({ text: `value ${figure(wins(node, mover), 2)}`, style: "" });
  if (node.prior !== null) lines.push({ text: `prior ${percent(node.prior, node.prior < 0.0995 ? 1 : 0)}`, style: "soft" });
  return lines;
}

function worth(node, tree, sign) {
  if (node.value === null) return "searching …";
  const [low, high] = tree.bounds(node.number).map((bound) => sign * bound).sort((a, b) => a - b);
  return `${low < high ? "" : node.reason === "estimate" ? "estimate " : "value "}${between(low, high)}`;
}

/** A class for a node whose result is certain, as the player at the root sees it. */
function verdict(node, sign) {
  const sure = node.proven ?? (node.reason === "result" ? node.value : null);
  return sure === null ? "" : ["sure-loss", "sure-draw", "sure-win"][Math.sign(sign * sure) + 1];
}

/** How high all cards are, so that the texts of each have room. */
export function cardHeight(cards, tree, kind, thumbs) {
  return textTop(thumbs) + TEXT * Math.max(...cards.map((card) => cardTexts(card, tree, kind).length)) + 6;
}

const textTop = (thumbs) => (thumbs.drawn ? thumbs.height + 8 : 4);

/** The line from a card to one of its children. */
export function edge(card, child, height, marked) {
  const share = child.node.visits / Math.max(card.node.visits, 1);
  const y = card.y + height, bottom = child.y, middle = (y + bottom) / 2;
  return s("path", {
    d: `M${card.x} ${y}C${card.x} ${middle} ${child.x} ${middle} ${child.x} ${bottom}`,
    class: marked ? "edge-line marked" : child.node.visits || child.node.window ? "edge-line" : "edge-line faint",
    "stroke-width": Math.max(1.3 + 5 * share, marked ? 4 : 0).toFixed(1),
  });
}

/**
 * A card, and the button below it.
 *
 * @param look {tree, kind, thumbs, height: of all cards, marked: numbers of nodes, here, looked: a
 *   number, counted: whether the marked nodes have one more visit}.
 */
export function drawCard(card, look) {
  const { node, x, y } = card, { tree, thumbs, height } = look, number = node.number;
  const marked = look.marked.has(number), here = number === look.here, texts = cardTexts(card, tree, look.kind);
  const counted = look.counted && marked;
  const group = s("g", {
    class: ["card", marked ? "marked" : "", here ? "here" : "", number === look.looked ? "looked" : "", verdict(node, signOf(tree.root.mover))].filter(Boolean).join(" "),
    "data-node": number, role: "treeitem", "aria-level": card.depth + 1, tabindex: here ? 0 : -1,
    "aria-selected": String(number === look.looked), "aria-label": `${texts.map(({ text }) => text).join(", ")}${counted ? ", +1" : ""}`,
    "aria-expanded": node.children.length ? String(card.children.length > 0) : null,
  }, s("rect", { x: x - WIDTH / 2, y, width: WIDTH, height, rx: 8, class: "face-of-card" }));
  thumbs.putInto(group, card);
  group.append(...texts.flatMap(({ text, style }, i) => (
    [s("text", { x, y: y + textTop(thumbs) + TEXT * (i + 1) - 3, class: style }, text), " "])));
  if (counted) {
    group.append(s("g", { class: "plus" }, s("circle", { cx: x + WIDTH / 2 - 4, cy: y + 4, r: 11 }), s("text", { x: x + WIDTH / 2 - 4, y: y + 8 }, "+1")));
  }
  return node.children.length ? [group, knob(card, height)] : [group];
}

/** The button below a card that folds what hangs there; it says how many children are not drawn. */
function knob(card, height) {
  const { x, node } = card, y = card.y + height + 11, open = card.children.length > 0;
  const hidden = open ? card.hidden : node.children.length, text = `${open ? "−" : ""}${hidden ? ` +${hidden}` : ""}`.trim();
  const width = 14 + 7 * text.length;
  const title = open ? `Fold${hidden ? `; ${hidden} more are not drawn` : ""}` : "Unfold";
  return s("g", { class: "knob", "data-fold": node.number, "aria-hidden": "true" },
    s("rect", { x: x - width / 2, y: y - 9, width, height: 18, rx: 9 }), s("title", {}, title), s("text", { x, y: y + 4 }, text));
}
