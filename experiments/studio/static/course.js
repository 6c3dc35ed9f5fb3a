// The view Course: presets by chapter (#/course), or one of them (#/course/NAME) in the view that shows it.

import { ask } from "./api.js";
import { pictureOf } from "./boards/index.js";
import { h } from "./dom.js";

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
