// Games in progress, as experiments/studio/game.py and play.py have them: players, costs, undo, hints, the moves of engines.
//
// A request's names and answers are those of the studio's server; engines move only while a page listens to the game.

import { Clocks, clockIn, now } from "./clocks.js";
import { formOf, readFile, textOfGame } from "./files.js";
import { Refusal } from "./refusal.js";
import { leadTo, treeOf } from "./variations.js";
import { blackShare, decisionView, findTurn, positionView, turnText, turnsPlayed } from "./views.js";

const HUMAN = "human";
const DEFAULT_HINT = "mcts:sims=2000", HINT_MOVES = 8;
const LONGEST_GAME = 2000, MOST_GAMES = 50;
const MOST_MOMENTS = 3, LEAST_CHANGE = 0.1;  // moves that decided a game: how many, and the least change of a share of the point
const MEMORY = { wall: null, cpu: null, count: 0, counted: "", black: null, proven: false };  // of a turn whose cost is unknown

/** What people call an engine. */
function nameOf({ families = {}, presets, levels }, spec, game) {
  if (spec === HUMAN) return spec;
  const named = /[:,]name=([^,]+)/.exec(spec), family = spec.split(":")[0].replaceAll("_", " ");
  return named?.[1] ?? (levels[game] ?? []).find((level) => level.spec === spec)?.name
    ?? presets.find((preset) => preset.spec === spec)?.title ?? families[spec.split(":")[0]] ?? family[0].toUpperCase() + family.slice(1);
}

function levelOf({ levels }, spec, game) {
  const rows = levels[game] ?? [], at = rows.findIndex((level) => level.spec === spec);
  return at < 0 ? null : { level: at + 1, of: rows.length, elo: rows[at].elo };
}

/** The turns of a game, without their costs. */
function recordsOf(position) {
  let plies = 0;
  return turnsPlayed(position).map(({ player, actions }) => (
    { ...MEMORY, plies: plies += actions.length, player, text: turnText(position.game, actions), who: "" }));
}

/** The moves that changed the engines' expectation most: a value comes from the search before a move, so the move before it caused the change. */
function momentsOf(records, { game, action, winner }, late) {
  const values = [...records.entries()].filter(([, { black }]) => black !== null).map(([at, { black }]) => [at, black]);
  if (values.length && late === null && action !== "resign") values.push([records.length, winner === null ? 0.5 : 1 - winner]);
  const changes = values.slice(1).map(([end, after], i) => ({ at: end - 1, before: values[i][1], after, change: Math.abs(after - values[i][1]) }));
  const { players } = game.info, share = (value) => `${Math.round(100 * value)}%`;
  return changes.sort((a, b) => b.change - a.change || b.at - a.at).slice(0, MOST_MOMENTS).sort((a, b) => a.at - b.at)
    .filter(({ change }) => change >= LEAST_CHANGE).map(({ at, before, after }) => ({
      plies: records[at].plies,
      text: `Move ${at + 1}, ${players[records[at].player]} ${records[at].text}: ${share(before)} to ${share(after)} for ${players[0]}`,
    }));
}

