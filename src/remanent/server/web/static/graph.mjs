// The associative memory as a living picture: what is in focus, how strong links are, and what was forgotten.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ask, place } from "./api.mjs";
import { Empty, html, Loaded, useApp, useLoad } from "./parts.mjs";
import { age, day, number, say } from "./words.mjs";

// The page may start one script by its address, this one; the policy is what makes a browser allow it.
const LAYOUT = "/static/layout.mjs";
const policy = globalThis.trustedTypes?.createPolicy("remanent-layout", { createScriptURL: () => LAYOUT });

const MOST = 5000; // nodes drawn
const start = () => new Worker(policy ? policy.createScriptURL("") : LAYOUT, { type: "module" });

/** Have a worker read a graph's own export (N-Triples), and return it with what a page shows of the nodes. */
function reading(lines, signal, about) {
  const worker = start(), points = [];
  signal.addEventListener("abort", () => worker.terminate());
  return new Promise((done, fail) => {
    worker.onerror = () => fail(new Error(LAYOUT));
    worker.onmessage = ({ data }) => { if (data.points) points.push(...data.points); else done({ worker, points, ...data.read }); };
    worker.postMessage({ lines, most: MOST, ...about }, [lines]);
  });
}

export function Page() {
  const { here } = useApp();
  const at = place(here.org, here.workspace, here.agent);
  const state = useLoad(async (signal) => {
    if (!here.agent) return null;
    const [stand, lines, focus, forgotten] = await Promise.all([ask("GET", `${at}/associative/state`, { signal }), ask("GET", `${at}/associative/triples`, { signal, raw: true }), ask("GET", `${at}/associative/focus`, { signal }), ask("GET", `${at}/associative/forgotten`, { signal })]);
    const named = { focused: focus.items.map((node) => node.id), forgotten: forgotten.items.map((one) => [one.node_id, one.about]), lost: say("forgotten") };
    return { stand, ...(await reading(lines, signal, named)) };
  }, [at]);
  return html`<h1>${say("graph")}</h1><${Loaded} state=${state}>${(graph) => graph?.count ? html`<${Drawn} ...${graph} />` : html`<${Empty}>${say("graph_none")}</${Empty}>`}</${Loaded}>`;
}

function Drawn({ stand, count, points, worker, from, to }) {
  const [chosen, setChosen] = useState(null);
  const [open, setOpen] = useState(false); // hundreds of buttons are made when somebody wants them
  return html`<p class="row small quiet"><span>${say("nodes")}: ${number(stand.nodes)}</span><span>${say("links")}: ${number(stand.links)}</span><span>${say("focuses")}: ${stand.focuses.length}</span><span>${say("forgotten")}: ${stand.forgotten}</span><span>${say("dangling")}: ${stand.dangling}</span></p>
    ${count > MOST && html`<p class="warn small">${say("node_limit", { n: MOST })}</p>`}
    <p class="row small quiet legend"><span><i class="dot focus"></i>${say("legend_focus")}</span><span><i class="dot"></i>${say("legend_node")}</span><span><i class="dot ghost"></i>${say("legend_ghost")}</span><span>${say("legend_line")}</span></p>
    <${Explored} points=${points} worker=${worker} from=${from} to=${to} chosen=${chosen} onChoose=${setChosen} />
    <div aria-live="polite">${chosen !== null && html`<div class="panel"><h3>${points[chosen].label}</h3><p>${points[chosen].content}</p><p class="small quiet">${points[chosen].at ? age(points[chosen].at) : ""}</p></div>`}</div>
    <details onToggle=${(event) => setOpen(event.target.open)}><summary>${say("nodes")}</summary><ul>${open && points.slice(0, 200).map((point, index) => html`<li><button class="plain" onClick=${() => setChosen(index)}>${point.label}</button></li>`)}</ul></details>`;
}

/** A graph in which one searches, and goes back in time. */
export function Explored({ from, to, ...graph }) {
  const [until, setUntil] = useState(100);
  const [search, setSearch] = useState("");
  const [found, setFound] = useState(null);
  const limit = until === 100 ? Infinity : from + ((to - from) * until) / 100;
  return html`<div class="row"><input type="search" class="grow" aria-label=${say("find_node")} placeholder=${say("find_node")} value=${search} onInput=${(event) => setSearch(event.target.value)} /><span role="status" class="small quiet">${search.trim() && found !== null ? say("nodes_found", { n: number(found) }) : ""}</span><label class="row small">${say("up_to")}<input type="range" min="0" max="100" value=${until} onInput=${(event) => setUntil(Number(event.target.value))} /><span class="quiet">${until === 100 ? say("now") : day(limit)}</span></label></div>
    <${Canvas} ...${graph} limit=${limit} search=${search.trim().toLowerCase()} onFound=${setFound} />`;
}

let drawings = 0;

