// Replays the games of a page. The data is JSON in the page; all text goes in as text, never as HTML.

import { pictureOf, pieceIcon } from "./boards/index.js";
import { h } from "./dom.js";

const PIECES = "0123456789abcdefghijklmnopqrstuvwxyz";
const groups = JSON.parse(document.getElementById("replays").textContent);
const games = groups.flatMap((group) => group.games);
const byId = (id) => document.getElementById(id);
const pick = byId("pick"), slider = byId("ply"), play = document.querySelector("[data-to=play]");
let game, board, ply = 0, timer = 0;

function show() {
  const frame = game.frames[ply];
  board.show({ ...frame, cells: [...frame.cells].map((piece) => PIECES.indexOf(piece)) }, [], {}, true);
  slider.value = ply;
  let line = `Start of the game, ${game.plies} plies.`;
  if (ply > 0) {
    line = `Ply ${ply} of ${game.plies}: ${[game.first, game.second][frame.by]} plays ${frame.move}`;
    if (frame.opening) line += " (drawn opening)";
    if (frame.cpu !== undefined) line += `, ${frame.cpu} ms CPU`;
    if (frame.value !== undefined) line += `, expects ${frame.value > 0 ? "+" : ""}${frame.value}`;
    line += ".";
  }
  if (ply === game.plies) line += ` End: ${game.result}, ${game.reason}.`;
  byId("status").textContent = line;
}

function stop() {
  clearInterval(timer);
  timer = 0;
  play.textContent = "play";
}

function go(to) {
  ply = Math.max(0, Math.min(game.plies, to));
  if (ply === game.plies) stop();
  show();
}

function choose(number) {
  stop();
  game = games[number];
  board = pictureOf(game.info, null, `${game.info.title} board`);
  byId("board").replaceChildren(board.element);
  byId("players").replaceChildren(...[game.first, game.second].map((name, side) => (
    h("span", {}, pieceIcon(game.info, side), `${name} (${side ? "second" : "first"})`))));
  slider.max = game.plies;
  go(game.plies);
}

let count = 0;
pick.append(...groups.map((group) => h("optgroup", { label: group.game }, group.games.map(({ first, second, result, why }) => (
  h("option", { value: count++ }, `${first} - ${second}, ${result}: ${why}`))))));
pick.addEventListener("change", () => choose(Number(pick.value)));
slider.addEventListener("input", () => { stop(); go(Number(slider.value)); });
const steps = { start: () => go(0), back: () => go(ply - 1), on: () => go(ply + 1), end: () => go(game.plies) };
for (const button of document.querySelectorAll("[data-to]")) {
  button.addEventListener("click", () => {
    if (button !== play || timer) { stop(); steps[button.dataset.to]?.(); return; }
    if (ply === game.plies) go(0);
    timer = setInterval(() => go(ply + 1), 600);
    play.textContent = "stop";
  });
}
byId("viewer").removeAttribute("hidden");
choose(0);
