// The view Review: choose a game (#/review), or a game that is evaluated (#/review/ID).

import { ask, download, follow } from "./api.js";
import { h } from "./dom.js";
import { Reviewed } from "./reviewed.js";
import { choices, fileDrop, filePicker, playerField, savedGames } from "./start.js";

const remembered = (key, usual) => localStorage.getItem(`dlgo-review-${key}`) ?? usual;
const remember = (key, value) => localStorage.setItem(`dlgo-review-${key}`, value);

export function open(root, place, app) {
  return place ? openReview(root, place, app) : openChoice(root, app);
}

async function openChoice(root, app) {
  const [choice, { ledgers }] = await Promise.all([choices(), ask("/api/ledgers")]);
  const picker = filePicker(app, "review");
  picker.button.classList.add("main");
  root.append(h("section", { class: "start" },
    h("h1", {}, "Which game would you like to review?"),
    h("div", { class: "panel" },
      h("p", {}, "An engine evaluates every position, finds the mistakes and tells what was better."),
      h("div", { class: "actions" }, picker.button, picker.input),
      h("p", { class: "review-legend" }, "SGF, PDN, or a text of moves; a file can also be dropped here. A game that you play here has a button Review.")),
    choice.folder ? await savedGames(app, "review") : "",
    ledgers.length ? h("section", { class: "panel saved" }, h("h2", {}, "Games of tournaments"),
      h("p", { class: "review-legend" }, "Choose one among the finished games, replay it, and press Review."),
      h("ul", {}, ledgers.map(({ name }) => h("li", {}, h("a", { href: `#/watch/${encodeURIComponent(name)}` }, name))))) : ""));
  return {
    close: fileDrop(root, picker.load),
    keys: [{ key: "o", what: "open a saved game", run: () => picker.input.click() }],
  };
}

async function openReview(root, id, app) {
  const path = `/api/games/${encodeURIComponent(id)}`;
  const [info, choice] = await Promise.all([ask(path), choices()])
    .catch((error) => { app.go("review"); throw error; });
  const solvable = info.solvable;
  let running = true, stop = () => {}, reviewed = null;

  const field = playerField("review", solvable ? "Engine for what cannot be proved" : "Engine", choice, remembered("engine", "mcts:sims=1000"), false, again);
  field.fillFor(info.name);
  const exact = h("input", { type: "checkbox", id: "exact", checked: remembered("exact", "yes") === "yes", onchange: again });
  const progress = h("progress", { max: 1, value: 0, "aria-label": "Positions evaluated" });
  const told = h("p", { class: "review-told", role: "status", "aria-live": "off" });
  const button = (text, key, run, more = {}) => h("button", { type: "button", title: `${text} (${key})`, onclick: run, ...more }, text);
  const picker = filePicker(app, "review");
  const run = button("Stop", "space", toggle);
  const save = h("details", { class: "menu" }, h("summary", { title: "Save the review (s)" }, "Save"),
    h("div", {}, ...[["html", "Page (HTML)"], ...(info.name === "go" ? [["sgf", "SGF with comments"]] : [])].map(([form, title]) => h("button", {
      type: "button", onclick: () => { save.open = false; saveAs(form); },
    }, title))));
  const place = h("div", { class: "review-place" });
  root.append(h("div", { class: "review-head" },
    h("div", { class: "review-engine" }, field.element,
      h("label", { class: "inline", for: "exact", hidden: !solvable }, exact, "Prove what can be proved (exact values)")),
    h("div", { class: "buttons" }, run, save, button("Analyse here", "a", analyse), picker.button, picker.input),
    h("div", { class: "review-progress" }, progress, told)), place);
  begin();

  function query() {
    return `engine=${encodeURIComponent(field.value())}&exact=${solvable && exact.checked ? "yes" : "no"}`;
  }

  function again() {
    remember("engine", field.value());
    remember("exact", exact.checked ? "yes" : "no");
    running = true;
    begin();
  }

  function begin() {
    stop();
    run.textContent = running ? "Stop" : "Go on";
    if (!running) return;
    told.textContent = "The engine starts …";
    const asked = query();
    stop = follow(`${path}/review?${asked}`, (news) => {
      if (asked !== query()) return;
      show(news, asked);
    }, (error) => {
      told.textContent = error.message;
      if (error.status) { running = false; stop(); run.textContent = "Go on"; }
    });
  }

  function show(news, asked) {
    if (reviewed && reviewed.asked === asked) reviewed.update(news);
    else {
      const old = reviewed;
      const placeAt = (number) => ask(`${path}/review/${number}?${asked}`);
      reviewed = new Reviewed(info, news, placeAt, (text, bad) => app.say(text, bad));
      reviewed.asked = asked;
      if (old) { reviewed.go(old.place); old.close(); }
      place.replaceChildren(reviewed.element);
    }
    progress.max = news.of;
    progress.value = news.done;
    run.hidden = news.final;
    told.textContent = progressWords(news);
    told.classList.toggle("bad", Boolean(news.problem));
    if (news.final) stop();
  }

  function progressWords(news) {
    if (news.problem) return news.problem;
    const counts = `${news.done} of ${news.of} positions`;
    if (news.final) return `${counts} evaluated by ${[news.exact, news.engine].filter(Boolean).join(" and ")}.`;
    const { asked } = news;
    if (!asked) return `${counts}.`;
    const what = asked.better ? `what was better than move ${asked.place}` : `the position after move ${asked.place}`;
    return `${counts}; ${asked.exact ? `${news.exact} solves (it gives up after some seconds)` : `${news.engine} looks at`} ${what} …`;
  }

  function toggle() {
    if (run.hidden) return;
    running = !running;
    begin();
    if (!running && reviewed) told.textContent = `Stopped at ${progress.value} of ${progress.max} positions.`;
  }

  function saveAs(form) {
    return app.attempt(async () => app.say(`Saved as ${await download(`${path}/review/file?form=${form}&${query()}`)}`));
  }

  function analyse() {
    return app.attempt(async () => {
      const turns = reviewed?.data.turns ?? [];
      const plies = reviewed?.place ? turns[reviewed.place - 1].plies : 0;
      const made = await ask(`${path}/copy`, { plies });
      app.go(`analyse/${made.id}`);
    });
  }

  const undrop = fileDrop(root, picker.load);
  return {
    close() { stop(); reviewed?.close(); undrop(); },
    get keys() {
      return [...(reviewed?.keys ?? []),
        { key: " ", what: "stop the review, or go on with it", run: toggle },
        { key: "s", what: "save the review as a page", run: () => saveAs("html") },
        { key: "a", what: "analyse this position", run: analyse },
        { key: "o", what: "open a saved game", run: () => picker.input.click() },
        { key: "n", what: "another game", run: () => app.go("review") }];
    },
  };
}
