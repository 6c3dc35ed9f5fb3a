// The view Watch: ledgers (#/watch), a tournament (#/watch/NAME). A finished game of it
// (#/watch/NAME/SLOT) is opened in the view Play, with what its moves have cost.

import { ask, follow } from "./api.js";
import { pictureOf, pieceIcon } from "./boards/index.js";
import { duration, h, patch } from "./dom.js";
import { Pages } from "./pages.js";
import { Meter, table } from "./parts.js";
import { Standings } from "./watch_standings.js";

export async function open(root, place, app) {
  const [name, slot] = place.split("/").map(decodeURIComponent);
  if (slot) {
    const made = await ask(`/api/ledgers/${encodeURIComponent(name)}/open`, { slot });
    location.replace(`#/play/${made.id}`);
    return null;
  }
  if (name) return openTournament(root, name, app);
  return openList(root, app);
}

async function openList(root, app) {
  const list = h("ul", { class: "ledgers" });
  const none = h("div", { class: "panel" },
    h("p", {}, "There is no ledger yet. Start this server with the ledger of a tournament, or with a folder of ledgers:"),
    h("pre", {}, "dlgo tournament plan.toml --ledger games.sqlite\ndlgo web --ledger games.sqlite"));
  const words = ({ games, running, problem }) => problem
    || `${games.toLocaleString("en")} games${running ? ", tournament running" : ""}`;

  async function look() {  // ledgers may come later
    const { ledgers } = await ask("/api/ledgers");
    if (ledgers.length === 1 && !ledgers[0].problem) return ledgers[0].name;
    none.hidden = ledgers.length > 0;
    patch(list, ledgers.map((ledger) => ["li", { class: "panel" },
      ["a", { href: `#/watch/${encodeURIComponent(ledger.name)}` }, ledger.name],
      ["span", { class: ledger.problem ? "bad" : ledger.running ? "live" : "" }, words(ledger)]]));
    return null;
  }

  const only = await look();
  if (only) {
    history.replaceState(null, "", `#/watch/${encodeURIComponent(only)}`);
    return openTournament(root, only, app);
  }
  root.append(h("div", { class: "watch" }, h("h1", {}, "Which tournament would you like to watch?"), list, none));
  const timer = setInterval(async () => {
    const name = await look().catch(() => null);
    if (name && root.contains(list)) location.replace(`#/watch/${encodeURIComponent(name)}`);
  }, 2000);
  return { close() { clearInterval(timer); }, keys: [] };
}

async function openTournament(root, name, app) {
  const path = `/api/ledgers/${encodeURIComponent(name)}`, own = `#/watch/${encodeURIComponent(name)}`;
  let view = null, game = null, names = [], began = null, listed = -1;

  const status = h("p", { class: "watch-status", role: "status", "aria-live": "polite" }, "Reading the ledger …");
  const progress = h("progress", { class: "watch-progress", hidden: true, "aria-label": "Games played" });
  const tabs = h("div", { class: "tabs", role: "group", "aria-label": "Game" });
  const standings = new Standings((entrant) => { games.entrant = entrant; games.pages.load(); });
  const facts = h("p", { class: "facts" });
  const live = h("div", { class: "live-games" });
  const liveSection = h("section", { hidden: true, "aria-label": "Games in progress" }, h("h2", {}, "Games in progress"), live);
  const games = gamesList(path, own, app, () => game);
  const box = h("div", { class: "watch" },
    h("div", { class: "watch-head" }, h("h1", {}, name), tabs), progress, status,
    h("section", { class: "panel", "aria-label": "Standings" }, h("div", { class: "table-scroll" }, standings.element), facts),
    liveSection, games.element);
  root.append(box);
  const tiles = [];

  const stop = follow(`${path}/events`, draw, (error) => { status.textContent = `${error.message}. Trying again …`; });

  function draw(news) {
    view = news;
    head();
    rated();
    liveSection.hidden = !view.live.length;
    view.live.forEach((one, i) => {
      tiles[i] ??= new Tile(live);
      tiles[i].show(one, view.infos[one.game]);
    });
    tiles.splice(view.live.length).forEach((tile) => tile.element.remove());
    if (view.games !== listed && (listed < 0 || !games.pages.offset)) {
      listed = view.games;
      games.pages.load();
    }
  }

  function head() {
    const { running } = view, done = running?.done ?? view.games, planned = Math.max(running?.planned ?? done, done);
    Object.assign(progress, { hidden: !running, max: planned, value: done });
    began = running ? began ?? { time: performance.now(), done } : null;
    status.classList.toggle("bad", Boolean(view.problem));
    status.textContent = view.problem || [
      running ? `Playing: ${done.toLocaleString("en")} of ${planned.toLocaleString("en")} games`
        : done ? `${done.toLocaleString("en")} games; no tournament is running`
          : "No games yet. A tournament first loads its engines, which can take a minute",
      running ? speed(done, planned) : "", view.rating,
    ].filter(Boolean).join(" · ");
  }

  function speed(done, planned) {
    const seconds = (performance.now() - began.time) / 1000, rate = (done - began.done) / seconds;
    if (seconds < 5 || rate <= 0) return "";
    const left = duration((planned - done) / rate);
    return `${rate >= 1 ? `${rate.toFixed(1)} a second` : `${(60 * rate).toFixed(1)} a minute`}, about ${left} left`;
  }

  function rated() {
    const tables = view.standings?.tables ?? [];
    names = tables.map((table) => table.game);
    if (!names.includes(game)) {
      game = names[0] ?? null;
      if (game) games.pages.load();
    }
    tabs.replaceChildren(...(names.length > 1 ? names.map((one) => h("button", {
      "aria-pressed": String(one === game), onclick: () => choose(one),
    }, one)) : names.length ? [h("span", { class: "only" }, names[0])] : []));
    const table = tables.find((one) => one.game === game);
    standings.show(table?.rows ?? []);
    facts.textContent = table ? words(table) : view.games && !view.problem ? "Rating the games …" : "";
  }

  function choose(one) {
    game = one;
    rated();
    games.pages.load();
  }

  function words(table) {
    const parts = [`${table.games.toLocaleString("en")} games`];
    if (table.repeated) parts.push(`${table.repeated.toLocaleString("en")} repetitions not rated`);
    if (table.failures) parts.push(`${table.failures} lost by failures`);
    if (table.firstMove) parts.push(`moving first is worth ${Math.round(table.firstMove)} Elo`);
    return `${parts.join(", ")}. Elo, ${table.zero}. ${table.remarks.join(" ")}`;
  }

  return {
    close: stop,
    keys: [
      { key: "g", what: "the next game of the tournament", run: () => {
        if (names.length > 1) choose(names[(names.indexOf(game) + 1) % names.length]);
      } },
      { key: "l", what: "the list of ledgers", run: () => app.go("watch") },
    ],
  };
}

