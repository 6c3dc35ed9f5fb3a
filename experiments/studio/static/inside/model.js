// A search played back: the tree after each event, and the numbers that its formulas use.
//
// The same as engines/watching/tree.py, event by event, which a test compares. Results and sums are
// as black sees them; `signOf` turns them to the player who chooses.

export const signOf = (mover) => (mover === "black" ? 1 : -1);

function newNode(number, parent, move, mover, more = {}) {
  return {
    number, parent, move, mover, prior: null, children: [], visits: 0, total: 0, proven: null,
    opinion: null, value: null, reason: "", window: null, skipped: [], depth: null, ...more,
  };
}

export class SearchTree {
  constructor(mover) {
    this.nodes = new Map([[0, newNode(0, null, null, mover)]]);
    this.rounds = [];  // of sequential halving: {candidates, visits}
    this.steps = 0;
  }

  get root() { return this.nodes.get(0); }
  node(number) { return this.nodes.get(number); }
  children(node) { return node.children.map((number) => this.nodes.get(number)); }

  apply(event) {
    const node = this.nodes.get(event.node);
    this.steps += 1;
    switch (event.event) {
      case "Expanded":
        for (const child of event.children) this.#add(newNode(child.node, event.node, child.move, child.mover, { prior: child.prior }));
        break;
      case "Evaluated": node.opinion = event.value; break;
      case "BackedUp":
        for (const number of event.path) {
          const passed = this.nodes.get(number);
          passed.visits += 1;
          passed.total += event.value;
        }
        break;
      case "Proved": node.proven = event.result; break;
      case "Halved": this.rounds.push(event); break;
      case "Entered": {
        if (event.parent === null) this.nodes = new Map();  // a new search
        const { alpha, beta, depth } = event;
        const window = event.mover === "black" ? [alpha, beta] : [-beta, -alpha];
        this.#add(newNode(event.node, event.parent, event.move, event.mover, { window, depth }));
        break;
      }
      case "Valued":
        node.value = signOf(node.mover) * event.value;
        node.reason = event.reason;
        break;
      case "CutOff": node.skipped = event.skipped; break;
      default:
    }
  }

  #add(node) {
    this.nodes.set(node.number, node);
    if (node.parent !== null) this.nodes.get(node.parent).children.push(node.number);
  }

  /** Numbers from the root to a node. */
  path(number) {
    const numbers = [];
    for (let at = number; at !== null && this.nodes.has(at); at = this.nodes.get(at).parent) numbers.unshift(at);
    return numbers;
  }

  moves(number) {
    return this.path(number).slice(1).map((at) => this.nodes.get(at).move);
  }

  /** What alpha-beta knows of a node: the least and the most it can be worth, as black sees it. */
  bounds(number) {
    const node = this.nodes.get(number);
    if (node.value === null) return [-1, 1];
    if (node.reason !== "moves") return [node.value, node.value];
    const best = node.mover === "black" ? Math.max : Math.min;
    const bounds = node.children.map((child) => this.bounds(child));
    if (node.skipped.length) bounds.push([-1, 1]);
    return [best(...bounds.map(([low]) => low)), best(...bounds.map(([, high]) => high))];
  }
}

/** The tree after the first `steps` events; to go back, replay fewer of them. */
export function treeAfter(mover, events, steps, from = null) {
  const tree = from && from.steps <= steps ? from : new SearchTree(mover);
  while (tree.steps < steps) tree.apply(events[tree.steps]);
  return tree;
}

/** A node's mean result as `mover` sees it, -1 to 1; the exact one if it is proven. */
export function mean(node, mover) {
  return signOf(mover) * (node.proven ?? node.total / Math.max(node.visits, 1));
}

/** The same as a share of the point, 0 to 1, which the formulas use. */
export const wins = (node, mover) => (1 + mean(node, mover)) / 2;

/**
 * The terms of each child's score at a node, as the engine computes them.
 *
 * @param how {kind: "uct" | "puct" | "gumbel", settings} of the engine.
 * @returns for each child {wins, explore, score}; of Gumbel {wins, guess, logPrior, sigma, score,
 *   policy, gap}. null where there is no score yet.
 */
export function terms(tree, node, { kind, settings }) {
  const children = tree.children(node);
  if (!children.length) return [];
  if (kind === "gumbel") return gumbelTerms(node, children);
  return children.map((child) => {
    const guess = !child.visits;
    if (child.proven !== null) return { wins: wins(child, node.mover), explore: 0, score: wins(child, node.mover) };
    if (kind === "uct") {
      if (guess) return { wins: null, explore: null, score: null };
      const share = wins(child, node.mover);
      const explore = node.visits ? settings.c_uct * Math.sqrt(Math.log(node.visits) / child.visits) : 0;
      return { wins: share, explore, score: share + explore };
    }
    const share = guess ? wins(node, node.mover) - settings.fpu_reduction : wins(child, node.mover);
    const explore = settings.c_puct * (child.prior * Math.sqrt(node.visits) / (1 + child.visits));
    return { wins: share, guess, explore, score: share + explore };
  });
}

