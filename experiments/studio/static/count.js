// The count of a finished game of Go with stones that are marked as dead, beside the rules' result.

import { h } from "./dom.js";

/** Whose each empty point is, as boards draw it. */
export const ownershipOf = ({ count, alive, position: { cells } }) => ((count ?? alive)?.owner ?? []).map((side, cell) => (
  side < 0 || cells[cell] >= 0 ? 0 : 1 - 2 * side));

/** The last position of a game; a cross marks each dead stone. */
export const withDead = ({ count, position }) => (
  count ? { ...position, labels: Object.fromEntries(count.dead.map((cell) => [cell, "×"])) } : position);

export class Count {
  /** @param post asks the server for something that a game does. */
  constructor(post) {
    this.post = post;
    this.words = h("p", { role: "status" });
    this.button = h("button", { onclick: () => post("count") }, "Mark dead stones");
    this.element = h("div", { class: "agreed", hidden: true }, this.words, this.button);
  }

  /** Show the count, if this game has one; clicks on its board then mark chains. */
  draw({ count, alive, position }, board) {
    this.element.hidden = !alive;
    board.onCell = count ? (cell) => { if (position.cells[cell] >= 0) this.post("count", { toggle: cell }); } : undefined;
    if (!alive) return;
    this.button.hidden = Boolean(count);
    const { dead, black, white, komi, result, proposed } = count ?? alive;
    const stones = `${dead.length} dead stone${dead.length === 1 ? "" : "s"}`;
    this.words.textContent = `${count ? `Without ${stones}: black` : "Black"} ${black}, white ${white} + ${komi} komi, ${result}. ${
      count ? "Click a chain to change it." : "All stones count as alive."}${proposed ? " Random games propose these stones." : ""}`;
  }
}
