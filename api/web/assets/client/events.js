// Follows a stream of server-sent events: /api/events, or those of an import or an answer. It uses fetch,
// because EventSource cannot send the header Authorization. It has no dependencies, and also runs in Node.

const SILENCE_MS = 60_000; // the server sends a comment every 20 seconds
const MAX_WAIT_MS = 30_000;

// A StreamError says that a stream cannot be followed: its status is that of the server's answer.
export class StreamError extends Error {
  /** @param {number} status */
  constructor(status) {
    super(`The server answered with an error (${status}).`);
    this.status = status;
  }
}

// parser returns a function that takes the chunks of a stream. It calls onMessage({id, type, data}) for each
// message, and onRetry(ms) for each time to wait before connecting again. A message without data has null.
/**
 * @param {(message: { id: string, type: string, data: string | null }) => void} onMessage
 * @param {(ms: number) => void} [onRetry]
 */
export function parser(onMessage, onRetry = () => {}) {
  let rest = '';
  let id = '';
  let message = { type: '', data: /** @type {string[]} */ ([]) };
  /** @param {string} text */
  const line = (text) => {
    if (text === '') {
      onMessage({
        id,
        type: message.type || 'message',
        data: message.data.length ? message.data.join('\n') : null,
      });
      message = { type: '', data: [] };
      return;
    }
    const colon = text.indexOf(':');
    if (colon === 0) return; // a comment
    const name = colon < 0 ? text : text.slice(0, colon);
    const value = colon < 0 ? '' : text.slice(colon + 1).replace(/^ /, '');
    if (name === 'data') message.data.push(value);
    else if (name === 'event') message.type = value;
    else if (name === 'id' && !value.includes('\0')) id = value;
    else if (name === 'retry' && /^\d+$/.test(value)) onRetry(Number(value));
  };
  /** @param {string} chunk */
  return (chunk) => {
    rest += chunk;
    const ended = rest.endsWith('\r'); // a line feed may follow
    const lines = (ended ? rest.slice(0, -1) : rest).split(/\r\n|\n|\r/);
    rest = /** @type {string} */ (lines.pop()) + (ended ? '\r' : '');
    lines.forEach(line);
  };
}

/** @param {number} ms @param {AbortSignal} [signal] @returns {Promise<void>} */
const sleep = (ms, signal) =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });

// follow calls onEvent({id, type, data}) for every event, data being parsed JSON, until signal is aborted.
// When the connection breaks, or onEvent throws, it connects again and continues after the last event. An
// event of the type "reset" says that events were lost: read the state again.
//
// headers(rejected) resolves to the headers of a request. rejected is true after the server rejected those of
// the request before: get a new token. onState is called with 'open' and 'lost'.
//
// It resolves when signal is aborted, and rejects with a StreamError when another attempt cannot help, such
// as for an import that was deleted.
/**
 * @param {string} url
 * @param {object} options
 * @param {(rejected: boolean) => Promise<Record<string, string>>} options.headers
 * @param {(event: any) => void} options.onEvent
 * @param {(state: 'open' | 'lost') => void} [options.onState]
 * @param {AbortSignal} [options.signal]
 * @param {string} [options.lastEventId]
 * @param {typeof globalThis.fetch} [options.fetch]
 * @param {typeof sleep} [options.wait]
 */
export async function follow(
  url,
  { headers, onEvent, onState = () => {}, signal, lastEventId = '', fetch = globalThis.fetch, wait = sleep },
) {
  let id = lastEventId;
  let retry = 2000;
  let failures = 0;
  let rejected = false;
  while (!signal?.aborted) {
    const control = new AbortController();
    const abort = () => control.abort();
    signal?.addEventListener('abort', abort);
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const alive = () => {
      clearTimeout(timer);
      timer = setTimeout(abort, SILENCE_MS);
    };
    let pause = 0; // what the server asks for
    try {
      alive();
      const sent = await headers(rejected);
      const response = await fetch(url, {
        headers: { Accept: 'text/event-stream', ...sent, ...(id && { 'Last-Event-ID': id }) },
        cache: 'no-store',
        credentials: 'omit',
        signal: control.signal,
      });
      if (response.status === 401 && !rejected) {
        rejected = true;
        continue;
      }
      if (response.status !== 200) {
        pause = Number(response.headers.get('Retry-After')) * 1000 || 0;
        const temporary = response.status === 429 || response.status >= 500;
        if (!temporary) throw new StreamError(response.status);
        throw new Error('temporary');
      }
      rejected = false;
      onState('open');
      const decoder = new TextDecoder();
      /** @type {{ id: string, type: string, data: string | null }[]} */
      const received = [];
      const parse = parser(
        (message) => received.push(message),
        (ms) => (retry = ms),
      );
      const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        alive();
        parse(decoder.decode(value, { stream: true }));
        for (const message of received.splice(0)) {
          id = message.id;
          failures = 0;
          // An event "ready" only has the id after which the stream begins.
          if (message.data === null || message.type === 'ready') continue;
          onEvent({ ...message, data: JSON.parse(message.data) });
        }
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (error instanceof StreamError) throw error;
      failures++;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      control.abort();
    }
    onState('lost');
    const backoff = Math.min(MAX_WAIT_MS, retry * 2 ** Math.min(failures, 5)) * (0.75 + Math.random() / 2);
    await wait(Math.max(backoff, pause), signal);
  }
}
