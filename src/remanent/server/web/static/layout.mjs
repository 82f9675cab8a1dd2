// A worker that reads a graph, places its nodes and draws them: linked ones pull, near ones push. It sends positions as it
// goes. Pushing looks at the cells around a node only, so that a step costs as much as there are nodes. Between two
// steps it draws what was asked for last: drawing thousands of lines may take half a second where no graphics card helps.
let canvas, points = [], edges = [], x, y, vx, vy, steps = 0, step = 0, view = null, waiting = 0, ranked = {};

onmessage = ({ data }) => {
  if (data.draw) { view = data.draw; waiting ||= setTimeout(show); return; }
  if (data.lines) { told(data); return; }
  if (data.points) { points.push(...data.points); edges.push(...data.edges); return; }
  ({ surface: canvas, steps } = data);
  [x, y, vx, vy] = [0, 0, 0, 0].map(() => new Float32Array(points.length));
  // A spiral: even, the same each time, and no two nodes at one place.
  for (let i = 0; i < points.length; i++) { const turn = i * 2.399963, radius = 40 * Math.sqrt(i + 0.5); x[i] = radius * Math.cos(turn); y[i] = radius * Math.sin(turn); }
  setTimeout(place);
};

const LINKS = 3; // of each node its strongest links, because hundreds say nothing
const PARCEL = 500; // nodes that are told of at a time: the page waits while each parcel is copied

/** Read a graph that was given as its own export, and tell the page of its nodes. */
function told({ lines, most, focused, forgotten, lost }) {
  const graph = read(new TextDecoder().decode(lines));
  ({ points, edges } = prepare(graph, most, new Set(focused), new Map(forgotten), lost));
  for (let from = 0; from < points.length; from += PARCEL) postMessage({ points: points.slice(from, from + PARCEL).map(({ label, content, at }) => ({ label, content, at })) });
  const times = points.map((point) => point.at).filter(Boolean);
  postMessage({ read: { count: graph.nodes.length, from: times.reduce((a, b) => Math.min(a, b), Infinity), to: times.reduce((a, b) => Math.max(a, b), -Infinity) } });
}

/** Read lines of N-Triples: nodes and links. */
function read(lines) {
  const nodes = new Map(), links = new Map();
  for (const line of lines.split("\n")) {
    const found = line.match(/^<(node|link):([^>]+)> <(?:memory:)?([^>]+)> (?:"((?:[^"\\]|\\.)*)"|<([^>]+)>)/);
    if (!found) continue;
    const [, sort, id, name, text, other] = found, map = sort === "node" ? nodes : links;
    if (!map.has(id)) map.set(id, { id });
    map.get(id)[name] = text === undefined ? other : unescape(text);
  }
  return { nodes: [...nodes.values()].filter((node) => node.content !== undefined), links: [...links.values()].map((link) => { const [from, to] = link.id.split(":"); return { from, to, strength: Number(link.strength) }; }) };
}
const unescape = (text) => text.replace(/\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)/g, (_, code) => (code[0] === "u" || code[0] === "U") && code.length > 1 ? String.fromCodePoint(parseInt(code.slice(1), 16)) : { n: "\n", t: "\t", r: "\r" }[code] ?? code);

/** Choose what is drawn: the newest nodes, the strongest links of each, and where links lead to what was forgotten. */
function prepare({ nodes, links }, most, focused, about, lost) {
  const ids = new Map(), shown = nodes.slice(-most);
  shown.forEach((node, index) => ids.set(node.id, index));
  const perNode = new Map(), seen = new Set(), edges = [], ghosts = new Map();
  for (const link of links.sort((a, b) => b.strength - a.strength)) {
    const a = ids.get(link.from), b = ids.get(link.to);
    if (a === undefined) continue;
    if (b === undefined) { if (ghosts.has(link.to)) ghosts.get(link.to).push({ a, link }); else ghosts.set(link.to, [{ a, link }]); continue; }
    const key = a < b ? `${a} ${b}` : `${b} ${a}`;
    if (seen.has(key) || ((perNode.get(a) ?? 0) >= LINKS && (perNode.get(b) ?? 0) >= LINKS)) continue;
    seen.add(key); perNode.set(a, (perNode.get(a) ?? 0) + 1); perNode.set(b, (perNode.get(b) ?? 0) + 1);
    edges.push({ a, b, strength: link.strength });
  }
  const points = shown.map((node, index) => ({ label: node.phrase || node.content, content: node.content, at: Number(node.occurredAt ?? node.createdAt), focus: focused.has(node.id), weight: perNode.get(index) ?? 0 }));
  for (const [id, ends] of [...ghosts].slice(0, 300)) {
    const index = points.push({ label: lost, content: about.get(id) ?? "", ghost: true, weight: 1 }) - 1;
    for (const { a, link } of ends.slice(0, LINKS)) edges.push({ a, b: index, strength: link.strength, ghost: true });
  }
  return { points, edges };
}