export class PlayedGame {
  /** @param read the game so far, as `readFile` gives it. @param engines of black and white, or null for a person. */
  constructor(tab, read, engines, { seed, delay, clock }) {
    Object.assign(this, { tab, read, position: read.position, seed, delay });
    this.id = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, "0")).join("");
    this.clocks = new Clocks(clock, () => this.#endOnTime());
    this.records = recordsOf(read.position);
    Object.assign(this, { watchers: 0, version: 0, assisted: Boolean(this.records.length), hint: null, problem: "", search: null });
    Object.assign(this, { paused: Boolean(clock && this.records.length), single: false, since: now(), listening: [] });
    this.#take(engines);
  }

  #take(engines) {
    this.players = engines.map((engine) => engine?.spec ?? HUMAN);
    this.loaded = [...engines, null];  // the last is that of hints; all go while nobody watches
  }

  async #engine(place, spec) {
    if (this.loaded[place]?.spec !== spec) this.loaded[place] = await this.tab.engine(this.position.game, spec, this.seed + place);
    return this.loaded[place];
  }

  get plies() { return this.records.at(-1)?.plies ?? 0; }

  get over() { return this.position.over || this.clocks.late !== null; }

  get late() { return this.clocks.late === null ? null : `${this.position.game.info.players[1 - this.clocks.late]} wins on time`; }

  /** Black's and white's names: a person, or any player while the game is that of the file, keeps the name in the file. */
  get names() {
    return ["black", "white"].map((side, i) => (
      this.read[side] && (this.players[i] === HUMAN || this.position === this.read.position) ? this.read[side] : this.players[i]));
  }

  /** The game with what its file says, up to a position. */
  saved(position = this.position) {
    const { read, clocks } = this, whole = position.history().map(({ action }) => action).join() === read.position.history().map(({ action }) => action).join();
    return {
      ...read, position, root: treeOf(position, this.root ?? read.root), result: this.late ?? (whole ? read.result : ""), late: clocks.late,
      info: { ...read.info, ...clocks.properties(position.game.name === "go" ? "sgf" : "") },
    };
  }

  /** The tree of variations; it follows a game that is played on. */
  get tree() {
    this.root ??= treeOf(this.position, this.read.root);
    if (this.watchers) leadTo(this.root, this.position);
    return this.root;
  }

  /** Make the main line of the tree the game. */
  followTree() {
    const { position } = this.root.end;
    if (position === this.position || this.watchers) return;
    this.records = recordsOf(position);
    this.#moveTo(position);
  }

  at(plies) {
    const position = Number.isInteger(plies) && plies >= 0 && this.position.history()[plies];
    if (!position) throw new Refusal(`the game has ${this.plies} moves`, 404);
    return position;
  }

  // What is asked for.

  play(text, plies = this.plies) {
    const { position, players } = this;
    if (plies !== this.plies) throw new Refusal("the position has changed meanwhile; look at the board and try again");
    if (!position.over && players[position.player] !== HUMAN) throw new Refusal("it is the engine's turn; wait for its move");
    const actions = findTurn(position, text);
    if (this.late) throw new Refusal(`the game is over: ${this.late}`);
    if (this.plies >= LONGEST_GAME) throw new Refusal(`a game here has at most ${LONGEST_GAME} moves; save it to a file`);
    this.#playTurn(actions, HUMAN, { wall: now() - this.since });
  }

  undo() {
    const { players, records } = this, hasPerson = players.includes(HUMAN);
    const place = hasPerson ? records.findLastIndex(({ player }) => players[player] === HUMAN) : records.length - 1;
    if (place < 0) throw new Refusal("you have not moved yet: there is nothing to take back");
    const position = this.at(records[place - 1]?.plies ?? 0);
    Object.assign(this, { paused: this.paused || !hasPerson, assisted: true });
    records.splice(place);
    this.#moveTo(position);
  }

  setPlayers(engines) {
    this.#stop();
    this.#take(engines);
    this.problem = "";
    this.change();
  }

  setPaused(paused, single) {
    Object.assign(this, { paused, single, problem: "" });
    if ((paused && !single) || this.search?.resting) this.#stop();
    this.change();
  }

  setDelay(delay) {
    this.delay = delay;
    if (this.search?.resting) this.#stop();
    this.change();
  }

  hurry() {
    if (!this.#canHurry) throw new Refusal("no engine is thinking that can move before its search ends");
    this.search.hurried = true;
  }

  askHint(spec) {
    if (this.over) throw new Refusal("the game is over: there is no move to suggest");
    if (this.search) throw new Refusal("the engine is still thinking; wait for its answer");
    this.assisted = true;
    this.#begin(spec, async (search) => {
      const { position } = this, engine = await this.#engine(2, spec);
      const decision = await engine.select(position, {}, () => search.stopped);
      if (!search.stopped) this.hint = { ...decisionView(position, decision, HINT_MOVES), who: spec };
    });
    this.change();
  }

  // What is seen.

  view() {
    const { tab: { setup }, position, players, records, read, clocks, search, over } = this, { game } = position;
    const specs = new Set([...players, search?.spec, ...records.map(({ who }) => who)].filter(Boolean));
    const onTime = this.late && { over: true, winner: 1 - clocks.late, result: this.late, moves: [] };
    this.shown = this.shown?.position === position ? this.shown : { position, view: positionView(position) };
    return {
      id: this.id, version: this.version, ...game.info, position: { ...this.shown.view, ...onTime },
      plies: this.plies, sides: players, names: this.names,
      called: Object.fromEntries([...specs].map((spec) => [spec, nameOf(setup, spec, game.spec)])),
      levels: players.map((spec) => levelOf(setup, spec, game.spec)), assisted: this.assisted,
      yourTurn: players[position.player] === HUMAN && !over, history: records, ended: position === read.position && !over ? read.result : "",
      notes: read.notes, count: null, alive: null, hint: this.hint, paused: this.paused, problem: this.problem, engine: null,
      thinking: search?.spec ?? "", canHurry: this.#canHurry, clock: clocks.view(), delay: this.delay,
      moments: over ? momentsOf(records, position, clocks.late) : [], seconds: Math.round(100 * (now() - this.since)) / 100,
    };
  }

  /** The view now and after every change, for a page that keeps it. A slow page misses views, but never the last one. */
  watch() {
    const game = this;
    let seen = -1, closed = false;
    this.watchers++;
    this.#goOn();
    return {
      [Symbol.asyncIterator]() { return this; },
      async next() {
        while (!closed && seen === game.version) await new Promise((resolve) => { game.listening.push(resolve); });
        seen = game.version;
        return closed ? { done: true } : { done: false, value: { set: game.view(), tail: {} } };
      },
      async return() {
        if (closed) return { done: true };
        closed = true;
        game.#wake();
        if (--game.watchers) return { done: true };
        game.#stop();
        game.clocks.hold();
        game.loaded.fill(null);
        return { done: true };
      },
    };
  }

  // How it goes on.

  change() {
    this.#goOn();
    this.version++;
    this.#wake();
  }

  #wake() { this.listening.splice(0).forEach((wake) => wake()); }

  #endOnTime() {
    this.#stop();
    this.hint = null;
    this.change();
  }

  #stop() {
    if (this.search) this.search.stopped = true;
    this.search = null;
  }

  #playTurn(actions, who, cost) {
    const { position } = this, { player } = position;
    const after = actions.reduce((at, action) => at.play(action), position);
    const record = { ...MEMORY, plies: this.plies + actions.length, player, text: turnText(position.game, actions), who, ...cost };
    this.records.push(record);
    this.clocks.endTurn(record.plies, player, who === HUMAN ? null : record.wall);
    this.#moveTo(after, false);
  }

  #moveTo(position, back = true) {
    this.#stop();
    if (back) this.clocks.goBack(this.plies);
    Object.assign(this, { position, single: false, since: now(), hint: null, problem: "" });
    this.change();
  }

  /** Start the search of the engine to move, or a person's clock, if somebody watches. */
  #goOn() {
    const { player } = this.position, spec = this.players[player];
    if (!this.watchers || this.over || (this.paused && !this.single)) this.clocks.hold();
    else if (spec === HUMAN) this.clocks.run(player);
    else if (!this.search && !this.problem) this.#begin(spec, (search) => this.#engineTurn(spec, search));
  }

  get #canHurry() {
    const { player } = this.position;
    return this.search?.spec === this.players[player] && Boolean(this.loaded[player]?.budgets.includes("wall"));
  }

  #begin(spec, work) {
    const search = this.search = { spec, stopped: false, hurried: false, resting: false };
    work(search).catch((error) => { if (!search.stopped) this.problem = error.message; }).finally(() => {
      if (this.search !== search) return;
      this.search = null;
      this.change();
    });
  }

  async #engineTurn(spec, search) {
    const { position, clocks } = this, { player } = position, engine = await this.#engine(player, spec);
    if (!this.players.includes(HUMAN) && this.records.length && !this.single) {
      search.resting = true;
      await new Promise((resolve) => { setTimeout(resolve, 1000 * (this.delay - (now() - this.since))); });
      search.resting = false;
    }
    if (search.stopped) return;
    const seconds = clocks.share(player, position.cells().filter((piece) => piece < 0).length), began = now();
    const timed = seconds !== null && engine.budgets.includes("wall");
    const limits = timed ? { ...engine.budget, wall: Math.min(seconds, engine.budget.wall ?? Infinity) } : {};
    clocks.run(player, true);
    this.version++;  // its clock runs, and it may be able to hurry
    this.#wake();
    const decision = await engine.select(position, limits, () => {
      clocks.check(player, now() - began);
      return search.stopped || search.hurried;
    });
    clocks.check(player, decision.wall);
    if (search.stopped) return;
    const { simulations, nodes, wall, cpu } = decision;
    this.#playTurn([decision.action], spec, {
      wall, cpu, count: simulations || (nodes > 1 ? nodes : 0), counted: simulations ? "simulations" : nodes > 1 ? "nodes" : "",
      black: blackShare(decision, player), proven: decision.proven !== null,
    });
  }
}

