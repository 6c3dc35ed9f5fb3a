// The view Analyse: engines that search without an end, exact values, the tree of variations; as experiments/studio/analyse.py and tree.py.

import { pause } from "./pause.js";
import { now } from "./clocks.js";
import { gameOf, startGame, unplayed } from "./play.js";
import { Refusal } from "./refusal.js";
import { marksOf, pointOf } from "./variations.js";
import { actionsOf, decisionView, findTurn, positionView, turnText, turnsPlayed, turnsOf } from "./views.js";

const LOOK = 1 / 30, LONGEST = 60;  // seconds: between two looks at a search, and of an analysis
const MOST_NODES = 5000, LONGEST_COMMENT = 10_000;
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** Events, then the problem if one ended them, then nothing: a page would reopen a finished stream. */
function keptOpen(events) {
  let close, ended = false;
  const closed = new Promise((resolve) => { close = () => resolve({ done: true }); });
  const following = async () => {
    if (ended) return closed;
    const step = await events.next().catch((error) => ({ done: false, value: { problem: error.message, final: true } }));
    ended = step.done || Boolean(step.value.final);
    return step.done ? closed : step;
  };
  return {
    [Symbol.asyncIterator]() { return this; },
    next: () => Promise.race([following(), closed]),
    return() {
      close();
      return events.return();
    },
  };
}

/** The position of a request: `?node=N` of the tree, or after `?plies=N`, by default the last one. */
function positionOf(tab, request) {
  const game = gameOf(tab, request), number = (key) => Number(request.query.get(key));
  const position = request.query.has("node") ? nodeOf(game, number("node")).position : request.query.has("plies") ? game.at(number("plies")) : game.position;
  if (position.over) throw new Refusal("the game is over: go back to an earlier position");
  return position;
}

/** What an engine thinks about 30 times a second, until it is sure, has searched for a minute, or with `?once` has used up its own budget. */
async function* looksOf(tab, position, query) {
  const engine = await tab.engine(position.game, query.get("engine"), 0), views = new Map();
  const endless = !query.has("once") && engine.budgets.includes("wall") && engine.settings.search !== "gumbel";  // which plans its simulations
  const search = engine.think(position, endless ? { endless: true } : {}), byDepth = endless && !engine.budgets.includes("sims");
  for (let look = 0, wall = 0, shown = 0, depth = -1, final = false; !final;) {
    const began = now(), { done } = search.next();
    wall += now() - began;
    const due = done || now() - shown >= LOOK, decision = due ? engine.decision() : null;
    final = done || wall >= LONGEST || (decision?.proven ?? null) !== null;
    if (decision && decision.action !== null && (final || !byDepth || decision.depth !== depth)) {
      [shown, depth] = [now(), decision.depth];
      yield { ...decisionView(position, { ...decision, wall }, Infinity, views), look: ++look, final };
    }
    await pause();
  }
}

/** The exact value of every move, one by one. */
async function* exactValues(tab, position) {
  const { game, player } = position, { rows, cols } = game.info, exact = [], turns = turnsOf(position);
  const who = game.name === "connect4" ? "solver" : `alphabeta:depth=${2 * rows * cols},solve=yes`, engine = await tab.engine(game, who, 0);
  const news = () => ({ exact: [...exact], of: turns.length, who });
  for (const { actions, text, path } of turns) {
    const after = actions.reduce((at, action) => at.play(action), position);
    if (after.over) exact.push({ text, path, value: after.result() * (player ? -1 : 1), plies: 1 });
    else {
      for (const slice of engine.think(after, {})) {  // eslint-disable-line no-unused-vars
        await pause();
        yield news();  // the page may leave
      }
      const { proven, depth } = engine.decision();
      if (proven === null) continue;
      exact.push({ text, path, value: after.player === player ? proven : -proven, plies: who === "solver" ? depth + 1 : null });
    }
    yield news();
  }
}

