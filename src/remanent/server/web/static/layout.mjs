// A worker that places the nodes of a graph: linked ones pull, near ones push. It sends positions as it goes.
// Pushing looks at the cells around a node only, so that a step costs as much as there are nodes.
onmessage = ({ data: { count, edges, steps } }) => {
  const x = new Float32Array(count), y = new Float32Array(count), vx = new Float32Array(count), vy = new Float32Array(count);
  const ideal = 70, cell = ideal * 2.5;
  // A spiral: even, the same each time, and no two nodes at one place.
  for (let i = 0; i < count; i++) { const turn = i * 2.399963, radius = 40 * Math.sqrt(i + 0.5); x[i] = radius * Math.cos(turn); y[i] = radius * Math.sin(turn); }
  for (let step = 0; step < steps; step++) {
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
    for (let e = 0; e < edges.length; e += 3) {
      const a = edges[e], b = edges[e + 1], ox = x[b] - x[a], oy = y[b] - y[a], length = Math.hypot(ox, oy) || 1;
      const pull = ((length - ideal * 1.6) / length) * 0.08 * (0.3 + edges[e + 2]);
      vx[a] += ox * pull; vy[a] += oy * pull; vx[b] -= ox * pull; vy[b] -= oy * pull;
    }
    for (let i = 0; i < count; i++) {
      const speed = Math.hypot(vx[i], vy[i]), most = 30 * heat, slow = speed > most ? most / speed : 1;
      x[i] += vx[i] * slow; y[i] += vy[i] * slow; vx[i] *= 0.6; vy[i] *= 0.6;
    }
    if (step % 15 === 14 || step === steps - 1) postMessage({ x: x.slice(), y: y.slice(), done: step === steps - 1 });
  }
};