/** Add a game to those in progress. Refuses players that the page does not have. */
export async function startGame(tab, read, { black = HUMAN, white = HUMAN, seed = Math.floor(Math.random() * 2 ** 31), delay = 0.5, clock = "" } = {}) {
  const engines = await enginesOf(tab, read.position.game, [black, white], Number(seed)), old = [...tab.games.values()].filter(({ watchers }) => !watchers);
  const game = new PlayedGame(tab, read, engines, { seed: Number(seed), delay: Number(delay), clock });
  if (game.plies > LONGEST_GAME) throw new Refusal(`the game has more than ${LONGEST_GAME} moves`);
  if (tab.games.size >= MOST_GAMES && old.length) tab.games.delete(old[0].id);
  tab.games.set(game.id, game);
  return { id: game.id, notes: read.notes };
}

/** A game as it starts, as `readFile` gives one. */
export const unplayed = (position) => ({ position, black: "", white: "", result: "", notes: [], info: {}, root: null });

const enginesOf = (tab, game, specs, seed) => Promise.all(specs.map((spec, player) => (spec.toLowerCase() === HUMAN ? null : tab.engine(game, spec, seed + player))));

/** The game that a request names by its `id`. */
export function gameOf(tab, { params: { id } }) {
  if (!tab.games.has(id)) throw new Refusal("this game is no longer in the page; start a new one or load its file", 404);
  return tab.games.get(id);
}

