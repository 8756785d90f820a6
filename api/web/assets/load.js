// Loading and following data.
import { useCallback, useEffect, useRef, useState } from './html.js';

// useLoad runs load(signal) when deps change. What was loaded before stays until the next answer, unless the deps changed.
export function useLoad(load, deps) {
  const [state, setState] = useState({ data: undefined, error: null, loading: true });
  const control = useRef(null);
  const latest = useRef(load);
  latest.current = load;
  const run = useCallback(async () => {
    control.current?.abort();
    const mine = (control.current = new AbortController());
    try {
      const data = await latest.current(mine.signal);
      if (!mine.signal.aborted) setState({ data, error: null, loading: false });
    } catch (error) {
      if (!mine.signal.aborted) setState((s) => ({ ...s, error, loading: false }));
    }
  }, []);
  useEffect(() => {
    setState({ data: undefined, error: null, loading: true });
    run();
    return () => control.current?.abort();
  }, deps);
  const set = useCallback((change) => setState((s) => ({ ...s, data: change(s.data) })), []);
  return { ...state, reload: run, set };
}

const MAX_WAIT_MS = 30_000;

// usePoll calls ask() again and again, wait(last answer) milliseconds after each answer, and stops while wait answers 0. After an
// error it waits longer each time; it asks at once when the connection or the tab comes back. The result tells since when it has failed.
export function usePoll(ask, wait, deps) {
  const [lost, setLost] = useState(false);
  const latest = useRef();
  latest.current = { ask, wait };
  useEffect(() => {
    let timer;
    let failures = 0;
    let stopped = false;
    let busy = false;
    const control = new AbortController();
    const again = (ms) => {
      clearTimeout(timer);
      if (ms > 0 && !stopped) timer = setTimeout(tick, ms);
    };
    async function tick() {
      if (stopped || busy) return;
      if (document.visibilityState === 'hidden') return; // visibilitychange starts it again
      busy = true;
      try {
        const answer = await latest.current.ask(control.signal);
        failures = 0;
        setLost(false);
        again(latest.current.wait(answer));
      } catch (error) {
        if (stopped) return;
        failures++;
        setLost(true);
        const backOff = Math.min(MAX_WAIT_MS, 1000 * 2 ** Math.min(failures, 5)) * (0.75 + Math.random() / 2);
        again(Math.max(backOff, (error.retryAfter || 0) * 1000));
      } finally {
        busy = false;
      }
    }
    const wake = () => {
      if (document.visibilityState === 'visible') tick();
    };
    window.addEventListener('online', wake);
    document.addEventListener('visibilitychange', wake);
    tick();
    return () => {
      stopped = true;
      clearTimeout(timer);
      control.abort();
      window.removeEventListener('online', wake);
      document.removeEventListener('visibilitychange', wake);
    };
  }, deps);
  return lost;
}
