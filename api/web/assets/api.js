// Clients of the public APIs: /rest/v1, which is PostgREST's, and /api/import.
import { send, ApiError, failure, offline } from './http.js';
import { bearer, config, current, refresh } from './session.js';

// PAGE is the number of rows in one request.
export const PAGE = 1000;

const headersFor = (token) => ({ apikey: config.anonKey, Authorization: `Bearer ${token}` });

// call sends a request as the signed-in user. If the server rejects the token, call refreshes it once.
export async function call(path, options = {}) {
  const attempt = async () => send(path, { ...options, headers: { ...headersFor(await bearer()), ...options.headers } });
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401 || error.code === 'signed_out') throw error;
    await refresh();
    return attempt();
  }
}

const query = (filter) => {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(filter)) {
    for (const one of [value].flat()) if (one !== undefined && one !== null) pairs.append(name, one);
  }
  return pairs.toString();
};

const table = (name, filter = {}) => `/rest/v1/${name}?${query(filter)}`;

// more reports whether there are rows after this answer: it is full, or the server truncated it.
export const more = ({ body, headers }) => body.length >= PAGE || (body.length > 0 && headers.has('X-Rows-Cut'));

// list reads all rows, page by page. The filter must have an order, so that no row is missed between pages.
export async function list(name, filter, { signal } = {}) {
  const rows = [];
  for (;;) {
    const answer = await call(table(name, { ...filter, limit: PAGE, offset: rows.length || undefined }), { signal });
    rows.push(...answer.body);
    if (!more(answer)) return rows;
  }
}

// one returns a row, or null if there is none that the user may see.
export async function one(name, filter, { signal } = {}) {
  const { body } = await call(table(name, { ...filter, limit: 1 }), { signal });
  return body[0] ?? null;
}

const returning = { Prefer: 'return=representation' };

// changed returns the written row. If row-level security forbids a write, the server changes no row.
function changed({ body }) {
  if (!body?.length) throw new ApiError('Nothing was changed. It was deleted, or your role in this workspace only allows reading.', { status: 403, code: 'forbidden' });
  return body[0];
}

export const insert = async (name, row, select) => changed(await call(table(name, { select }), { method: 'POST', json: row, headers: returning }));

export const update = async (name, filter, values, select) => changed(await call(table(name, { ...filter, select }), { method: 'PATCH', json: values, headers: returning }));

export const upsert = async (name, row, select) =>
  changed(await call(table(name, { select }), { method: 'POST', json: row, headers: { Prefer: 'return=representation,resolution=merge-duplicates' } }));

export const remove = async (name, filter) => changed(await call(table(name, filter), { method: 'DELETE', headers: returning }));

// removeOnTheWayOut sends a deletion that completes even though the page is being closed.
export function removeOnTheWayOut(name, filter) {
  const token = current();
  if (token) fetch(table(name, filter), { method: 'DELETE', keepalive: true, headers: headersFor(token) }).catch(() => {});
}

export async function rpc(name, args, { signal } = {}) {
  return (await call(`/rest/v1/rpc/${name}`, { method: 'POST', json: args, signal })).body;
}

// upload sends one file and calls progress with 0 to 1. It uses XMLHttpRequest, because fetch does not report
// the progress of uploads.
export async function upload({ projectId, personaId, file, signal }, progress) {
  const token = await bearer();
  const form = new FormData();
  form.append('project_id', projectId);
  if (personaId) form.append('persona_id', personaId);
  form.append('file', file, file.name);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', '/api/import');
    for (const [name, value] of Object.entries(headersFor(token))) request.setRequestHeader(name, value);
    request.responseType = 'text';
    request.upload.onprogress = (event) => event.lengthComputable && progress(event.loaded / event.total);
    request.onerror = request.ontimeout = () => reject(offline());
    request.onabort = () => reject(signal.reason);
    request.onload = () => {
      let body = null;
      try {
        body = JSON.parse(request.responseText);
      } catch {
        // The answer is from a proxy in between, so only the status says something.
      }
      if (request.status === 201 && body) resolve(body);
      else reject(failure(request.status, body, request.getResponseHeader('Retry-After')));
    };
    signal?.addEventListener('abort', () => request.abort());
    request.send(form);
  });
}

export const parse = async (importId, hypothesisIds) => (await call(`/api/import/${importId}/parse`, { method: 'POST', json: { hypothesisIds } })).body;

export const cancel = async (importId) => (await call(`/api/import/${importId}/cancel`, { method: 'POST' })).body;

export const mirror = async (importId, { signal } = {}) => (await call(`/api/import/${importId}`, { signal })).body;
