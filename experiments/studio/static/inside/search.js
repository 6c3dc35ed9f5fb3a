// A search that the server has made: its events, and the positions of its nodes.

import { ask, stream } from "../api.js";

const KEPT = 4000;  // positions

/** The content of an address: `preset=NAME`, or a position and a search; null: nothing to search yet. */
export function readPlace(place) {
  if (place && !place.includes("=")) return { source: { from: place } };
  const given = new URLSearchParams(place);
  const source = given.has("from") ? { from: given.get("from") } : { game: given.get("game") ?? "" };
  if (given.has("plies")) source.plies = Number(given.get("plies"));
  source.moves = given.get("moves") ?? "";
  return {
    preset: given.get("preset"), source, engine: given.get("engine"),
    seed: Number(given.get("seed") ?? 1), step: given.has("step") ? Number(given.get("step")) : null,
  };
}

export function writePlace({ preset, source, engine, seed, step }) {
  const words = new URLSearchParams(preset ? { preset } : { ...source, engine, seed });
  if (step !== undefined && step !== null) words.set("step", step);
  return words.toString().replaceAll("+", "%20");
}

/**
 * Have a search made, and read all its events.
 *
 * @param onWait called with how many searches come before, while it waits.
 * @returns {stop(), done: its result so far, with `events`}.
 */
export function startSearch(source, engine, seed, onWait) {
  const control = new AbortController();
  const read = async () => {
    const search = { source, seed, events: [] };
    await stream("/api/inside/search", { ...source, engine, seed }, control.signal, (news) => {
      if (news.part) for (const event of JSON.parse(news.part)) search.events.push(event);
      else if ("waiting" in news) onWait(news.waiting);
      else Object.assign(search, news);
    });
    if (search.error) throw new Error(search.error);
    if (search.steps !== search.events.length) throw new Error("the search was interrupted; try again");
    return search;
  };
  return { stop: () => control.abort(), done: read() };
}

/** The positions of nodes, asked for once. */
export class Positions {
  constructor(source, onTrouble) {
    Object.assign(this, { source, onTrouble });
    this.known = new Map();
    this.asked = new Set();
    this.waiting = [];
  }

  /** Call `then` with the positions after these lists of moves, once they are there. */
  of(paths, then) {
    const keys = paths.map((moves) => moves.join(" "));
    if (keys.every((key) => this.known.has(key))) { then(keys.map((key) => this.known.get(key))); return; }
    this.waiting.push({ keys, then });
    this.#ask(paths.filter((_, i) => !this.known.has(keys[i]) && !this.asked.has(keys[i])));
  }

  async #ask(paths) {
    if (this.known.size > KEPT) this.known.clear();
    for (let i = 0; i < paths.length; i += 60) {
      const part = paths.slice(i, i + 60), keys = part.map((moves) => moves.join(" "));
      keys.forEach((key) => this.asked.add(key));
      try {
        const { positions } = await ask("/api/inside/positions", { ...this.source, paths: part });
        keys.forEach((key, n) => this.known.set(key, positions[n]));
      } catch (error) {
        this.waiting = this.waiting.filter((one) => !one.keys.some((key) => keys.includes(key)));
        this.onTrouble(error);
      }
      keys.forEach((key) => this.asked.delete(key));
    }
    const ready = this.waiting.filter(({ keys }) => keys.every((key) => this.known.has(key)));
    this.waiting = this.waiting.filter((one) => !ready.includes(one));
    for (const { keys, then } of ready) then(keys.map((key) => this.known.get(key)));
  }
}
