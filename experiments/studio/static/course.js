// The view Course: presets by chapter (#/course), or one of them (#/course/NAME) in the view that shows it.

import { ask } from "./api.js";
import { pictureOf } from "./boards/index.js";
import { h } from "./dom.js";
import { readPreset } from "./inside/search.js";

/** All presets, in the order of the course. */
export const allPresets = async () => (await ask("/api/course")).chapters.flatMap(({ presets }) => presets);

/** Have ready what presets need, that of `first` and of those after it first: modules, engines, searches. @param onPreset called with each before its turn, and its number. */
export async function prepare(app, presets, first, signal, onPreset) {
  const start = Math.max(presets.findIndex(({ name }) => name === first), 0);
  for (const [number, preset] of [...presets.slice(start), ...presets.slice(0, start)].entries()) {
    if (signal.aborted) return;
    onPreset(preset, number);
    await app.attempt(async () => {
      await app.load(preset.view);
      if (preset.view !== "inside") await ask(`/api/course/${preset.name}/prepare`, {});
      else await readPreset(preset, signal, () => {}).catch((error) => { if (!signal.aborted) throw error; });
    });
  }
}

export async function open(root, name, app) {
  const { chapters } = await ask("/api/course");
  const presets = chapters.flatMap((chapter) => chapter.presets), preset = presets.find((one) => one.name === name);
  if (!preset) {
    if (name) app.say(`There is no preset ${name}; choose one of these.`, true);
    root.append(h("div", { class: "start" }, h("h1", {}, "The course, chapter by chapter"),
      h("p", { class: "look-for" }, "For a lecture, press L: large type, PageDown for the next step, P for a picture or a film."), chapters.map(section)));
    return { keys: [] };
  }
  if (preset.view === "inside") {
    location.replace(`#/inside/preset=${name}`);
    return null;
  }
  const [{ id }, view] = await Promise.all([ask(`/api/course/${name}`, {}), app.load(preset.view)]);
  app.explain(h("b", {}, `${preset.title}. `), preset.look_for);
  return view.open(root, id, app, preset);
}

function section({ name, title, presets }) {
  return h("section", {}, h("h2", {}, `Chapter ${Number(name.slice(0, 2))}: ${title}`), h("div", { class: "presets" }, presets.map((preset) => (
    h("a", { class: "preset-card", href: `#/course/${preset.name}` }, pictureOf(preset.info, preset.position).svg,
      h("span", {}, h("b", {}, preset.title), h("span", { class: "tag" }, preset.view), h("small", {}, preset.look_for)))))));
}
