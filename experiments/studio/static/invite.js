// Invitations: links with which others play one side of a game, or watch.

import { ask } from "./api.js";
import { capital, h } from "./dom.js";
import { copyText, linkTo } from "./files.js";

const SEATS = ["black", "white", "watch"];
const OWN = ["localhost", "127.0.0.1", "[::1]"];

export class Invitations {
  /** @param path of the game. */
  constructor(app, path, { players }) {
    const post = (body) => app.attempt(() => ask(`${path}/invite`, body));
    this.rows = SEATS.map((seat, side) => {
      const who = capital(players[side] ?? "watchers");
      const field = h("input", { type: "text", readonly: true, "aria-label": `Link for ${who}`, onfocus: () => field.select() });
      const copy = async () => { await post({ seat }).then((made) => made && copyText(app, linkTo(`play/${made.links[seat]}`), `The link for ${who} is copied`)); };
      const withdraw = h("button", { onclick: () => post({ seat, open: false }) }, "Withdraw");
      return { seat, field, withdraw, element: h("div", { class: "invitation" }, h("button", { onclick: copy }, `Link for ${who}`), field, withdraw) };
    });
    this.words = h("p", { class: "facts" });
    this.element = h("details", { class: "panel change" }, h("summary", {}, "Invite"), this.words, ...this.rows.map(({ element }) => element));
    this.words.textContent = `Whoever opens a link plays this side, or watches; you play what is left. ${OWN.includes(location.hostname)
      ? "This server can be reached from this machine only; for others, start it with --host." : ""}`;
  }

  draw({ guest, links, sides }) {
    this.element.hidden = Boolean(guest) || !links;  // a tab has no links
    this.rows.forEach(({ seat, field, withdraw, element }, side) => {
      const link = links?.[seat];
      element.hidden = !link && side < 2 && sides[side] !== "human";
      field.hidden = withdraw.hidden = !link;
      field.value = link ? linkTo(`play/${link}`) : "";
    });
  }
}
