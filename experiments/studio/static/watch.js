// The view Watch: ledgers (#/watch), a tournament (#/watch/NAME), a replay (#/watch/NAME/SLOT).

import { ask, follow } from "./api.js";
import { pictureOf, pieceIcon } from "./boards/index.js";
import { duration, h } from "./dom.js";
import { Meter, table } from "./parts.js";
import { Machines } from "./watch_machines.js";
import { openReplay } from "./watch_replay.js";
import { Standings } from "./watch_standings.js";
import { strengthPlot } from "./watch_plot.js";

// Milliseconds between two steps of a playback, and its steps.
const STEP = 700, STEPS = 24;
const PAGE = 20;  // games listed at once, as the server gives them

export async function open(root, place, app) {
  const [name, slot] = place.split("/").map(decodeURIComponent);
  if (slot) return openReplay(root, name, slot, app);
  if (name) return openTournament(root, name, app);
  return openList(root, app);
}

async function openList(root, app) {
  const { ledgers } = await ask("/api/ledgers");
  if (ledgers.length === 1 && !ledgers[0].problem) {
    history.replaceState(null, "", `#/watch/${encodeURIComponent(ledgers[0].name)}`);
    return openTournament(root, ledgers[0].name, app);
  }
  const words = ({ games, running, problem }) => problem
    || `${games.toLocaleString("en")} games${running ? ", and a tournament is playing" : ""}`;
  root.append(h("div", { class: "watch" }, h("h1", {}, "Which tournament would you like to watch?"),
    ledgers.length ? h("ul", { class: "ledgers" }, ledgers.map((ledger) => h("li", { class: "panel" },
      h("a", { href: `#/watch/${encodeURIComponent(ledger.name)}` }, ledger.name),
      h("span", { class: ledger.problem ? "bad" : ledger.running ? "live" : "" }, words(ledger)))))
      : h("div", { class: "panel" },
        h("p", {}, "This server knows no ledger yet. Start it with the file of a tournament, running or finished:"),
        h("pre", {}, "dlgo tournament plan.toml --ledger games.sqlite\ndlgo web --ledger games.sqlite"),
        h("p", {}, "or with the folder that the files are in: dlgo web --folder DIR"))));
  return { close() {}, keys: [] };
}

