// A value that views subscribe to.
import { useEffect, useState } from './html.js';

/** @template T @param {T} value @returns {Store<T>} */
export function store(value) {
  const followers = /** @type {Set<(value: T) => void>} */ (new Set());
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const follow of [...followers]) follow(value);
    },
    follow(f) {
      followers.add(f);
      return () => followers.delete(f);
    },
  };
}

/** @template T @param {Store<T>} s */
export function useStore(s) {
  const [, again] = useState(0);
  useEffect(() => {
    const stop = s.follow(() => again((n) => n + 1));
    again((n) => n + 1); // the value may have changed since the rendering
    return stop;
  }, [s]);
  return s.get();
}
