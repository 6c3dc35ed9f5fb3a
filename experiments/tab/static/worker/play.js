// Games in progress, as experiments/studio/game.py and play.py have them: players, costs, undo, the moves of engines.
//
// Engines move only while a page listens to the game.

import { clockIn, Clocks, now } from "./clocks.js";
import { formOf, readFile, textOfGame } from "./files.js";
import { Refusal } from "./refusal.js";
import { leadTo, treeOf } from "./variations.js";
import { after, blackShare, findTurn, positionView, turnsPlayed, turnText } from "./views.js";

const HUMAN = "human";
const LONGEST_GAME = 2000, MOST_GAMES = 50;
const ALL_TIME = "the clocks start with the full time: a page does not read the time left";
const MOST_MOMENTS = 3, LEAST_CHANGE = 0.1;  // moves that decided a game, and how much a share of the point changed at least
const UNKNOWN = { who: "", wall: null, cpu: null, count: 0, counted: "", black: null, proven: false };  // of a turn in a file

/** A game as it starts, as `readFile` gives one. */
export const unplayed = (position) => ({ position, black: "", white: "", result: "", notes: [], info: {}, root: null });

function levelOf({ levels }, spec, game) {
  const rows = levels[game] ?? [], at = rows.findIndex((level) => level.spec === spec);
  return at < 0 ? null : { level: at + 1, of: rows.length, elo: rows[at].elo };
}

/** What people call an engine. */
function nameOf(setup, spec, game) {
  const named = /[:,]name=([^,]+)/.exec(spec)?.[1], [family] = spec.split(":"), level = levelOf(setup, spec, game);
  const title = setup.families[family] ?? family;
  if (spec === HUMAN || named) return named ?? spec;
  return level ? `${title}, level ${level.level}` : setup.presets.find((preset) => preset.spec === spec)?.title ?? title;
}

/** The turns of a game, without their costs. */
function recordsOf(position) {
  let plies = 0;
  return turnsPlayed(position).map(({ player, actions }) => (
    { ...UNKNOWN, plies: plies += actions.length, player, text: turnText(position.game, actions) }));
}

/** The moves that changed the engines' expectation most in favour of the winner. A value is from before a move: the move before it caused the change. */
function momentsOf(records, { game: { info: { players } }, action, winner }, late) {
  const values = [...records.entries()].filter(([, { black }]) => black !== null).map(([at, { black }]) => [at, black]);
  if (values.length && late === null && action !== "resign") values.push([records.length, winner === null ? 0.5 : 1 - winner]);
  const won = late === null ? winner : 1 - late;
  const changes = values.slice(1).map(([end, value], i) => {
    const old = values[i][1];
    return { at: end - 1, old, value, size: Math.abs(value - old) };
  }).filter(({ old, value }) => won === null || (won ? value < old : value > old));
  const largest = changes.sort((a, b) => b.size - a.size || b.at - a.at).slice(0, MOST_MOMENTS).sort((a, b) => a.at - b.at);
  const percent = (value) => `${Math.round(100 * value)}%`;
  return largest.filter(({ size }) => size >= LEAST_CHANGE).map(({ at, old, value }) => {
    const { plies, player, text } = records[at];
    return { plies, text: `Move ${at + 1}, ${players[player]} ${text}: ${percent(old)} to ${percent(value)} for ${players[0]}` };
  });
}

/** Events, then the problem if one ended them, then nothing: the page would reopen a finished stream. */
export async function* keptOpen(events) {
  try {
    yield* events;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    yield { problem: error.message, final: true };
  }
  await new Promise(() => {});
}

