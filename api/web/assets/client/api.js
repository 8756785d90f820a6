// Clients of the public APIs: /rest/v1, which is PostgREST's, and /api/import.
import { follow } from './events.js';
import { send, ApiError, codeOf, failure, offline, statusOf } from './http.js';
import { bearer, config, current, recently, refresh } from './session.js';

// PAGE is the number of rows in one request.
export const PAGE = 1000;

/** @param {string} token */
const headersFor = (token) => ({ apikey: config.anonKey, Authorization: `Bearer ${token}` });

// call sends a request as the signed-in user. If the server rejects the token, call refreshes it once.
/**
 * @template [T=any]
 * @param {string} path
 * @param {RequestOptions} [options]
 * @returns {Promise<Answered<T>>}
 */
export async function call(path, options = {}) {
  const attempt = () =>
    recently(async () =>
      send(path, { ...options, headers: { ...headersFor(await bearer()), ...options.headers } }),
    );
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401 || error.code === 'signed_out') throw error;
    await refresh();
    return attempt();
  }
}

// events follows a stream of events as the signed-in user.
/** @param {string} path @param {Omit<Parameters<typeof follow>[1], 'headers'>} options */
export const events = (path, options) =>
  follow(path, {
    ...options,
    headers: async (rejected) => {
      if (rejected) await refresh();
      return headersFor(await bearer());
    },
  });

/** @param {Filter} filter */
const query = (filter) => {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(filter)) {
    for (const one of [value].flat()) if (one !== undefined && one !== null) pairs.append(name, String(one));
  }
  return pairs.toString();
};

/** @param {string} name @param {Filter} [filter] */
const table = (name, filter = {}) => `/rest/v1/${name}?${query(filter)}`;

// more reports whether there are rows after this answer: it is full, or the server truncated it.
/** @param {Answered<unknown[]>} answer */
export const more = ({ body, headers }) =>
  body.length >= PAGE || (body.length > 0 && headers.has('X-Rows-Cut'));

// list reads all rows, page by page. The filter must have an order, so that no row is missed between pages.
/**
 * @template {keyof Tables} K
 * @param {K} name
 * @param {Filter} filter
 * @param {{ signal?: AbortSignal }} [options]
 * @returns {Promise<Tables[K][]>}
 */
export async function list(name, filter, { signal } = {}) {
  /** @type {Tables[K][]} */
  const rows = [];
  for (;;) {
    const answer = await call(table(name, { ...filter, limit: PAGE, offset: rows.length || undefined }), {
      signal,
    });
    rows.push(...answer.body);
    if (!more(answer)) return rows;
  }
}

// one returns a row, or null if there is none that the user may see.
/**
 * @template {keyof Tables} K
 * @param {K} name
 * @param {Filter} filter
 * @param {{ signal?: AbortSignal }} [options]
 * @returns {Promise<Tables[K] | null>}
 */
export async function one(name, filter, { signal } = {}) {
  const { body } = await call(table(name, { ...filter, limit: 1 }), { signal });
  return body[0] ?? null;
}

const returning = { Prefer: 'return=representation' };

// changed returns the written row. If row-level security forbids a write, the server changes no row.
/** @template T @param {Answered<T[] | null>} answer */
function changed({ body }) {
  if (!body?.length)
    throw new ApiError(
      'Nothing was changed. It was deleted, or your role in this workspace only allows reading.',
      { status: 403, code: 'forbidden' },
    );
  return body[0];
}

/**
 * @template {keyof Tables} K
 * @param {K} name
 * @param {object | object[]} row
 * @param {string} [select]
 * @returns {Promise<Tables[K]>}
 */
export const insert = async (name, row, select) =>
  changed(await call(table(name, { select }), { method: 'POST', json: row, headers: returning }));

// insertAll stores several rows in one transaction, and returns them.
/**
 * @template {keyof Tables} K
 * @param {K} name
 * @param {object[]} rows
 * @param {string} [select]
 * @returns {Promise<Tables[K][]>}
 */
export async function insertAll(name, rows, select) {
  const answer = await call(table(name, { select }), { method: 'POST', json: rows, headers: returning });
  changed(answer);
  return answer.body;
}

/**
 * @template {keyof Tables} K
 * @param {K} name
 * @param {Filter} filter
 * @param {object} values
 * @param {string} [select]
 * @returns {Promise<Tables[K]>}
 */
export const update = async (name, filter, values, select) =>
  changed(
    await call(table(name, { ...filter, select }), { method: 'PATCH', json: values, headers: returning }),
  );

/**
 * @template {keyof Tables} K
 * @param {K} name
 * @param {object | object[]} row
 * @param {string} [select]
 * @returns {Promise<Tables[K]>}
 */
export const upsert = async (name, row, select) =>
  changed(
    await call(table(name, { select }), {
      method: 'POST',
      json: row,
      headers: { Prefer: 'return=representation,resolution=merge-duplicates' },
    }),
  );

/** @param {keyof Tables} name @param {Filter} filter */
export const remove = async (name, filter) =>
  changed(await call(table(name, filter), { method: 'DELETE', headers: returning }));

// removeOnTheWayOut sends a deletion that completes even though the page is being closed.
/** @param {keyof Tables} name @param {Filter} filter */
export function removeOnTheWayOut(name, filter) {
  const token = current();
  if (token)
    fetch(table(name, filter), { method: 'DELETE', keepalive: true, headers: headersFor(token) }).catch(
      () => {},
    );
}

