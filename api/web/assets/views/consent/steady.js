// A guard against clicks that were meant for another window.
import { useEffect, useState } from '../../page/html.js';

// The time between the clicks of a double click is shorter.
const STEADY_MS = 500;

// useSteady returns whether the window has been in front for a moment. A page that is in front of it can
// vanish between the two clicks of a double click, so that the second one is on a button of this page.
export function useSteady() {
  const [steady, setSteady] = useState(false);
  useEffect(() => {
    /** @type {ReturnType<typeof setTimeout>} */
    let timer;
    const begin = () => {
      clearTimeout(timer);
      setSteady(false);
      timer = setTimeout(() => setSteady(true), STEADY_MS);
    };
    begin();
    window.addEventListener('focus', begin);
    document.addEventListener('visibilitychange', begin);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('focus', begin);
      document.removeEventListener('visibilitychange', begin);
    };
  }, []);
  return steady;
}