async function openTournament(root, name, app) {
  const path = `/api/ledgers/${encodeURIComponent(name)}`;
  const own = `#/watch/${encodeURIComponent(name)}`;
  let view = null, game = null, past = null, asked = 0, playing = null, began = null, listed = -1;

  const status = h("p", { class: "watch-status", role: "status", "aria-live": "polite" }, "Reading the ledger …");
  const progress = h("progress", { class: "watch-progress", hidden: true, "aria-label": "Games played" });
  const tabs = h("div", { class: "tabs", role: "group", "aria-label": "Game" });
  const standings = new Standings((entrant) => { games.entrant = entrant; list(); });
  const slider = h("input", { type: "range", id: "after", min: 1, max: 1, value: 1, oninput: () => goBack(Number(slider.value)) });
  const after = h("output", { for: "after" });
  const playback = h("button", { type: "button", title: "Play back from the first game (space)", onclick: togglePlayback }, "▶ Play back");
  const facts = h("p", { class: "facts" });
  const plot = h("figure", { class: "strength", "aria-label": "Strength per compute" });
  const live = h("div", { class: "live-games" });
  const liveSection = h("section", { hidden: true, "aria-label": "Games in progress" }, h("h2", {}, "Games in progress"), live);
  const machines = new Machines();
  const games = gamesList(path, own, app, () => game);
  const box = h("div", { class: "watch" },
    h("div", { class: "watch-head" }, h("h1", {}, name), tabs), progress, status,
    h("div", { class: "watch-columns" },
      h("section", { class: "panel", "aria-label": "Standings" }, h("div", { class: "table-scroll" }, standings.element), facts,
        h("div", { class: "playback" }, playback, h("label", { for: "after" }, "Standings after"), slider, after)),
      h("section", { class: "panel", "aria-label": "Strength per compute" }, h("h2", {}, "Strength per compute"), plot)),
    machines.element, liveSection, games.element);
  root.append(box);
  const tiles = [];

  const stop = follow(`${path}/events`, (news) => {
    view = news;
    draw();
  }, (error) => { status.textContent = `${error.message}. Trying again …`; });

  function draw() {
    head();
    if (!past) rated(view.standings);
    machines.show(view.cluster, view.standings?.machines ?? []);
    boards();
    if (view.games !== listed && (listed < 0 || !games.offset)) {
      listed = view.games;
      list();
    }
  }

  const list = () => app.attempt(() => games.load());

  function head() {
    const { running } = view, done = running?.done ?? view.games, planned = Math.max(running?.planned ?? done, done);
    progress.hidden = !running;
    if (running) {
      progress.max = planned;
      progress.value = done;
      began ??= { time: performance.now(), done };
    } else began = null;
    status.classList.toggle("bad", Boolean(view.problem));
    status.textContent = view.problem || [
      running ? `Playing: ${done.toLocaleString("en")} of ${planned.toLocaleString("en")} games`
        : done ? `${done.toLocaleString("en")} games; no tournament is playing into this ledger now`
          : "No games yet. A tournament that has just been started loads its engines first; that can take a minute",
      running ? speed(done, planned) : "", view.rating,
    ].filter(Boolean).join(" · ");
  }

  function speed(done, planned) {
    const seconds = (performance.now() - began.time) / 1000, rate = (done - began.done) / seconds;
    if (seconds < 5 || rate <= 0) return "";
    const left = duration((planned - done) / rate).replace(/ ms$/, " ms");
    return `${rate >= 1 ? `${rate.toFixed(1)} a second` : `${(60 * rate).toFixed(1)} a minute`}, about ${left} left`;
  }

  /** Show standings: those of now, or of an earlier moment. */
  function rated(found) {
    const tables = found?.tables ?? [];
    const names = tables.map((table) => table.game);
    if (!names.includes(game)) {
      game = names[0] ?? null;
      if (game) list();
    }
    tabs.replaceChildren(...(names.length > 1 ? names.map((one) => h("button", {
      type: "button", "aria-pressed": String(one === game), onclick: () => { game = one; rated(past ?? view.standings); list(); },
    }, one)) : names.length ? [h("span", { class: "only" }, names[0])] : []));
    const table = tables.find((one) => one.game === game);
    standings.show(table?.rows ?? [], scaleOf());
    plot.replaceChildren(strengthPlot(table?.rows ?? [], scaleOf()));
    facts.textContent = table ? words(table) : view.games && !view.problem ? "Rating the games …" : "";
    const all = view.standings?.games ?? 0;
    slider.disabled = playback.disabled = !all;
    slider.max = String(Math.max(all, 1));
    if (!past) slider.value = slider.max;
    after.textContent = all ? `${(found?.games ?? all).toLocaleString("en")} of ${all.toLocaleString("en")} games` : "";
  }

  /** The latest standings set the scale, so that intervals are seen to grow narrower. */
  const scaleOf = () => (past ? view.standings.tables.find((one) => one.game === game)?.rows ?? [] : []);

  function words(table) {
    const parts = [`${table.games.toLocaleString("en")} games`];
    if (table.repeated) parts.push(`${table.repeated.toLocaleString("en")} repetitions not rated`);
    if (table.failures) parts.push(`${table.failures} lost by failures`);
    if (table.firstMove) parts.push(`moving first is worth ${Math.round(table.firstMove[0])} Elo`);
    return `${parts.join(", ")}. Elo, ${table.zero}. ${table.remarks.join(" ")}`;
  }

  // Earlier standings.

  async function goBack(count) {
    const mine = ++asked;
    if (!view.standings || count >= view.standings.games) { past = null; rated(view.standings); return; }
    const found = await app.attempt(() => ask(`${path}/standings?games=${count}`));
    if (mine !== asked || !found) return;
    past = found;
    rated(past);
  }

  function togglePlayback() {
    if (playing) { endPlayback(); return; }
    if (playback.disabled) return;
    const all = view.standings.games, ratio = all ** (1 / STEPS);
    let at = Number(slider.value) >= all ? Math.min(10, all) : Number(slider.value);
    playback.textContent = "❚❚ Pause";
    const next = async () => {
      slider.value = String(Math.round(at));
      await goBack(Math.round(at));
      if (!playing) return;
      if (at >= all) { endPlayback(); return; }
      at = Math.min(all, Math.max(at + 1, at * ratio));
      playing = setTimeout(next, STEP);
    };
    playing = setTimeout(next, 0);
  }

  function endPlayback() {
    clearTimeout(playing);
    playing = null;
    playback.textContent = "▶ Play back";
  }

  // Games in progress.

  function boards() {
    liveSection.hidden = !view.live.length;
    view.live.forEach((one, i) => {
      tiles[i] ??= new Tile(live);
      tiles[i].show(one, view.infos[one.game]);
    });
    tiles.splice(view.live.length).forEach((tile) => tile.element.remove());
  }

  return {
    close() {
      stop();
      endPlayback();
    },
    keys: [
      { key: " ", what: "play back from the first game, or pause", run: togglePlayback },
      { key: "g", what: "the next game of the tournament", run: () => {
        const names = (view?.standings?.tables ?? []).map((table) => table.game);
        if (names.length > 1) { game = names[(names.indexOf(game) + 1) % names.length]; rated(past ?? view.standings); list(); }
      } },
      { key: "l", what: "the list of ledgers", run: () => app.go("watch") },
    ],
  };
}

