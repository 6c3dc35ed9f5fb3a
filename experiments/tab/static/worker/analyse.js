// The view Analyse, as experiments/studio/analyse.py and tree.py have it: searches without an end, exact values, variations.

import { now } from "./clocks.js";
import { pause } from "./pause.js";
import { gameOf, keptOpen, startGame, unplayed } from "./play.js";
import { Refusal } from "./refusal.js";
import { marksOf, pointOf } from "./variations.js";
import { actionsOf, after, decisionView, findTurn, positionView, turnsOf, turnsPlayed, turnText } from "./views.js";

const LOOK = 1 / 30, LONGEST = 60;  // seconds: between two looks at a search, and of an analysis
const RANDOM_GAMES = 1000, GAMES_A_SLICE = 20;
const MOST_NODES = 5000, LONGEST_COMMENT = 10_000;
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** The position of a request: `?node=N` of the tree, or after `?plies=N`, by default the last one. */
function positionOf(tab, request) {
  const game = gameOf(tab, request), numberOf = (key) => Number(request.query.get(key) ?? game.plies);
  const position = request.query.has("node") ? nodeOf(game, numberOf("node")).position : game.at(numberOf("plies"));
  if (position.over) throw new Refusal("the game is over: go back to an earlier position");
  return position;
}

/**
 * What an engine thinks, about 30 times a second or after each depth, until it is sure, has searched for a minute or,
 * with `?once`, has used up its own budget.
 */
async function* looksOf(tab, position, { query, signal }) {
  const engine = await tab.engine(position.game, query.get("engine"), 0), views = new Map();
  const planned = query.has("once") || engine.settings.search === "gumbel";  // which plans its simulations
  const endless = !planned && engine.budgets.includes("wall");
  const search = engine.think(position, endless ? { endless: true } : {}), byDepth = !engine.budgets.includes("sims");
  for (let look = 0, wall = 0, shown = 0, depth = 0, final = false; !final && !signal?.aborted;) {
    const began = now(), { done } = search.next();
    wall += now() - began;
    if (done || now() - shown >= LOOK) {
      const decision = engine.decision();
      final = done || wall >= LONGEST || (decision.proven ?? null) !== null;
      if (final || (byDepth ? decision.depth !== depth : decision.action !== undefined)) {
        [shown, depth] = [now(), decision.depth];
        yield { ...decisionView(position, { ...decision, wall }, Infinity, views), look: ++look, final };
      }
    }
    await pause();
  }
}

/** The engine that proves the result of any position of a game. */
export const exactEngine = ({ name, info: { rows, cols } }) => (name === "connect4" ? "solver" : `alphabeta:depth=${2 * rows * cols},solve=yes`);

/** The exact value of every move, one by one. */
async function* exactValues(tab, position) {
  const { game, player } = position, exact = [], turns = turnsOf(position), who = exactEngine(game);
  const engine = await tab.engine(game, who, 0), news = () => ({ exact: [...exact], of: turns.length, who });
  for (const { actions, text, path } of turns) {
    const successor = after(position, actions);
    if (successor.over) exact.push({ text, path, value: successor.result() * (player ? -1 : 1), plies: 1 });
    else {
      for (const _ of engine.think(successor)) {
        await pause();
        yield news();  // the page may leave
      }
      const { proven, depth } = engine.decision(), value = successor.player === player ? proven : -proven;
      if (proven !== null) exact.push({ text, path, value, plies: who === "solver" ? depth + 1 : null });
    }
    yield news();
  }
}

/** Who owns each cell at the end of random games: +1 black to -1 white. */
async function territoryOf(position) {
  const { game } = position, { program, info } = game, { komi } = info.options;
  if (game.name !== "go") throw new Refusal(`${game.spec} has no territory; Go has`);
  const totals = program.array("ownership", "totals").fill(0n), sums = Array.from(totals, () => 0);
  for (let games = 0; games < RANDOM_GAMES; games += GAMES_A_SLICE) {
    game.call(position, "ownership", { games: GAMES_A_SLICE });
    totals.forEach((total, cell) => { sums[cell] += Number(total); });
    totals.fill(0n);  // other positions may be asked for in a pause
    await pause();
  }
  const owner = sums.map((sum) => Math.round((100 * sum) / RANDOM_GAMES) / 100), lead = sums.reduce((a, b) => a + b) / RANDOM_GAMES - komi;
  const words = `${info.players[lead > 0 ? 0 : 1]} leads by ${Math.abs(lead).toFixed(1)} points on average over 1,000 random games`;
  return { owner, lead, words };
}

/** The position after moves, or whole turns, as texts. */
export function positionAfter(position, texts) {
  for (const [i, text] of texts.entries()) {
    try {
      position = after(position, actionsOf(position, text));
    } catch (error) {
      throw error instanceof Refusal ? new Refusal(`move ${i + 1}: ${error.message}`) : error;
    }
  }
  return position;
}

// The tree of variations. The root is node 0; the number of a node is its place in `game.nodes`.

