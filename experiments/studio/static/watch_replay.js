// A finished game of a ledger, step by step.

import { ask } from "./api.js";
import { makeBoard } from "./boards/index.js";
import { amount, duration, h, percent } from "./dom.js";
import { colourOf, controls, Meter, moveItem, playerCard } from "./parts.js";

const STEP = 600;  // milliseconds between two moves that play by themselves
const POINTS = { 1: "1 – 0", 0.5: "½ – ½", 0: "0 – 1" };

export async function openReplay(root, name, slot, app) {
  const path = `/api/ledgers/${encodeURIComponent(name)}`, back = `watch/${encodeURIComponent(name)}`;
  const query = (more) => new URLSearchParams({ slot, ...more });
  const game = await ask(`${path}/replay?${query()}`).catch((error) => { app.go(back); throw error; });
  const { info, moves } = game, positions = new Map(), players = [game.first, game.second];
  let ply = -1, wanted = 0, playing = null;

  const board = makeBoard(info), meter = new Meter(info);
  const status = h("p", { class: "status", role: "status", "aria-live": "polite" });
  const { buttons, keys } = controls({
    start: ["|◂", "Home", "the start", () => go(0)], back: ["◂ Back", "ArrowLeft", "a move back", () => go(wanted - 1)],
    auto: ["▶ Play", " ", "play by itself, or pause", toggle],
    forth: ["Forth ▸", "ArrowRight", "a move forth", () => go(wanted + 1)], end: ["▸|", "End", "the end", () => go(moves.length)],
    analyse: ["Analyse", "a", "analyse this position", () => goOn("analyse", wanted)],
    review: ["Review", "v", "review the game", () => goOn("review", moves.length)],
    flip: ["Flip", "f", "turn the board", () => board.flip()],
    list: ["Tournament", "b", "back to the tournament", () => app.go(back), { class: "main" }],
  });
  const history = h("ol", { class: "moves", "aria-label": "Moves" }, moves.map((move, i) => {
    const spent = [duration(move.wall), move.count ? amount(move.count) : ""].filter(Boolean).join(" · ");
    return moveItem(info, i + 1, move, move.opening ? "opening" : spent, {
      onclick: () => go(i + 1), title: move.cpu === undefined ? null : `${duration(move.cpu)} of CPU time`,
    });
  }));
  const items = [...history.querySelectorAll("button")];
  const cards = players.map((text, side) => {
    const { element } = playerCard(info, side, text, info.players[side]);
    element.classList.toggle("winner", game.result === 1 - side);
    return element;
  });
  root.append(h("div", { class: "play" },
    h("section", { class: "stage", "aria-label": `Replay of ${info.title}` },
      h("div", { class: "players" }, ...cards), meter.element, board.element, status),
    h("aside", { class: "side" }, h("div", { class: "buttons" }, ...Object.values(buttons)),
      h("section", { class: "panel" }, h("h2", {}, `${POINTS[game.result]}, ${game.reason}`), h("p", { class: "slot" }, game.slot)),
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
    status.textContent = found.plies === moves.length ? `Game over after ${moves.length} moves: ${game.reason}.`
      : last ? `Move ${found.plies} of ${moves.length}: ${last.text} by ${last.opening ? "the opening" : players[last.player]}.`
        : `The start of ${moves.length} moves.`;
    status.classList.toggle("over", found.plies === moves.length);
    meter.show(seen?.black ?? null, seen ? `${players[seen.player]} expects ${percent(seen.black)} for ${colourOf(info.players[0])}`
      : "No engine has said yet what it expects.");
    items.forEach((item, i) => { if (i === found.plies - 1) item.setAttribute("aria-current", "true"); else item.removeAttribute("aria-current"); });
    const item = items[found.plies - 1];
    if (item) history.scrollTop = item.offsetTop - history.offsetTop - history.clientHeight / 2;
  }

  function toggle() {
    if (playing) { clearInterval(playing); playing = null; buttons.auto.textContent = "▶ Play"; return; }
    buttons.auto.textContent = "❚❚ Pause";
    if (wanted === moves.length) wanted = -1;
    const step = () => { go(wanted + 1); if (wanted === moves.length) toggle(); };
    playing = setInterval(step, STEP);
    step();
  }

  /** To another view, with the game up to a move. */
  function goOn(view, plies) {
    return app.attempt(async () => app.go(`${view}/${(await ask(`${path}/open`, { slot, plies })).id}`));
  }

  await go(0);
  return { close() { clearInterval(playing); }, keys };
}
