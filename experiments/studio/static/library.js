// All games that the server keeps (#/library): found, continued, reviewed, saved as files, deleted.

import { ask, download } from "./api.js";
import { pictureOf } from "./boards/index.js";
import { breakable, capital, h, patch } from "./dom.js";
import { Pages } from "./pages.js";
import { controls, table } from "./parts.js";

const RESULTS = {
  "": "any", unfinished: "to be continued", finished: "finished", won: "you won", lost: "you lost", draw: "draw",
  first: "the first player won", second: "the second player won",
};
const COLUMNS = ["", "", "game", "players", "result", "turns", "last change", ""];
const PAUSE = 200;  // milliseconds after the last letter

const choices = (titles) => Object.entries(titles).map(([value, text]) => h("option", { value }, text));
const games = (count) => `${count.toLocaleString("en")} game${count === 1 ? "" : "s"}`;

/** Midnight before a day, or after it, in seconds since 1970; "" without a day. */
function midnight(day, after) {
  const date = new Date(`${day}T00:00`);
  date.setDate(date.getDate() + after);
  return day && Math.floor(date / 1000);
}

export async function open(root, place, app) {
  const chosen = new Set();
  let ids = [], titles = "", typing = null;
  const again = () => pages.load();
  const title = h("select", { onchange: again }), result = h("select", { onchange: again }, choices(RESULTS));
  const player = h("input", { type: "search", maxlength: 100, oninput: () => { clearTimeout(typing); typing = setTimeout(again, PAUSE); } });
  const [since, until] = [0, 1].map(() => h("input", { type: "date", onchange: again }));
  const fields = Object.entries({ Game: title, Player: player, Result: result, From: since, Until: until });
  const body = h("tbody"), problem = h("p", { class: "bad" }), none = h("p", {}, "No games are found.");
  const told = h("span", { class: "count", role: "status" });
  const pages = new Pages(app, find, show);
  const { buttons, keys, bars } = controls({
    navigation: { newer: [null, "ArrowLeft", "later games", () => pages.newer.click()], older: [null, "ArrowRight", "earlier games", () => pages.older.click()] },
    file: {
      all: ["Choose all", "a", "choose all games that are found, or none", all],
      save: ["Save", "s", "save the chosen games as files", save], remove: ["Delete", "Delete", "delete the chosen games", remove],
      fresh: ["New game", "n", "new game", () => app.go("play")],
    },
  });
  root.append(h("div", { class: "watch library" }, h("h1", {}, "Your games"), problem,
    h("section", { class: "panel finder", role: "search", "aria-label": "Find games" }, fields.map(([label, input]) => h("label", { class: "field" }, label, input))),
    h("section", { class: "panel", "aria-label": "Games" },
      h("div", { class: "finished-head" }, bars.file, told, pages.newer, pages.count, pages.older), none,
      h("div", { class: "table-scroll" }, table("Games", COLUMNS, body, { class: "games-table" })))));
  await pages.load();

  function find(offset) {
    const query = { offset, title: title.value, player: player.value, result: result.value, since: midnight(since.value, 0), until: midnight(until.value, 1) };
    return ask(`/api/library?${new URLSearchParams(query)}`);
  }

  function show(page) {
    ({ ids } = page);
    const before = title.value, names = { "": "all", ...Object.fromEntries(page.titles.map((name) => [name, name])) };
    if (titles !== (titles = page.titles.join())) title.replaceChildren(...choices(names));
    title.value = before;
    problem.textContent = page.problem && `Games are not kept: ${page.problem}`;
    none.hidden = page.total > 0;
    body.replaceChildren(...page.games.map((game) => row(game, page.infos[game.game])));
    choose();
  }

  function row({ id, title: name, game, called, yours, over, result: end, winner, turns, date, sample, invited }, info) {
    const sides = called.map((one, side) => (one !== "human" ? one : yours.length === 1 && yours[0] === side ? "You" : capital(info?.players[side] ?? "a person")));
    const words = `${name}, ${sides.join(" – ")}`, when = new Date(1000 * date).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
    const box = h("input", { type: "checkbox", value: id, "aria-label": `Choose ${words}, ${when}`, onchange: () => {
      if (box.checked) chosen.add(id); else chosen.delete(id);
      choose();
    } });
    const link = (view, text) => h("a", { href: `#/${view}/${id}`, "aria-label": `${text}: ${words}, ${when}` }, text);
    const options = h("small");
    if (game !== info?.name) patch(options, breakable(game));
    return h("tr", {},
      h("td", {}, box), h("td", { class: "picture" }, info && sample ? pictureOf(info, sample).svg : ""),
      h("td", {}, name, options),
      h("td", {}, sides.map((side, i) => h("span", { class: winner === i ? "won" : null }, side)), invited ? h("small", {}, "with links") : ""),
      h("td", {}, end || (over === false ? "to be continued" : "")), h("td", {}, String(turns)), h("td", {}, when),
      h("td", {}, link("play", over ? "Open" : "Continue"), link("review", "Review")));
  }

  /** Show what is chosen. */
  function choose() {
    for (const box of body.querySelectorAll("input")) box.checked = chosen.has(box.value);
    buttons.save.disabled = buttons.remove.disabled = !chosen.size;
    buttons.all.disabled = !ids.length;
    buttons.all.textContent = isAll() ? "Choose none" : "Choose all";
    told.textContent = chosen.size ? `${games(chosen.size)} chosen` : "";
  }

  function isAll() { return ids.length > 0 && ids.every((id) => chosen.has(id)); }

  function all() {
    const empty = isAll();
    for (const id of ids) if (empty) chosen.delete(id); else chosen.add(id);
    choose();
  }

  function save() {
    return app.attempt(async () => app.say(`Saved as ${await download("/api/library/files", { ids: [...chosen] })}`));
  }

  async function remove() {
    if (!confirm(`Delete ${games(chosen.size)}? This cannot be undone.`)) return;
    await app.attempt(async () => {
      await ask("/api/library/delete", { ids: [...chosen] });
      app.say(`${games(chosen.size)} deleted`);
      chosen.clear();
    });
    await pages.load();
  }

  return { close() { clearTimeout(typing); }, keys };
}