export function routes(tab) {
  const path = "/api/games/{id}", done = (change) => (request) => { change(gameOf(tab, request), request.body ?? {}); return {}; };
  return {
    async "/api/prepare"({ body: { game, black, white } }) {
      await enginesOf(tab, await tab.game(game), [black, white], 0).catch(() => {});  // the game itself reports failures
      return {};
    },
    "/api/games": async ({ body }) => startGame(tab, unplayed((await tab.game(body.game)).start()), body),
    async "/api/games/load"({ query, data }) {
      const read = await readFile(tab, data, query.get("name") ?? "game"), { position } = read, own = Object.fromEntries(query);
      const known = async (spec) => (spec ? enginesOf(tab, position.game, [spec], 0).then(() => spec, () => HUMAN) : HUMAN);
      const [black, white] = await Promise.all([read.black, read.white].map(known));
      const clock = own.black || read.result || position.over ? "" : clockIn(read.info);
      return startGame(tab, read, { black, white, clock, ...own });
    },
    [path]: (request) => gameOf(tab, request).view(),
    [`${path}/positions/{plies}`]: (request) => ({ ...positionView(gameOf(tab, request).at(Number(request.params.plies))), plies: Number(request.params.plies) }),
    [`${path}/file`](request) {
      const game = gameOf(tab, request), { game: rules } = game.position, time = new Date(Date.now() - 60000 * new Date().getTimezoneOffset());
      const name = `${rules.spec.replaceAll(":", "-").replaceAll("=", "").replaceAll(",", "-").replace(/[^\w.-]/g, "_")}-${
        time.toISOString().slice(0, 16).replace("T", "-").replace(":", "")}.${formOf(rules)}`;
      return new File([textOfGame(game.saved(), game.names)], name, { type: "text/plain" });
    },
    [`${path}/move`]: done((game, { move, plies }) => game.play(String(move), plies)),
    [`${path}/undo`]: done((game) => game.undo()),
    [`${path}/pause`]: done((game, { paused, step }) => game.setPaused(paused === true, step === true)),
    [`${path}/speed`]: done((game, { delay }) => game.setDelay(Number(delay) || 0)),
    [`${path}/now`]: done((game) => game.hurry()),
    [`${path}/hint`]: done((game, { engine = DEFAULT_HINT }) => game.askHint(engine)),
    async [`${path}/players`](request) {
      const game = gameOf(tab, request), { black = game.players[0], white = game.players[1] } = request.body;
      game.setPlayers(await enginesOf(tab, game.position.game, [black, white], game.seed));
      return {};
    },
    async [`${path}/rematch`](request) {
      const game = gameOf(tab, request), { swap, engine } = request.body, { clocks, delay, players, position } = game;
      const [black, white] = (swap ? [...players].reverse() : players).map((player) => (engine && player !== HUMAN ? engine : player));
      return startGame(tab, unplayed(position.history()[0]), { black, white, clock: clocks.text, delay });
    },
  };
}

export const streams = (tab) => ({ "/api/games/{id}/events": (request) => gameOf(tab, request).watch() });