class PlayedGame {
  /** @param read the game so far. @param engines of black and white; null for a person. */
  constructor(tab, read, engines, seed, delay, clock) {
    Object.assign(this, { tab, read, position: read.position, seed, delay, problem: "", search: null });
    this.id = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, "0")).join("");
    this.records = recordsOf(read.position);
    this.assisted = this.records.length > 0;  // by a hint, a move taken back, or moves of a file
    this.clocks = new Clocks(clock, () => { this.#stop(); this.change(); });
    Object.assign(this, { paused: Boolean(clock) && this.assisted, single: false, version: 0, since: now(), waiting: [], watchers: 0 });
    this.setPlayers(engines);
  }

  get plies() { return this.records.at(-1)?.plies ?? 0; }

  /** The result of a game that has ended on time, or null. */
  get late() {
    const { late } = this.clocks, { players } = this.position.game.info;
    return late === null ? null : `${players[1 - late]} wins on time`;
  }

  /** Whether the game has ended, by the rules or on time. */
  get over() { return this.position.over || this.late !== null; }

  /** A person keeps the name in the file; an engine only as long as the game is that of the file. */
  get names() {
    const { read, players, position } = this;
    return [read.black, read.white].map((name, i) => (
      name && (players[i] === HUMAN || position === read.position) ? name : players[i]));
  }

  /** The game up to a position, with what its file says. */
  saved(position = this.position) {
    const { read, clocks } = this, line = (end) => end.history().map(({ action }) => action).join();
    const result = this.late ?? (line(position) === line(read.position) ? read.result : "");
    const info = { ...read.info, ...clocks.properties(formOf(position.game)) };
    return { ...read, position, root: treeOf(position, this.root ?? read.root), result, late: clocks.late, info };
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
    if (this.watchers) return;
    this.records = recordsOf(position);
    this.#moveTo(position);
  }

  /** The position after that many moves. */
  at(plies) {
    const position = this.position.history()[plies];
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
    this.#playTurn(actions, { who: HUMAN, wall: now() - this.since });
  }

  /** Take back a person's last turn; of two engines, the last turn. */
  undo() {
    const { players, records } = this, hasPerson = players.includes(HUMAN);
    const place = records.findLastIndex(({ player }) => !hasPerson || players[player] === HUMAN);
    if (place < 0) throw new Refusal("you have not moved yet: there is nothing to take back");
    const position = this.at(records[place - 1]?.plies ?? 0);
    Object.assign(this, { paused: this.paused || !hasPerson, assisted: true });
    records.splice(place);
    this.#moveTo(position);
  }

  setPlayers(engines) {
    this.engines = engines;
    this.players = engines.map((engine) => engine?.spec ?? HUMAN);
    this.problem = "";
    this.#stop();
    this.change();
  }

  /** Pause or continue engines and clocks; with `single`, one more move of an engine comes before the pause. */
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

  // What is seen.

  view() {
    const { tab: { setup }, position, players, records, read, clocks, search, over, late } = this;
    const { info, spec: game } = position.game;
    const specs = [...players, ...records.map(({ who }) => who), search?.spec, this.hint?.who].filter(Boolean);
    if (this.shown?.position !== position) this.shown = { position, view: positionView(position) };
    const onTime = late && { over, winner: 1 - clocks.late, result: late, moves: [] };
    return {
      id: this.id, guest: "", yours: [0, 1].filter((side) => players[side] === HUMAN), version: this.version, ...info, position: { ...this.shown.view, ...onTime },
      plies: this.plies, sides: players, names: this.names,
      called: Object.fromEntries(specs.map((spec) => [spec, nameOf(setup, spec, game)])),
      levels: players.map((spec) => levelOf(setup, spec, game)), assisted: this.assisted,
      yourTurn: players[position.player] === HUMAN && !over, history: records,
      ended: position === read.position && !over ? read.result : "", notes: read.notes, count: null, alive: null,
      paused: this.paused, problem: this.problem, engine: null,
      thinking: search?.spec ?? "", canHurry: this.#canHurry, clock: clocks.view(), delay: this.delay,
      moments: over ? momentsOf(records, position, clocks.late) : [], seconds: Math.round(100 * (now() - this.since)) / 100,
    };
  }

  /** Views after every change, as `follow` of the pages takes them. A slow page misses views, but never the last one. */
  async* watch(signal) {
    this.watchers++;
    signal.addEventListener("abort", () => {
      if (!--this.watchers) this.#rest();
      this.#tell();
    });
    this.#goOn();
    while (!signal.aborted) {
      const seen = this.version;
      yield { set: this.view(), tail: {} };
      while (seen === this.version) await new Promise((resolve) => { this.waiting.push(resolve); });
    }
  }

  // How it goes on.

  #tell() {
    this.version++;
    this.waiting.splice(0).forEach((wake) => wake());
  }

  change() {
    this.#goOn();
    this.#tell();
  }

  #stop() {
    if (this.search) this.search.stopped = true;
    this.search = null;
  }

  /** Nobody watches: clocks and searches stop, and the memory of engines is free. */
  #rest() {
    this.#stop();
    this.clocks.hold();
    this.engines.fill(null);
  }

  #playTurn(actions, cost) {
    const { position } = this, { player } = position, text = turnText(position.game, actions);
    const record = { ...UNKNOWN, plies: this.plies + actions.length, player, text, ...cost };
    this.records.push(record);
    this.clocks.endTurn(record.plies, player, record.who === HUMAN ? null : record.wall);
    this.#moveTo(after(position, actions), false);
  }

  #moveTo(position, isBack = true) {
    this.#stop();
    if (isBack) this.clocks.goBack(this.plies);
    Object.assign(this, { position, single: false, since: now(), problem: "" });
    this.change();
  }

  /** Start the search of the engine to move, or a person's clock, if somebody watches. */
  #goOn() {
    const { player } = this.position, spec = this.players[player];
    if (!this.watchers || this.over || (this.paused && !this.single)) this.clocks.hold();
    else if (spec === HUMAN) this.clocks.run(player);
    else if (!this.search && !this.problem) this.#begin(spec);
  }

  get #canHurry() {
    return Boolean(this.search && this.engines[this.position.player]?.budgets.includes("wall"));
  }

  #begin(spec) {
    const search = this.search = { spec, stopped: false, hurried: false, resting: false };
    this.#engineTurn(search).catch((error) => { if (!search.stopped) this.problem = error.message; }).finally(() => {
      if (this.search !== search) return;
      this.search = null;
      this.change();
    });
  }

  async #engineTurn(search) {
    const { position, clocks } = this, { player } = position;
    const engine = this.engines[player] ??= await this.tab.engine(position.game, search.spec, this.seed + player);
    if (search.stopped) return;
    if (!this.players.includes(HUMAN) && this.records.length && !this.single) {
      search.resting = true;
      await new Promise((resolve) => { setTimeout(resolve, 1000 * (this.delay - (now() - this.since))); });
      if (search.stopped) return;
      search.resting = false;
    }
    const seconds = clocks.share(player, position.cells().filter((piece) => piece < 0).length), began = now();
    const timed = clocks.text && engine.budgets.includes("wall");
    const limits = timed ? { ...engine.budget, wall: Math.min(seconds, engine.budget.wall ?? Infinity) } : {};
    clocks.run(player, true);
    this.#tell();
    const decision = await engine.select(position, limits, () => {
      clocks.check(player, now() - began);
      return search.stopped || search.hurried;
    });
    clocks.check(player, decision.wall);
    if (search.stopped) return;
    const { simulations, nodes, wall, cpu } = decision, counted = simulations ? "simulations" : nodes > 1 ? "nodes" : "";
    this.#playTurn([decision.action], {
      who: engine.spec, wall, cpu, counted, count: counted ? simulations || nodes : 0,
      black: blackShare(decision, player), proven: decision.proven !== null,
    });
  }
}

