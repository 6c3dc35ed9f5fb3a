// The view Course: prepared examples for the chapters, of which some start a game.

import { exactEngine, positionAfter } from "./analyse.js";
import { startGame, unplayed } from "./play.js";
import { Refusal } from "./refusal.js";

async function presetOf(tab, { params: { name } }) {
  const { chapters } = await tab.part("course"), preset = chapters.flatMap(({ presets }) => presets).find((one) => one.name === name);
  if (!preset) throw new Refusal("there is no preset of this name", 404);
  return preset;
}

export const routes = (tab) => ({
  "/api/course": () => tab.part("course"),
  async "/api/course/{name}"(request) {
    const { game, moves, players: [black, white], seed } = await presetOf(tab, request), start = (await tab.game(game)).start();
    return startGame(tab, unplayed(positionAfter(start, moves.split(" ").filter(Boolean))), { black, white, seed });
  },
  /** Load the rules and the engines that a preset needs. */
  async "/api/course/{name}/prepare"(request) {
    const { engine, players, ...preset } = await presetOf(tab, request), game = await tab.game(preset.game);
    for (const spec of [engine, ...players]) {
      if (spec && spec !== "human") await tab.engine(game, spec === "exact" ? exactEngine(game) : spec, 1);
    }
    return {};
  },
});
