// The knowledge base: adding files with progress, what became of them, their passages, and a bench to try searches on.
import { useState } from "preact/hooks";
import { ask, can, may, place, session } from "./api.mjs";
import { Age, Dialog, Empty, html, Loaded, told, useApp, useLoad, useTyped } from "./parts.mjs";
import { number, say, size } from "./words.mjs";

const SWITCHES = ["rewrite", "hyde", "parents", "summaries"];

export function Page() {
  const app = useApp();
  const { here } = app;
  // What the workspace shares; an agent's own documents are found by its searches beside these.
  const at = `${place(here.org, here.workspace, "shared")}/knowledge`;
  const [uploads, setUploads] = useState([]);
  const [shown, setShown] = useState(null);
  const [removing, setRemoving] = useState(null);
  const state = useLoad(async (signal) => (can("knowledge.list") ? ask("GET", `${at}/documents`, { signal }) : null), [at]);
  const note = (name, change) => setUploads((now) => now.map((one) => (one.name === name ? { ...one, ...change } : one)));
  const add = async (files) => {
    const list = [...files];
    setUploads((now) => [...now.filter((one) => !list.some((file) => file.name === one.name)), ...list.map((file) => ({ name: file.name, size: file.size, sent: 0, state: "waiting" }))]);
    for (const file of list) {
      note(file.name, { state: "sending", file });
      try { const answer = await upload(at, file, (sent) => note(file.name, { sent })); note(file.name, { state: answer.status ?? "added", sent: file.size }); state.again(); } catch (error) { note(file.name, { state: "failed", error }); }
    }
  };
  const remove = (document) => ask("DELETE", `${at}/documents/${encodeURIComponent(document.document_id)}`).then(() => { setRemoving(null); app.say(say("kb_removed")); state.again(); }, app.fail);
  return html`<h1>${say("knowledge")}</h1><${Loaded} state=${state}>${(found) => found === null ? html`<${Empty}>${say("kb_missing")}</${Empty}>` : html`
    ${may("write") && html`<${Drop} onFiles=${add} />`}
    ${uploads.length > 0 && html`<div class="panel stack" role="status">${uploads.map((one) => html`<div class="bar"><span>${one.name}</span><progress max=${one.size || 1} value=${one.sent} aria-label=${one.name}></progress><span class=${one.state === "failed" ? "bad" : "quiet"}>${one.state === "failed" ? told(one.error) : say(`kb_${one.state}`)} ${one.state === "failed" && one.file && html`<button onClick=${() => add([one.file])}>${say("again")}</button>`}</span></div>`)}</div>`}
    ${found.items.length === 0 ? html`<${Empty}>${say("kb_none")}</${Empty}>` : html`<div class="panel scroll"><table><thead><tr><th>${say("kb_name")}</th><th>${say("kb_type")}</th><th>${say("kb_chunks")}</th><th>${say("disk")}</th><th>${say("kb_added_at")}</th><td></td></tr></thead><tbody>
      ${found.items.map((one) => html`<tr key=${one.document_id}><td>${one.title && one.title !== one.name ? html`<b>${one.title}</b><br />` : ""}${one.name}${one.unread > 0 && html`<p class="warn small">${say("kb_unread", { n: one.unread })}</p>`}</td><td>${one.media_type}</td><td>${number(one.chunks)}</td><td>${size(one.size)}</td><td><${Age} at=${one.updated_at} /></td><td><button onClick=${() => setShown(one)}>${say("preview")}</button> ${may("write") && html`<button class="danger" onClick=${() => setRemoving(one)}>${say("delete")}</button>`}</td></tr>`)}</tbody></table></div>`}
    ${can("knowledge.search") && html`<${Bench} at=${at} />`}`}</${Loaded}>
    ${shown && html`<${Chunks} at=${at} document=${shown} onClose=${() => setShown(null)} />`}
    ${removing && html`<${Dialog} title=${say("delete")} onClose=${() => setRemoving(null)}><p>${removing.name}</p><div class="row"><button class="danger" onClick=${() => remove(removing)}>${say("delete")}</button><button onClick=${() => setRemoving(null)}>${say("cancel")}</button></div></${Dialog}>`}`;
}

const WHOLE = 4e6; // bytes up to which a file is sent in one go; a larger one in parts, so that a lost connection costs little
const PART = 8e6; // bytes of a part