const enginesOf = (tab, game, specs, seed) => Promise.all(
  specs.map((spec, player) => (spec.toLowerCase() === HUMAN ? null : tab.engine(game, spec, seed + player))));

/** Add a game to those in progress. Refuses players that the page does not have. */
export async function startGame(tab, read, { black = HUMAN, white = HUMAN, seed, delay = 0.5, clock = "" } = {}) {
  const number = Number(seed ?? Math.floor(Math.random() * 2 ** 31));
  const engines = await enginesOf(tab, read.position.game, [black, white], number);
  const game = new PlayedGame(tab, read, engines, number, Number(delay), clock);
  const old = [...tab.games.values()].find(({ watchers }) => !watchers);
  if (game.plies > LONGEST_GAME) throw new Refusal(`the game has more than ${LONGEST_GAME} moves`);
  if (tab.games.size >= MOST_GAMES) tab.games.delete(old?.id);
  tab.games.set(game.id, game);
  return { id: game.id, notes: read.notes };
}

/** The game that a request names. */
export function gameOf(tab, { params: { id } }) {
  const game = tab.games.get(id);
  if (!game) throw new Refusal("this game is no longer in the page; start a new one or load its file", 404);
  tab.games.delete(id);  // those used last stay longest
  tab.games.set(id, game);
  return game;
}

