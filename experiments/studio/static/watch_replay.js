// A finished game of a ledger, step by step.

import { ask } from "./api.js";
import { makeBoard, pieceIcon } from "./boards/index.js";
import { amount, breakable, h, percent } from "./dom.js";
import { cost } from "./watch_standings.js";

const STEP = 600;  // milliseconds between two moves that play by themselves

export async function openReplay(root, name, slot, app) {
  const path = `/api/ledgers/${encodeURIComponent(name)}`, back = `watch/${encodeURIComponent(name)}`;
  const query = (more) => new URLSearchParams({ slot, ...more });
  const game = await ask(`${path}/replay?${query()}`).catch((error) => { app.go(back); throw error; });
  const { info, moves } = game, positions = new Map();
  let ply = -1, wanted = 0, playing = null;

  const board = makeBoard(info);
  const points = { 1: "1 – 0", 0.5: "½ – ½", 0: "0 – 1" }[game.result];
  const card = (side, text) => h("div", { class: `player${game.result === 1 - side ? " winner" : ""}` }, pieceIcon(info, side),
    h("div", { class: "who" }, h("b", {}, breakable(text)), h("span", { class: "note" }, info.players[side])));
  const bar = h("div", { class: "bar-fill" }), barText = h("p", { class: "bar-text" });
  const meter = h("div", { class: `eval ${board.look.name}`, role: "img" }, bar);
  const status = h("p", { class: "status", role: "status", "aria-live": "polite" });
  const button = (text, key, run, more = {}) => h("button", { type: "button", title: `${text} (${key})`, onclick: run, ...more }, text);
  const auto = button("▶ Play", "space", toggle);
  const history = h("ol", { class: "moves", "aria-label": "Moves" }, moves.map((move, i) => h("li", {}, h("button", {
    type: "button", onclick: () => go(i + 1), title: move.cpu === undefined ? null : `${cost(1000 * move.cpu)} of CPU time`,
  }, h("span", { class: "number" }, `${i + 1}.`), pieceIcon(info, move.player), h("span", { class: "text" }, move.text),
  h("span", { class: "cost" }, move.opening ? "opening" : [cost(1000 * move.wall), move.count ? amount(move.count) : ""].filter(Boolean).join(" · ")),
  h("span", { class: "value" }, move.black == null ? "" : percent(move.player ? 1 - move.black : move.black))))));
  const items = [...history.querySelectorAll("button")];
  root.append(h("div", { class: "play" },
    h("section", { class: "stage", "aria-label": `Replay of ${info.title}` },
      h("div", { class: "players" }, card(0, game.first), card(1, game.second)),
      h("div", { class: "eval-row" }, meter, barText), board.element, status),
    h("aside", { class: "side" },
      h("div", { class: "buttons" },
        button("|◂", "Home", () => go(0)), button("◂ Back", "←", () => go(wanted - 1)), auto,
        button("Forth ▸", "→", () => go(wanted + 1)), button("▸|", "End", () => go(moves.length)),
        button("Analyse", "a", analyse), button("Review", "v", review), button("Flip", "f", () => board.flip()),
        button("Tournament", "b", () => app.go(back), { class: "main" })),
      h("section", { class: "panel" }, h("h2", {}, `${points}, ${game.reason}`), h("p", { class: "slot" }, game.slot)),
      h("section", { class: "panel history" }, h("h2", {}, "Moves"), history))));

  async function position(plies) {
    if (!positions.has(plies)) positions.set(plies, ask(`${path}/position?${query({ plies })}`));
    return positions.get(plies);
  }

  function go(plies) {
    wanted = Math.min(Math.max(plies, 0), moves.length);
    return app.attempt(async () => {
      const mine = wanted, found = await position(mine);
      if (mine !== wanted) return;
      draw(found, Math.abs(mine - ply) !== 1);
      ply = mine;
      if (mine < moves.length) position(mine + 1).catch(() => positions.delete(mine + 1));
    });
  }

  function draw(found, still) {
    board.show(found, [], {}, still);
    const last = moves[found.plies - 1], seen = moves.slice(0, found.plies).findLast((move) => move.black != null);
    const who = last ? [game.first, game.second][last.player] : "";
    status.textContent = found.plies === moves.length ? `Game over after ${moves.length} moves: ${game.reason}.`
      : last ? `Move ${found.plies} of ${moves.length}: ${last.text} by ${last.opening ? "the opening" : who}.` : `The start of ${moves.length} moves.`;
    status.classList.toggle("over", found.plies === moves.length);
    meter.classList.toggle("none", !seen);
    bar.style.width = percent(seen?.black ?? 0.5);
    barText.textContent = seen ? `${[game.first, game.second][seen.player]} expects ${percent(seen.black)} for ${info.players[0].replace(/^.*\((.*)\)$/, "$1")}` : "No engine has said yet what it expects.";
    meter.setAttribute("aria-label", barText.textContent);
    items.forEach((item, i) => { if (i === found.plies - 1) item.setAttribute("aria-current", "true"); else item.removeAttribute("aria-current"); });
    const item = items[found.plies - 1];
    if (item) history.scrollTop = item.offsetTop - history.offsetTop - history.clientHeight / 2;
  }

  function toggle() {
    if (playing) { clearInterval(playing); playing = null; auto.textContent = "▶ Play"; return; }
    auto.textContent = "❚❚ Pause";
    if (wanted === moves.length) wanted = -1;
    const step = () => { go(wanted + 1); if (wanted === moves.length) toggle(); };
    playing = setInterval(step, STEP);
    step();
  }

  /** To another view, with the game up to a move. */
  function goOn(view, plies) {
    return app.attempt(async () => app.go(`${view}/${(await ask(`${path}/open`, { slot, plies })).id}`));
  }

  function analyse() { return goOn("analyse", wanted); }
  function review() { return goOn("review", moves.length); }

  await go(0);
  return {
    close() { clearInterval(playing); },
    keys: [
      { key: "ArrowLeft", what: "a move back", run: () => go(wanted - 1) },
      { key: "ArrowRight", what: "a move forth", run: () => go(wanted + 1) },
      { key: "Home", what: "the start", run: () => go(0) }, { key: "End", what: "the end", run: () => go(moves.length) },
      { key: " ", what: "play by itself, or pause", run: toggle },
      { key: "a", what: "analyse this position", run: analyse },
      { key: "v", what: "review the game", run: review }, { key: "f", what: "turn the board", run: () => board.flip() },
      { key: "b", what: "back to the tournament", run: () => app.go(back) },
    ],
  };
}
