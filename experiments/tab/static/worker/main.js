// The studio's server in a worker: the same requests, answered by compiled rules and engines.
//
// A module of routes has `routes(tab)`: path -> function of { params, query, body, data }, and perhaps `streams(tab)`:
// path -> generator of events. `tab` is what they share.

import * as analyse from "./analyse.js";
import * as course from "./course.js";
import * as inside from "./inside.js";
import * as match from "./match.js";
import * as play from "./play.js";
import * as train from "./train.js";
import { makeEngine } from "./engines.js";
import { Refusal } from "./refusal.js";
import { Game } from "./rules.js";

const VIEWS = [play, analyse, train, inside, course, match];

/** Patterns such as "/api/games/{id}/move" with what answers them. */
const table = (tab, kind) => VIEWS.flatMap((view) => Object.entries(view[kind]?.(tab) ?? {})).map(([path, work]) => (
  [new RegExp(`^${path.replace(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`), work]));

export class Tab {
  /** @param part reads a part of the export by its name: a promise of its value. */
  constructor(part) {
    Object.assign(this, { part, games: new Map(), loaded: new Map() });
    this.routes = [[/^\/api\/setup$/, () => this.setup], ...table(this, "routes")];
    this.streams = table(this, "streams");
  }

  async begin() {
    this.setup = await this.part("setup");
    return this;
  }

  /** A game by its specification. */
  game(spec) {
    const part = this.setup.parts[spec];
    if (!part) throw new Refusal(`${spec} is not part of this page: it has ${this.setup.games.map((game) => game.spec).join(", ")}`);
    if (!this.loaded.has(part)) this.loaded.set(part, this.part(part).then(Game.load));
    return this.loaded.get(part);
  }

  engine(game, spec, seed) { return makeEngine(game, spec, seed, this.part); }

  /** Find what answers a path. */
  #find(all, address, more) {
    const [path, query] = address.split("?");
    for (const [pattern, work] of all) {
      const match = pattern.exec(path);
      if (match) {
        const params = Object.fromEntries(Object.entries(match.groups ?? {}).map(([key, value]) => [key, decodeURIComponent(value)]));
        return work({ params, query: new URLSearchParams(query), ...more });
      }
    }
    throw new Refusal("this needs a server: start `dlgo web`", 404);
  }

  answer(path, body, data) { return this.#find(this.routes, path, { body, data }); }
  events(path, body, signal) { return this.#find(this.streams, path, { body, signal }); }
}

/** An error in words for people. */
export function wordsOf(error) {
  if (error instanceof Refusal) return { error: error.message, status: error.status };
  console.error(error);
  return { error: `internal error: ${error.message}`, status: 500 };
}
