// The view of a game in progress: board, players, evaluation, moves, hint, errors.

import { makeBoard, pieceIcon } from "./boards/index.js";
import { showClock } from "./clock.js";
import { amount, capital, duration, h, percent } from "./dom.js";
import { Count, ownershipOf, withDead } from "./count.js";
import { Ending } from "./ending.js";
import { fileNotes } from "./files.js";
import { desk, follow, Meter, playerCard, preparingWords, table, toolbar } from "./parts.js";
import { choices, playerField } from "./players.js";

const SPEEDS = { 0: "as fast as they can", 0.5: "0.5 s a move", 2: "2 s a move" };

// What a page with a link to the game has no buttons for; then, of one that watches.
const MAKERS = ["analyse", "review", "train", "fresh", "open"], PLAYERS = ["undo", "pass", "swap", "resign", "hint", "now", "pause", "step"];

/** The players' names as people say them: "You" is for the only person at this page. */
function nameOf(view, side) {
  if (view.names[side] !== "human") return view.called[view.names[side]] ?? view.names[side];
  return view.yours.length === 1 && view.yours[0] === side ? "You" : capital(view.players[side]);
}

export class GameView {
  /**
   * @param buttons by name; what can be done now is enabled.
   * @param actions functions {play, say, look, post, review, rematch, fresh} of the page.
   * @param bars groups of buttons, shown above the moves.
   */
  constructor(view, buttons, actions, bars) {
    Object.assign(this, { view, buttons, actions });
    this.came = performance.now();  // when the view came
    this.board = makeBoard(view, actions.play, actions.say);
    this.board.flip(view.look === "checkers" && view.sides[0] === "human" && view.sides[1] !== "human");
    this.cards = [0, 1].map((side) => playerCard(view, side, ""));
    this.clockTexts = this.cards.map(({ element }) => element.appendChild(h("span", { class: "clock" })));
    this.meter = new Meter(view);
    this.status = h("p", { class: "status", role: "status", "aria-live": "polite", "data-caption": "" });
    this.compiling = h("progress", { class: "watch-progress", hidden: true, "aria-label": "Compiling" });
    this.trouble = h("div", { class: "trouble", role: "alert", hidden: true });
    this.history = h("ol", { class: "moves", "aria-label": "Moves" });
    this.ending = new Ending(actions);
    this.count = new Count(actions.post);
    this.ending.element.prepend(this.count.element);
    this.speed = h("select", { id: "speed", onchange: () => actions.post("speed", { delay: Number(this.speed.value) }) },
      Object.entries(SPEEDS).map(([delay, title]) => h("option", { value: delay }, title)));
    this.speedField = h("label", { class: "inline", for: "speed" }, "Speed: ", this.speed);
    this.hintBox = h("section", { class: "panel hint-box", hidden: true });
    this.typed = h("input", {
      type: "text", id: "typed", placeholder: "Type a move", autocomplete: "off", spellcheck: "false", maxlength: 60,
      "aria-label": "Type a move",
    });
    this.typing = h("form", { class: "typing", onsubmit: (event) => {
      event.preventDefault();
      if (this.typed.value.trim()) actions.play(this.typed.value.trim());
      this.typed.value = "";
    } }, this.typed, h("button", { type: "submit" }, "Play"));
    this.players = h("details", { class: "panel change", ontoggle: () => { if (this.players.open) this.#choosePlayers(); } },
      h("summary", {}, "Change the players"));
    this.element = desk("play", `Game of ${view.title}`, view, this.board.element, [
      h("div", { class: "players" }, ...this.cards.map(({ element }) => element)),
      toolbar(bars, this.speedField),  // above what grows
      this.status, this.compiling, this.trouble, this.ending.element, this.meter.element, this.typing, this.hintBox,
      h("section", { class: "panel history" }, h("h2", {}, "Moves"), this.history), fileNotes(view), this.players]);
  }

  /** @param shown an earlier position that is looked at, or null. @param fresh how many turns have been made meanwhile. */
  draw(view, shown, fresh, resigning, still) {
    Object.assign(this, { view, shown, fresh: fresh > 0 ? `${fresh} new` : "" });
    const now = shown ?? withDead(view), live = shown === null, mine = live && view.yourTurn;
    const hints = ((live && view.hint?.moves) || []).slice(0, 3).map(({ path }, i) => ({ path, label: String(i + 1) }));
    this.board.show(now, mine ? now.moves ?? [] : [], { hints, ownership: live ? ownershipOf(view) : [] }, still || !live);
    this.cards.forEach(({ element, name, note }, side) => {
      const text = nameOf(view, side);
      name.textContent = name.title = text;
      const captured = now.captured?.[1 - side] ? `captures ${now.captured[1 - side]}` : "";
      const points = side && view.name === "go" ? `komi ${view.options.komi}` : "";
      const spec = [view.sides[side], view.names[side]].find((one) => one !== "human"), engine = spec === text ? "" : spec;
      note.textContent = [capital(view.players[side]) === text ? "" : view.players[side], engine, points, captured].filter(Boolean).join(" · ");
      element.classList.toggle("turn", !view.position.over && view.position.turn === side);
      element.classList.toggle("winner", view.position.winner === side);
    });
    this.status.textContent = this.#statusText();
    this.compiling.hidden = view.engine?.phase !== "compiling";
    this.compiling.title = `${view.engine?.compiled ?? 0} functions so far`;
    this.status.classList.toggle("over", view.position.over && live);
    this.#evaluation();
    this.#hint();
    this.ending.draw(view);
    this.count.draw(view, this.board);
    this.#troubles();
    this.#enable(mine, now, resigning);
    this.#moves();
    this.clocks();
  }

  #enable(mine, now, resigning) {
    const { view, buttons } = this, engines = view.sides.filter((spec) => spec !== "human").length;
    buttons.undo.disabled = !view.history.length;
    buttons.pass.hidden = !view.hasPass;
    const legal = (word) => mine && now.moves.some(({ text }) => text === word);
    buttons.pass.disabled = !legal("pass");
    buttons.hint.disabled = buttons.resign.disabled = !mine;
    buttons.swap.hidden = !legal("swap");
    buttons.resign.textContent = resigning ? "Really resign?" : "Resign";
    buttons.pause.hidden = (engines < 2 && !view.clock) || view.position.over;
    buttons.step.hidden = this.speedField.hidden = engines < 2 || view.position.over;
    this.speed.value = String(view.delay);
    buttons.resign.hidden = engines > 1 || view.position.over;
    buttons.now.hidden = !view.canHurry || view.position.over;
    buttons.hint.hidden = buttons.resign.hidden || !buttons.now.hidden;
    buttons.pause.textContent = view.paused ? "Continue" : "Pause";
    this.typing.hidden = view.position.over || !view.sides.includes("human");
    buttons.start.disabled = buttons.back.disabled = !(this.shown?.plies ?? view.plies);
    buttons.forth.disabled = buttons.end.disabled = !this.shown;
    buttons.end.textContent = `▸| ${this.fresh}`;
    buttons.end.classList.toggle("main", this.fresh !== "");
    const watches = view.guest === "watch";
    for (const name of [...(view.guest ? MAKERS : []), ...(watches ? PLAYERS : [])]) buttons[name].hidden = true;
    this.players.hidden = Boolean(view.guest);
    this.typing.hidden ||= watches;
    this.speedField.hidden ||= watches;
  }

  #statusText() {
    const { view, shown } = this;
    if (shown) return `After move ${view.history.findIndex(({ plies }) => plies === shown.plies) + 1} of ${view.history.length}${this.fresh && ` (${this.fresh})`}. Press → for the next move, End to return to the game.`;
    const { engine, position: { over, result, turn, note } } = view, last = view.history.at(-1);
    const before = last ? `${nameOf(view, last.player)}: ${last.text}. ` : "";
    if (over) return `Game over: ${result}.`;
    if (view.problem) return before;
    const doing = preparingWords(engine, view.called[engine?.who] ?? engine?.who);
    if (doing) return before + doing;
    if (view.thinking) return `${before}${view.called[view.thinking]} ${view.yourTurn ? "searches for a hint" : "thinks"} …`;
    if (view.paused) return `${before}The game is paused.`;
    const who = nameOf(view, turn) === "You" ? `Your turn: ${view.players[turn]}` : `${capital(nameOf(view, turn))} to move`;
    const ended = view.ended ? `The record ends here: ${view.ended}. ` : "";
    return `${before}${ended}${who}${note ? ` (${note})` : ""}.`;
  }

