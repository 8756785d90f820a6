// Hooks that load and poll data.
import { useCallback, useEffect, useRef, useState } from './html.js';

// useLoad runs load(signal) when deps change. After reload(), the old data stays until the new data is there.
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

// usePoll calls ask() repeatedly, each time wait(last answer) milliseconds after the answer, and stops when
// wait returns 0. After errors it waits longer each time. When the browser is online again or the tab is
// visible again, it asks at once. It returns whether the last call failed.
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
      if (document.visibilityState === 'hidden') return; // visibilitychange resumes
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
