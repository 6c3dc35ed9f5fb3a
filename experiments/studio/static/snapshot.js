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

/** The picture as SVG; null if a view has nothing to draw. */
export function snapshot(root) {
  const drawn = [...root.querySelectorAll(SHOWN)].filter((svg) => svg.checkVisibility() && !svg.closest("a, label, button"));
  if (!drawn.length) return null;
  const page = getComputedStyle(document.body), font = page.fontFamily;
  let x = GAP, tallest = 0;
  const parts = drawn.sort((a, b) => a.matches(".search-tree") - b.matches(".search-tree")).map((svg) => {
    const size = svg.getBoundingClientRect(), part = plain(svg, {});
    for (const [name, value] of Object.entries({ x, y: 0, width: size.width, height: size.height })) part.setAttribute(name, value);
    x += size.width + GAP;
    tallest = Math.max(tallest, size.height);
    return part;
  });
  const width = Math.ceil(Math.max(x, 640));
  const captions = [...root.querySelectorAll("[data-caption]")].filter((one) => one.checkVisibility()).map((one) => one.innerText.trim());
  const lines = captions.filter(Boolean).flatMap((text) => wrap(text, width - 2 * GAP, `${LETTER}px ${font}`));
  const top = GAP + LINE * Math.max(lines.length, 3);  // pictures of a film have their boards in one place
  for (const part of parts) part.setAttribute("y", top);
  const height = Math.ceil(top + tallest + GAP);
  return s("svg", { xmlns: "http://www.w3.org/2000/svg", width, height, viewBox: `0 0 ${width} ${height}`, "font-family": font },
    s("rect", { width, height, fill: page.backgroundColor }),
    ...lines.map((text, i) => s("text", { x: GAP, y: GAP + LINE * (i + 0.6), fill: page.color, "font-size": LETTER }, text)), ...parts);
}

/** A copy with its looks as attributes, and without what is there to be clicked. */
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
    else if (!child.matches(".cells, .knob, .cursor") && getComputedStyle(child).display !== "none") copy.append(plain(child, own));
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

/**
 * A picture as a PNG.
 *
 * @param factor its scale. @param width, height room for it, before it is scaled; by default its own.
 */
export async function pngBlob(picture, factor, width = picture.getAttribute("width"), height = picture.getAttribute("height")) {
  const image = new Image(), canvas = document.createElement("canvas"), pen = canvas.getContext("2d");
  Object.assign(canvas, { width: factor * width, height: factor * height });
  image.src = URL.createObjectURL(svgBlob(picture));
  await image.decode();
  URL.revokeObjectURL(image.src);
  pen.fillStyle = getComputedStyle(document.body).backgroundColor;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(image, 0, 0, factor * image.width, factor * image.height);
  return new Promise((resolve) => { canvas.toBlob(resolve, "image/png"); });
}
