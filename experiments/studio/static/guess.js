// A game whose moves are guessed, one side's or both; and the board of the view Train.

import { ask, follow } from "./api.js";
import { makeBoard } from "./boards/index.js";
import { capital, h, patch } from "./dom.js";
import { controls, desk, memory, navigation, table, toolbar, walk } from "./parts.js";
import { choices, judgeOf, playerField } from "./players.js";

const [remembered, remember] = memory("guess");

/** A board; beside it what is asked, the answer in a line and in words, and more. One move is judged at a time. */
export function trainBoard(root, info, judge, app, asked, more) {
  let busy = false;
  const play = async (text) => {
    if (busy) return;
    busy = true;
    await app.attempt(() => judge(text));
    busy = false;
  };
  const board = makeBoard(info, play, app.say);
  const status = h("p", { class: "status", role: "status", "aria-live": "polite" });
  const words = h("div", { class: "train-words", role: "status", "aria-live": "polite" });
  root.append(desk("train", `Train: ${info.title}`, info, board.element, [
    h("section", { class: "panel" }, asked, status, words), ...more]));
  board.svg.focus({ preventScroll: true });  // what had it may be gone
  return { board, status, words, play };
}

export async function openGuess(root, id, app) {
  const path = `/api/games/${encodeURIComponent(id)}`;
  const [info, choice] = await Promise.all([ask(path), choices()]);
  let view = info, from = 0, here = null, judged = null, guesses = [], looks = 0, past = null;  // an earlier position: {turns, position}
  const steps = walk(() => past?.turns ?? steps.last, () => (here ? here.number - 1 : view.history.length), look);
  const { buttons, keys, bars } = controls({
    navigation: navigation(steps),
    guess: { next: ["Next ▸", "n", "next move to guess", next, { class: "main" }], pass: ["Pass", "p", "guess a pass", () => play("pass")] },
    view: {
      flip: ["Flip", "f", "turn the board", () => board.flip()],
      review: ["Review", "v", "review the game", () => app.go(`review/${id}`), { hidden: !app.has("review") }],
      all: ["Another game", "l", "choose another game", () => app.go("train")],
    },
  });
  const engine = playerField("guess", "Engine for the comparison", choice, remembered(info.game, info.strongest), false, () => {
    remember(info.game, engine.value());
    check();
  }, info.strongest);
  engine.fillFor(info.game);
  const side = h("select", { id: "guess-side", onchange: restart },
    [...info.players, "both sides"].map((player, i) => h("option", { value: i }, capital(player))));
  const asked = h("h2", {}), body = h("tbody", {}), total = h("h2", {});
  const { board, status, words, play } = trainBoard(root, info, judge, app, [asked], [toolbar(bars),
    h("section", { class: "panel" }, total, table("Guesses", ["", "you", "game", "points"], body)),
    h("div", { class: "field" }, h("label", { for: "guess-side" }, "Guess the moves of"), side), engine.element]);
  const doubt = h("p", { class: "cannot", role: "status", hidden: true });
  total.after(doubt);
  check();
  restart();
  const stop = follow(`${path}/events`, (news) => {
    view = news;
    if (!here) seek();
  }, (error) => { status.textContent = `${error.message}. Trying again …`; });

  /** Whether the engine can judge this game: it is searched for while the first guess is made. */
  async function check() {
    const { problem } = await judgeOf(path, engine.value());
    Object.assign(doubt, { textContent: problem, hidden: !problem });
  }

  function restart() {
    from = 0;
    guesses = [];
    board.flip(info.look === "checkers" && side.value === "0");  // their men move up
    next();
  }

  function next() {
    here = judged = past = null;
    board.svg.focus({ preventScroll: true });
    return seek();
  }

  /** Show the next position of the side, once the game has come to it. */
  function seek() {
    const wanted = Number(side.value), { history } = view;
    const at = history.findIndex(({ player, text }, i) => (
      (history[i - 1]?.plies ?? 0) >= from && (wanted > 1 || player === wanted) && text !== "resign"));
    if (at < 0) { finish(); return undefined; }
    const before = history[at - 1], mine = ++looks;
    return app.attempt(async () => {
      const found = await ask(`${path}/positions/${before?.plies ?? 0}`);
      if (mine !== looks || judged) return;
      here = { ...found, number: at + 1 };
      status.textContent = before ? `${capital(info.players[before.player])} played ${before.text}.` : "";
      patch(words, []);
      draw();
    });
  }

  function finish() {
    const running = isRunning();
    const found = guesses.filter(({ guess, game }) => guess.text === game.text).length;
    const better = guesses.filter(({ guess, game }) => guess.points > game.points).length;
    const mistakes = guesses.filter(({ guess }) => (guess.points ?? 10) < 10).map(({ number, guess }) => `move ${number} (${guess.name})`);
    status.textContent = running || !guesses.length ? "" : `You found ${found} of ${guesses.length} moves, and ${better} better ones.`;
    patch(words, running || !mistakes.length ? [] : [["p", {}, `Your mistakes: ${mistakes.join(", ")}.`]]);
    draw();
  }

  function isRunning() { return !view.position.over && (view.thinking || !view.sides.includes("human")); }

  /** Look at the position after `n` turns; the last one is that of the question. */
  function look(n) {
    const mine = past = n < steps.last ? { turns: n } : null;
    if (!mine) { draw(); return undefined; }
    return app.attempt(async () => {
      mine.position = await ask(`${path}/positions/${view.history[n - 1]?.plies ?? 0}`);
      if (mine === past) draw();
    });
  }

  function question() {
    if (past) return past.turns ? `After move ${past.turns}; End goes on` : "The start; End goes on";
    if (here) return `Move ${here.number}: what does ${info.players[here.turn]} play?`;
    return isRunning() ? "The engine thinks …" : "The game ends here.";
  }

  function draw() {
    const shown = past ? past.position ?? board.view : here ?? (isRunning() ? board.view : null), mine = here !== null && !past;
    board.show(shown ?? view.position, mine && !judged ? here.moves ?? [] : [], mine && judged ? { hints: marks() } : {}, true);
    asked.textContent = question();
    buttons.start.disabled = buttons.back.disabled = !steps.at;
    buttons.forth.disabled = buttons.end.disabled = !past;
    buttons.next.disabled = !judged;
    buttons.pass.hidden = !info.hasPass;
    buttons.pass.disabled = judged || !mine || !here.moves.some(({ text }) => text === "pass");
    const rated = guesses.filter(({ guess }) => guess.points !== null);
    const sum = (who) => rated.reduce((points, one) => points + one[who].points, 0);
    total.textContent = rated.length ? `You ${sum("guess")}, the game ${sum("game")} of ${10 * rated.length} points`
      : "Ten points for the best move, one less for each 5% of the point that a move costs";
    patch(body, guesses.map(({ guess, game, number }) => ["tr", {},
      ["td", {}, `${number}.`], ["td", {}, guess.text], ["td", {}, game.text], ["td", {}, String(guess.points ?? "–")]]));
  }

  /** The guess, the move of the game and the engine's, each once. */
  function compared() {
    const named = [["you", judged.guess], ["game", judged.game], ["engine", judged.best]].filter(([, one]) => one);
    return named.filter(([, one], i) => named.findIndex(([, other]) => other.text === one.text) === i);
  }

  function marks() {
    return compared().map(([name, { path: cells, points }]) => ({
      path: cells, label: points === null ? [name] : [name, String(points)],
      kind: points === null ? "better" : `exact ${points === 10 ? "win" : points > 5 ? "draw" : "loss"}`,
    }));
  }

  async function judge(text) {
    if (judged || !here) return;
    const before = status.textContent;
    status.textContent = "The engine compares …";
    try {
      judged = await ask(`${path}/guess`, { plies: here.plies, move: text, engine: engine.value() });
    } catch (error) {
      status.textContent = before;  // the guess is still open
      throw error;
    }
    from = judged.plies;
    guesses.push({ ...judged, number: here.number });
    const { guess, game } = judged, same = guess.text === game.text;
    status.textContent = `${guess.points === null ? "" : `${guess.points} points. `}${same ? "The game continued with the same move." : `The game continued with ${game.name}.`}`;
    patch(words, compared().map(([name, one]) => ["p", {}, ["b", {}, `${capital(name)}: ${[one.name, one.value].filter(Boolean).join(", ")}. `], one.words]));
    draw();
  }

  return { close: stop, keys, steps };
}
