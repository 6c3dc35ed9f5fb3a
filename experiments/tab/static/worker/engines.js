// Engines by specification, as on the command line: "mcts:sims=800,c_uct=1.4".

import { AlphaBeta } from "./drivers/alphabeta.js";
import { Policy } from "./drivers/policy.js";
import { Heuristic, Random, Solver } from "./drivers/simple.js";
import { TreeSearch } from "./drivers/tree.js";
import { pause } from "./pause.js";
import { loadProgram } from "./programs.js";
import { Refusal } from "./refusal.js";

const DRIVERS = { tree: TreeSearch, alphabeta: AlphaBeta, random: Random, heuristic: Heuristic, solver: Solver, policy: Policy };
// A page cannot measure CPU time.
const BUDGETS = ["sims", "depth", "nodes", "evals", "cpu", "wall"];

/** The name and the options of a specification. */
export function readSpec(text) {
  const [, name, rest] = /^([^:]*):?(.*)$/s.exec(text.trim());
  const options = new Map(), bare = [];
  for (const part of rest.split(",").filter(Boolean)) {
    const [key, ...value] = part.split("=");
    if (value.length) options.set(key.trim(), value.join("=").trim());
    else bare.push(part.trim());
  }
  return { name, options, bare };
}

/** A value of an option, of the kind that its default has. */
function typed(text, usual) {
  if (typeof usual === "boolean") return /^(yes|true|on|1)$/i.test(text);
  const number = Number(text);
  return typeof usual === "number" || (usual === null && !Number.isNaN(number)) ? number : text;
}

/** The entrant of an export that a specification means, its settings and its budget. */
function find(entrants, text) {
  const { name, options, bare } = readSpec(text);
  const same = entrants.filter((one) => one.name === name);
  const offered = () => `this page has ${entrants.map(({ spec }) => spec).join(", ")}`;
  if (!same.length) throw new Refusal(`there is no engine ${name} for this game here; ${offered()}`);
  const [{ defaults, budgets, budget: usual, bare: bareOption }] = same, budget = {}, given = {};
  for (const value of bare) {
    if (!bareOption) throw new Refusal(`engine ${text}: write ${value} as option=value`);
    given[bareOption] = value;
  }
  for (const [key, value] of options) {
    if (BUDGETS.includes(key)) {
      if (!budgets.includes(key)) throw new Refusal(`engine ${name} cannot limit itself by ${key}; it takes ${budgets.join(", ") || "no budget"}`);
      if (!(Number(value) > 0)) throw new Refusal(`engine ${text}: ${key}=${value} is not a number above 0`);
      budget[key] = Number(value);
    } else if (key in defaults) given[key] = typed(value, defaults[key]);
    else if (key !== "name") throw new Refusal(`engine ${name} has no option ${key}; it has ${[...budgets, ...Object.keys(defaults)].join(", ")}`);
  }
  const fits = (byName) => ({ fixed, model }) => Object.keys(fixed).every((key) => (
    (given[key] ?? defaults[key]) === fixed[key] || (byName && key === "model" && model && (given.model ?? model) === model)));
  const facts = same.find(fits(false)) ?? same.find(fits(true));  // the network's name may be left out
  if (!facts) throw new Refusal(`engine ${text} is not part of this page: ${offered()}`);
  return { facts, settings: { ...defaults, ...given }, given, budget: Object.keys(budget).length ? budget : usual };
}

/** An engine for one game: its driver, and what it was asked for. */
export async function makeEngine(game, spec, seed, part) {
  const { facts, settings, given, budget } = find(game.entrants, spec);
  const Driver = DRIVERS[facts.driver], program = facts.part ? await loadProgram(await part(facts.part)) : null;
  const driver = new Driver(game, program, facts, settings, given);
  driver.newGame(seed);
  return new Engine(spec, facts, settings, budget, driver);
}

class Engine {
  constructor(spec, { name, driver: kind, budgets }, settings, budget, driver) {
    Object.assign(this, { spec, name, kind, settings, budget, budgets, driver });
  }

  newGame(seed) { this.driver.newGame(seed); }
  decision() { return this.driver.decision(); }

  /** The slices of a search. @param limits sims, depth, nodes, wall (seconds), or endless; by default the engine's own. */
  * think(position, limits = {}) {
    const own = Object.keys(limits).length ? limits : this.budget;
    yield* this.driver.think(position, own.endless ? {} : { ...own, wall: own.wall ?? own.cpu });
  }

  /** A whole search, with pauses in which messages come in. @param stopped whether it has to end now. */
  async select(position, limits = {}, stopped = () => false) {
    let spent = 0, began = performance.now();
    for (const _ of this.think(position, limits)) {
      spent += performance.now() - began;
      await pause();
      if (stopped()) break;
      began = performance.now();
    }
    spent += performance.now() - began;
    return { ...this.decision(), wall: spent / 1000, cpu: spent / 1000 };
  }
}
