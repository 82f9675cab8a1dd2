// The shell of all pages: who is there, which page is open, and what is shown above and beside it.
import { render } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { ask, can, may, openSession, place, Refused, session, signIn, signOut, whenChanging, whenSignedOut } from "./api.mjs";
import { App, Dialog, Failed, html, told, useLoad } from "./parts.mjs";
import { isChinese, say, setLanguage, whoName } from "./words.mjs";
import { Home } from "./home.mjs";

// Pages are loaded when they are first opened.
const PAGES = {
  memory: () => import("./memory.mjs"), record: () => import("./record.mjs"), ask: () => import("./ask.mjs"), conflicts: () => import("./conflicts.mjs"), graph: () => import("./graph.mjs"),
  timeline: () => import("./timeline.mjs"), knowledge: () => import("./knowledge.mjs"), shared: () => import("./shared.mjs"), runs: () => import("./runs.mjs"), admin: () => import("./admin.mjs"), settings: () => import("./settings.mjs"),
};
const LISTED = ["memory", "ask", "conflicts", "graph", "timeline", "knowledge", "shared", "runs", "admin", "settings"];

function read(address) {
  const url = new URL(address, location.origin);
  const [, org, workspace, page, rest] = url.pathname.match(/^\/org\/([^/]+)\/ws\/([^/]+)(?:\/([^/]+))?(?:\/(.+))?$/) ?? [];
  const decode = (text) => { try { return text === undefined ? undefined : decodeURIComponent(text); } catch { return text; } };
  return { path: url.pathname, org: decode(org), workspace: decode(workspace), page: org === undefined ? "home" : (page ?? "memory"), rest: decode(rest), agent: url.searchParams.get("agent") ?? "", query: url.searchParams };
}

let opening = openSession(); // asked for while the page is made
opening.catch(() => {});

function Root() {
  const [here, setHere] = useState(() => read(location.href));
  const [who, setWho] = useState(null);
  const [failed, setFailed] = useState(null);
  const [notice, setNotice] = useState(null);
  const [, redraw] = useState(0);

  const go = (address, { replace = false } = {}) => { history[replace ? "replaceState" : "pushState"](null, "", address); setHere(read(location.href)); };
  const begin = () => { setFailed(null); (opening ?? openSession()).then((now) => setWho({ ...now }), setFailed); opening = null; };
  useLayoutEffect(() => {
    begin();
    whenSignedOut(() => setWho((now) => ({ ...now, signed_in: false })));
    whenChanging(hush);
    const back = () => setHere(read(location.href));
    addEventListener("popstate", back);
    return () => removeEventListener("popstate", back);
  }, []);
  const hush = () => setNotice((now) => (now?.bad ? null : now));
  // What went wrong stays until it is read, or until something else is tried.
  useEffect(() => { if (!notice || notice.bad) return; const timer = setTimeout(() => setNotice(null), 8000); return () => clearTimeout(timer); }, [notice]);

  const follow = (event) => {
    const link = event.target.closest?.("a[href^='/org/'], a[href='/']");
    if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || link.target) return;
    event.preventDefault(); go(link.getAttribute("href")); scrollTo(0, 0);
  };
  // Whose session ended goes on where they were; another person begins anew and sees nothing of it.
  const signedIn = (now) => { if (who.who && who.who !== now.who) location.reload(); else setWho({ ...now }); };
  const app = { here, go, who, say: (text, undo) => setNotice({ text, undo }), warn: (text) => setNotice({ text, bad: true }), fail: (error) => app.warn(told(error)), notice, hush, base: here.org === undefined ? "" : `/org/${encodeURIComponent(here.org)}/ws/${encodeURIComponent(here.workspace)}`, redraw: () => redraw((n) => n + 1) };

  if (failed) return html`<main><${Failed} error=${failed} again=${begin} /></main>`;
  if (!who) return html`<main><p role="status">${say("loading")}</p></main>`;
  return html`<${App.Provider} value=${app}><div onClick=${follow}>
    <a class="skip" href="#main">${say("skip")}</a>
    <${Top} app=${app} onLanguage=${() => { setLanguage(!isChinese()); app.redraw(); }} />
    ${who.who ? html`<div class="frame">${here.org !== undefined && html`<${Side} app=${app} />`}<main id="main" tabindex="-1"><${Page} key=${`${here.org} ${here.workspace}`} app=${app} /></main></div>` : html`<main id="main"><${SignIn} onDone=${signedIn} /></main>`}
    ${who.who && !who.signed_in && html`<${Dialog} title=${say("key_title")} onClose=${() => setWho({ ...who, signed_in: true })}><${SignIn} again onDone=${signedIn} /></${Dialog}>`}
    ${notice && html`<div class="toast" role=${notice.bad ? "alert" : "status"}>${notice.text}${notice.bad && html`<button onClick=${hush}>${say("close")}</button>`}${notice.undo && html`<button onClick=${() => { notice.undo(); setNotice(null); }}>${say("undo")}</button>`}</div>`}
  </div></${App.Provider}>`;
}