/** Add a file: a large one in parts under its SHA-256, from where an earlier attempt was cut off, also of another day. */
async function upload(at, file, onProgress) {
  if (file.size <= WHOLE || !globalThis.crypto?.subtle) return send("POST", `${at}/documents?${new URLSearchParams({ name: file.name })}`, file, onProgress); // a page that came without TLS from afar cannot hash
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
    if (session.csrf) request.setRequestHeader("x-remanent-csrf", session.csrf);
    request.upload.onprogress = (event) => onProgress(event.loaded);
    request.onerror = () => fail({ status: 0 });
    request.onload = () => { let read = {}; try { read = JSON.parse(request.responseText); } catch { /* told by the status */ } if (request.status < 400) done(read); else fail({ status: request.status, message: read.detail ?? String(request.status) }); };
    request.send(content);
  });
}

function Drop({ onFiles }) {
  const [over, setOver] = useState(false);
  return html`<div class="drop ${over ? "over" : ""}" onDragOver=${(event) => { event.preventDefault(); setOver(true); }} onDragLeave=${() => setOver(false)} onDrop=${(event) => { event.preventDefault(); setOver(false); onFiles(event.dataTransfer.files); }}>
    ${say("kb_drop")} <label class="button">${say("kb_choose")}<input type="file" multiple class="skip" onChange=${(event) => { onFiles(event.target.files); event.target.value = ""; }} /></label></div>`;
}

const where = (place = {}) => [place.page && say("page", { n: place.page }), place.slide && `#${place.slide}`, place.sheet, place.line && say("line", { n: place.line }), place.paragraph && `¶ ${place.paragraph}`].filter(Boolean).join(" · ");

function Chunks({ at, document, onClose }) {
  const state = useLoad((signal) => ask("GET", `${at}/documents/${encodeURIComponent(document.document_id)}`, { signal }), [document.document_id]);
  return html`<${Dialog} title=${document.name} onClose=${onClose}><${Loaded} state=${state}>${(view) => html`<div class="stack">${view.chunks.map((chunk) => html`<div class="turn"><span class="small quiet">${[chunk.path?.join(" › "), where(chunk.place)].filter(Boolean).join(" · ")}</span><p>${chunk.text}</p></div>`)}</div>`}</${Loaded}><p><button onClick=${onClose}>${say("close")}</button></p></${Dialog}>`;
}

function Bench({ at }) {
  const [text, setText] = useTyped("knowledge question");
  const [query, setQuery] = useState("");
  const [on, setOn] = useState({});
  const state = useLoad(async (signal) => {
    if (!query) return null;
    const started = performance.now();
    const found = await ask("POST", `${at}/search`, { signal, body: { question: query, limit: 5, ...on } });
    return { found, took: Math.round(performance.now() - started) };
  }, [query, on]);
  return html`<h2>${say("kb_bench")}</h2><form class="row" role="search" onSubmit=${(event) => { event.preventDefault(); setQuery(text.trim()); }}><input class="grow" type="search" aria-label=${say("kb_bench")} value=${text} onInput=${(event) => setText(event.target.value)} /><button class="main">${say("search")}</button></form>
    <fieldset class="row"><legend class="small quiet">${say("kb_tech")}</legend>${SWITCHES.map((name) => html`<label class="row small"><input type="checkbox" checked=${on[name] ?? false} onChange=${(event) => setOn({ ...on, [name]: event.target.checked })} />${say(`kb_${name}`)}</label>`)}</fieldset>
    <${Loaded} state=${state}>${(answer) => answer && html`<p class="small quiet">${say("took", { ms: answer.took })} ${answer.found.techniques?.map((one) => html`<span class="tag">${say(`kb_${one.name}`)} ${one.detail} ${Math.round(one.milliseconds)} ms</span> `)}</p>
      <div class="stack">${answer.found.items.length === 0 && html`<${Empty}>${say("no_match")}</${Empty}>`}${answer.found.items.map((item) => html`<article class="card k-knowledge"><header><b>${item.document}</b><span class="grow"></span><span class="small quiet">${where(item.place)}</span><span class="small quiet">${item.score.toFixed(3)}</span></header>${item.path?.length > 0 && html`<p class="small quiet">${item.path.join(" › ")}</p>`}<p>${item.before && html`<span class="quiet">${item.before} </span>`}${item.text}${item.after && html`<span class="quiet"> ${item.after}</span>`}</p></article>`)}</div>`}</${Loaded}>`;
}
