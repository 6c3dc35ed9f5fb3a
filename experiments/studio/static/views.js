// The views of the studio, in the order of their keys; each is a module beside this one, loaded when it is opened.

export const NAMES = ["play", "analyse", "review", "train", "inside", "watch", "course"];
export const UNLISTED = ["library", "setup"];  // views without a link and a key
export const load = (name) => import(`./${name}.js`);
