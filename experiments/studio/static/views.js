// The views of the studio, in the order of their keys; each is a module beside this one, loaded when it is opened.

import { answer } from "./transport.js";

export const NAMES = ["play", "analyse", "review", "train", "inside", "watch", "course"];
export const UNLISTED = ["library", "setup"];  // views without a link and a key
export const load = (name) => answer("icon.svg").then(() => import(`./${name}.js`));  // a browser does not ask again for a module that it did not get
