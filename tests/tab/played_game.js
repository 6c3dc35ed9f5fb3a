// A tab with one game, whose engines play the first legal move; the engine `slow` does so after a minute.
const { Game } = await load("rules.js"), play = await load("play.js"), analyse = await load("analyse.js");
const game = await Game.load(data.game), { pause } = await load("pause.js");
const decisionOf = ({ actions: [action] }) => ({
  action, value: 0.5, proven: null, depth: null, simulations: 10, nodes: 1, wall: 0, cpu: 0, pv: [action],
  policy: new Map([[action, 1]]), values: new Map(), visits: new Map([[action, 10]]), priors: new Map(),
  lines: new Map(),
});
class Engine {
  constructor(spec) { Object.assign(this, { spec, budgets: ["sims", "wall"], budget: {}, settings: {} }); }
  * think(position, { endless }) { this.position = position; while (endless) yield; }
  decision() { return decisionOf(this.position); }
  async select(position, limits, stopped) {
    const end = performance.now() + (this.spec === "slow" ? 60_000 : 1);
    while (performance.now() < end && !stopped()) await pause();
    return decisionOf(position);
  }
}
const setup = { parts: {}, levels: {}, presets: [], families: { quick: "Quick" } };
const tab = { setup, games: new Map(), game: async () => game, engine: async (_, spec) => new Engine(spec) };
const routes = { ...play.routes(tab), ...analyse.routes(tab) }, events = { ...play.streams(tab), ...analyse.streams(tab) };
const request = (id, body, query = "") => ({ params: { id }, body, query: new URLSearchParams(query) });
const ask = async (id, path, body, query) => routes[`/api/games/{id}${path}`](request(id, body, query));
const refused = (answer) => answer.then(() => null, ({ message }) => message);
const begin = async (settings) => (await routes["/api/games"]({ body: { game: "tictactoe", ...settings } })).id;
const watch = (id) => {
  const control = new AbortController(), { signal } = control, seen = { close: () => control.abort(), view: null };
  (async () => { for await (const { set } of events["/api/games/{id}/events"]({ ...request(id), signal })) seen.view = structuredClone(set); })();
  return seen;
};
const until = async (condition) => {
  for (let end = performance.now() + 5000; performance.now() < end; await pause()) if (condition()) return;
  throw new Error(`not within 5 s: ${condition}`);
};
