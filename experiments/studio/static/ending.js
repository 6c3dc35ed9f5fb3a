// The end of a game: the moments that decided it, and what comes next.

import { h } from "./dom.js";
import { fitWords } from "./fit.js";
import { choices } from "./players.js";

export class Ending {
  /** @param actions functions {look, review, rematch} of the page. */
  constructor(actions) {
    const button = (text, run, name) => h("button", { class: name, onclick: run }, text);
    this.actions = actions;
    this.moments = h("div", { class: "moments" });
    this.fit = h("p", { class: "fit" });
    this.element = h("section", { class: "panel ending", "aria-label": "End of the game", hidden: true }, this.moments, this.fit,
      h("div", { class: "buttons" }, button("Rematch", () => actions.rematch(false), "main"),
        button("Change sides", () => actions.rematch(true)), button("Review", actions.review)));
  }

  draw({ position, moments, game, levels }) {
    this.element.hidden = !position.over;
    if (!position.over) return;
    const list = moments?.map(({ plies, text }) => h("li", {},
      h("button", { class: "link", onclick: () => this.actions.look(plies) }, text)));
    this.moments.replaceChildren(...(list?.length ? [h("p", {}, "What decided the game, as the engine saw it:"), h("ul", {}, list)]
      : [h("p", {}, "A review finds the moves that decided the game.")]));
    this.fit.hidden = !levels.some(Boolean);
    choices().then((choice) => { this.fit.textContent = fitWords(game, choice.levels[game] ?? []); }, () => {});
  }
}
