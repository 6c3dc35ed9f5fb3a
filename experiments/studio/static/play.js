// The view Play: a new game (#/play), or a game in progress (#/play/ID): the server's view, and the actions of the person.

import { ask, follow } from "./api.js";
import { copyTo, filePicker, goTo, saveFile } from "./files.js";
import { keepResult } from "./fit.js";
import { GameView } from "./game_view.js";
import { Invitations } from "./invite.js";
import { controls, navigation, toolbar, walk } from "./parts.js";
import { openStart } from "./start.js";
import { searchInPage } from "./transport.js";

export function open(root, place, app) {
  return place ? openGame(root, place, app) : openStart(root, app);
}

async function openGame(root, id, app) {
  const path = `/api/games/${encodeURIComponent(id)}`;
  let view = await ask(path);
  let shown = null, wanted = null;  // an earlier position that is looked at, and the moves before the one asked for; or null
  let own = {}, endHint = () => {};  // the part of the view that is this page's: its search for a hint
  let resigning = false, left = 0;  // how many turns there were when the last position was left
  const review = app.has("review") ? () => app.go(`review/${id}`) : null;

  const places = () => [0, ...view.history.map(({ plies }) => plies)];
  const steps = walk(() => places().indexOf(wanted ?? view.plies), () => view.history.length, (n) => look(places()[n]));
  const picker = filePicker(app);
  const { buttons, keys, bars } = controls({
    navigation: navigation(steps),
    moves: {
      undo: ["Undo", "u", "undo", () => post("undo")], pass: ["Pass", "p", "pass", () => play("pass")],
      swap: ["Swap", "w", "take over the first stone", () => play("swap")], resign: ["Resign", "r", "resign (twice)", resign],
      type: [null, "m", "type a move", () => stage.typed.focus()],
    },
    engine: {
      hint: ["Hint", "h", "hint", hint],
      now: ["Move now", ".", "let the engine move now", () => post("now")],
      pause: ["Pause", " ", "pause or continue engines and clocks", () => post("pause", { paused: !view.paused })],
      step: ["Step", ",", "one move of an engine, then pause", () => post("pause", { paused: true, step: true })],
    },
    view: {
      flip: ["Flip", "f", "turn the board", () => stage.board.flip()],
      analyse: ["Analyse", "a", "analyse this position", () => copyTo(app, path, "analyse", shown?.plies ?? view.plies)],
      review: ["Review", "v", "review the game", () => review(), { hidden: !review }],
      train: ["Guess moves", "g", "guess the moves of this game", () => app.go(`train/${id}`)],
    },
    file: {
      save: ["Save", "s", "save the game as a file", () => saveFile(app, `${path}/file`)],
      fresh: ["New game", "n", "new game", () => app.go("play")],
      open: picker.open,
    },
  });
  const rematch = (swap, engine) => goTo(app, "play", ask(`${path}/rematch`, { swap, engine }));
  const stage = new GameView(view, buttons, { play, say: app.say, look, post, review, rematch, fresh: () => app.go("play") }, bars);
  const invitations = new Invitations(app, path, view);
  stage.players.before(invitations.element);
  root.append(stage.element);

  const stop = follow(`${path}/events`, (news) => {
    if (news.plies !== view.plies) { resigning = false; endHint(); }
    // Who looks at an earlier position stays there, unless it has been taken back.
    const before = view.history.filter(({ plies }) => plies <= wanted);
    if (wanted >= news.plies || before.some(({ text }, i) => text !== news.history[i].text)) shown = wanted = null;
    view = news;
    keepResult(view);
    stage.came = performance.now();
    draw();
  }, (error) => { stage.status.textContent = `${error.message}. Trying again …`; });
  const ticking = setInterval(() => stage.clocks(), 100);
  picker.on(stage.element);
  draw(true);

  function draw(still = false) {
    if (!shown) left = view.history.length;
    stage.draw({ ...view, ...own }, shown, view.history.length - left, resigning, still);
    invitations.draw(view);
  }

  function post(what, body = {}) { return app.attempt(() => ask(`${path}/${what}`, body)); }

  /** Ask for a hint: this page if it can search, else the server, whose view has the hint then. */
  async function hint() {
    const { plies } = view, place = await post("hint", { inPage: true }), control = new AbortController();
    if (!place?.home || plies !== view.plies) return;
    endHint();
    endHint = () => { control.abort(); own = {}; };
    own = { thinking: place.engine };
    draw();
    searchInPage(place, `${path}/analysis?once=1&engine=${encodeURIComponent(place.engine)}`, control.signal, (event) => {
      if (event.final) own = event.problem ? {} : { hint: { ...event, who: place.engine } };
      draw();
    }).catch(() => { own = {}; post("hint"); });
  }

  async function play(text) {
    const from = wanted;
    if (await post("move", { move: text, plies: view.plies }) && from !== null && from === wanted) look(view.plies);
  }

  function resign() {
    if (resigning) { resigning = false; play("resign"); return; }
    resigning = true;
    draw();
    setTimeout(() => { resigning = false; draw(); }, 4000);
  }

  function look(plies) {
    const earlier = plies >= 0 && plies < view.plies ? plies : null;
    wanted = earlier;
    return app.attempt(async () => {
      const found = earlier === null ? null : await ask(`${path}/positions/${earlier}`);
      if (earlier !== wanted) return;  // another position has been asked for meanwhile
      shown = found;
      draw();
    });
  }

  return {
    close() {
      stop();
      endHint();
      clearInterval(ticking);
    },
    keys, steps,
  };
}
