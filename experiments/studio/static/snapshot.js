// What a view shows, as a picture that needs no style sheet: its boards, trees and graphs in a row,
// under the sentences that are marked with `data-caption`.

import { s } from "./dom.js";

const SHOWN = "svg.board:not(.icon), svg.search-tree, svg.graph";
const GAP = 24, LETTER = 22, LINE = 30;
// The properties that style sheets set; a child inherits them, except for the opacity.
const LOOKS = [
  "fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap", "stroke-linejoin",
  "paint-order", "font-family", "font-size", "font-weight", "text-anchor", "dominant-baseline",
];

/** What a view shows now, with all pieces where they come to rest; null if it has nothing to draw. */
export function snapshot(root) {
  const drawn = [...root.querySelectorAll(SHOWN)].filter((svg) => svg.checkVisibility() && !svg.closest("a, label, button"));
  if (!drawn.length) return null;
  const captions = [...root.querySelectorAll("[data-caption]")].filter((one) => one.checkVisibility()).map((one) => one.innerText.trim());
  let x = GAP, tallest = 0;
  const parts = drawn.sort((a, b) => a.matches(".search-tree") - b.matches(".search-tree")).map((svg) => {
    svg.getAnimations({ subtree: true }).forEach((animation) => animation.finish());
    const { width, height } = svg.getBoundingClientRect(), part = plain(svg, {});
    for (const [name, value] of Object.entries({ x, width, height })) part.setAttribute(name, value);
    x += width + GAP;
    tallest = Math.max(tallest, height);
    return part;
  });
  return { parts, captions: captions.filter(Boolean), width: x, tallest };
}

/** Snapshots as SVG, all of one size and with their boards in one place. */
export function picturesOf(shots) {
  const { fontFamily, color, backgroundColor } = getComputedStyle(document.body);
  const width = Math.ceil(Math.max(640, ...shots.map((shot) => shot.width)));
  const texts = shots.map(({ captions }) => captions.flatMap((text) => wrap(text, width - 2 * GAP, `${LETTER}px ${fontFamily}`)));
  const top = GAP + LINE * Math.max(...texts.map((lines) => lines.length));
  const height = Math.ceil(top + Math.max(...shots.map(({ tallest }) => tallest)) + GAP);
  return shots.map(({ parts }, i) => {
    for (const part of parts) part.setAttribute("y", top);
    return s("svg", { xmlns: "http://www.w3.org/2000/svg", width, height, viewBox: `0 0 ${width} ${height}`, "font-family": fontFamily },
      s("rect", { width, height, fill: backgroundColor }),
      ...texts[i].map((text, n) => s("text", { x: GAP, y: GAP + LINE * (n + 0.6), fill: color, "font-size": LETTER }, text)), ...parts);
  });
}

/** A copy with its looks as attributes, without what is there to be clicked, or is leaving. */
function plain(element, inherited) {
  const copy = document.createElementNS(element.namespaceURI, element.tagName), style = getComputedStyle(element), own = {};
  for (const { name, value } of element.attributes) if (!/^(class|role|tabindex|style|aria-.*|data-.*)$/.test(name)) copy.setAttribute(name, value);
  for (const name of LOOKS) {
    own[name] = style.getPropertyValue(name);
    if (own[name] !== inherited[name]) copy.setAttribute(name, own[name]);
  }
  if (style.opacity !== "1") copy.setAttribute("opacity", style.opacity);
  for (const child of element.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) copy.append(child.data);
    else if (!child.matches(".cells, .knob, .cursor, .taken, :has(> .ghost)") && getComputedStyle(child).display !== "none") copy.append(plain(child, own));
  }
  return copy;
}

/** A text in lines of at most `width` pixels. */
function wrap(text, width, font) {
  const pen = new OffscreenCanvas(1, 1).getContext("2d"), lines = [""];
  pen.font = font;
  for (const word of text.split(/\s+/)) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (pen.measureText(longer).width <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** The picture as a file of SVG. */
export const svgBlob = (svg) => new Blob([new XMLSerializer().serializeToString(svg)], { type: "image/svg+xml" });

/** A picture as a PNG, `factor` times as large. */
export async function pngBlob(picture, factor) {
  const image = new Image(), canvas = document.createElement("canvas");
  image.src = URL.createObjectURL(svgBlob(picture));
  await image.decode();
  URL.revokeObjectURL(image.src);
  Object.assign(canvas, { width: factor * image.width, height: factor * image.height });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => { canvas.toBlob(resolve, "image/png"); });
}
