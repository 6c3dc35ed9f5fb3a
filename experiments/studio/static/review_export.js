// The page of a saved review: its data is in the page.

import { h } from "./dom.js";
import { onKeys } from "./parts.js";
import { Reviewed } from "./reviewed.js";

const data = JSON.parse(document.getElementById("review").textContent);
const said = h("p", { class: "status", role: "status" });
const reviewed = new Reviewed(data.board, data, (place) => data.places[place], (text) => { said.textContent = text; });
const engines = [data.exact, data.engine].filter(Boolean).join(" and ");
document.getElementById("main").append(reviewed.element);
reviewed.element.querySelector(".side").prepend(
  h("header", {}, h("h2", {}, document.title),
    h("p", {}, `${data.board.game}${data.result ? ` · ${data.result}` : ""} · values by ${engines}${data.done < data.of ? ` · ${data.done} of ${data.of} positions evaluated` : ""}`),
    h("p", { class: "review-legend" }, "Keys: ← and → show the previous and next move, M and m the previous and next mistake, l shows the better line, f turns the board.")),
  said);
onKeys(() => reviewed.keys);
