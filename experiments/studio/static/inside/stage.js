// A search, step by step: the tree, the board of the current node, the numbers of its moves.

import { makeBoard } from "../boards/index.js";
import { capital, h } from "../dom.js";
import { copyText, linkTo } from "../files.js";
import { controls, walk } from "../parts.js";
import { focusOf, stopsOf, treeAfter } from "./model.js";
import { Positions, writePlace } from "./search.js";
import { ChildTable } from "./table.js";
import { TreeView } from "./tree.js";
import { Words } from "./words.js";

const SPEEDS = [["slow", 2400], ["normal", 1200], ["fast", 450], ["very fast", 120]];

export function openStage(root, app, search, example) {
  const { events, preset, source, engine, seed } = search, { noun: jump, stops, before } = stopsOf(events), last = events.length;
  const words = new Words(search);
  let step = Math.min(search.step ?? 0, last), tree = null, timer = null, looked = null, linked = null;
  let focus, event, drawing = null, drawn = null;
  const steps = walk(() => step, () => last, show), { go } = steps;

  const positions = new Positions(search.source);
  const board = makeBoard(search.info);
  const place = h("p", { class: "where" });
  const table = new ChildTable(search, words, look);
  const picture = new TreeView(search, words, positions, look, redrawTree);

  const { buttons: { play, here }, keys, bars } = controls({
    navigation: {
      start: ["|◂", "Home", "go to the start", () => go(0)], before: ["◂◂", "j", `previous ${jump}`, () => skip(-1)],
      back: ["◂", "ArrowLeft", "one step back", () => go(step - 1)], play: ["Play", " ", "play or pause", toggle, { class: "main" }],
      forth: ["▸", "ArrowRight", "one step forward", () => go(step + 1)], next: ["▸▸", "l", `next ${jump}`, () => skip(1)],
      end: ["▸|", "End", "go to the end", () => go(last)],
      fold: [null, "f", "fold or unfold the current node", () => picture.toggle(looked ?? focus.at)],
    },
    engine: { here: ["Search from here", "g", "search from the position on the board", searchHere] },
    file: {
      change: ["Change", "e", "other settings, or another position", () => app.go(`inside/${writePlace({ source, change: engine, seed })}`)],
      copy: ["Copy link", "c", "copy the link to this step", () => copyText(app, linkTo(address()), "The link to this step is copied")],
      fresh: ["Another search", "n", "another search", () => app.go("inside")],
    },
  });
  const slider = h("input", {
    type: "range", min: 0, max: last, value: step, class: "steps", "aria-label": "Step", oninput: () => go(Number(slider.value)),
  });
  const count = h("span", { class: "count" });
  const speed = h("select", { "aria-label": "Speed", onchange: () => localStorage.setItem("dlgo-inside-speed", speed.value) },
    SPEEDS.map(([name]) => h("option", { value: name, selected: name === (localStorage.getItem("dlgo-inside-speed") ?? "normal") }, `speed: ${name}`)));
  const sentence = h("p", { class: "sentence", role: "status", "aria-live": "polite", "data-caption": "" });
  const choice = h("p", { class: "choice", hidden: true, "data-caption": "" });

  root.append(h("div", { class: "inside" },
    h("div", { class: "inside-head" },
      h("div", {}, h("h1", {}, example?.title ?? `${search.info.title}: ${search.title}`),
        example ? h("p", { class: "look-for" }, h("b", {}, "Look for: "), example.look_for) : "",
        h("p", { class: "search-facts" }, `${facts(search)} ${words.shortened()}`)),
      bars.file),
    h("section", { class: "panel steps-panel", "aria-label": "Steps" },
      h("div", { class: "stepping" }, bars.navigation, slider, count, speed),
      h("div", { class: "told" }, sentence, choice)),
    h("div", { class: "inside-columns" }, picture.element,
      h("div", { class: "node-side" },
        h("section", { class: "panel node-board", "aria-label": "Position" }, board.element, h("div", {}, place, bars.engine)), table.element))));

  function show(to) {
    if (timer === null || to === last) hold();
    if (to === step && tree) return drawn;
    step = to;
    looked = null;
    // Of many steps at once, as the slider makes them, one is drawn.
    drawing ??= new Promise((resolve) => { requestAnimationFrame(resolve); }).then(() => { drawing = null; return draw(); });
    return drawing;
  }

  function skip(by) {
    const next = by > 0 ? stops.find((stop) => stop > step) : stops.findLast((stop) => stop < step);
    if (next !== undefined) go(next);
  }

  function toggle() {
    if (timer !== null) { hold(); return; }
    if (step === last) { step = 0; looked = null; draw(); }
    sentence.setAttribute("aria-live", "off");
    const tick = () => {
      timer = setTimeout(tick, SPEEDS.find(([name]) => name === speed.value)[1]);
      go(step + 1);
    };
    timer = 0;
    tick();
    play.textContent = "Pause";
  }

  function hold() {
    clearTimeout(timer);
    timer = null;
    sentence.setAttribute("aria-live", "polite");
    play.textContent = "Play";
  }

  function draw() {
    tree = treeAfter(search.mover, events, step, tree);
    event = events[step - 1];
    focus = focusOf(event, tree);
    slider.value = step;
    slider.setAttribute("aria-valuetext", `step ${step} of ${last}`);
    const done = before(step);
    count.textContent = `step ${step} of ${last} · ${done} ${jump}${done === 1 ? "" : "s"}`;
    sentence.textContent = words.sentence(event, tree);
    choice.hidden = step < last;
    choice.textContent = step < last ? "" : words.choice(search.decision);
    root.dataset.step = step;
    clearTimeout(linked);
    linked = setTimeout(() => history.replaceState(null, "", `#/${address()}`), 400);
    drawn = app.attempt(() => Promise.all([drawNode(), redrawTree()]));
    return drawn;
  }

  function redrawTree() {
    return picture.show(tree, focus, looked ?? focus.at, event ? words.sentence(event, tree).split(":")[0] : "");
  }

  /** Look at another node of the current tree; the next step ends this. */
  function look(number) {
    if (!tree.node(number)) return;
    looked = number;
    app.attempt(() => Promise.all([drawNode(), redrawTree()]));
  }

  async function drawNode() {
    const number = looked ?? focus.at, path = tree.moves(number), following = looked === null;
    table.show(tree, number, following ? event : null);
    const random = following && event?.event === "Simulated" ? event.moves : [];
    const child = following && focus.child !== null && !random.length ? tree.node(focus.child).move : null;
    const mine = `${step}/${number}`;
    here.hidden = true;  // until the server confirms that the game continues there
    const [now, after] = await positions.of([[...path, ...random], ...(child ? [[...path, child]] : [])]);
    if (mine !== `${step}/${looked ?? focus.at}`) return;
    const marks = after && after.last !== null ? { hints: [{ path: [after.last], label: "" }] } : {};
    board.show(now, [], marks, true);
    const turn = now.over ? `${now.result}` : `${words.who(tree.node(number).mover)} to move${now.note ? ` (${now.note})` : ""}`;
    place.textContent = random.length ? `The end of the random game: ${now.result}`
      : `${capital(words.place(tree, number))}: ${turn}${child ? `; the marked move is ${child}` : ""}`;
    here.hidden = now.over || !path.length || random.length > 0;
  }

  const address = () => `inside/${writePlace({ preset, source, engine, seed, step })}`;
  function searchHere() {
    const moves = [source.moves, ...tree.moves(looked ?? focus.at)].filter(Boolean).join(" ");
    app.go(`inside/${writePlace({ source: { ...source, moves }, engine, seed })}`);
  }

  draw();
  return {
    close() {
      hold();
      clearTimeout(linked);
      delete root.dataset.step;
    },
    keys,
    steps,
  };
}

/** What is searched by whom, on one line. */
function facts({ engine, info, source, seed, kind, hasNetwork }) {
  const advice = ["puct", "gumbel"].includes(kind) ? (hasNetwork ? "; a network that comes with dlgo gives priors and values" : "; no network for this game: all priors are equal, and values are the game's own estimates") : "";
  const where = source.from ? "a game of this studio" : source.moves ? `after ${source.moves}` : "the first position";
  return `${info.game}, ${where}; ${engine}, seed ${seed}${advice}.`;
}
