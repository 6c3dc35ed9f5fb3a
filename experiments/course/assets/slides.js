// Slides: keys, and what is on a slide made to fit it.
const sections = [...document.querySelectorAll("section")];
const SIZES = [68, 62, 56, 50, 44, 41, 38]; // of text; code is 0.8 and a formula's index 0.7 of it
const BESIDE_PICTURES = 4; // the first of them that leaves room for a picture
const SHAPES = ["", "dense", "columns", "dense columns"]; // of code, from the most legible on
const [WIDTH, HEIGHT] = [1740, 930]; // of a slide without its edges
let now = 0, number = "";

// What is printed after a picture stands beside it; a single line stays below.
function placeBeside(picture, content) {
  const block = [...content.children].find((one) => one.contains(picture));
  const printed = block?.nextElementSibling;
  if (!printed?.matches("pre, .highlight")) return null;
  if (!printed.textContent.trim().includes("\n")) {
    printed.classList.add("caption");
    return null;
  }
  const row = document.createElement("div");
  row.className = "beside";
  block.before(row);
  row.append(block, printed);
  return printed;
}

// Without docstrings and empty lines, long code may fit.
function cutDocstrings(code) {
  code.querySelectorAll(".sd").forEach((one) => one.remove());
  code.innerHTML = code.innerHTML.replace(/\n(?:(?:\s|<span class="w">\s*<\/span>)*\n)+/g, "\n");
}

function fit(section) {
  const content = section.firstElementChild;
  const pictures = [...section.querySelectorAll("img, svg:not(svg svg)")];
  // Pictures side by side share a row.
  const rows = new Set(pictures.map((one) => one.closest("div:has(> figure)") ?? one));
  const printed = rows.size === 1 ? placeBeside(pictures[0], content) : null;
  const resize = (height) => pictures.forEach((one) => { one.style.height = `${height}px`; });
  const room = () => HEIGHT - content.offsetHeight;
  const fits = () => room() >= Math.min(rows.size * 500, 600) && content.scrollWidth <= WIDTH;
  resize(0);
  printed?.style.setProperty("display", "none");
  const shaped = () => SHAPES.some((shape) => {
    section.className = shape;
    return SIZES.slice(rows.size ? BESIDE_PICTURES : 0).some((size) => { section.style.fontSize = `${size}px`; return fits(); });
  });
  if (!shaped()) {
    section.querySelectorAll("pre > code").forEach(cutDocstrings);
    shaped();
  }
  if (rows.size) resize(Math.max(0, Math.floor(room() / rows.size)));
  printed?.style.removeProperty("display");
}

function show(place) {
  now = Math.max(0, Math.min(place, sections.length - 1));
  sections.forEach((one, at) => one.classList.toggle("now", at === now));
  history.replaceState(null, "", `#${now + 1}`);
}

function scale() {
  const factor = Math.min(innerWidth / 1920, innerHeight / 1080);
  const [x, y] = [(innerWidth - 1920 * factor) / 2, (innerHeight - 1080 * factor) / 2];
  document.querySelector("main").style.transform = `translate(${x}px, ${y}px) scale(${factor})`;
}

function colour(dark) {
  document.body.dataset.mdColorScheme = dark ? "slate" : "default";
}

const KEYS = {
  ArrowRight: () => show(now + 1), ArrowDown: () => show(now + 1), PageDown: () => show(now + 1),
  " ": () => show(now + 1), ArrowLeft: () => show(now - 1), ArrowUp: () => show(now - 1),
  PageUp: () => show(now - 1), Home: () => show(0), End: () => show(sections.length - 1),
  Enter: () => show(number - 1),
  f: () => document.fullscreenElement ? document.exitFullscreen()
    : document.documentElement.requestFullscreen(),
  d: () => colour(document.body.dataset.mdColorScheme === "default"),
};
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  KEYS[event.key]?.();
  number = /^\d$/.test(event.key) ? number + event.key : "";
  if (KEYS[event.key]) event.preventDefault();
});
document.addEventListener("click", (event) => {
  if (!event.target.closest("a")) show(now + (event.clientX < innerWidth / 3 ? -1 : 1));
});
addEventListener("resize", scale);
addEventListener("hashchange", () => show(location.hash.slice(1) - 1));
addEventListener("beforeprint", () => colour(false));
addEventListener("load", () => {
  document.documentElement.classList.add("live");
  colour(matchMedia("(prefers-color-scheme: dark)").matches);
  scale();
  sections.forEach(fit);
  show(location.hash.slice(1) - 1);
});
