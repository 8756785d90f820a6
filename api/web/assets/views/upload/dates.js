// Dates as people write them in spreadsheets: 2026-11-03, 03.11.2026, 3 Nov 2026, 3 de noviembre de 2026.

/** @typedef {'day' | 'month'} Order what is first in a date such as 11/3/2026 */
/** @typedef {{ date?: string, wrong?: string, orders?: Order[] }} ReadDate orders: those that are possible */

const LANGUAGES = ['en', 'de', 'es', 'fr', 'pt', 'it', 'nl'];
const EARLIEST = 1950; // no interview is older

// fold returns a word in small letters without accents.
/** @param {string} word */
const fold = (word) => word.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

// wordsOf returns the names, long and short, that languages have for dates.
/** @param {'month' | 'weekday'} part @param {Date[]} dates @returns {Map<string, number>} */
function wordsOf(part, dates) {
  const found = new Map();
  for (const language of LANGUAGES)
    for (const width of /** @type {('long' | 'short')[]} */ (['long', 'short'])) {
      const format = new Intl.DateTimeFormat(language, { [part]: width, day: 'numeric', timeZone: 'UTC' });
      dates.forEach((date, i) => {
        const word = format.formatToParts(date).find(({ type }) => type === part)?.value;
        for (const one of fold(word ?? '').match(/\p{L}+/gu) ?? []) found.set(one, i + 1);
      });
    }
  return found;
}
/** @type {Map<string, number>} */
let months;
/** @type {Map<string, number>} */
let weekdays;
function learn() {
  if (months) return;
  const year = [...Array(12).keys()];
  months = wordsOf(
    'month',
    year.map((m) => new Date(Date.UTC(2024, m, 15))),
  );
  months.set('sept', 9);
  weekdays = wordsOf(
    'weekday',
    year.slice(0, 7).map((d) => new Date(Date.UTC(2024, 0, d + 1))),
  );
}
const LITTLE = new Set([
  'de',
  'del',
  'of',
  'the',
  'den',
  'der',
  'do',
  'el',
  'le',
  'o',
  'st',
  'nd',
  'rd',
  'th',
  'er',
]);

// dateOf returns a day if the calendar has it.
/** @param {number} y @param {number} m @param {number} d @returns {ReadDate} */
function dateOf(y, m, d) {
  const year = y < 100 ? 2000 + y : y;
  const date = new Date(Date.UTC(year, m - 1, d));
  if (year < EARLIEST || year > 9999 || date.getUTCMonth() !== m - 1 || date.getUTCDate() !== d)
    return { wrong: 'is no day' };
  return { date: date.toISOString().slice(0, 10) };
}

// readDate reads a day. Where 11/3/2026 may be two days, order says which; without it, both are possible.
/** @param {string} text @param {Order} [order] @returns {ReadDate} */
export function readDate(text, order) {
  const day = text.trim().replace(/(?:,?\s+|T)\d\d?:\d\d\S*(?:\s?[ap]\.?m\.?)?$/i, '');
  const numbers = day.match(/\d+/g)?.map(Number) ?? [];
  if (/^\d{8}$/.test(day))
    return dateOf(Number(day.slice(0, 4)), Number(day.slice(4, 6)), Number(day.slice(6)));
  if (/^\d{4}([-/.])\d\d?\1\d\d?$/.test(day)) return dateOf(numbers[0], numbers[1], numbers[2]);
  const [a, b, y] = numbers;
  if (/^\d\d?\. ?\d\d?\. ?(?:\d{4}|\d\d)$/.test(day)) return dateOf(y, b, a); // with dots, the day is first
  if (/^\d\d-\d\d?-\d\d$/.test(day)) return { wrong: 'has a year of two digits' }; // first or last
  if (/^\d\d?([-/])\d\d?\1(?:\d{4}|\d\d)$/.test(day)) {
    if (a > 12 || (order === 'day' && b <= 12) || a === b) return dateOf(y, b, a);
    if (b > 12 || order === 'month') return dateOf(y, a, b);
    return { wrong: 'may be two days', orders: ['day', 'month'] };
  }
  return inWords(day, numbers);
}

// orderOf returns the order that one of several dates proves, if no other one has another order.
/** @param {string[]} texts @returns {Order | undefined} */
export function orderOf(texts) {
  const found = new Set();
  for (const text of texts) {
    const [, a, , b] = /^(\d\d?)([-/])(\d\d?)\2(?:\d{4}|(?<=\/)\d\d(?!\d))/.exec(text.trim()) ?? [];
    if (Number(a) > 12) found.add('day');
    else if (Number(b) > 12) found.add('month');
  }
  return found.size === 1 ? [...found][0] : undefined;
}

// inWords reads a day whose month is a word.
/** @param {string} day @param {number[]} numbers @returns {ReadDate} */
function inWords(day, numbers) {
  learn();
  const words = fold(day).match(/\p{L}+/gu) ?? [];
  // "mar" is March, and a short Tuesday.
  const named = words.filter((word, i) => months.has(word) && !(i === 0 && isTuesday(word, words)));
  const others = words.filter((word) => !months.has(word) && !weekdays.has(word) && !LITTLE.has(word));
  if (new Set(named.map((word) => months.get(word))).size !== 1 || others.length > 0)
    return { wrong: 'is no date' };
  const month = /** @type {number} */ (months.get(named[0]));
  if (numbers.length === 1) return { wrong: numbers[0] > 31 ? 'has no day' : 'has no year' };
  if (numbers.length !== 2) return { wrong: 'is no date' };
  const [d, y] = numbers[0] > 31 ? [numbers[1], numbers[0]] : numbers;
  return dateOf(y, month, d);
}

/** @param {string} word @param {string[]} words */
const isTuesday = (word, words) => word === 'mar' && words.slice(1).some((one) => months.has(one));
