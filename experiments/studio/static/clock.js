// Clocks: the choice of time settings for a new game, and what a player's clock shows.

import { duration, h } from "./dom.js";
import { memory } from "./parts.js";

const [remembered, remember] = memory("clock");
const CONTROLS = {
  "": "No clock", "1+1": "1 min + 1 s a move", "3+2": "3 min + 2 s a move", "5+3": "5 min + 3 s a move", "10+5": "10 min + 5 s a move",
  "5+3x20": "5 min, then 3 × 20 s", "20+5x30": "20 min, then 5 × 30 s", own: "Other times …",
};

/** A field for the clock of both players; `value()` is as the server takes it. */
export function clockField() {
  const last = remembered("control", "");
  const own = h("input", {
    id: "clock-own", type: "text", placeholder: "10+5 or 10+3x30", maxlength: 20, autocomplete: "off",
    "aria-label": "Clock: minutes, then seconds a move or periods of byo-yomi", value: last in CONTROLS ? null : last,
  });
  const update = () => { own.hidden = select.value !== "own"; };
  const select = h("select", { id: "clock", onchange: () => { update(); if (!own.hidden) own.focus(); } },
    Object.entries(CONTROLS).map(([key, title]) => h("option", { value: key, selected: key === (last in CONTROLS ? last : "own") }, title)));
  update();
  return {
    value: () => {
      const text = select.value === "own" ? own.value.trim() : select.value;
      remember("control", text);
      return text;
    },
    element: h("div", { class: "field" }, h("label", { for: "clock" }, "Clock"), select, own),
  };
}

/** Seconds and periods that are left, `used` seconds into a turn; 0 periods: main time. */
export function timeLeft({ left, period, periods }, side, used) {
  let [seconds, stones] = left[side];
  seconds -= used;
  while (seconds < 0 && (stones > 1 || (!stones && periods))) {
    seconds += period;
    stones = (stones || periods + 1) - 1;
  }
  return [Math.max(seconds, 0), stones];
}

/**
 * Show a player's clock; without time settings, the time used.
 *
 * @param since seconds since the server sent this view. @param turn seconds since the turn began.
 */
export function showClock(element, view, side, since, turn) {
  const { clock, position, history } = view, mine = position.turn === side;
  if (!clock) {
    const used = history.filter(({ player }) => player === side).reduce((sum, { wall }) => sum + (wall ?? 0), 0);
    const waits = position.over || view.ended || view.paused || view.problem;
    element.textContent = duration(used + (mine && !waits ? turn : 0));
    return;
  }
  const used = (mine ? clock.used : 0) + (clock.running === side ? since : 0);
  const [seconds, periods] = timeLeft(clock, side, used);
  const whole = Math.ceil(seconds), last = seconds < 10 && periods < 2 && (periods || !clock.periods);
  const text = last ? seconds.toFixed(1) : `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
  element.textContent = periods ? `${text} ×${periods}` : text;
  element.classList.add("limited");
  element.classList.toggle("low", last);
}