const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
const VISIT_OFFSET = 50, LOST = -1e9;  // as in engines/alphazero/textbook_gumbel.py

function gumbelTerms(node, children) {
  const most = Math.max(...children.map(({ visits }) => visits));
  const unknown = mixedValue(node, children), weight = VISIT_OFFSET + most;
  const rows = children.map((child) => {
    const guess = !child.visits && child.proven === null;
    const share = guess ? unknown : wins(child, node.mover);
    const logPrior = Math.log(Math.max(child.prior ?? 0, 1e-30)), sigma = weight * share;
    const lost = child.proven !== null && share === 0;
    return { wins: share, guess, logPrior, sigma, lost, score: lost ? LOST : logPrior + sigma };
  });
  const highest = Math.max(...rows.map(({ score }) => score));
  const powers = rows.map(({ score }) => Math.exp(score - highest));
  const total = 1 + sum(children.map(({ visits }) => visits));
  rows.forEach((row, i) => {
    row.policy = powers[i] / sum(powers);
    row.share = children[i].visits / total;
    row.gap = row.policy - row.share;
  });
  return rows;
}

/** The assumed value of a move that was never tried, for the player at `node`. */
function mixedValue(node, children) {
  const sign = signOf(node.mover), tried = children.filter(({ visits }) => visits);
  const value = (1 + sign * (node.total - sum(tried.map(({ total }) => total)))) / 2;
  if (!tried.length) return value;
  const visits = sum(tried.map((child) => child.visits)), prior = sum(tried.map((child) => child.prior));
  const average = sum(tried.map((child) => child.prior * wins(child, node.mover))) / prior;
  return (value + visits * average) / (1 + visits);
}

/**
 * Alpha-beta at a node while its moves are looked at, as the player sees it who moves there.
 *
 * @returns {alpha, beta, best, rows}: alpha as the best move so far has raised it; rows are
 *   {node, low, high, done, best} for moves that were looked at, then {move, skipped}.
 */
export function windowAt(tree, node) {
  const sign = signOf(node.mover);
  const [low, high] = node.window ?? [-1, 1];
  const given = sign > 0 ? [low, high] : [-high, -low];
  let best = null;
  const rows = tree.children(node).map((child) => {
    const done = child.value !== null, value = done ? sign * child.value : null;
    const [least, most] = tree.bounds(child.number).map((bound) => sign * bound).sort((a, b) => a - b);
    const better = done && (best === null || value > best);
    if (better) best = value;
    return { node: child, done, value, low: least, high: most, raised: better };
  });
  return {
    given, best, beta: given[1], alpha: best === null ? given[0] : Math.max(given[0], best),
    rows: [...rows, ...node.skipped.map((move) => ({ move, skipped: true }))],
  };
}

/** Nodes that a step is about: where it happens, the child it goes to, the path that is marked. */
export function focusOf(event, tree) {
  if (!event || event.event === "Halved") return { at: 0, child: null, path: [0] };
  switch (event.event) {
    case "Selected": return { at: event.node, child: event.child, path: tree.path(event.child) };
    case "Expanded": {
      const only = event.children.length === 1 ? event.children[0].node : null;
      return { at: event.node, child: only, path: tree.path(only ?? event.node) };
    }
    case "BackedUp": return { at: event.path.at(-1), child: event.path.at(-2) ?? null, path: [...event.path].reverse(), counted: true };
    case "Valued": {  // the parent learns of it
      const { parent } = tree.node(event.node);
      return { at: parent ?? event.node, child: parent === null ? null : event.node, path: tree.path(event.node) };
    }
    default: return { at: event.node, child: null, path: tree.path(event.node) };
  }
}

/**
 * Where the longer steps stop: at the end of a simulation; of alpha-beta at a cut-off, and of minimax,
 * which has none, where a line of play has its value.
 *
 * @returns {noun: what ends there, stops: numbers of steps, before(step): how many have ended}.
 */
export function stopsOf(events) {
  const has = (kind) => events.some(({ event }) => event === kind);
  const [noun, ends] = has("CutOff") ? ["cut-off", ({ event }) => event === "CutOff"]
    : has("Entered") ? ["line", ({ event, reason }) => event === "Valued" && reason !== "moves"]
      : ["simulation", ({ event }) => event === "BackedUp"];
  const ended = events.flatMap((event, i) => (ends(event) ? [i + 1] : []));
  const stops = [0, ...ended, ...(ended.at(-1) === events.length ? [] : [events.length])];
  return { noun, stops, before: (step) => ended.filter((stop) => stop <= step).length };
}
