// A pause in which messages and timers come through: in node, a page or a worker, without the 4 ms of nested timers.

const { port1, port2 } = globalThis.setImmediate ? {} : new MessageChannel();  // node handles many messages before a timer
const waiting = [];
let held = false;
if (port1) port1.onmessage = () => { if (!held) waiting.shift()?.(); };

/** Let all work wait in its next pause, or go on. */
export function hold(isHeld) {
  held = isHeld;
  if (!held) waiting.splice(0).forEach((goOn) => goOn());
}

/** Let everything that waits run; long work awaits it every few milliseconds. */
export function pause() {
  return new Promise((resolve) => {
    if (!port1) { setImmediate(resolve); return; }
    waiting.push(resolve);
    port2.postMessage(null);
  });
}
