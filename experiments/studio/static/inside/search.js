// A search that the server has made: its events, and the positions of its nodes.

import { ask } from "../api.js";
import { stream } from "../transport.js";

const KEPT = 4000, AT_ONCE = 60;  // positions

/** The content of an address: `preset=NAME`, or a position and a search; or the name of a game on the server. */
export function readPlace(place) {
  const given = new URLSearchParams(place && !place.includes("=") ? { from: place } : place);
  const source = given.has("from") ? { from: given.get("from") } : { game: given.get("game") ?? "" };
  if (given.has("plies")) source.plies = Number(given.get("plies"));
  source.moves = given.get("moves") ?? "";
  return {
    preset: given.get("preset"), source, engine: given.get("engine"), change: given.get("change") ?? "",
    seed: Number(given.get("seed") ?? 1), step: given.has("step") ? Number(given.get("step")) : null,
  };
}

export function writePlace({ preset, source, ...search }) {
  const words = Object.entries(preset ? { preset, step: search.step } : { ...source, ...search });
  return new URLSearchParams(words.filter(([, value]) => value !== undefined && value !== null)).toString().replaceAll("+", "%20");
}

/**
 * Have a search made, and read all its events.
 *
 * @param onWait called with what the engine does, while it waits.
 * @returns a promise of its result, with `events`.
 */
export async function readSearch(source, engine, seed, signal, onWait) {
  const search = { source, seed, events: [] };
  await stream("/api/inside/search", { ...source, engine, seed }, signal, (news) => {
    if (news.part) for (const event of JSON.parse(news.part)) search.events.push(event);
    else if ("progress" in news) onWait(news.progress);
    else Object.assign(search, news);
  });
  if (search.error) throw new Error(search.error);
  if (search.steps !== search.events.length) throw new Error("the search was interrupted; try again");
  return search;
}

const made = new Map();  // by the names of presets

/** The search of a preset, as `readSearch` gives it, made once. */
export async function readPreset({ name, game, moves, engine, seed }, signal, onWait) {
  if (!made.has(name)) made.set(name, await readSearch({ game, moves }, engine, seed, signal, onWait));
  return made.get(name);
}

/** The positions of nodes, asked for once. */
export class Positions {
  constructor(source) {
    this.source = source;
    this.known = new Map();  // from lists of moves to promises
  }

  /** A promise of the positions after these lists of moves. */
  of(paths) {
    if (this.known.size > KEPT) this.known.clear();
    const missing = paths.filter((moves) => !this.known.has(moves.join(" ")));
    for (let i = 0; i < missing.length; i += AT_ONCE) {
      const part = missing.slice(i, i + AT_ONCE), answer = ask("/api/inside/positions", { ...this.source, paths: part });
      part.forEach((moves, n) => this.known.set(moves.join(" "), answer.then(({ positions }) => positions[n])));
      answer.catch(() => part.forEach((moves) => this.known.delete(moves.join(" "))));
    }
    return Promise.all(paths.map((moves) => this.known.get(moves.join(" "))));
  }
}