function Top({ app, onLanguage }) {
  const { here, who } = app;
  const theme = () => {
    const dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    document.documentElement.dataset.theme = dark ? "light" : "dark";
    app.redraw(); // pictures are drawn in the colours of the theme
  };
  return html`<header class="top"><a class="brand" href="/"><img src="/static/icon.svg" alt="" />Remanent</a>
    ${here.org !== undefined && html`<span class="quiet">${here.org} / ${here.workspace}</span>`}
    ${who.signed_in && here.org !== undefined && html`<${AgentChoice} app=${app} />`}<span class="grow"></span>
    ${who.signed_in && html`<span class="quiet small who">${whoName(who.who)}</span>`}
    <button onClick=${theme} aria-label=${say("theme")} title=${say("theme")}>◐</button><button onClick=${onLanguage} lang=${isChinese() ? "en" : "zh-CN"}>${say("language")}</button>
    ${who.signed_in && who.csrf && html`<button onClick=${() => signOut().then(() => location.assign("/"), app.fail)}>${say("sign_out")}</button>`}</header>`;
}

export async function agentsOf(here, signal) {
  if (session.one_agent) return [session.agent];
  const listed = await ask("GET", `${place(here.org, here.workspace)}/agents`, { signal });
  return listed.items.map((scope) => scope.agent).sort();
}

function AgentChoice({ app }) {
  const { here, go } = app;
  const state = useLoad((signal) => agentsOf(here, signal), [here.org, here.workspace]);
  const agents = state.value ?? [];
  useEffect(() => {
    if (agents.length && !here.agent) {
      const url = new URL(location.href); url.searchParams.set("agent", agents.includes(app.who.agent) ? app.who.agent : agents.find((one) => one !== "shared") ?? agents[0]); go(url.href, { replace: true });
    }
  }, [state.value, here.agent]);
  const choose = (event) => { const url = new URL(location.href); url.searchParams.set("agent", event.target.value); go(url.href); };
  return html`<label class="row small"><span class="quiet">${say("agent")}</span><select value=${here.agent} onChange=${choose}>${agents.map((name) => html`<option value=${name}>${name}</option>`)}</select></label>`;
}

function Side({ app }) {
  const { here, base } = app;
  const shown = LISTED.filter((page) => (!["admin", "settings"].includes(page) || may("admin")) && (page !== "runs" || can("bank.get")) && (page !== "graph" || can("associative.state")));
  const bar = useRef(null);
  useEffect(() => { bar.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" }); }, [here.page]);
  return html`<nav class="side" ref=${bar} aria-label="Remanent">${shown.map((page) => html`<a href="${base}/${page}${here.agent ? `?agent=${encodeURIComponent(here.agent)}` : ""}" aria-current=${here.page === page ? "page" : undefined}>${say(page)}</a>`)}</nav>`;
}

function Page({ app }) {
  const { here } = app;
  const load = PAGES[here.page];
  // With its name: while the next page is loaded, the last one must not be shown at the next one's address.
  // A module that does not come is a server that is away: a browser says so in words of its own.
  const state = useLoad(async () => ({ name: here.page, Page: (await load?.().catch(() => { throw new Refused(0, "offline"); }))?.Page }), [here.page]);
  useEffect(() => { document.title = `${say(here.page)} · Remanent`; }, [here.page, isChinese()]);
  if (here.page === "home") return html`<${Home} />`;
  if (!load) return html`<p>${say("not_found")}</p>`;
  if (state.error) return html`<${Failed} error=${state.error} again=${state.again} />`;
  if (state.value?.name !== here.page) return html`<p role="status" class="quiet">${say("loading")}</p>`;
  return html`<${state.value.Page} key=${`${here.page} ${here.rest ?? ""} ${here.agent}`} />`;
}

function SignIn({ again, onDone }) {
  const [key, setKey] = useState("");
  const [error, setError] = useState(null);
  const send = (event) => { event.preventDefault(); signIn(key.trim()).then(onDone, setError); };
  return html`<form class="stack ${again ? "" : "panel"}" onSubmit=${send}>${!again && html`<h1>${say("key_title")}</h1>`}<p class="quiet">${say(again ? "key_again" : "key_text")}</p>
    <label class="stack">${say("key")}<input type="password" autocomplete="off" value=${key} onInput=${(event) => setKey(event.target.value)} required /></label>
    ${error && html`<p class="bad" role="alert">${error.status === 401 ? say("key_wrong") : told(error)}</p>`}<div><button class="main">${say("sign_in")}</button></div></form>`;
}

render(html`<${Root} />`, document.getElementById("app"));
