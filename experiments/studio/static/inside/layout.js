// Which nodes of a search tree are drawn, and where.

const ROOT_MOVES = 9;  // that are drawn before what hangs below them

/** The tree that is drawn: {node, children, hidden: how many children are not drawn}. */
export function chooseNodes(tree, { most, path, folded, opened }) {
  const alphabeta = tree.root.window !== null;
  const cards = new Map();
  const add = (number) => {
    const node = tree.node(number);
    if (node && !cards.has(number)) cards.set(number, { node, children: [], hidden: 0 });
  };
  // Nearest to the root first in alpha-beta, most visited first elsewhere: the tree grows the same
  // way whichever way one steps.
  const order = [];
  const first = new Set(tree.children(tree.root).sort((a, b) => b.visits - a.visits || (b.prior ?? 0) - (a.prior ?? 0)).slice(0, ROOT_MOVES));
  const offer = (number, depth) => {
    if (folded.has(number)) return;
    for (const child of tree.children(tree.node(number))) {
      if (child.visits || child.proven !== null || alphabeta || number === 0 || opened.has(number)) order.push({ child, depth, open: opened.has(number) });
    }
  };
  const rank = ({ child, depth, open }) => (alphabeta ? depth : -child.visits) - (open ? 1e9 : first.has(child) ? 1e6 : 0);
  add(0);
  path.forEach(add);
  offer(0, 1);
  const limit = () => most + [...opened].filter((number) => cards.has(number)).length * 24;
  while (order.length && cards.size < limit()) {
    let best = 0;
    for (let i = 1; i < order.length; i++) if (rank(order[i]) < rank(order[best])) best = i;
    const [{ child, depth }] = order.splice(best, 1);
    add(child.number);
    offer(child.number, depth + 1);
  }
  for (const card of cards.values()) {
    const { node } = card;
    if (node.parent !== null && !cards.has(node.parent)) continue;
    for (const child of tree.children(node)) {
      if (cards.has(child.number)) card.children.push(cards.get(child.number));
      else card.hidden += 1;
    }
  }
  return cards.get(0);
}

/** A card and all below it. */
export function* all(card) {
  yield card;
  for (const child of card.children) yield* all(child);
}

/** Set `x` (the middle) and `depth` of all cards, as near to each other as they can be. */
export function place(card, width, depth = 0) {
  card.depth = depth;
  card.x = 0;
  let outline = [];
  for (const child of card.children) {
    const below = place(child, width, depth + 1);
    let shift = 0;
    below.forEach(([left], i) => { if (outline[i]) shift = Math.max(shift, outline[i][1] + width - left); });
    for (const moved of all(child)) moved.x += shift;
    const shifted = below.map(([left, right]) => [left + shift, right + shift]);
    const longer = outline.length > shifted.length ? outline : shifted;
    outline = longer.map((_, i) => (!outline[i] ? shifted[i] : !shifted[i] ? outline[i]
      : [Math.min(outline[i][0], shifted[i][0]), Math.max(outline[i][1], shifted[i][1])]));
  }
  if (card.children.length) card.x = (card.children[0].x + card.children.at(-1).x) / 2;
  return [[card.x, card.x], ...outline];
}
