// The searches to try have the colours of their page, also after the reader has changed these.

addEventListener("DOMContentLoaded", () => {
  const frames = document.querySelectorAll(".cell iframe");
  const tell = ({ contentWindow }) => contentWindow.postMessage({ theme: document.body.dataset.mdColorScheme === "slate" ? "dark" : "light" }, "*");
  frames.forEach((frame) => frame.addEventListener("load", () => tell(frame)));
  new MutationObserver(() => frames.forEach(tell)).observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
});