/** The position after moves, or whole turns, as texts. */
export function positionAfter(position, texts) {
  for (const [i, text] of texts.entries()) {
    try {
      position = actionsOf(position, text).reduce((at, action) => at.play(action), position);
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
  const plies = new Map([[null, 0]]), nodes = nodesOf(game).map(({ id, comment, parent, actions, position }) => {
    plies.set(id, plies.get(parent?.id ?? null) + actions.length);
    return {
      id, plies: plies.get(id), comment, parent: parent?.id ?? null, player: parent?.position.player ?? null,
      text: actions.length ? turnText(position.game, actions) : "",
    };
  });
  return { position: { ...positionView(node.position), node: node.id, comment: node.comment, plies: plies.get(node.id), ...marksOf(node) }, nodes };
}

/** Changes of a node by their names; each returns the node to look at then. */
const CHANGES = {
  move(node, text, game) {
    if (game.nodes.length >= MOST_NODES) throw new Refusal(`a game here has at most ${MOST_NODES} positions`);
    return node.add(findTurn(node.position, String(text)));
  },
  comment(node, text) {
    if (text.length > LONGEST_COMMENT) throw new Refusal(`a comment has at most ${LONGEST_COMMENT.toLocaleString("en")} characters`);
    node.comment = text.replace(/\r\n?/g, "\n").replace(/[^\S\n]|[\0-\x09\x0b-\x1f\x7f-\x9f]/g, " ").trim();
    return node;
  },
  /** Draw an arrow or, from a cell to itself, a letter; what is there already goes away. */
  draw(node, [start, end]) {
    const { info } = node.position.game, place = pointOf(start, info), key = start === end ? "LB" : "AR", values = node.markup.get(key) ?? [];
    const letters = Object.values(marksOf(node).labels), letter = [...LETTERS].find((one) => !letters.includes(one)) ?? "Z";
    const drawing = start === end ? `${place}:${letter}` : `${place}:${pointOf(end, info)}`;
    const kept = values.filter((value) => (start === end ? !value.startsWith(`${place}:`) : value !== drawing));
    node.markup.set(key, kept.length < values.length ? kept : [...kept, drawing]);
    if (!node.markup.get(key).length) node.markup.delete(key);
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
      const game = gameOf(tab, request), { node, plies = game.plies, black, white } = request.body;
      const position = node === undefined ? game.at(plies) : nodeOf(game, node).position, saved = game.saved(position);
      const byPeople = [black, white].every((player) => (player ?? "human") === "human");  // whom the file may name
      return startGame(tab, byPeople ? saved : { ...unplayed(position), root: saved.root }, { black, white });
    },
    [`${path}/tree`](request) {
      const game = gameOf(tab, request), { body, query } = request;
      if (body === undefined) return treeView(game, query.has("node") ? nodeOf(game, Number(query.get("node"))) : game.tree.end);
      const name = Object.keys(CHANGES).find((key) => key in body);
      if (!name) throw new Refusal("name one of move, comment, draw, promote, delete");
      const answer = treeView(game, CHANGES[name](nodeOf(game, body.node), body[name], game));
      game.followTree();
      return answer;
    },
    [`${path}/territory`](request) {
      throw new Refusal(`${positionOf(tab, request).game.spec}: this page has no random games to tell the territory; \`dlgo web\` has`);
    },
    [`${path}/address`](request) {
      const position = positionOf(tab, request), { game } = position, texts = turnsPlayed(position).map(({ actions }) => turnText(game, actions));
      const moves = texts.join(game.name === "connect4" ? "" : " ") || "start", line = ["dlgo", "analyze", game.spec, "--stdin", "--engine", request.query.get("engine") ?? ""];
      return { game: game.spec, moves: texts.join(" "), command: `echo ${quoted(moves)} | ${line.map(quoted).join(" ")}` };
    },
    async "/api/positions"({ body: { game, moves = "" } }) {
      return startGame(tab, unplayed(positionAfter((await tab.game(game)).start(), moves.replaceAll(",", " ").split(/\s+/).filter(Boolean))));
    },
  };
}

export const streams = (tab) => ({
  "/api/games/{id}/analysis": (request) => keptOpen(looksOf(tab, positionOf(tab, request), request.query)),
  "/api/games/{id}/exact"(request) {
    const position = positionOf(tab, request);
    if (!position.game.info.solvable) throw new Refusal(`${position.game.spec} is too large for exact values`);
    return keptOpen(exactValues(tab, position));
  },
});
