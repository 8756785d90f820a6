// Whether the page is being printed: lists that draw only the visible rows draw all of them.
import { useEffect, useState } from '../../page/html.js';

const paper = matchMedia('print');

// usePrinting reports whether the page is drawn for paper.
export function usePrinting() {
  const [is, setIs] = useState(paper.matches);
  useEffect(() => {
    const begin = () => setIs(true);
    const look = () => setIs(paper.matches);
    window.addEventListener('beforeprint', begin);
    window.addEventListener('afterprint', look);
    paper.addEventListener('change', look);
    return () => {
      window.removeEventListener('beforeprint', begin);
      window.removeEventListener('afterprint', look);
      paper.removeEventListener('change', look);
    };
  }, []);
  return is;
}
