// The knowledge base: adding files with progress, what became of them, their passages, and a bench to try searches on.
import { useEffect, useRef, useState } from "preact/hooks";
import { ask, can, headersFor, may, place, refused, session } from "./api.mjs";
import { Age, Dialog, Empty, html, Loaded, pathName, Table, told, useApp, useLoad, useTyped } from "./parts.mjs";
import { isChinese, number, say, size } from "./words.mjs";

const SWITCHES = ["hybrid", "rewrite", "hyde", "parents", "summaries"];

const TYPES = { "text/markdown": "Markdown", "text/plain": "TXT", "text/html": "HTML", "application/pdf": "PDF", "text/csv": "CSV", "application/json": "JSON", "message/rfc822": "EML", "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "DOCX", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "XLSX", "application/vnd.openxmlformats-officedocument.presentationml.presentation": "PPTX" };

export function Page() {
  const app = useApp();
  const { here } = app;
  // An agent reads its own documents beside what the workspace shares. Who adds one means the workspace unless they say otherwise.
  const shelf = (owner) => `${place(here.org, here.workspace, owner)}/knowledge`;
  const owners = session.one_agent ? [session.agent] : [...new Set([here.agent || "shared", "shared"])];
  const at = shelf(owners[0]);
  const [owner, setOwner] = useState(owners.at(-1));
  const [uploads, setUploads] = useState([]);
  const [shown, setShown] = useState(null);
  const [removing, setRemoving] = useState(null);
  const state = useLoad(async (signal) => (can("knowledge.list") ? (await Promise.all(owners.map(async (one) => (await ask("GET", `${shelf(one)}/documents`, { signal })).items.map((document) => ({ ...document, owner: one }))))).flat() : null), [at]);
  const shelfOf = (document) => shelf(state.value.find((one) => one.document_id === document.document_id)?.owner ?? owners.at(-1));
  const busy = state.value?.some((one) => one.status === "indexing") ?? false;
  useEffect(() => { if (!busy) return undefined; const timer = setInterval(state.again, LOOK); return () => clearInterval(timer); }, [busy, at]);
  const note = (name, change) => setUploads((now) => now.map((one) => (one.name === name ? { ...one, ...change } : one)));
  const add = async (files) => {
    const list = [...files];
    setUploads((now) => [...now.filter((one) => !list.some((file) => file.name === one.name)), ...list.map((file) => ({ name: file.name, size: file.size, sent: 0, state: "waiting" }))]);
    for (const file of list) {
      note(file.name, { state: "sending", file });
      try { const answer = await upload(shelf(owner), file, (sent) => note(file.name, { sent })); note(file.name, { state: answer.status ?? "added", sent: file.size }); state.again(); } catch (error) { note(file.name, { state: "failed", error }); state.again(); }
    }
  };
  const remove = (document) => ask("DELETE", `${shelfOf(document)}/documents/${encodeURIComponent(document.document_id)}`).then(() => { setRemoving(null); app.say(say("kb_removed")); state.again(); }, app.fail);
  return html`<h1>${say("knowledge")}</h1><${Loaded} state=${state}>${(found) => found === null ? html`<${Empty}>${say("kb_missing")}</${Empty}>` : html`
    ${may("write") && html`<${Drop} onFiles=${add} owners=${owners} owner=${owner} onOwner=${setOwner} />`}
    ${uploads.length > 0 && html`<div class="panel stack" role="status">${uploads.map((one) => html`<div class="bar"><span>${one.name}</span><progress max=${one.size || 1} value=${one.sent} aria-label=${one.name}></progress><span class=${one.state === "failed" ? "bad" : "quiet"}>${one.state === "failed" ? told(one.error) : say(`kb_${one.state}`)} ${one.state === "failed" && one.file && html`<button onClick=${() => add([one.file])}>${say("again")}</button>`}</span></div>`)}</div>`}
    ${found.length === 0 ? html`<${Empty}>${say("kb_none")}</${Empty}>` : html`<${Table} heads=${[say("kb_name"), say("kb_owner"), say("kb_type"), say("kb_chunks"), say("kb_size"), say("kb_status"), say("kb_added_at"), ""]} rows=${found.map((one) => ({ key: one.document_id, cells: [html`${one.title && one.title !== one.name ? html`<b>${one.title}</b><br />` : ""}${one.name}${one.unread > 0 && html`<p class="warn small">${say("kb_unread", { n: one.unread })}</p>`}`, ownerName(one.owner), html`<span class=${one.media_type in TYPES ? "nowrap" : ""} title=${one.media_type}>${TYPES[one.media_type] ?? one.media_type}</span>`, number(one.chunks), size(one.size), html`<${Status} document=${one} />`, html`<${Age} at=${one.updated_at} />`,
      html`<button onClick=${() => setShown(one)}>${say("preview")}</button> ${may("write") && html`<button class="danger" onClick=${() => setRemoving(one)}>${say("delete")}</button>`}`] }))} />`}
    ${can("knowledge.search") && html`<${Bench} at=${at} onShow=${setShown} />`}`}</${Loaded}>
    ${shown && html`<${Chunks} at=${shelfOf(shown)} document=${shown} onClose=${() => { setShown(null); state.again(); }} />`}
    ${removing && html`<${Dialog} title=${say("delete")} onClose=${() => setRemoving(null)}><p>${removing.name}</p><div class="row"><button class="danger" onClick=${() => remove(removing)}>${say("delete")}</button><button onClick=${() => setRemoving(null)}>${say("cancel")}</button></div></${Dialog}>`}`;
}

const ownerName = (owner) => (owner === "shared" ? say("kb_of_workspace") : say("kb_of_agent", { name: owner }));

const LOOK = 2000; // milliseconds between two looks at documents that are being indexed

/** How far a document is: passage by passage while it is indexed, and why it failed. */
function Status({ document }) {
  if (document.status === "failed") return html`<span class="bad small">${say("failed", { why: isChinese() ? document.error_zh : document.error })}</span>`;
  if (document.status !== "indexing") return html`<span class="small quiet">${say("kb_ready")}</span>`;
  const done = say("kb_indexing", { n: number(document.indexed), of: number(document.chunks) });
  return html`<progress max=${document.chunks || 1} value=${document.indexed} aria-label=${done}></progress> <span class="small quiet">${done}</span>`;
}

const WHOLE = 4e6; // bytes up to which a file is sent in one go; a larger one in parts, so that a lost connection costs little
const HASHED = 1e9; // bytes up to which a browser can hold a file to hash it; the server says whether a larger one may come
const PART = 8e6; // bytes of a part

/** Add a file: a large one in parts under its SHA-256, from where an earlier attempt was cut off, also of another day. */
async function upload(at, file, onProgress) {
  // A file that was moved, locked or never was one (a device, a package) cannot be read; sending would only say "no connection".
  try { await file.slice(0, 1).arrayBuffer(); } catch { throw { status: 400, message: say("kb_unreadable") }; }
  if (file.size <= WHOLE || file.size > HASHED || !globalThis.crypto?.subtle) return send("POST", `${at}/documents?${new URLSearchParams({ name: file.name })}`, file, onProgress); // a page that came without TLS from afar cannot hash
  const digest = Array.from(new Uint8Array(await crypto.subtle.digest("SHA-256", await file.arrayBuffer())), (byte) => byte.toString(16).padStart(2, "0")).join("");
  let { received } = await ask("GET", `${at}/uploads/${digest}`);
  while (received < file.size) {
    onProgress(received);
    const from = received;
    ({ received } = await send("PUT", `${at}/uploads/${digest}?offset=${from}`, file.slice(from, from + PART), (sent) => onProgress(from + sent)));
  }
  onProgress(file.size);
  return ask("POST", `${at}/uploads/${digest}`, { body: { name: file.name } });
}

/** Send bytes and tell how much of them went; fetch cannot tell. */
function send(method, address, content, onProgress) {
  return new Promise((done, fail) => {
    const request = new XMLHttpRequest();
    request.open(method, address);
    request.setRequestHeader("content-type", "application/octet-stream");
    for (const [name, value] of Object.entries(headersFor(method))) request.setRequestHeader(name, value);
    request.upload.onprogress = (event) => onProgress(event.loaded);
    request.onerror = () => fail({ status: 0 });
    request.onload = () => { let read = {}; try { read = JSON.parse(request.responseText); } catch { /* told by the status */ } if (request.status < 400) done(read); else fail(refused(request.status, read, address)); };
    request.send(content);
  });
}

/** The files that were dropped, with those in dropped folders; a hidden file is nobody's document. */
async function dropped(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (entries.length === 0) return [...transfer.files];
  const found = [];
  const look = async (entry) => {
    if (entry.name.startsWith(".")) return;
    if (entry.isFile) { found.push(await new Promise((done, fail) => entry.file(done, fail)).catch(() => new File([], entry.name))); return; }
    const reader = entry.createReader();
    for (let some; (some = await new Promise((done) => reader.readEntries(done, () => done([])))).length > 0; ) for (const one of some) await look(one);
  };
  for (const entry of entries) await look(entry);
  return found;
}

function Drop({ onFiles, owners, owner, onOwner }) {
  const [over, setOver] = useState(false);
  return html`<div class="drop ${over ? "over" : ""}" onDragOver=${(event) => { event.preventDefault(); setOver(true); }} onDragLeave=${() => setOver(false)} onDrop=${(event) => { event.preventDefault(); setOver(false); dropped(event.dataTransfer).then(onFiles); }}>
    ${say("kb_drop")} <label class="button">${say("kb_choose")}<input type="file" multiple class="skip" onChange=${(event) => { onFiles(event.target.files); event.target.value = ""; }} /></label>
    ${owners.length > 1 && html` <label class="small">${say("kb_owner")} <select value=${owner} onChange=${(event) => onOwner(event.target.value)}>${[...owners].reverse().map((one) => html`<option value=${one}>${ownerName(one)}</option>`)}</select></label>`}</div>`;
}

const where = (place = {}) => [place.page && say("page", { n: place.page }), place.slide && `#${place.slide}`, place.sheet, place.line && say("line", { n: place.line }), place.paragraph && `¶ ${place.paragraph}`].filter(Boolean).join(" · ");

/** A document as it was read, cut where its passages end: each is changed, left out of searches or followed by another. */
function Chunks({ at, document, onClose }) {
  const app = useApp();
  const [editing, setEditing] = useState(null); // { chunk } or { after }
  const address = `${at}/documents/${encodeURIComponent(document.document_id)}`;
  const state = useLoad((signal) => ask("GET", address, { signal }), [document.document_id]);
  const change = (chunk, body) => ask("PUT", `${at}/chunks/${encodeURIComponent(chunk.chunk_id)}`, { body }).then(done, app.fail);
  const done = () => { setEditing(null); app.say(say("saved_plain")); state.again(); };
  const save = (text) => (editing.chunk ? change(editing.chunk, { text }) : ask("POST", `${address}/chunks`, { body: { text, after: editing.after } }).then(done, app.fail));
  return html`<${Dialog} title=${document.name} wide=${true} onClose=${onClose}><p class="row small"><a href="${address}/original" download=${document.name}>${say("kb_original")}</a></p><${Loaded} state=${state}>${({ chunks }) => html`<div class="stack">${chunks.map((chunk, index) => html`<${Chunk} key=${chunk.chunk_id} chunk=${chunk} before=${chunks[index - 1]} here=${chunk.chunk_id === document.chunk} editing=${editing} onEdit=${setEditing} onChange=${(body) => change(chunk, body)} onSave=${save} />`)}</div>`}</${Loaded}><p><button onClick=${onClose}>${say("close")}</button></p></${Dialog}>`;
}

function Chunk({ chunk, before, here, editing, onEdit, onChange, onSave }) {
  const box = useRef(null);
  useEffect(() => { if (here) box.current.scrollIntoView({ block: "center" }); }, [here]);
  const heading = (chunk.path ?? []).join(" › "), stands = where(chunk.place);
  return html`<div ref=${box} class="turn ${here ? "here" : ""} ${chunk.enabled ? "" : "off"}">${(heading !== (before?.path ?? []).join(" › ") || stands !== where(before?.place)) && html`<span class="small quiet">${[heading, stands].filter(Boolean).join(" · ")}</span>`}
    ${editing?.chunk === chunk ? html`<${Words} text=${chunk.text} onSave=${onSave} onClose=${() => onEdit(null)} />` : html`<p class="lines">${here ? html`<mark>${chunk.text}</mark>` : chunk.text}</p>`}
    <p class="row small">${!chunk.enabled && html`<span class="tag">${say("kb_off")}</span>`}${chunk.state !== "made" && html`<span class="tag">${say(`kb_by_hand_${chunk.state}`)}</span>`}${may("write") && html`<button class="plain" onClick=${() => onEdit({ chunk })}>${say("edit")}</button><button class="plain" onClick=${() => onChange({ enabled: !chunk.enabled })}>${say(chunk.enabled ? "kb_switch_off" : "kb_switch_on")}</button><button class="plain" onClick=${() => onEdit({ after: chunk.chunk_id })}>${say("kb_add_below")}</button>`}</p>
    ${editing?.after === chunk.chunk_id && html`<${Words} text="" onSave=${onSave} onClose=${() => onEdit(null)} />`}</div>`;
}

function Words({ text, onSave, onClose }) {
  const [value, setValue] = useState(text);
  return html`<form class="stack" onSubmit=${(event) => { event.preventDefault(); onSave(value); }}><textarea aria-label=${say("kind_chunk")} required value=${value} onInput=${(event) => setValue(event.target.value)}></textarea><div class="row"><button class="main">${say("save")}</button><button type="button" onClick=${onClose}>${say("cancel")}</button></div></form>`;
}

function Bench({ at, onShow }) {
  const [text, setText] = useTyped("knowledge question");
  const [query, setQuery] = useState("");
  const [on, setOn] = useState({ hybrid: true });
  const search = (signal, how) => ask("POST", `${at}/search`, { signal, body: { question: query, limit: 5, ...how } });
  const state = useLoad(async (signal) => {
    if (!query) return null;
    const started = performance.now();
    const found = await search(signal, on);
    return { found, took: Math.round(performance.now() - started) };
  }, [query, on]);
  // What a technique brings is what would not be there without it: the same search again, each time without one.
  const brought = useLoad(async (signal) => {
    const items = state.value?.found.items ?? [], ids = new Set(items.map((item) => item.record_id));
    return Promise.all(SWITCHES.filter((name) => state.value && on[name]).map(async (name) => {
      const without = (await search(signal, { ...on, [name]: false })).items, others = new Set(without.map((item) => item.record_id));
      return { name, came: items.filter((item) => !others.has(item.record_id)), went: without.filter((item) => !ids.has(item.record_id)), around: name === "parents" ? items.filter((item) => item.before || item.after).length : 0 };
    }));
  }, [state.value]);
  return html`<h2>${say("kb_bench")}</h2><form class="row" role="search" onSubmit=${(event) => { event.preventDefault(); setQuery(text.trim()); }}><input class="grow" type="search" aria-label=${say("kb_bench")} placeholder=${say("kb_bench_hint")} value=${text} onInput=${(event) => setText(event.target.value)} /><button class="main">${say("search")}</button></form>
    <fieldset class="row"><legend class="small quiet">${say("kb_tech")}</legend>${SWITCHES.map((name) => html`<label class="row small"><input type="checkbox" checked=${on[name] ?? false} onChange=${(event) => setOn({ ...on, [name]: event.target.checked })} />${say(`kb_${name}`)}</label>`)}</fieldset>
    ${query && state.loading && html`<p class="quiet" role="status">${say("searching")}</p>`}
    <${Loaded} state=${state}>${(answer) => answer && html`<p class="small quiet">${say("took", { ms: answer.took })} ${answer.found.techniques?.map((one) => html`<span class="tag">${say(`kb_${one.name}`)} ${one.detail} ${Math.round(one.milliseconds)} ms</span> `)}</p>
      <div class="stack">${answer.found.items.length === 0 && html`<${Empty}>${say("no_match")}</${Empty}>`}${(brought.value ?? []).map((one) => html`<p class="small" role="status"><b>${say(`kb_${one.name}`)}</b>: ${[one.came.length && say("kb_came", { n: one.came.length }), one.went.length && say("kb_went", { texts: one.went.map((item) => `“${[...item.text].slice(0, 60).join("")}…”`).join(say("comma")) }), one.around && say("kb_around", { n: one.around })].filter(Boolean).join(" · ") || say("kb_nothing_more")}</p>`)}
      ${answer.found.items.map((item) => html`<article key=${item.record_id} class="card k-knowledge"><header><b>${item.document}</b><span class="grow"></span><span class="small quiet">${where(item.place)}</span><span class="small quiet">${item.score.toFixed(3)}</span></header>${item.path?.length > 0 && html`<p class="small quiet">${item.path.join(" › ")}</p>`}<p>${item.before && html`<span class="quiet">${item.before} </span>`}${item.text}${item.after && html`<span class="quiet"> ${item.after}</span>`}</p>
        <footer class="small quiet">${item.ranks.map((one) => html`<span>${pathName(one.path)}: ${say("rank", { n: one.rank })}</span>`)}${(brought.value ?? []).filter((one) => one.came.includes(item)).map((one) => html`<span class="tag">${say("kb_brought", { name: say(`kb_${one.name}`) })}</span>`)}<span class="grow"></span><button class="plain" onClick=${() => onShow({ document_id: item.document_id, name: item.document, chunk: item.record_id })}>${say("kb_in_place")}</button></footer></article>`)}</div>`}</${Loaded}>`;
}