/** A game in progress. */
class Tile {
  constructor(parent) {
    this.names = [h("span", {}), h("span", {})];
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

/** Finished games, the last one first, a page at a time. */
function gamesList(path, own, app, gameShown) {
  const body = h("tbody", {}), count = h("span", { class: "count" });
  const heading = h("h2", {}, "Finished games");
  const everybody = h("button", { type: "button", class: "link", hidden: true, onclick: () => { list.entrant = ""; app.attempt(() => list.load()); } }, "show all entrants");
  const failed = h("input", { type: "checkbox", id: "failed", onchange: () => app.attempt(() => list.load()) });
  const turn = (by) => h("button", { type: "button", onclick: () => app.attempt(() => list.load(list.offset + by)) }, by < 0 ? "◂ Later" : "Earlier ▸");
  const newer = turn(-PAGE), older = turn(PAGE);
  const list = {
    entrant: "", offset: 0,
    element: h("section", { class: "panel finished", "aria-label": "Finished games" },
      h("div", { class: "finished-head" }, heading, everybody,
        h("label", { class: "inline", for: "failed" }, failed, "failures only"), newer, count, older),
      h("div", { class: "table-scroll" }, table("Finished games",
        ["", "first", "second", "result", "moves", "how it ended"], body, { class: "games-table" }))),
    async load(offset = 0) {
      const query = new URLSearchParams({ offset, game: gameShown() ?? "", entrant: list.entrant, failed: failed.checked ? "yes" : "" });
      const found = await ask(`${path}/games?${query}`);
      list.offset = offset;
      heading.textContent = list.entrant ? `Games of ${list.entrant}` : "Finished games";
      everybody.hidden = !list.entrant;
      newer.disabled = !offset;
      older.disabled = offset + found.games.length >= found.total;
      count.textContent = found.total ? `${offset + 1} to ${offset + found.games.length} of ${found.total.toLocaleString("en")}` : "none";
      body.replaceChildren(...found.games.map((one) => h("tr", { class: one.failed ? "failed" : null },
        h("td", {}, h("a", { href: `${own}/${encodeURIComponent(one.slot)}`, title: one.slot }, "replay")),
        h("td", { class: one.result === 1 ? "won" : null }, one.first), h("td", { class: one.result === 0 ? "won" : null }, one.second),
        h("td", {}, { 1: "1 – 0", 0.5: "½ – ½", 0: "0 – 1" }[one.result]), h("td", {}, String(one.plies)), h("td", {}, one.reason))));
    },
  };
  return list;
}
