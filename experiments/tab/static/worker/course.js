// The view Course: prepared examples for the chapters, of which some start a game.

import { positionAfter } from "./analyse.js";
import { startGame, unplayed } from "./play.js";
import { Refusal } from "./refusal.js";

export const routes = (tab) => ({
  "/api/course": () => tab.part("course"),
  async "/api/course/{name}"({ params: { name } }) {
    const { chapters } = await tab.part("course"), preset = chapters.flatMap(({ presets }) => presets).find((one) => one.name === name);
    if (!preset) throw new Refusal("there is no preset of this name", 404);
    const { game, moves, players: [black, white], seed } = preset, start = (await tab.game(game)).start();
    return startGame(tab, unplayed(positionAfter(start, moves.split(" ").filter(Boolean))), { black, white, seed });
  },
});
