// The associative memory as a living picture: what is in focus, how strong links are, and what was forgotten.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ask, place } from "./api.mjs";
import { Empty, html, Loaded, useApp, useLoad } from "./parts.mjs";
import { age, day, number, say } from "./words.mjs";

// The page may start one script by its address, this one; the policy is what makes a browser allow it.
const LAYOUT = "/static/layout.mjs";
const policy = globalThis.trustedTypes?.createPolicy("remanent-layout", { createScriptURL: () => LAYOUT });

const SLICE = 12; // milliseconds of work after which the page may answer to a person again
const PARCEL = 500; // nodes or links that are handed to the worker at a time: each is copied while the page waits
/** Something to ask between two pieces of work: it is a moment to wait for when the page was kept busy for long enough. */
function breaths() {
  let until = performance.now() + SLICE;
  return () => performance.now() > until && new Promise((go) => setTimeout(go)).then(() => { until = performance.now() + SLICE; });
}
const MOST = 5000, LINKS = 3; // nodes drawn; and of each node its strongest links, because hundreds say nothing

/** Read the lines of the graph's own export (N-Triples): nodes, links, focuses. */
export async function read(lines) {
  const nodes = new Map(), links = new Map(), focus = new Map();
  const member = new Map();
  const breath = breaths();
  for (const line of lines.split("\n")) {
    const wait = breath(); if (wait) await wait;
    const found = line.match(/^<(node|link|focus):([^>]+)> <(?:memory:)?([^>]+)> (?:"((?:[^"\\]|\\.)*)"|<([^>]+)>)/);
    if (!found) continue;
    const [, sort, id, name, text, other] = found;
    const value = text === undefined ? other : unescape(text);
    if (sort === "focus") { if (name === "member") member.set(id, value.replace(/^node:/, "")); if (name === "order") focus.set(id, Number(value)); continue; }
    const map = sort === "node" ? nodes : links;
    if (!map.has(id)) map.set(id, { id });
    map.get(id)[name] = value;
  }
  const focused = new Set(member.values());
  return { nodes: [...nodes.values()].filter((node) => node.content !== undefined), links: [...links.values()].map((link) => { const [from, to] = link.id.split(":"); return { from, to, strength: Number(link.strength), relation: link.relation ?? "" }; }), focused };
}
const unescape = (text) => text.replace(/\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)/g, (_, code) => (code[0] === "u" || code[0] === "U") && code.length > 1 ? String.fromCodePoint(parseInt(code.slice(1), 16)) : { n: "\n", t: "\t", r: "\r" }[code] ?? code);

export function Page() {
  const { here } = useApp();
  const at = place(here.org, here.workspace, here.agent);
  const state = useLoad(async (signal) => {
    if (!here.agent) return null;
    const [stand, lines, focus, forgotten] = await Promise.all([ask("GET", `${at}/associative/state`, { signal }), ask("GET", `${at}/associative/triples`, { signal }), ask("GET", `${at}/associative/focus`, { signal }), ask("GET", `${at}/associative/forgotten`, { signal })]);
    const graph = await read(typeof lines === "string" ? lines : "");
    return { stand, count: graph.nodes.length, ...(await prepare({ ...graph, focused: new Set(focus.items.map((node) => node.id)), forgotten: forgotten.items })) };
  }, [at]);
  return html`<h1>${say("graph")}</h1><${Loaded} state=${state}>${(graph) => graph?.count ? html`<${Drawn} ...${graph} />` : html`<${Empty}>${say("graph_none")}</${Empty}>`}</${Loaded}>`;
}

async function prepare({ nodes, links, focused, forgotten }) {
  const ids = new Map(), breath = breaths();
  const shown = nodes.slice(-MOST);
  shown.forEach((node, index) => ids.set(node.id, index));
  const perNode = new Map(), seen = new Set(), edges = [], ghosts = new Map();
  for (const link of [...links].sort((a, b) => b.strength - a.strength)) {
    const wait = breath(); if (wait) await wait;
    const a = ids.get(link.from), b = ids.get(link.to);
    if (a === undefined) continue;
    if (b === undefined) { ghosts.set(link.to, [...(ghosts.get(link.to) ?? []), { a, link }]); continue; }
    const key = a < b ? `${a} ${b}` : `${b} ${a}`;
    if (seen.has(key) || ((perNode.get(a) ?? 0) >= LINKS && (perNode.get(b) ?? 0) >= LINKS)) continue;
    seen.add(key); perNode.set(a, (perNode.get(a) ?? 0) + 1); perNode.set(b, (perNode.get(b) ?? 0) + 1);
    edges.push({ a, b, strength: link.strength, relation: link.relation });
  }
  const points = [];
  for (const node of shown) {
    const wait = breath(); if (wait) await wait;
    points.push({ id: node.id, label: node.phrase || node.content, content: node.content, keywords: node.keywords, at: Number(node.occurredAt ?? node.createdAt), focus: focused.has(node.id), weight: perNode.get(ids.get(node.id)) ?? 0 });
  }
  const about = new Map(forgotten.map((one) => [one.node_id, one.about]));
  for (const [id, ends] of [...ghosts].slice(0, 300)) {
    const index = points.push({ id, label: say("forgotten"), content: about.get(id) ?? "", ghost: true, weight: 1 }) - 1;
    for (const { a, link } of ends.slice(0, LINKS)) edges.push({ a, b: index, strength: link.strength, relation: link.relation, ghost: true });
  }
  return { points, edges };
}