function show() {
  waiting = 0;
  if (!canvas) return; // not all is there yet; it is drawn when the first places are known
  postMessage(paint(canvas, view, points, edges, x, y));
}

function place() {
  const ideal = 70, cell = ideal * 2.5, count = points.length;
  const heat = 0.9 * (1 - step / steps) + 0.05;
  const cells = new Map();
  for (let i = 0; i < count; i++) { const key = Math.floor(x[i] / cell) * 100003 + Math.floor(y[i] / cell); const list = cells.get(key); if (list) list.push(i); else cells.set(key, [i]); }
  for (let i = 0; i < count; i++) {
    const cx = Math.floor(x[i] / cell), cy = Math.floor(y[i] / cell);
    for (let dx = -1; dx <= 1; dx++) for (let dy = -1; dy <= 1; dy++) for (const j of cells.get((cx + dx) * 100003 + cy + dy) ?? []) {
      if (j === i) continue;
      const ox = x[i] - x[j], oy = y[i] - y[j], square = ox * ox + oy * oy + 1;
      const push = (ideal * ideal) / square; vx[i] += ox * push * 0.12; vy[i] += oy * push * 0.12;
    }
    vx[i] -= x[i] * 0.004; vy[i] -= y[i] * 0.004;
  }
  for (const { a, b, strength } of edges) {
    const ox = x[b] - x[a], oy = y[b] - y[a], length = Math.hypot(ox, oy) || 1;
    const pull = ((length - ideal * 1.6) / length) * 0.08 * (0.3 + strength);
    vx[a] += ox * pull; vy[a] += oy * pull; vx[b] -= ox * pull; vy[b] -= oy * pull;
  }
  for (let i = 0; i < count; i++) {
    const speed = Math.hypot(vx[i], vy[i]), most = 30 * heat, slow = speed > most ? most / speed : 1;
    x[i] += vx[i] * slow; y[i] += vy[i] * slow; vx[i] *= 0.6; vy[i] *= 0.6;
  }
  step++;
  if (step % 15 === 0 || step === steps) { const places = { x: x.slice(), y: y.slice() }; postMessage(places, [places.x.buffer, places.y.buffer]); }
  if (step < steps) setTimeout(place);
}