/** All nodes of a game; new ones get the next numbers. */
function nodesOf(game) {
  const nodes = game.tree.walk();
  game.nodes ??= [];
  for (const node of nodes) node.id ??= game.nodes.push(node) - 1;
  return nodes;
}

function nodeOf(game, number) {
  nodesOf(game);
  if (!game.nodes[number]) throw new Refusal("this variation was deleted; reload the page", 404);
  return game.nodes[number];
}

/** A node's position with its marks, and all nodes. */
function treeView(game, node) {
  const plies = new Map(), nodes = nodesOf(game).map(({ id, comment, parent, actions, position }) => {
    plies.set(id, (plies.get(parent?.id) ?? 0) + actions.length);
    const text = turnText(position.game, actions);
    return { id, plies: plies.get(id), comment, parent: parent?.id ?? null, player: parent?.position.player ?? null, text };
  });
  const { id, comment, position } = node;
  return { position: { ...positionView(position), node: id, comment, plies: plies.get(id), ...marksOf(node) }, nodes };
}

/** Changes of a node by their names; each returns the node to look at then. */
const CHANGES = {
  move(node, text, game) {
    if (game.nodes.length >= MOST_NODES) throw new Refusal(`a game here has at most ${MOST_NODES} positions`);
    return node.add(findTurn(node.position, text));
  },
  comment(node, text) {
    if (text.length > LONGEST_COMMENT) throw new Refusal(`a comment has at most ${LONGEST_COMMENT.toLocaleString("en")} characters`);
    node.comment = text.replace(/\r\n?/g, "\n").replace(/[^\S\n]|[\0-\x09\x0b-\x1f\x7f-\x9f]/g, " ").trim();
    return node;
  },
  /** Draw an arrow or, from a cell to itself, a letter; what is there already goes away. */
  draw(node, [start, end]) {
    const { info } = node.position.game, isLetter = start === end, key = isLetter ? "LB" : "AR", values = node.markup.get(key) ?? [];
    const used = Object.values(marksOf(node).labels), letter = [...LETTERS].find((one) => !used.includes(one)) ?? "Z";
    const place = `${pointOf(start, info)}:`, drawing = place + (isLetter ? letter : pointOf(end, info));
    const kept = values.filter((value) => (isLetter ? !value.startsWith(place) : value !== drawing));
    if (kept.length === values.length) kept.push(drawing);
    if (kept.length) node.markup.set(key, kept);
    else node.markup.delete(key);
    return node;
  },
  promote(node) {
    node.line().findLast((one) => one.parent.children[0] !== one)?.lead();
    return node;
  },
  delete(node, _, game) {
    const { parent } = node;
    if (!parent) throw new Refusal("the start of a game cannot be deleted");
    parent.children.splice(parent.children.indexOf(node), 1);
    for (const { id } of node.walk()) game.nodes[id] = null;
    return parent;
  },
};

const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\"'\"'")}'`);

export function routes(tab) {
  const path = "/api/games/{id}";
  return {
    async [`${path}/copy`](request) {
      const game = gameOf(tab, request), { node, plies = game.plies, black = "human", white = "human" } = request.body;
      const position = node === undefined ? game.at(plies) : nodeOf(game, node).position, saved = game.saved(position);
      const byPeople = black === "human" && white === "human";  // whom the file may name
      return startGame(tab, byPeople ? saved : { ...unplayed(position), root: saved.root }, { black, white });
    },
    [`${path}/tree`](request) {
      const game = gameOf(tab, request), { body, query } = request;
      if (!body) return treeView(game, query.has("node") ? nodeOf(game, Number(query.get("node"))) : nodesOf(game)[0].end);
      const name = Object.keys(CHANGES).find((key) => key in body);
      if (!name) throw new Refusal(`name one of ${Object.keys(CHANGES).join(", ")}`);
      const answer = treeView(game, CHANGES[name](nodeOf(game, body.node), body[name], game));
      game.followTree();
      return answer;
    },
    [`${path}/territory`]: (request) => territoryOf(positionOf(tab, request)),
    [`${path}/address`](request) {
      const position = positionOf(tab, request), { game } = position, spec = request.query.get("engine") ?? "";
      const texts = turnsPlayed(position).map(({ actions }) => turnText(game, actions));
      const moves = texts.join(game.name === "connect4" ? "" : " ") || "start";
      const line = ["dlgo", "analyze", game.spec, "--stdin", "--engine", spec];
      return { game: game.spec, moves: texts.join(" "), command: `echo ${quoted(moves)} | ${line.map(quoted).join(" ")}` };
    },
    async "/api/positions"({ body: { game, moves = "" } }) {
      const start = (await tab.game(game)).start();
      return startGame(tab, unplayed(positionAfter(start, moves.split(/[\s,]+/).filter(Boolean))));
    },
  };
}

export const streams = (tab) => ({
  "/api/games/{id}/analysis": (request) => keptOpen(looksOf(tab, positionOf(tab, request), request)),
  "/api/games/{id}/exact"(request) {
    const position = positionOf(tab, request);
    if (!position.game.info.solvable) throw new Refusal(`${position.game.spec} is too large for exact values`);
    return keptOpen(exactValues(tab, position));
  },
});
