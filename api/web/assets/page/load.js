// Hooks that load and poll data.
import { asError, retryAfter } from '../client/http.js';
import { follow } from '../client/subscriptions.js';
import { useCallback, useEffect, useRef, useState } from './html.js';

// The state until the first answer.
/** @template T @typedef {Pick<Loaded<T>, 'data' | 'error' | 'loading'>} State */
const asked = { data: undefined, error: null, loading: true };

// useLoad runs load(signal) when deps change. After reload(), the old data stays until the new data is there.
// set changes the data, if it is there; what is being loaded then is loaded again, because it may be from
// before the change.
/**
 * @template T
 * @param {(signal: AbortSignal) => Promise<T> | T} load
 * @param {readonly unknown[]} deps
 * @returns {Loaded<T>}
 */
export function useLoad(load, deps) {
  const [state, setState] = useState(/** @type {State<T>} */ (asked));
  const control = useRef(/** @type {AbortController | null} */ (null));
  const latest = useRef(load);
  latest.current = load;
  const run = useCallback(async () => {
    control.current?.abort();
    const mine = (control.current = new AbortController());
    try {
      const data = await latest.current(mine.signal);
      if (!mine.signal.aborted) setState({ data, error: null, loading: false });
    } catch (error) {
      if (!mine.signal.aborted) setState((s) => ({ ...s, error: asError(error), loading: false }));
    }
    if (control.current === mine) control.current = null;
  }, []);
  useEffect(() => {
    setState(asked);
    run();
    return () => control.current?.abort();
  }, deps);
  const set = useCallback((/** @type {(data: T) => T} */ change) => {
    setState((s) => (s.data === undefined ? s : { ...s, data: change(s.data) }));
    if (control.current) run();
  }, []);
  return { ...state, reload: run, set };
}

const MAX_WAIT_MS = 30_000;
const LIVE_WAIT_MS = 30_000; // between calls while events come
const SOON_MS = 200; // so that one call answers several events

// usePoll calls ask() repeatedly, each time wait(last answer) milliseconds after the answer, and stops when
// wait returns 0. After errors it waits longer each time. When the browser is online again or the tab is
// visible again, it asks at once. It returns whether the last call failed.
//
// With live = {path, about}, it follows a stream of events while it polls, asks when there is an event that
// is about(event), and polls rarely meanwhile. A hidden tab has no stream, since browsers have few
// connections.
/**
 * @template T
 * @param {(signal: AbortSignal) => Promise<T>} ask
 * @param {(answer: T) => number} wait
 * @param {readonly unknown[]} deps
 * @param {{ path: string, about: (event: ServerEvent) => boolean }} [live]
 */
export function usePoll(ask, wait, deps, live) {
  const [lost, setLost] = useState(false);
  const latest = useRef({ ask, wait });
  latest.current = { ask, wait };
  useEffect(() => {
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    let due = Infinity; // when the timer ends
    let failures = 0;
    let stopped = false;
    let busy = false;
    let missed = false; // something happened after the call began, which its answer may not have
    const control = new AbortController();
    /** @type {(() => void) | null} */
    let stop = null; // following the stream
    let open = false;
    /** @param {number} ms */
    const again = (ms) => {
      clearTimeout(timer);
      due = Infinity;
      if (ms <= 0 || stopped) return;
      timer = setTimeout(tick, ms);
      due = performance.now() + ms;
    };
    const soon = () => {
      if (busy) missed = true;
      else if (performance.now() + SOON_MS < due) again(SOON_MS); // events that follow do not postpone it
    };
    const leave = () => {
      stop?.();
      stop = null;
      open = false;
    };
    const join = () => {
      if (!live || stop) return;
      stop = follow(live.path, {
        onEvent: (event) => {
          if (event.type === 'reset' || live.about(event)) soon();
        },
        onState: (state) => {
          open = state === 'open';
          if (state !== 'gone') soon(); // what happened before the stream opened, or while it was lost
        },
      });
    };
    async function tick() {
      if (stopped || busy) return;
      if (document.visibilityState === 'hidden') return leave(); // visibilitychange resumes
      busy = true;
      missed = false;
      try {
        const answer = await latest.current.ask(control.signal);
        failures = 0;
        setLost(false);
        const ms = latest.current.wait(answer);
        if (ms > 0) join();
        else leave();
        if (missed) again(SOON_MS);
        else again(ms > 0 && open ? Math.max(ms, LIVE_WAIT_MS) : ms);
      } catch (error) {
        if (stopped) return;
        failures++;
        setLost(true);
        const backOff = Math.min(MAX_WAIT_MS, 1000 * 2 ** Math.min(failures, 5)) * (0.75 + Math.random() / 2);
        again(Math.max(backOff, retryAfter(error) * 1000));
      } finally {
        busy = false;
      }
    }
    const wake = () => {
      if (document.visibilityState === 'visible') tick();
      else leave();
    };
    window.addEventListener('online', wake);
    document.addEventListener('visibilitychange', wake);
    tick();
    return () => {
      stopped = true;
      clearTimeout(timer);
      control.abort();
      leave();
      window.removeEventListener('online', wake);
      document.removeEventListener('visibilitychange', wake);
    };
  }, deps);
  return lost;
}