function paint(canvas, view, points, edges, x, y) {
  const { limit, search, chosen, ratio, width, height } = view, { quiet, accent, text, warn, panel } = view.colours;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) { canvas.width = Math.round(width * ratio); canvas.height = Math.round(height * ratio); }
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0); pen.clearRect(0, 0, width, height);
  const sx = (i) => x[i] * view.scale + view.x + width / 2, sy = (i) => y[i] * view.scale + view.y + height / 2;
  const shown = (i) => !(points[i].at > limit);
  const hit = (i) => search && (points[i].label.toLowerCase().includes(search) || (points[i].content ?? "").toLowerCase().includes(search));
  // Seen from afar nodes are small and without a rim, and lines thin: each would else hide all others.
  const grain = Math.min(1, Math.max(0.25, 2 * view.scale));
  // Drawn in a few strokes for thousands of links and nodes: each stroke costs more than the lines in it.
  const strokes = new Map();
  for (const edge of edges) {
    if (!shown(edge.a) || !shown(edge.b)) continue;
    const key = edge.ghost ? "ghost" : Math.round(edge.strength * 4) / 4;
    if (!strokes.has(key)) strokes.set(key, new Path2D());
    const path = strokes.get(key); path.moveTo(sx(edge.a), sy(edge.a)); path.lineTo(sx(edge.b), sy(edge.b));
  }
  for (const [key, path] of strokes) {
    const strength = key === "ghost" ? 0.5 : key;
    pen.globalAlpha = Math.sqrt(grain) * (0.15 + 0.6 * strength); pen.lineWidth = grain * (0.6 + 2 * strength); pen.strokeStyle = key === "ghost" ? warn : quiet; pen.setLineDash(key === "ghost" ? [4, 4] : []); pen.stroke(path);
  }
  pen.setLineDash([]);
  const order = points.map((_, i) => i).filter(shown), dots = new Map();
  for (const i of order) {
    const point = points[i], px = sx(i), py = sy(i);
    if (px < -20 || py < -20 || px > width + 20 || py > height + 20) continue;
    const key = i === chosen || hit(i) ? "hit" : point.ghost ? "ghost" : point.warn ? "warn" : point.focus ? "focus" : search ? "dim" : "plain", radius = grain * (point.focus ? 8 : 4 + Math.min(3, point.weight));
    if (!dots.has(key)) dots.set(key, new Path2D());
    const path = dots.get(key); path.moveTo(px + radius, py); path.arc(px, py, radius, 0, 7);
  }
  for (const [key, path] of dots) {
    pen.globalAlpha = { dim: 0.2, ghost: 0.5 }[key] ?? 1; pen.fillStyle = { ghost: panel, focus: accent, hit: accent, warn }[key] ?? quiet; pen.strokeStyle = key === "hit" ? text : key === "ghost" ? warn : panel; pen.lineWidth = key === "hit" ? 3 : 1.5 * grain; pen.fill(path); if (grain === 1 || key !== "plain") pen.stroke(path);
  }
  // Labels, the most important first; one that would lie over another is left out.
  pen.font = "12px system-ui, 'Noto Sans CJK SC', sans-serif"; pen.textAlign = "center"; pen.fillStyle = text; pen.globalAlpha = 1; pen.strokeStyle = panel; pen.lineWidth = 3; pen.lineJoin = "round"; // a rim keeps names legible over lines
  const taken = new Set(), rank = (i) => (i === chosen ? 4 : 0) + (hit(i) ? 3 : 0) + (points[i].focus ? 2 : 0) + points[i].weight / 10;
  let labels = 0;
  const most = view.moving ? 60 : 400;
  if (search !== ranked.search || chosen !== ranked.chosen) ranked = { search, chosen, order: points.map((_, i) => [rank(i), i]).sort((a, b) => b[0] - a[0]).map(([, i]) => i) };
  const named = ranked.order;
  // On a phone a name is as wide as half of the picture: one that would hide a node is left out, too.
  const narrow = width < 520, spots = narrow ? order.map((i) => [sx(i), sy(i), i]) : [], longest = narrow ? 14 : 28;
  for (const i of named) {
    if (!shown(i)) continue;
    const px = sx(i), py = sy(i); if (px < 0 || py < 0 || px > width || py > height) continue;
    if (++labels > most) break;
    const label = [...points[i].label].slice(0, longest).join("") + ([...points[i].label].length > longest ? "…" : ""), wide = pen.measureText(label).width, middle = Math.min(Math.max(px, wide / 2 + 4), Math.max(wide / 2 + 4, width - wide / 2 - 4)), cells = []; // no name is cut off at the rim
    for (let cx = Math.floor((middle - wide / 2) / 20); cx <= Math.floor((middle + wide / 2) / 20); cx++) cells.push([cx, Math.floor((py + 22) / 8)]);
    if (cells.some(([cx, cy]) => [-2, -1, 0, 1, 2].some((near) => taken.has(`${cx} ${cy + near}`)))) continue;
    if (i !== chosen && spots.some(([x, y, j]) => j !== i && Math.abs(x - middle) < wide / 2 + 6 && Math.abs(y - py - 18) < 13)) continue;
    cells.forEach(([cx, cy]) => taken.add(`${cx} ${cy}`)); pen.strokeText(label, middle, py + 22); pen.fillText(label, middle, py + 22);
  }
  return { drawn: order.length, found: search ? order.filter(hit).length : 0 };
}