  clocks() {
    const since = (performance.now() - this.came) / 1000;
    this.clockTexts.forEach((clock, side) => showClock(clock, this.view, side, since, this.view.seconds + since));
  }

  #evaluation() {
    const { view } = this, here = this.shown?.plies ?? view.plies, hint = this.shown ? null : view.hint;
    const { over, winner, result, turn } = view.position, expected = hint?.proven ?? hint?.moves.find(({ text }) => text === hint.text)?.value ?? hint?.value;  // as its table says
    if (over && !this.shown) {
      this.meter.show([1, 0][winner] ?? 0.5, capital(result));
      return;
    }
    const hinted = expected != null && { ...hint, black: (1 + (turn ? -expected : expected)) / 2, proven: hint.proven !== null };
    const estimate = hinted || view.history.findLast(({ black, plies }) => black !== null && plies <= here);
    if (!estimate) {
      this.meter.show(null, "No evaluation yet: engines and hints give one.");
      return;
    }
    const when = hinted ? "here" : `with its move ${estimate.text}`;
    const proved = ["a win", "a draw", "a loss"][2 - 2 * estimate.black];
    this.meter.show(estimate.black, `${view.called[estimate.who] ?? estimate.who} ${estimate.proven ? "has proved" : "expects"} `,
      ["b", {}, `${estimate.proven ? proved : percent(estimate.black)} for ${view.players[0]}`], ` ${when}`);
  }

  #moves() {
    const { view, shown, history } = this, here = shown?.plies ?? view.plies;
    history.replaceChildren(...view.history.map(({ player, text, black, wall, cpu, plies, count, counted }, i) => {
      const number = count ? `${amount(count)} ${counted === "nodes" ? "nodes" : "sims"}` : "";
      return h("li", {}, h("button", {
        title: [cpu === null ? "" : `${duration(cpu)} of CPU time`, number].filter(Boolean).join(", "),
        "aria-current": plies === here ? "true" : null, onclick: () => this.actions.look(plies),
      }, h("span", { class: "number" }, `${i + 1}.`), pieceIcon(view, player), h("span", { class: "text" }, text),
      h("span", { class: "cost" }, duration(wall), h("span", { class: "counted" }, number && ` · ${number}`)),
      h("span", { class: "value" }, percent(black === null || !player ? black : 1 - black))));
    }));
    follow(history);
  }

  #hint() {
    const { hint } = this.view;
    this.hintBox.hidden = !hint;
    if (!hint) return;
    const words = [hint.text];
    if (hint.line.length > 1) words.push(`line ${hint.line.map(({ text }) => text).join(" ")}`);
    const rows = hint.moves.slice(0, 5).map(({ text, share, value }, i) => h("tr", {},
      h("td", {}, String(i + 1)), h("td", {}, h("button", { class: "link", onclick: () => this.actions.play(text) }, text)),
      h("td", {}, percent(share)),
      h("td", {}, value === undefined ? "" : percent((1 + value) / 2))));
    this.hintBox.replaceChildren(h("h2", {}, `Hint from ${this.view.called[hint.who]}`), h("p", {}, words.join("; ")),
      rows.length > 1 ? table("Moves of the hint", ["", "move", "share", "expects"], h("tbody", {}, rows)) : "");
  }

  #troubles() {
    const { players, trouble, view } = this;
    trouble.hidden = !view.problem;
    trouble.replaceChildren(h("p", {}, view.problem), h("div", {},
      h("button", { class: "main", onclick: () => this.actions.post("pause", { paused: false }) }, "Try again"),
      h("button", { onclick: () => { players.open = true; players.scrollIntoView({ block: "center" }); } }, "Change the players")));
  }

  async #choosePlayers() {
    const choice = await choices(), { view, players } = this;
    const [black, white] = [["black", "First"], ["white", "Second"]].map(([side, label], i) => {
      const field = playerField(`change-${side}`, label, choice, view.sides[i]);
      field.fillFor(view.game);
      return field;
    });
    players.replaceChildren(players.firstElementChild, black.element, white.element,
      h("button", { class: "main", onclick: async () => {
        await this.actions.post("players", { black: black.value(), white: white.value() });
        players.open = false;
      } }, "Apply"));
  }
}