/**
 * @template {keyof Functions} K
 * @param {K} name
 * @param {object} args
 * @param {{ signal?: AbortSignal }} [options]
 * @returns {Promise<Functions[K]>}
 */
export async function rpc(name, args, { signal } = {}) {
  return (await call(`/rest/v1/rpc/${name}`, { method: 'POST', json: args, signal })).body;
}

// download returns a file that a path answers with.
/** @param {string} path @param {Record<string, string>} [headers] */
export async function download(path, headers) {
  const attempt = async () =>
    fetch(path, {
      cache: 'no-store',
      credentials: 'omit',
      headers: { ...headersFor(await bearer()), ...headers },
    });
  try {
    let response = await attempt();
    if (response.status === 401) {
      await refresh();
      response = await attempt();
    }
    if (response.ok) return await response.blob();
    throw failure(
      response.status,
      await response.json().catch(() => null),
      response.headers.get('Retry-After'),
    );
  } catch (error) {
    throw error instanceof ApiError ? error : offline();
  }
}

// A file to upload. The layout, the reading, the speakers and the title are as in docs/api.md.
/**
 * @typedef {object} Upload
 * @property {string} projectId
 * @property {string | null} personaId
 * @property {string} [title]
 * @property {string} [interviewedOn] empty for none
 * @property {string} layout
 * @property {Decision} [reading]
 * @property {object} [speakers]
 * @property {File} file
 * @property {string | null} [key]
 * @property {AbortSignal} signal
 * @property {boolean} [dryRun]
 */

// upload sends one file and calls progress with 0 to 1. A dry run answers with what was read, and stores
// nothing.
/** @param {Upload} form @param {(part: number) => void} progress @returns {Promise<any>} */
export async function upload(form, progress) {
  try {
    return await sendFile(form, progress);
  } catch (error) {
    if (statusOf(error) !== 401 || codeOf(error) === 'signed_out') throw error;
    await refresh();
    return sendFile(form, progress);
  }
}

// sendFile uses XMLHttpRequest, because fetch does not report the progress of uploads.
/** @param {Upload} form @param {(part: number) => void} progress @returns {Promise<any>} */
async function sendFile(
  { projectId, personaId, title, interviewedOn, layout, reading, speakers, file, key, signal, dryRun },
  progress,
) {
  const token = await bearer();
  const form = new FormData();
  form.append('project_id', projectId);
  if (personaId) form.append('persona_id', personaId);
  if (title) form.append('title', title);
  if (interviewedOn !== undefined) form.append('interviewed_on', interviewedOn);
  if (layout) form.append('layout', layout);
  if (reading) form.append('reading', JSON.stringify(reading));
  if (speakers) form.append('speakers', JSON.stringify(speakers));
  form.append('file', file, file.name);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', `/api/import${dryRun ? '?dry_run=true' : ''}`);
    for (const [name, value] of Object.entries(headersFor(token))) request.setRequestHeader(name, value);
    if (key) request.setRequestHeader('Idempotency-Key', key);
    request.responseType = 'text';
    request.upload.onprogress = (event) => {
      if (event.lengthComputable) progress(event.loaded / event.total);
    };
    request.onerror = request.ontimeout = () => reject(offline());
    request.onabort = () => reject(signal?.reason);
    request.onload = () => {
      let body = null;
      try {
        body = JSON.parse(request.responseText);
      } catch {
        // The answer is from a proxy in between, so only the status says something.
      }
      if (request.status === (dryRun ? 200 : 201) && body) resolve(body);
      else reject(failure(request.status, body, request.getResponseHeader('Retry-After')));
    };
    signal?.addEventListener('abort', () => request.abort());
    request.send(form);
  });
}

// parse starts an analysis. With refresh, it also reads what was read before.
/** @param {string} importId @param {string[]} hypothesisIds */
export const parse = async (importId, hypothesisIds, refresh = false) =>
  (await call(`/api/import/${importId}/parse`, { method: 'POST', json: { hypothesisIds, refresh } })).body;

// estimate returns what such an analysis is expected to take: {calls, tokens, cost?: {amount, currency}}.
/**
 * @param {string} importId
 * @param {string[]} hypothesisIds
 * @param {{ refresh?: boolean, signal?: AbortSignal }} [options]
 * @returns {Promise<Estimate>}
 */
export const estimate = async (importId, hypothesisIds, { refresh = false, signal } = {}) =>
  (
    await call(`/api/import/${importId}/estimate`, {
      method: 'POST',
      json: { hypothesisIds, refresh },
      signal,
    })
  ).body;

/** @param {string} importId */
export const cancel = async (importId) =>
  (await call(`/api/import/${importId}/cancel`, { method: 'POST' })).body;

// deleteInterview deletes an interview with its transcript and its evidence. It can be restored for a day.
/** @param {string} importId */
export const deleteInterview = async (importId) =>
  (await call(`/api/import/${importId}?keep=true`, { method: 'DELETE' })).body;

/** @param {string} importId @param {{ signal?: AbortSignal }} [options] */
export const mirror = async (importId, { signal } = {}) =>
  (await call(`/api/import/${importId}`, { signal })).body;

// runs returns the analyses of an interview, newest first.
/**
 * @param {string} importId
 * @param {{ signal?: AbortSignal }} [options]
 * @returns {Promise<Run[]>}
 */
export const runs = async (importId, { signal } = {}) =>
  (await call(`/api/import/${importId}/runs`, { signal })).body.runs;
