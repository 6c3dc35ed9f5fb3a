// The machines that play a tournament, in Watch: what each has played, how fast, and what it costs.

import { duration, h } from "./dom.js";
import { table } from "./parts.js";

const COLUMNS = ["machine", "games", "games/s", "has now", "CPU time", "state"];

export class Machines {
  constructor() {
    this.body = h("tbody", {});
    this.facts = h("p", { class: "facts" });
    this.element = h("section", { class: "panel machines", hidden: true, "aria-label": "Machines" }, h("h2", {}, "Machines"),
      h("div", { class: "table-scroll" }, table("Machines", COLUMNS, this.body)), this.facts);
  }

  /**
   * Show the machines.
   *
   * `cluster` is what the tournament that plays now says of them, or null; `ledger` what the ledger has
   * of them: games of earlier commands, too.
   */
  show(cluster, ledger) {
    const live = new Map((cluster?.machines ?? []).map((one) => [one.name, one]));
    const stored = new Map(ledger.map((one) => [one.name, one]));
    const names = [...new Set([...live.keys(), ...stored.keys()])].sort();
    this.element.hidden = !names.length;
    this.body.replaceChildren(...names.map((name) => {
      const now = live.get(name), before = stored.get(name);
      const games = Math.max(now?.done ?? 0, before?.games ?? 0);
      return h("tr", { class: now?.state === "lost" ? "not-answering" : null },
        [name, games.toLocaleString("en"), now ? rate(now.rate) : "–", now ? String(now.held) : "–",
          now ? duration(now.cpu_seconds) : before ? duration(before.cpu) : "–", now?.state ?? "not playing",
        ].map((text) => h("td", {}, text)));
    }));
    this.facts.textContent = cluster ? words(cluster)
      : "CPU time is that of the moves in the ledger.";
  }
}

function words(cluster) {
  const busy = cluster.core_seconds ? `${Math.round((100 * cluster.cpu_seconds) / cluster.core_seconds)}%` : "–";
  const cost = cluster.cost === null ? "" : ` It has cost ${cluster.cost.toPrecision(3)}, at ${cluster.price} for an hour of a core.`;
  return `${cluster.waiting.toLocaleString("en")} games wait. Since the command began: ${duration(cluster.cpu_seconds)} of CPU time, ${busy} of what the cores offered.${cost}`;
}

const rate = (value) => (value >= 10 ? Math.round(value).toLocaleString("en") : value.toPrecision(2));
