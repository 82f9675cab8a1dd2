// The first page: which memories there are and how they are, and how an agent is connected.
import { useState } from "preact/hooks";
import { ask, can, place, session } from "./api.mjs";
import { Age, Dialog, html, Loaded, told, useApp, useLoad, useTyped } from "./parts.mjs";
import { age, isChinese, number, say } from "./words.mjs";

const SHOWN = 60; // cards whose state is asked for; more are listed by name, because each costs two requests

export function Home() {
  const state = useLoad((signal) => ask("GET", "/v1/places", { signal }), []);
  return html`<${Loaded} state=${state}>${({ items }) => items.length === 0 ? html`<${First} />` : html`<h1>${say("home")}</h1><${Places} items=${items} /><h2>${say("connect")}</h2><${Ways} /><${TryIt} />`}</${Loaded}>`;
}

function Places({ items }) {
  const groups = new Map();
  for (const item of items) groups.set(`${item.org}\u0000${item.workspace}`, [...(groups.get(`${item.org}\u0000${item.workspace}`) ?? []), item]);
  let asked = 0;
  return html`${[...groups.values()].map((agents) => {
    const { org, workspace } = agents[0];
    const base = `/org/${encodeURIComponent(org)}/ws/${encodeURIComponent(workspace)}`;
    return html`<section><h2><a href="${base}/memory">${org} / ${workspace}</a></h2><div class="grid">${agents.map((one) => asked++ < SHOWN ? html`<${AgentCard} base=${base} ...${one} />` : html`<a class="panel" href="${base}/memory?agent=${encodeURIComponent(one.agent)}">${one.agent}</a>`)}</div></section>`;
  })}`;
}

function AgentCard({ base, org, workspace, agent }) {
  const at = place(org, workspace, agent);
  const state = useLoad(async (signal) => {
    const proposals = async (pending) => (agent === "shared" && can("cognition.shared") ? (await ask("GET", `${at}/shared`, { signal, query: { pending } })).items.length : 0);
    const [queue, newest, waiting, inForce] = await Promise.all([ask("GET", `${at}/queue`, { signal }), ask("GET", `${at}/entries`, { signal, query: { newest_first: true, limit: 1 } }), proposals(true), proposals(false)]);
    const held = [newest.items[0] && `${number(newest.items[0].seq)} ${say("entries")}`, inForce && `${say("shared_in_force")}: ${number(inForce)}`, waiting && `${say("shared_inbox")}: ${number(waiting)}`, newest.items[0] && say("last_used", { age: age(newest.items[0].recorded_at) })];
    return { queue, held: held.filter(Boolean).join(" · ") };
  }, [at]);
  const { queue, held } = state.value ?? {};
  const light = state.error || queue?.dead ? "off" : queue?.pending || queue?.running ? "busy" : queue ? "on" : "";
  return html`<a class="panel button" href="${base}/memory?agent=${encodeURIComponent(agent)}"><span class="row"><span class="light ${light}" role="img" aria-label=${light ? say(`light_${light}`) : say("loading")} title=${light ? say(`light_${light}`) : ""}></span><h3>${agent === "shared" ? say("shared_place") : agent}</h3></span>
    <span class="small quiet">${held ? held : state.value ? say("nothing") : state.error ? told(state.error) : say("loading")}</span>
    ${queue?.dead > 0 && html`<p class="small bad">${say("dead")}: ${queue.dead}</p>`}</a>`;
}

function First() {
  return html`<h1>${say("first_title")}</h1><p class="quiet">${say("first_text")}</p><${TryIt} open=${true} /><h2>${say("connect")}</h2><${Ways} />`;
}

function Ways() {
  const { org, workspace, agent } = session;
  const address = location.origin;
  const [typed, setTyped] = useState(""); // gone with the page: a key is kept nowhere
  const key = session.csrf ? typed.trim() || (isChinese() ? "你的密钥" : "YOUR-KEY") : null;
  const bearer = key ? ` -H 'authorization: Bearer ${key}'` : "";
  const [remember, question] = [say("try_text"), say("try_question")];
  const ways = [
    ["Python", `import remanent\n\nwith remanent.connect("${address}"${key ? `, key="${key}"` : ""}) as memory:\n    agent = memory.agent("${agent}", workspace="${workspace}", org="${org}")\n    agent.remember([{"role": "user", "content": "${remember}"}])\n    print(agent.recall("${question}").text)`],
    ["REST", `curl ${address}${place(org, workspace, agent)}/recall${bearer} \\\n  -H 'content-type: application/json' -d '{"query": "${question}"}'`],
    [isChinese() ? "MCP（服务器须安装 remanent[mcp]）" : "MCP (the server needs remanent[mcp])", JSON.stringify({ mcpServers: { remanent: { url: `${address}/mcp?agent=${encodeURIComponent(agent)}`, ...(key ? { headers: { Authorization: `Bearer ${key}` } } : {}) } } }, null, 2)],
    [isChinese() ? "代理（OpenAI / Anthropic 客户端）" : "Proxy (clients of OpenAI and Anthropic)", `OPENAI_BASE_URL=${address}/v1\nANTHROPIC_BASE_URL=${address}`],
  ];
  return html`${session.csrf && html`<label class="row gap">${say("key_paste")} <input class="grow" type="password" autocomplete="off" value=${typed} onInput=${(event) => setTyped(event.target.value)} /></label>`}<div class="ways">${ways.map(([name, text]) => html`<${Way} name=${name} text=${text} />`)}</div>`;
}

function Way({ name, text }) {
  const app = useApp();
  return html`<div class="panel"><div class="row"><h3>${name}</h3><span class="grow"></span><button class="plain" onClick=${() => navigator.clipboard?.writeText(text).then(() => app.say(say("copied")))}>${say("copy")}</button></div><pre tabindex="0">${text}</pre></div>`;
}

function TryIt() {
  const app = useApp();
  const [text, setText] = useTyped("try text", say("try_text"));
  const [question, setQuestion] = useTyped("try question", say("try_question"));
  const [found, setFound] = useState(null);
  const [busy, setBusy] = useState(false);
  const at = place(session.org, session.workspace, session.agent);
  const run = async (event) => {
    event.preventDefault(); setBusy(true);
    try {
      await ask("POST", `${at}/entries`, { body: { messages: [{ role: "user", content: text }] } });
      setFound(await ask("POST", `${at}/recall`, { body: { query: question, limit: 3 } }));
    } catch (error) { app.fail(error); }
    setBusy(false);
  };
  return html`<section class="panel"><h3>${say("tries")}</h3><form class="stack" onSubmit=${run}>
    <label>${say("try_say")}<textarea value=${text} onInput=${(event) => setText(event.target.value)}></textarea></label><label>${say("try_ask")}<input class="wide" value=${question} onInput=${(event) => setQuestion(event.target.value)} /></label>
    <div><button class="main" disabled=${busy}>${say("try_it")}</button></div></form>
    ${found && html`<div role="status"><p>${say("try_done", { question })}</p>${found.items.length ? html`<ol>${found.items.map((item) => html`<li>${item.text} <span class="small quiet"><${Age} at=${item.occurred_at} /></span></li>`)}</ol>` : html`<p class="quiet">${say("no_match")}</p>`}</div>`}</section>`;
}
