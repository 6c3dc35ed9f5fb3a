// A long list of games, the last one first, a page at a time.

import { h } from "./dom.js";

export class Pages {
  /** @param find (offset) -> a promise of { games, total }. @param show draws such a page. */
  constructor(app, find, show) {
    const turn = (by) => h("button", { onclick: () => this.load(this.offset + by * this.size) }, by < 0 ? "◂ Later" : "Earlier ▸");
    Object.assign(this, { app, find, show, offset: 0, size: 0, asked: 0, newer: turn(-1), older: turn(1) });
    this.count = h("span", { class: "count", role: "status" });
  }

  /** Show the page that begins at `offset`; only what is asked for last is shown. */
  load(offset = 0) {
    return this.app.attempt(async () => {
      const mine = ++this.asked, page = await this.find(offset), end = offset + page.games.length;
      if (mine !== this.asked) return;
      this.offset = offset;
      this.size = Math.max(this.size, page.games.length);
      this.newer.disabled = !offset;
      this.older.disabled = end >= page.total;
      this.count.textContent = page.total ? `${offset + 1} to ${end} of ${page.total.toLocaleString("en")}` : "none";
      this.show(page);
    });
  }
}
