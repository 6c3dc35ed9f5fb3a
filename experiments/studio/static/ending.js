// The end of a game: the moments that decided it, and what comes next.

import { h } from "./dom.js";
import { fit, fitWords } from "./fit.js";
import { choices } from "./players.js";

export class Ending {
  /** @param actions functions {look, review, rematch, fresh} of the page; without a review, null. */
  constructor(actions) {
    const button = (text, run, name) => h("button", { class: name, onclick: run }, text);
    this.actions = actions;
    this.moments = h("div", { class: "moments" });
    this.fit = h("p", { class: "fit" });
    this.levelButton = h("button", { hidden: true, onclick: () => actions.rematch(false, this.level.spec) });
    this.element = h("section", { class: "panel ending", "aria-label": "End of the game", hidden: true }, this.moments, this.fit,
      this.next = h("div", { class: "buttons" }, button("Rematch", () => actions.rematch(false), "main"), this.levelButton,
        button("Change sides", () => actions.rematch(true)), actions.review && button("Review", actions.review), button("New game", actions.fresh)));
  }

  draw({ position, moments, game, levels, guest }) {
    this.element.hidden = !position.over;
    this.next.hidden = Boolean(guest);
    if (!position.over) return;
    const list = moments?.map(({ plies, text }) => h("li", {},
      h("button", { class: "link", onclick: () => this.actions.look(plies) }, text)));
    this.moments.replaceChildren(...(list?.length ? [h("p", {}, "Moves that decided the game, according to the engine:"), h("ul", {}, list)]
      : [h("p", {}, this.actions.review ? "A review finds the moves that decided the game." : "")]));
    this.fit.hidden = guest || !levels.some(Boolean);
    if (guest) return;  // only the maker's page starts another game
    choices().then((choice) => {
      const rows = choice.levels[game] ?? [], number = fit(game, rows)?.level;
      this.fit.textContent = fitWords(game, rows);
      this.level = rows[number - 1];
      this.levelButton.textContent = `Play level ${number}`;
      this.levelButton.hidden = this.fit.hidden || !number || levels.some((level) => level?.level === number);
    }, () => {});
  }
}