function Drawn({ stand, count, points, edges }) {
  const [until, setUntil] = useState(100);
  const [search, setSearch] = useState("");
  const [chosen, setChosen] = useState(null);
  const times = points.filter((point) => point.at).map((point) => point.at);
  const [from, to] = [times.reduce((a, b) => Math.min(a, b), Infinity), times.reduce((a, b) => Math.max(a, b), -Infinity)];
  const limit = until === 100 ? Infinity : from + ((to - from) * until) / 100;
  return html`<p class="row small quiet"><span>${say("nodes")}: ${number(stand.nodes)}</span><span>${say("links")}: ${number(stand.links)}</span><span>${say("focuses")}: ${stand.focuses.length}</span><span>${say("forgotten")}: ${stand.forgotten}</span><span>${say("dangling")}: ${stand.dangling}</span></p>
    ${count > MOST && html`<p class="warn small">${say("node_limit", { n: MOST })}</p>`}
    <div class="row"><input type="search" class="grow" aria-label=${say("find_node")} placeholder=${say("find_node")} value=${search} onInput=${(event) => setSearch(event.target.value)} /><label class="row small">${say("up_to")}<input type="range" min="0" max="100" value=${until} onInput=${(event) => setUntil(Number(event.target.value))} /><span class="quiet">${until === 100 ? say("now") : day(limit)}</span></label></div>
    <p class="row small quiet legend"><span><i class="dot focus"></i>${say("legend_focus")}</span><span><i class="dot"></i>${say("legend_node")}</span><span><i class="dot ghost"></i>${say("legend_ghost")}</span><span>${say("legend_line")}</span></p>
    <${Canvas} points=${points} edges=${edges} limit=${limit} search=${search.trim().toLowerCase()} chosen=${chosen} onChoose=${setChosen} />
    <div aria-live="polite">${chosen !== null && html`<div class="panel"><h3>${points[chosen].label}</h3><p>${points[chosen].content}</p><p class="small quiet">${points[chosen].at ? age(points[chosen].at) : ""}</p></div>`}</div>
    <details><summary>${say("nodes")}</summary><ul>${points.slice(0, 200).map((point, index) => html`<li><button class="plain" onClick=${() => setChosen(index)}>${point.label}</button></li>`)}</ul></details>`;
}

let drawings = 0;

/** A graph that is moved and zoomed by pointer, wheel and keys. A worker places and draws it, so that the page never waits. */
export function Canvas({ points, edges, limit, search, chosen, onChoose, label, small }) {
  const box = useRef(null), worker = useRef(null);
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
    const made = worker.current = new Worker(policy ? policy.createScriptURL("") : LAYOUT, { type: "module" }), canvas = box.current, surface = canvas.transferControlToOffscreen();
    made.onmessage = ({ data }) => {
      if (data.drawn !== undefined) { canvas.dataset.drawn = data.drawn; return; }
      view.current.placed = data; if (!view.current.moved) fit(canvas, view.current); soon();
    };
    hand(made, points, edges).then(() => made.postMessage({ surface, steps: points.length > 1500 ? 120 : 300 }, [surface]));
    const resized = new ResizeObserver(soon); resized.observe(canvas);
    const scheme = matchMedia("(prefers-color-scheme: dark)"); scheme.addEventListener("change", soon);
    return () => { made.terminate(); worker.current = null; resized.disconnect(); scheme.removeEventListener("change", soon); };
  }, [points]);
  useEffect(soon);
  const near = (event) => {
    const { placed, x, y, scale } = view.current; if (!placed) return null;
    const at = box.current.getBoundingClientRect(), px = (event.clientX - at.left - at.width / 2 - x) / scale, py = (event.clientY - at.top - at.height / 2 - y) / scale;
    let best = null, least = (16 / scale) ** 2;
    for (let i = 0; i < points.length; i++) { const d = (placed.x[i] - px) ** 2 + (placed.y[i] - py) ** 2; if (d < least) { least = d; best = i; } }
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
  return html`<div class="row"><button onClick=${() => zoom(1.3)} aria-label=${say("zoom_in")}>+</button><button onClick=${() => zoom(1 / 1.3)} aria-label=${say("zoom_away")}>−</button><button onClick=${() => { view.current.moved = false; fit(box.current, view.current); soon(); }}>${say("fit")}</button></div>
    <canvas key=${drawing} class="graph ${small ? "small-graph" : ""}" ref=${box} tabindex="0" role="img" aria-label=${label ?? say("graph")} onPointerDown=${drag} onWheel=${(event) => { event.preventDefault(); zoom(event.deltaY < 0 ? 1.12 : 1 / 1.12); }} onKeyDown=${keys}></canvas>`;
}

/** Give a worker the nodes and links of a graph, a parcel at a time. */
async function hand(worker, points, edges) {
  const breath = breaths();
  for (let from = 0; from < Math.max(points.length, edges.length); from += PARCEL) {
    worker.postMessage({ points: points.slice(from, from + PARCEL).map(({ label, content, at, focus, ghost, warn, weight }) => ({ label, content, at, focus, ghost, warn, weight })), edges: edges.slice(from, from + PARCEL).map(({ a, b, strength, ghost }) => ({ a, b, strength, ghost })) });
    const wait = breath(); if (wait) await wait;
  }
}

function fit(canvas, view) {
  const { x, y } = view.placed ?? {}; if (!x?.length) return;
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let i = 0; i < x.length; i++) { left = Math.min(left, x[i]); right = Math.max(right, x[i]); top = Math.min(top, y[i]); bottom = Math.max(bottom, y[i]); }
  const [width, height] = [canvas.clientWidth || 600, canvas.clientHeight || 400];
  view.scale = Math.min(2, 0.9 * Math.min(width / (right - left + 120), height / (bottom - top + 60)));
  view.x = -((left + right) / 2) * view.scale; view.y = -((top + bottom) / 2) * view.scale;
}
