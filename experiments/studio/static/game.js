// A game in progress: the board, who plays, what the engines expect, what the moves have cost.

import { ask, download, follow } from "./api.js";
import { makeBoard, pieceIcon } from "./boards/index.js";
import { amount, breakable, capital, duration, h, percent } from "./dom.js";
import { choices, fileDrop, filePicker, playerField } from "./start.js";

/** The players' names as people say them: "You" is for the only person in a game. */
function nameOf(view, side) {
  const spec = view.sides[side];
  if (spec !== "human") return spec;
  return view.sides[1 - side] === "human" ? view.players[side] : "You";
}

export async function openGame(root, id, app) {
  const path = `/api/games/${encodeURIComponent(id)}`;
  let view = await ask(path).catch((error) => { app.go("play"); throw error; });
  let shown = null;  // an earlier position that is looked at, or null
  let resigning = false;
  let began = performance.now();

  const board = makeBoard(view, play, explain);
  board.flip(view.look === "checkers" && view.sides[0] === "human" && view.sides[1] !== "human");

  // What stands around the board.
  const cards = [0, 1].map((side) => {
    const clock = h("span", { class: "clock" }), name = h("b", {}), note = h("span", { class: "note" });
    const element = h("div", { class: "player" }, pieceIcon(view, side),
      h("div", { class: "who" }, name, note), clock);
    return { element, clock, name, note };
  });
  const bar = h("div", { class: "bar-fill" });
  const barText = h("p", { class: "bar-text" });
  const meter = h("div", { class: `eval ${board.look.name}`, role: "img" }, bar);
  const status = h("p", { class: "status", role: "status", "aria-live": "polite" });
  const trouble = h("div", { class: "trouble", role: "alert", hidden: true });
  const history = h("ol", { class: "moves", "aria-label": "Moves" });
  const hintBox = h("section", { class: "panel hint-box", hidden: true });

  const picker = filePicker(app);
  const button = (text, key, run, more = {}) => h("button", {
    type: "button", title: `${text} (${key})`, onclick: run, ...more,
  }, text);
  const buttons = {
    undo: button("Undo", "u", undo), hint: button("Hint", "h", hint),
    pass: button("Pass", "p", () => play("pass")), swap: button("Swap", "w", () => play("swap")),
    resign: button("Resign", "r", resign), pause: button("Pause", "space", pause),
    evaluate: button("Evaluate", "e", evaluate), flip: button("Flip", "f", flip), analyse: button("Analyse", "a", analyse), review: button("Review", "v", () => app.go(`review/${id}`)), fresh: button("New game", "n", () => app.go("play"), { class: "main" }),
  };
  const stored = h("button", { type: "button", hidden: true, onclick: () => { save.open = false; store(); } }, "In the server's folder …");
  choices().then(({ folder }) => { stored.hidden = !folder; });
  const save = h("details", { class: "menu" }, h("summary", { title: "Save (s)" }, "Save"),
    h("div", {}, ...saveForms().map(([form, title]) => h("button", {
      type: "button", onclick: () => { save.open = false; saveAs(form); },
    }, title)), stored));
  const typed = h("input", {
    type: "text", id: "typed", placeholder: "Type a move", autocomplete: "off", spellcheck: "false", maxlength: 60,
    "aria-label": "Type a move",
  });
  const typing = h("form", { class: "typing", onsubmit: (event) => {
    event.preventDefault();
    if (typed.value.trim()) play(typed.value.trim());
    typed.value = "";
  } }, typed, h("button", { type: "submit" }, "Play"));
  const players = h("details", { class: "panel change" }, h("summary", {}, "Change the players"));
  players.addEventListener("toggle", () => { if (players.open) choosePlayers(); });

  root.append(h("div", { class: "play" },
    h("section", { class: "stage", "aria-label": `Game of ${view.title}` },
      h("div", { class: "players" }, cards[0].element, cards[1].element),
      h("div", { class: "eval-row" }, meter, barText), board.element, status, trouble),
    h("aside", { class: "side" },
      h("div", { class: "buttons" }, ...Object.values(buttons), save, picker.button, picker.input),
      typing, hintBox,
      h("section", { class: "panel history" }, h("h2", {}, "Moves"), history), players)));

  // What the server says.

  const stop = follow(`${path}/events`, (news) => {
    const grown = news.plies !== view.plies;
    view = news;
    began = performance.now() - 1000 * news.seconds;
    if (grown) { shown = null; resigning = false; }
    draw();
  }, (error) => { status.textContent = `${error.message}. Trying again …`; });
  const ticking = setInterval(clocks, 250);
  const undrop = fileDrop(root, picker.load);
  draw(true);

  function draw(still = false) {
    const now = shown ?? view.position, live = shown === null;
    const mine = live && view.yourTurn;
    board.show(now, mine ? now.moves ?? [] : [], live ? hintMarks() : {}, still || !live);
    cards.forEach(({ element, name, note }, side) => {
      const text = nameOf(view, side);
      if (name.title !== text) name.replaceChildren(...breakable(text));
      name.title = text;
      const captured = now.captured ? `lost ${now.captured[side]}` : "";
      const points = side && view.name === "go" ? `komi ${view.options.komi}` : "";
      note.textContent = [view.players[side], points, captured].filter(Boolean).join(" · ");
      element.classList.toggle("turn", !view.position.over && view.position.turn === side);
      element.classList.toggle("winner", view.position.winner === side);
    });
    status.textContent = statusText();
    status.classList.toggle("over", view.position.over && live);
    evaluation();
    moves();
    hints();
    troubles();
    buttons.undo.disabled = !view.history.length;
    buttons.hint.disabled = !mine;
    buttons.pass.hidden = !view.hasPass;
    buttons.pass.disabled = !mine;
    buttons.swap.hidden = !(mine && now.moves.some(({ text }) => text === "swap"));
    buttons.resign.disabled = !mine;
    buttons.resign.textContent = resigning ? "Really resign?" : "Resign";
    const engines = view.sides.filter((spec) => spec !== "human").length;
    buttons.pause.hidden = engines < 2 || view.position.over;
    buttons.evaluate.hidden = engines > 0 || view.position.over;
    buttons.evaluate.setAttribute("aria-pressed", String(Boolean(view.evaluator)));
    buttons.pause.textContent = view.paused ? "Go on" : "Pause";
    typing.hidden = !view.yourTurn;
    clocks();
  }

  function statusText() {
    if (shown) return `After move ${shown.plies} of ${view.plies}. → goes on, End returns to the game.`;
    const { over, result, turn, note } = view.position, last = view.history.at(-1);
    const before = last ? `${nameOf(view, last.player)}: ${last.text}. ` : "";
    if (over) return `${before}Game over: ${result}.`;
    const more = note ? ` (${note})` : "";
    if (view.problem) return before;
    if (view.waiting !== null && view.waiting > 0) return `${before}Waiting for ${view.waiting} other searches …`;
    if (view.thinking && view.yourTurn) return `${before}${view.thinking} looks for a hint …`;
    if (view.thinking) return `${before}${view.thinking} thinks …`;
    if (view.paused) return `${before}The engines wait.`;
    const who = nameOf(view, turn) === "You" ? `Your turn: ${view.players[turn]}` : `${capital(nameOf(view, turn))} to move`;
    return `${before}${who}${more}.`;
  }

  function clocks() {
    cards.forEach(({ clock }, side) => {
      const used = view.history.filter(({ player }) => player === side)
        .reduce((sum, { wall }) => sum + (wall ?? 0), 0);
      const running = !view.position.over && view.position.turn === side && !view.paused && !view.problem;
      clock.textContent = duration(used + (running ? (performance.now() - began) / 1000 : 0));
    });
  }

  function evaluation() {
    const estimate = view.hint?.black != null ? { ...view.hint, hint: true } : view.evaluation;
    meter.classList.toggle("none", !estimate);
    const share = estimate?.black ?? 0.5;
    bar.style.width = percent(share);
    const [black] = view.players;
    const who = black.replace(/^.*\((.*)\)$/, "$1");
    barText.replaceChildren();
    if (!estimate) {
      barText.append(view.evaluator ? `${view.evaluator} evaluates each move.` : "No evaluation yet: engines tell with their moves, and with a hint.");
    } else {
      const own = view.history.some(({ who, plies }) => plies === estimate.plies && who === estimate.who);
      const when = estimate.hint ? "here" : own ? `with its move ${estimate.text}` : `after ${estimate.text}`;
      const sure = estimate.proven ? "has proved" : "expects";
      barText.append(`${estimate.who} ${sure} `, h("b", {}, `${percent(share)} for ${who}`), ` ${when}`);
    }
    meter.setAttribute("aria-label", barText.textContent);
  }

  function moves() {
    history.replaceChildren(...view.history.map((record, i) => {
      const cost = [duration(record.wall)];
      if (record.count) cost.push(`${amount(record.count)} ${record.counted === "nodes" ? "nodes" : "sims"}`);
      const detail = record.cpu === null ? "" : `${duration(record.cpu)} of CPU time`;
      return h("li", {},
        h("button", {
          type: "button", title: detail, "aria-current": (shown ? shown.plies === record.plies : i === view.history.length - 1) ? "true" : null,
          onclick: () => look(record.plies),
        },
        h("span", { class: "number" }, `${i + 1}.`), pieceIcon(view, record.player),
        h("span", { class: "text" }, record.text), h("span", { class: "cost" }, cost.filter(Boolean).join(" · ")),
        h("span", { class: "value" }, record.black === null ? "" : percent(record.player ? 1 - record.black : record.black))));
    }));
    history.scrollTop = history.scrollHeight;
  }

  function hintMarks() {
    if (!view.hint) return {};
    return { hints: view.hint.moves.slice(0, 3).map((move, i) => ({ path: move.path, label: String(i + 1) })) };
  }

  function hints() {
    const found = view.hint;
    hintBox.hidden = !found;
    if (!found) return;
    const rows = found.moves.slice(0, 5).map((move, i) => h("tr", {},
      h("td", {}, String(i + 1)), h("td", {}, h("button", { type: "button", class: "link", onclick: () => play(move.text) }, move.text)),
      h("td", {}, move.share === undefined ? "" : percent(move.share)),
      h("td", {}, move.value === undefined ? "" : percent((1 + move.value) / 2))));
    hintBox.replaceChildren(
      h("h2", {}, `Hint of ${found.who}`),
      h("p", {}, hintText(found)),
      found.moves.length > 1 ? h("table", { "aria-label": "Moves of the hint" }, h("thead", {}, h("tr", {}, ["", "move", "favoured", "expects"].map((text) => h("th", {}, text)))), h("tbody", {}, rows)) : "");
  }

  function hintText(found) {
    const words = [`${found.text}`];
    if (found.proven !== null) words.push(["a proven loss", "a proven draw", "a proven win"][found.proven + 1]);
    else if (found.value !== null) words.push(`you can expect ${percent((1 + found.value) / 2)} of the point`);
    if (found.line.length > 1) words.push(`line ${found.line.map(({ text }) => text).join(" ")}`);
    return words.join("; ");
  }

  function troubles() {
    trouble.hidden = !view.problem;
    trouble.replaceChildren(h("p", {}, view.problem), h("div", {},
      h("button", { type: "button", class: "main", onclick: () => post("pause", { paused: false }) }, "Try again"),
      h("button", { type: "button", onclick: () => { players.open = true; players.scrollIntoView({ block: "center" }); } }, "Change the players")));
  }

  // What the person does.

  function post(what, body = {}) {
    return app.attempt(() => ask(`${path}/${what}`, body));
  }

  function play(text) {
    shown = null;
    return post("move", { move: text });
  }

  /** Why a click on a cell made no move. */
  function explain(sentence, name, cell) {
    if (sentence) app.say(sentence);
    else if (view.look === "drop") play(String(view.colLabels[cell % view.cols]));
    else post("move", { move: name });
  }

  function undo() { return post("undo"); }
  function hint() { if (view.yourTurn) post("hint"); }
  function evaluate() { if (!buttons.evaluate.hidden) post("evaluate", { on: !view.evaluator }); }
  function flip() { board.flip(); }
  function analyse() {
    return app.attempt(async () => {
      const plies = shown?.plies ?? view.plies;
      const made = await ask(`${path}/copy`, { plies });
      app.go(`analyse/${made.id}`);
    });
  }

  function pause() { if (!buttons.pause.hidden) post("pause", { paused: !view.paused }); }

  function resign() {
    if (buttons.resign.disabled) return;
    if (resigning) { resigning = false; play("resign"); return; }
    resigning = true;
    draw();
    setTimeout(() => { resigning = false; draw(); }, 4000);
  }

  function saveForms() {
    const usual = { go: [["sgf", "SGF"]], draughts: [["pdn", "PDN"]] }[view.name] ?? [];
    return [...usual, ["txt", "Text of moves"]];
  }

  function saveAs(form) {
    return app.attempt(async () => app.say(`Saved as ${await download(`${path}/file?form=${form}`)}`));
  }

  function store() {
    const name = prompt("Name of the file", `game.${saveForms()[0][0]}`);
    if (!name) return undefined;
    return app.attempt(async () => app.say(`Saved as ${(await ask(`${path}/store`, { name })).name}`));
  }

  function look(plies) {
    return app.attempt(async () => {
      if (plies >= view.plies || plies < 0) shown = null;
      else shown = await ask(`${path}/positions/${plies}`);
      draw();
    });
  }

  function step(by) {
    const places = [0, ...view.history.map(({ plies }) => plies)];
    const here = places.indexOf(shown?.plies ?? view.plies);
    look(places[Math.min(Math.max(here + by, 0), places.length - 1)]);
  }

  async function choosePlayers() {
    const choice = await choices();
    const fields = [["black", "First"], ["white", "Second"]].map(([side, label], i) => {
      const field = playerField(`change-${side}`, label, choice, view.sides[i]);
      field.fillFor(view.name);
      return field;
    });
    players.replaceChildren(players.firstElementChild, ...fields.map(({ element }) => element),
      h("button", { type: "button", class: "main", onclick: async () => {
        await post("players", { black: fields[0].value(), white: fields[1].value() });
        players.open = false;
      } }, "Let them play"));
  }

  return {
    close() {
      stop();
      clearInterval(ticking);
      undrop();
    },
    keys: [
      { key: "u", what: "undo", run: undo }, { key: "h", what: "hint", run: hint },
      { key: "p", what: "pass", run: () => { if (view.hasPass && view.yourTurn) play("pass"); } },
      { key: "r", what: "resign (twice)", run: resign },
      { key: "m", what: "type a move", run: () => typed.focus() },
      { key: "ArrowLeft", what: "look at the position before", run: () => step(-1) },
      { key: "ArrowRight", what: "look at the position after", run: () => step(1) },
      { key: "Home", what: "look at the start", run: () => look(0) },
      { key: "End", what: "return to the game", run: () => look(view.plies) },
      { key: " ", what: "hold two engines, or let them go on", run: pause },
      { key: "e", what: "an engine evaluates the moves of two people", run: evaluate },
      { key: "f", what: "turn the board", run: flip },
      { key: "a", what: "analyse this position", run: analyse },
      { key: "v", what: "review the game", run: () => app.go(`review/${id}`) },
      { key: "s", what: "save", run: () => saveAs(saveForms()[0][0]) },
      { key: "o", what: "open a saved game", run: () => picker.input.click() },
      { key: "n", what: "new game", run: () => app.go("play") },
    ],
  };
}
