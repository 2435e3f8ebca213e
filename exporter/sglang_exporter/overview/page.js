// Brings the page up to date in place, so that focus, scrolling and what is folded up stay as they are.
"use strict";

const PERIOD = 5000;
const PATIENCE = 10000;
const HERE = location.origin + location.pathname; // without a password that the address has, which fetch refuses
const pause = document.getElementById("pause");
const lost = document.getElementById("lost");
let paused = false;

function morph(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  if (old.nodeName !== fresh.nodeName || old.id !== fresh.id) {
    old.replaceWith(document.importNode(fresh, true));
  } else if (old.nodeType !== Node.ELEMENT_NODE) {
    old.data = fresh.data;
  } else {
    morphAttributes(old, fresh);
    morphChildren(old, fresh);
  }
}

function morphAttributes(old, fresh) {
  for (const name of fresh.getAttributeNames()) {
    if (old.getAttribute(name) !== fresh.getAttribute(name)) old.setAttribute(name, fresh.getAttribute(name));
  }
  for (const name of old.getAttributeNames()) {
    if (name !== "open" && !fresh.hasAttribute(name)) old.removeAttribute(name); // open: who reads has unfolded it
  }
}

function morphChildren(old, fresh) {
  const stay = new Set([...fresh.children].map((child) => child.id));
  for (const child of [...old.children]) if (child.id && !stay.has(child.id)) child.remove();
  [...fresh.childNodes].forEach((child, at) => {
    const here = old.childNodes[at];
    const moved = child.id && here && here.id !== child.id;
    if (!here) old.append(document.importNode(child, true));
    else if (moved) here.before(document.importNode(child, true));
    else morph(here, child);
  });
  while (old.childNodes.length > fresh.childNodes.length) old.lastChild.remove();
}

async function update() {
  const answer = await fetch(HERE, { cache: "no-store", signal: AbortSignal.timeout(PATIENCE) });
  if (!answer.ok) throw new Error(answer.status);
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const id of ["updated", "main"]) morph(document.getElementById(id), fresh.getElementById(id));
  if (document.title !== fresh.title) document.title = fresh.title;
}

async function tick() {
  if (!paused && !document.hidden) {
    try {
      await update();
      if (lost.textContent) lost.textContent = "";
    } catch {
      const said = "The exporter does not answer: this is what it said last.";
      if (lost.textContent !== said) lost.textContent = said; // said once, not at each try
    }
  }
  setTimeout(tick, PERIOD);
}

pause.hidden = false;
pause.addEventListener("click", () => {
  paused = !paused;
  pause.textContent = paused ? "Go on" : "Pause";
});
setTimeout(tick, PERIOD);
