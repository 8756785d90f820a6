// The icons of the page, drawn on a grid of 24 units. They are decoration: the words beside them, or the name
// of their button, say what they mean.
import { html } from './html.js';

const paths = {
  alert: 'M12 7v6M12 16.5v.1M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z',
  ask: 'M4 5h16v11H9l-5 4ZM8 9h8M8 12h5',
  bubble: 'M4 5h16v11H9l-5 4Z',
  bulb: 'M9 18h6M10 21h4M12 3a6 6 0 0 0-4 10.5c.7.8 1 1.5 1 2.5h6c0-1 .3-1.7 1-2.5A6 6 0 0 0 12 3Z',
  check: 'm5 13 4 4L19 7',
  close: 'M6 6l12 12M18 6 6 18',
  down: 'M6 9l6 6 6-6',
  download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  folder: 'M3 7h6l2 2h10v10H3Z',
  gear:
    'M12 15.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM12 3v3M12 18v3M3 12h3M18 12h3' +
    'M5.6 5.6l2.1 2.1M16.3 16.3l2.1 2.1M5.6 18.4l2.1-2.1M16.3 7.7l2.1-2.1',
  info: 'M12 11v6M12 7.5v.1M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z',
  keyboard: 'M3 6h18v12H3ZM7 10h.1M11 10h.1M15 10h.1M8 14h8',
  more:
    'M6 12a1 1 0 1 1-2 0 1 1 0 0 1 2 0ZM13 12a1 1 0 1 1-2 0 1 1 0 0 1 2 0Z' +
    'M20 12a1 1 0 1 1-2 0 1 1 0 0 1 2 0Z',
  next: 'M5 12h14M13 6l6 6-6 6',
  open: 'M9 5h10v10M19 5 6 18',
  page: 'M6 3h8l4 4v14H6ZM14 3v4h4M9 12h6M9 16h6',
  pencil: 'm4 20 1-4L16 5l3 3L8 19Z',
  people:
    'M12.5 8a3.5 3.5 0 1 1-7 0 3.5 3.5 0 0 1 7 0ZM3 20c0-4 3-6 6-6s6 2 6 6' +
    'M16 5a3.5 3.5 0 0 1 0 7M21 20c0-3-1.5-5-4-5.7',
  plus: 'M12 5v14M5 12h14',
  question: 'M9.5 9a2.5 2.5 0 1 1 3.5 2.3c-.8.4-1 .9-1 1.7M12 16.5v.1M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z',
  search: 'M17 11a6 6 0 1 1-12 0 6 6 0 0 1 12 0ZM15.5 15.5 20 20',
  themes: 'M4 5h4v14H4ZM10 5h4v9h-4ZM16 5h4v6h-4Z',
  scales: 'M12 4v16M8 20h8M4 8l8-2 8 2M4 8l-2 6h5ZM20 8l-3 6h5Z',
};

/** @param {{ name: keyof typeof paths }} props */
export const Icon = ({ name }) => html`
  <svg class="glyph" viewBox="0 0 24 24" aria-hidden="true"><path d=${paths[name]} /></svg>
`;
