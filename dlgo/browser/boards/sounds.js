// Sounds of moves, made by the browser itself; off until somebody switches them on.

const KEY = "dlgo-sounds";
// Of each sound its notes: pitch in Hz, seconds after the start, seconds until silence.
const NOTES = {
  move: [[320, 0, 0.07]], capture: [[320, 0, 0.06], [210, 0.07, 0.09]],
  end: [[392, 0, 0.25], [494, 0.12, 0.25], [587, 0.24, 0.5]],
};
let context = null, playing = false;

export const sounds = {
  get on() { return localStorage.getItem(KEY) === "on"; },
  set on(on) { localStorage.setItem(KEY, on ? "on" : "off"); },

  /** Make a sound of NOTES, once if several boards ask for it. */
  play(name) {
    if (!this.on) return;
    context ??= new AudioContext();
    if (playing) return;
    playing = true;
    queueMicrotask(() => { playing = false; });
    for (const [pitch, after, length] of NOTES[name]) {
      const tone = context.createOscillator(), gain = context.createGain(), start = context.currentTime + after;
      tone.type = "triangle";
      tone.frequency.value = pitch;
      gain.gain.setValueAtTime(0.25, start);
      gain.gain.exponentialRampToValueAtTime(0.001, start + length);
      tone.connect(gain).connect(context.destination);
      tone.start(start);
      tone.stop(start + length);
    }
  },
};
