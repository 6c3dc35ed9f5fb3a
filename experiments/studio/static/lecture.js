// Lectures: large type, a presenter's keys, a blank screen, and what is shown as a file.

import { download, saveBlob } from "./api.js";
import { allPresets, prepare } from "./course.js";
import { h } from "./dom.js";
import { picturesOf, pngBlob, snapshot, svgBlob } from "./snapshot.js";

const WIDEST = 1000, MOST = 200;  // pixels and steps of a film

/**
 * Lecture mode, as in the address (`?lecture`), and the dialog that saves pictures.
 *
 * @param view returns the current view, whose `steps` are walked along. @returns {keys}, those in force.
 */
export function openLecture(root, app, view) {
  const page = document.documentElement, element = (id) => document.getElementById(id);
  const dialog = element("picture"), film = element("film"), { first, last, seconds } = film.elements;
  const isOn = () => page.hasAttribute("data-lecture");
  const sign = document.body.appendChild(h("p", { id: "waiting", role: "status", hidden: true }));
  const presetHere = () => /(?:course\/|preset=)([\w-]+)/.exec(location.hash)?.[1], onCourse = () => /^#\/course|preset=/.test(location.hash);
  let presses = Promise.resolve(), waiting = 0, jumps = 0, preparing = "", control = null;

  function tell() {
    const steps = waiting === 1 ? "1 step waits" : `${waiting} steps wait`;
    sign.textContent = waiting ? `${steps} until this preset is ready; press > for the next one` : preparing;
    sign.hidden = !sign.textContent;
  }

  /** Presses follow each other, so that none is lost while a preset comes. */
  const inTurn = (work) => (presses = presses.then(() => app.attempt(work)));

  /** To the next preset or the one before; from the list, to the first. */
  async function turn(by) {
    const presets = await allPresets(), at = presets.findIndex(({ name }) => name === presetHere());
    const place = `#/course/${presets[at + by]?.name ?? ""}`;
    if (place === location.hash) return;
    await new Promise((come) => {  // from then on, `view` is no longer the old one
      addEventListener("hashchange", come, { once: true });
      location.hash = place;
    });
  }

  function jump(by) {
    jumps += 1;
    if (onCourse()) inTurn(() => turn(by));
  }

  /** One step on or back, once there are steps; from the end of a preset, to the next one or the one before. */
  function step(by) {
    const jumped = jumps;
    waiting += 1;
    inTurn(async () => {
      while (presetHere() && !view()?.steps) {
        tell();
        await new Promise((come) => { setTimeout(come, 50); });
        if (jumped !== jumps || !presetHere()) return;
      }
      const steps = view()?.steps, end = steps && (by > 0 ? steps.last : 0);
      if (onCourse() && steps?.at === end) await turn(by);
      else steps?.go(steps.at + by);
    }).finally(() => { waiting -= 1; tell(); });
  }

  /** Have the course ready when a lecture begins on one of its pages. */
  async function begin() {
    if (!isOn() || !onCourse() || !app.has("course") || control) return;
    const { signal } = control = new AbortController(), presets = await allPresets();
    const show = (words) => {
      if (signal.aborted) return;
      preparing = words;
      tell();
    };
    await prepare(app, presets, presetHere(), signal, ({ title }, number) => show(`Preparing the lecture: ${number} of ${presets.length} presets, now “${title}” …`));
    show("The lecture is prepared.");
    setTimeout(() => show(""), 4000);
  }

  const name = () => `dlgo-${location.hash.split("/")[1]}${view()?.steps ? `-${view().steps.at}` : ""}`;
  function set(on) {
    page.toggleAttribute("data-lecture", on);
    page.removeAttribute("data-blank");
    if (!on) {
      control?.abort();
      control = null;
      preparing = "";
      tell();
    }
    history.replaceState(null, "", `${on ? "?lecture" : location.pathname}${location.hash}`);
    app.attempt(begin);
  }

  const fullScreen = () => app.attempt(() => (document.fullscreenElement ? document.exitFullscreen() : page.requestFullscreen()));

  function choose() {
    if (!snapshot(root)) { app.say("There is no board, tree or graph to save in this view.", true); return; }
    const steps = view()?.steps, most = steps?.last ?? 0, from = most > MOST ? steps.at : 0;
    film.hidden = !most || !app.has("watch");  // a server puts it together
    first.max = last.max = most;
    first.value = from;
    last.value = Math.min(most, from + MOST - 1);
    dialog.showModal();
  }

  async function save(ending, blobOf) {
    await app.attempt(async () => app.say(`Saved as ${saveBlob(await blobOf(...picturesOf([snapshot(root)])), `${name()}-${new Date().toISOString().slice(0, 10)}.${ending}`)}`));
    dialog.close();
  }

  /** Walk along the steps, and back. */
  async function filmed() {
    const { steps } = view(), before = steps.at, shots = [], frames = [];
    for (let n = first.valueAsNumber; n <= Math.min(last.valueAsNumber, first.valueAsNumber + MOST - 1); n++) {
      await steps.go(n);
      shots.push(snapshot(root));
      film.querySelector("[role=status]").textContent = `Step ${n} …`;
    }
    await steps.go(before);
    const pictures = picturesOf(shots), factor = Math.min(1, WIDEST / pictures[0].getAttribute("width"));
    for (const picture of pictures) frames.push(await pngBlob(picture, factor));
    app.say(`Saved as ${await download(`/api/film?name=${name()}&seconds=${seconds.value}`, new Blob(frames))}`);
  }

  element("save-svg").addEventListener("click", () => save("svg", svgBlob));
  element("save-png").addEventListener("click", () => save("png", (picture) => pngBlob(picture, 2)));
  film.addEventListener("submit", async (event) => {
    event.preventDefault();
    await app.attempt(filmed);
    dialog.close();
  });
  const always = [
    { key: "L", what: "lecture mode: large type, PageDown for the next step", run: () => set(!isOn()) },
    { key: "P", what: "save this view as a picture or a film", run: choose }, { key: "F", what: "full screen", run: fullScreen },
  ];
  const lecturing = [
    { key: "PageDown", what: "next step, then the next preset", run: () => step(1) }, { key: "PageUp", what: "previous step, then the previous preset", run: () => step(-1) },
    { key: ">", what: "next preset", run: () => jump(1) }, { key: "<", what: "previous preset", run: () => jump(-1) },
    { key: ".", what: "blank the screen", run: () => page.toggleAttribute("data-blank") }, { key: "F5", what: "full screen", run: fullScreen },
  ];
  addEventListener("hashchange", () => app.attempt(begin));
  element("lecture").addEventListener("click", always[0].run);
  element("save-picture").addEventListener("click", choose);
  if (new URLSearchParams(location.search).has("lecture")) set(true);
  return { get keys() { return isOn() ? [...lecturing, ...always] : always; } };
}
