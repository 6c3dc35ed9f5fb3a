// The view Review: choose a game (#/review), or a game that is evaluated (#/review/ID).

import { ask, follow } from "./api.js";
import { duration, h } from "./dom.js";
import { copyTo, filePicker, saveFile } from "./files.js";
import { controls, memory } from "./parts.js";
import { Reviewed } from "./reviewed.js";
import { choices, playerField } from "./players.js";

const [remembered, remember] = memory("review");
const TIMES = { 60: "about 1 minute", 300: "about 5 minutes", 1800: "thorough: about 30 minutes", 0: "as long as the engine's own searches take" };

export function open(root, place, app) {
  return place ? openReview(root, place, app) : openChoice(root, app);
}

function openChoice(root, app) {
  const picker = filePicker(app, "review");
  const { buttons, keys } = controls({ file: { open: [...picker.open, { class: "main" }] } });
  const box = h("section", { class: "start" },
    h("h1", {}, "Which game would you like to review?"),
    h("div", { class: "panel" },
      h("p", {}, "An engine evaluates every position, finds the mistakes and shows better moves."),
      h("div", { class: "actions" }, buttons.open),
      h("p", { class: "review-legend" }, "SGF, PDN, or a text of moves; you can also drop a file here. Games in Play and in Watch have a button Review.")));
  root.append(box);
  picker.on(box);
  return { keys };
}

async function openReview(root, id, app) {
  const path = `/api/games/${encodeURIComponent(id)}`;
  const [info, choice] = await Promise.all([ask(path), choices()]);
  const solvable = info.solvable;
  let running = true, stop = () => {}, reviewed = null;

  const field = playerField("review", solvable ? "Engine for what cannot be proved" : "Engine", choice, remembered(info.game, info.strongest), false, again, info.strongest);
  field.fillFor(info.game);
  const exact = h("input", { type: "checkbox", id: "exact", checked: remembered("exact", "yes") === "yes", onchange: again });
  const time = h("select", { id: "time", onchange: again },
    Object.entries(TIMES).reverse().map(([seconds, text]) => h("option", { value: seconds, selected: seconds === remembered("seconds", "60") }, text)));
  const progress = h("progress", { max: 1, value: 0, "aria-label": "Positions evaluated" });
  const told = h("p", { class: "review-told", role: "status", "aria-live": "off" });
  const picker = filePicker(app, "review");
  const { buttons, keys, bars } = controls({
    engine: { run: ["Stop", " ", "stop or continue the review", toggle] },
    view: { analyse: ["Analyse here", "a", "analyse this position", analyse] },
    file: {
      save: ["Save", "s", "save the review as an HTML page", () => save("html")],
      sgf: ["Save SGF", "S", "save the review as SGF with comments", () => save("sgf")],
      open: [null, ...picker.open.slice(1)],
      fresh: [null, "n", "another game", () => app.go("review")],
    },
  });
  buttons.sgf.hidden = info.name !== "go";
  const head = h("div", { class: "review-progress" }, progress, bars.engine, told);
  const settings = h("div", { class: "panel" }, field.element,
    h("div", { class: "field" }, h("label", { for: "time" }, "Time"), time),
    h("label", { class: "inline", for: "exact", hidden: !solvable }, exact, "Prove what can be proved (exact values)"));
  const place = h("div", { class: "review-place" }, head);
  root.append(place);
  begin();

  function query() {
    return `engine=${encodeURIComponent(field.value())}&exact=${solvable && exact.checked ? "yes" : "no"}&seconds=${time.value}`;
  }

  function again() {
    remember(info.game, field.value());
    remember("exact", exact.checked ? "yes" : "no");
    remember("seconds", time.value);
    running = true;
    begin();
  }

  function begin() {
    stop();
    buttons.run.textContent = running ? "Stop" : "Continue";
    if (!running) return;
    told.textContent = `The engine starts …${Number(time.value) ? ` This review takes ${TIMES[time.value].replace("thorough: ", "")}.` : ""}`;
    const asked = query();
    stop = follow(`${path}/review?${asked}`, (news) => { if (asked === query()) show(news, asked); }, (error) => {
      told.textContent = error.message;
      if (error.status) { running = false; stop(); buttons.run.textContent = "Continue"; }
    });
  }

  function show(news, asked) {
    if (reviewed?.asked === asked) reviewed.update(news);
    else {
      const old = reviewed;
      const placeAt = (number) => app.attempt(() => ask(`${path}/review/${number}?${asked}`));
      reviewed = new Reviewed(info, news, placeAt, app.say);
      reviewed.asked = asked;
      if (old) reviewed.go(old.place);
      const { activeElement } = document;
      reviewed.bars.view.after(bars.view, bars.file);
      reviewed.graphPanel.before(head);
      reviewed.tablePanel.after(settings);
      picker.on(reviewed.element);
      place.replaceChildren(reviewed.element);
      activeElement.focus({ preventScroll: true });
    }
    Object.assign(progress, { max: news.of, value: news.done, hidden: news.final });
    buttons.run.hidden = news.final;
    told.textContent = progressWords(news);
    told.classList.toggle("bad", Boolean(news.problem));
    if (news.final) stop();
  }

  function progressWords(news) {
    if (news.problem) return news.problem;
    const counts = `${news.done} of ${news.of} positions`;
    if (news.final) return `${counts} evaluated by ${[news.exact, (news.spent || !news.exact) && `${news.engine} in ${duration(news.spent)}`].filter(Boolean).join(" and ")}.`;
    const { asked } = news;
    if (!asked) return `${counts}.`;
    const place = `the position after move ${asked.place}`;
    if (asked.exact) return `${counts}; ${news.exact} solves ${place} (it gives up after some seconds) …`;
    return `${counts}, ${news.time}; ${asked.sample ? `compares move ${asked.place} with the engine's choice` : `evaluates ${place}`} …`;
  }

  function toggle() {
    running = !running;
    begin();
    if (!running && reviewed) told.textContent = `Stopped at ${progress.value} of ${progress.max} positions.`;
  }

  function save(form) { return saveFile(app, `${path}/review/file?form=${form}&${query()}`); }

  function analyse() {
    const turns = reviewed?.data.turns ?? [];
    return copyTo(app, path, "analyse", reviewed?.place ? turns[reviewed.place - 1].plies : 0);
  }

  return {
    close() { stop(); },
    get steps() { return reviewed?.steps; },
    get keys() { return [...(reviewed?.keys ?? []), ...keys]; },
  };
}
