// Asking the server: every call goes to a public REST operation, with the session's word where it changes something.

export const session = { signed_in: false, csrf: "", permissions: [], operations: {}, terms: {} };
let lost = () => {}, changing = () => {};

/** Call `then` when the session has ended, so that the key can be typed again without losing what was typed. */
export const whenSignedOut = (then) => { lost = then; };

/** Call `then` when something is about to be changed: what went wrong before is over. */
export const whenChanging = (then) => { changing = then; };

/** The headers of every request; in the language of the page, which is not always the browser's: errors are worded by it. */
export function headersFor(method) {
  if (method !== "GET") changing();
  return { "accept-language": document.documentElement.lang, ...(session.csrf && method !== "GET" && { "x-remanent-csrf": session.csrf }) };
}

/** The error that an answer tells of. */
export function refused(status, read, path) {
  if (status === 401 && path !== "/session") lost();
  return new Refused(status, read?.detail ?? read?.title ?? String(status), read ?? {});
}

export class Refused extends Error {
  constructor(status, detail, { type } = {}) { super(detail); this.status = status; this.isDone = type === "urn:remanent:error:AuditFailed"; }
}

export async function ask(method, path, { query, body, upload, type, signal, raw, version } = {}) {
  const address = new URL(path, location.origin);
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value === undefined || value === null || value === "") continue;
    for (const one of Array.isArray(value) ? value : [value]) address.searchParams.append(name, one);
  }
  const headers = headersFor(method);
  if (version !== undefined) headers["if-match"] = `"${version}"`;
  if (body !== undefined) headers["content-type"] = "application/json";
  if (upload !== undefined) headers["content-type"] = type ?? "application/octet-stream";
  let answer;
  try {
    answer = await fetch(address, { method, headers, signal, body: upload ?? (body === undefined ? undefined : JSON.stringify(body)) });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused(0, "offline");
  }
  if (raw && answer.ok) return answer.arrayBuffer(); // for who reads it elsewhere
  const text = await answer.text();
  let read = null;
  try { read = text ? JSON.parse(text) : null; } catch { read = text; }
  if (!answer.ok) throw refused(answer.status, read, path);
  return read;
}

export const place = (org, workspace, agent) =>
  `/v1/orgs/${encodeURIComponent(org)}` + (workspace === undefined ? "" : `/workspaces/${encodeURIComponent(workspace)}`) +
  (agent === undefined ? "" : `/agents/${encodeURIComponent(agent)}`);

/** Return what an agent's storage says of itself; null where nothing was ever stored, which is no failure. */
export const storageHealth = (at, options) =>
  ask("GET", `${at}/health`, options).then((found) => (found.bytes_on_disk || found.problems.length ? found : null));

export const can = (operation) => operation in session.operations;
export const may = (permission) => session.permissions.includes(permission);

export async function openSession() {
  Object.assign(session, await ask("GET", "/session"));
  return session;
}

export async function signIn(key) {
  Object.assign(session, await ask("POST", "/session", { body: { key } }));
  return session;
}

export async function signOut() {
  await ask("DELETE", "/session");
  Object.assign(session, { signed_in: false, csrf: "", permissions: [], operations: {}, terms: {} });
}