/** A game in progress. */
class Tile {
  constructor(parent) {
    this.note = h("p", { class: "note" });
    this.frame = h("div", { class: "tile-board" });
    this.element = h("article", { class: "panel tile" }, h("p", { class: "versus" }), this.frame, this.note);
    parent.append(this.element);
  }

  show(one, info) {
    if (info && this.game !== one.game) {
      this.game = one.game;
      this.board = pictureOf(info, null, info.title);
      this.meter = new Meter(info);
      this.meter.element.setAttribute("aria-hidden", "true");
      this.frame.replaceChildren(this.meter.element, this.board.element);
    }
    const icon = (side) => (info ? pieceIcon(info, side) : "");
    this.element.querySelector(".versus").replaceChildren(
      h("span", {}, icon(0), one.first), h("span", {}, icon(1), one.second));
    this.note.textContent = one.problem || `move ${one.plies}${one.position?.over ? `: ${one.position.result}` : ""}`;
    if (!one.position || !this.board) return;
    this.meter.show(one.black);
    this.board.show(one.position, [], {}, this.slot !== one.slot);
    this.slot = one.slot;
    this.board.svg.setAttribute("aria-label", `${info.title}: ${one.first} against ${one.second}, move ${one.plies}`);
  }
}

/** Finished games, the last one first. */
function gamesList(path, own, app, gameShown) {
  const body = h("tbody", {}), heading = h("h2", {}, "Finished games");
  const everybody = h("button", { class: "link", hidden: true, onclick: () => { list.entrant = ""; pages.load(); } }, "show all entrants");
  const failed = h("input", { type: "checkbox", id: "failed", onchange: () => pages.load() });
  const find = (offset) => ask(`${path}/games?${new URLSearchParams({
    offset, game: gameShown() ?? "", entrant: list.entrant, failed: failed.checked ? "yes" : "" })}`);
  const pages = new Pages(app, find, (found) => {
    heading.textContent = list.entrant ? `Games of ${list.entrant}` : "Finished games";
    everybody.hidden = !list.entrant;
    body.replaceChildren(...found.games.map((one) => h("tr", { class: one.failed ? "failed" : null },
      h("td", {}, h("a", { href: `${own}/${encodeURIComponent(one.slot)}`, title: one.slot }, "replay")),
      h("td", { class: one.result === 1 ? "won" : null }, one.first), h("td", { class: one.result === 0 ? "won" : null }, one.second),
      h("td", {}, { 1: "1 – 0", 0.5: "½ – ½", 0: "0 – 1" }[one.result]), h("td", {}, String(one.plies)), h("td", {}, one.reason))));
  });
  const list = {
    entrant: "", pages,
    element: h("section", { class: "panel finished", "aria-label": "Finished games" },
      h("div", { class: "finished-head" }, heading, everybody,
        h("label", { class: "inline", for: "failed" }, failed, "failures only"), pages.newer, pages.count, pages.older),
      h("div", { class: "table-scroll" }, table("Finished games",
        ["", "first", "second", "result", "moves", "how it ended"], body, { class: "games-table" }))),
  };
  return list;
}
