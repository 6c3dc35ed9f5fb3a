// The view Play: a new game (#/play), or a game in progress (#/play/ID).

import { openGame } from "./game.js";
import { openStart } from "./start.js";

export function open(root, place, app) {
  return place ? openGame(root, place, app) : openStart(root, app);
}