/** A graph that is moved and zoomed by pointer, wheel and keys. A worker places and draws it, so that the page never waits. */
function Canvas({ points, edges, worker: given, limit, search, chosen, onChoose, onFound, label, small }) {
  const box = useRef(null), worker = useRef(null); // one that was given has the points already
  const view = useRef({ x: 0, y: 0, scale: 1, placed: null, moved: false });
  const drawing = useMemo(() => ++drawings, [points]); // a canvas that was given away cannot be given again
  const draw = useRef(() => {});
  draw.current = () => {
    const canvas = box.current, style = getComputedStyle(document.documentElement), { x, y, scale, moving } = view.current;
    if (!canvas || !worker.current) return;
    const colours = Object.fromEntries(["quiet", "accent", "text", "warn", "panel"].map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
    worker.current.postMessage({ draw: { x, y, scale, moving, limit, search, chosen, colours, width: canvas.clientWidth, height: canvas.clientHeight, ratio: devicePixelRatio || 1 } });
  };
  const soon = () => { if (view.current.frame) return; view.current.frame = requestAnimationFrame(() => { view.current.frame = 0; draw.current(); }); };
  useEffect(() => {
    const made = worker.current = given ?? start(), canvas = box.current, surface = canvas.transferControlToOffscreen();
    made.onmessage = ({ data }) => {
      if (data.drawn !== undefined) { Object.assign(canvas.dataset, { drawn: data.drawn, scale: view.current.scale, x: view.current.x, y: view.current.y }); onFound(data.found); return; }
      view.current.placed = data; if (!view.current.moved) fit(canvas, view.current); soon();
    };
    if (!given) made.postMessage({ points, edges });
    made.postMessage({ surface, steps: points.length > 1500 ? 120 : 300 }, [surface]);
    const resized = new ResizeObserver(soon); resized.observe(canvas);
    const scheme = matchMedia("(prefers-color-scheme: dark)"); scheme.addEventListener("change", soon);
    return () => { made.terminate(); worker.current = null; resized.disconnect(); scheme.removeEventListener("change", soon); };
  }, [points]);
  useEffect(soon);
  const near = (event) => {
    const { placed, x, y, scale } = view.current; if (!placed) return null;
    const at = box.current.getBoundingClientRect(), px = (event.clientX - at.left - at.width / 2 - x) / scale, py = (event.clientY - at.top - at.height / 2 - y) / scale;
    let best = null, least = (16 / scale) ** 2;
    for (let i = 0; i < placed.x.length; i++) { const d = (placed.x[i] - px) ** 2 + (placed.y[i] - py) ** 2; if (d < least) { least = d; best = i; } }
    return best;
  };
  const zoom = (factor) => { const v = view.current; v.scale = Math.min(8, Math.max(0.05, v.scale * factor)); v.x *= factor; v.y *= factor; v.moved = true; soon(); };
  const keys = (event) => {
    const v = view.current, step = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] }[event.key];
    if (step) { v.x += step[0]; v.y += step[1]; v.moved = true; soon(); event.preventDefault(); } else if (event.key === "+" || event.key === "=") zoom(1.2); else if (event.key === "-") zoom(1 / 1.2); else if (event.key === "0") { fit(box.current, v); soon(); }
  };
  const drag = (event) => {
    const v = view.current, from = { x: event.clientX - v.x, y: event.clientY - v.y }, begin = { x: event.clientX, y: event.clientY };
    v.moving = true;
    const move = (next) => { v.x = next.clientX - from.x; v.y = next.clientY - from.y; v.moved = true; soon(); };
    const up = (next) => { v.moving = false; soon(); removeEventListener("pointermove", move); removeEventListener("pointerup", up); if (Math.hypot(next.clientX - begin.x, next.clientY - begin.y) < 4) onChoose(near(next)); };
    addEventListener("pointermove", move); addEventListener("pointerup", up);
  };
  return html`<div class="row gap"><button onClick=${() => zoom(1.3)} aria-label=${say("zoom_in")}>+</button><button onClick=${() => zoom(1 / 1.3)} aria-label=${say("zoom_away")}>−</button><button onClick=${() => { view.current.moved = false; fit(box.current, view.current); soon(); }}>${say("fit")}</button></div>
    <canvas key=${drawing} class="graph ${small ? "small-graph" : ""}" ref=${box} tabindex="0" role="img" aria-label=${label ?? say("graph")} onPointerDown=${drag} onWheel=${(event) => { event.preventDefault(); zoom(event.deltaY < 0 ? 1.12 : 1 / 1.12); }} onKeyDown=${keys}></canvas>`;
}

function fit(canvas, view) {
  const { x, y } = view.placed ?? {}; if (!x?.length) return;
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let i = 0; i < x.length; i++) { left = Math.min(left, x[i]); right = Math.max(right, x[i]); top = Math.min(top, y[i]); bottom = Math.max(bottom, y[i]); }
  const [width, height] = [canvas.clientWidth || 600, canvas.clientHeight || 400];
  view.scale = Math.min(2, 0.9 * Math.min(width / (right - left + 120), height / (bottom - top + 60)));
  view.x = -((left + right) / 2) * view.scale; view.y = -((top + bottom) / 2) * view.scale;
}
