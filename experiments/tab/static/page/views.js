// The views of a tab. Review and Watch need a server: they work for hours, or read ledgers.

import * as analyse from "./analyse.js";
import * as compare from "./compare.js";
import * as course from "./course.js";
import * as inside from "./inside.js";
import * as play from "./play.js";
import * as train from "./train.js";
import * as trying from "./try.js";

const MODULES = { play, analyse, train, inside, compare, course };
export const NAMES = Object.keys(MODULES);
export const UNLISTED = ["try"];
export const load = (name) => (name === "try" ? trying : MODULES[name]);