export function routes(tab) {
  const path = "/api/games/{id}";
  const change = (work) => async (request) => {
    await work(gameOf(tab, request), request.body);
    return {};
  };
  return {
    "/api/setup": () => tab.setup,
    async "/api/prepare"({ body: { game, black, white } }) {
      await enginesOf(tab, await tab.game(game), [black, white], 0).catch(() => {});  // the game itself reports failures
      return {};
    },
    "/api/games": async ({ body }) => startGame(tab, unplayed((await tab.game(body.game)).start()), body),
    async "/api/games/load"({ query, data }) {
      const read = await readFile(tab, data, query.get("name") ?? "game"), asked = Object.fromEntries(query);
      const { game, over } = read.position;
      const named = await Promise.all([read.black, read.white].map((spec) => (
        enginesOf(tab, game, [spec || HUMAN], 0).then(() => spec || HUMAN, () => HUMAN))));
      const clock = asked.black || read.result || over ? "" : clockIn(read.info);
      if (clock) read.notes.push(ALL_TIME);
      return startGame(tab, read, { black: named[0], white: named[1], clock, ...asked });
    },
    [path]: (request) => gameOf(tab, request).view(),
    [`${path}/positions/{plies}`](request) {
      const plies = Number(request.params.plies);
      return { ...positionView(gameOf(tab, request).at(plies)), plies };
    },
    [`${path}/file`](request) {
      const game = gameOf(tab, request), rules = game.position.game, slug = rules.spec.replace(/[:,]/g, "-").replace(/=/g, "");
      const [day, time] = new Date(Date.now() - 60_000 * new Date().getTimezoneOffset()).toISOString().split("T");
      const name = `${slug.replace(/[^\w.-]/g, "_")}-${day}-${time.slice(0, 5).replace(":", "")}.${formOf(rules)}`;
      return new File([textOfGame(game.saved(), game.names)], name, { type: "text/plain" });
    },
    [`${path}/move`]: change((game, { move, plies }) => game.play(move, plies)),
    [`${path}/undo`]: change((game) => game.undo()),
    [`${path}/pause`]: change((game, { paused, step }) => game.setPaused(paused === true, step === true)),
    [`${path}/speed`]: change((game, { delay }) => game.setDelay(delay)),
    [`${path}/now`]: change((game) => game.hurry()),
    /** Where the page searches for a hint. */
    [`${path}/hint`](request) {
      const game = Object.assign(gameOf(tab, request), { assisted: true });
      game.change();
      return { home: "data/", engine: game.position.game.info.strongest };
    },
    [`${path}/players`]: change(async (game, { black, white }) => (
      game.setPlayers(await enginesOf(tab, game.position.game, [black, white], game.seed)))),
    async [`${path}/rematch`](request) {
      const { clocks, delay, players, position } = gameOf(tab, request), { swap, engine } = request.body;
      const [black, white] = players.map((player) => (engine && player !== HUMAN ? engine : player));
      const [first, second] = swap ? [white, black] : [black, white];
      return startGame(tab, unplayed(position.history()[0]), { black: first, white: second, clock: clocks.text, delay });
    },
  };
}

export const streams = (tab) => ({ "/api/games/{id}/events": (request) => gameOf(tab, request).watch(request.signal) });
