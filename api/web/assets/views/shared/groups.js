// Groups of people: by persona, by the language of their first interview, or by one of their attributes. In
// an address, a group is "persona:ID", "language:de", or "has:role=owner" for an attribute. A group without a
// value, as "has:role=", is those who have none, and 'other:["has:role","owner"]' those who have another
// value than these. Values are the same whatever their case and spaces.

/** @param {unknown} value */
const textOf = (value) =>
  value === null || value === undefined
    ? ''
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);

// attribute returns the value of an attribute of a person as a text; '' if there is none.
/** @param {Pick<Person, 'attributes'>} person @param {string} key */
const attribute = ({ attributes }, key) =>
  Object.hasOwn(attributes, key) ? textOf(attributes[key]).trim() : '';

const MOST_LETTERS = 60; // of a value, so that addresses and columns stay short
const MOST_GROUPS = 8; // with a value
const MOST_KEYS = 20;

/** @param {string} text */
const short = (text) =>
  [...text.normalize('NFC').trim().replace(/\s+/g, ' ')].slice(0, MOST_LETTERS).join('');

/** @param {string} text */
const fold = (text) => short(text).toLowerCase();

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** @param {string} by @returns {string} the name of an attribute, folded; '' for a persona or a language */
const keyOf = (by) => (by.startsWith('has:') ? fold(decoded(by.slice('has:'.length))) : '');

// valueOf returns what people are grouped by: their persona, their language, or an attribute ("has:role").
/** @param {Person} person @param {string} by */
function valueOf(person, by) {
  if (by === 'persona') return person.personaId ?? '';
  if (by === 'language') return person.language;
  const wanted = keyOf(by);
  const key = Object.keys(person.attributes).find((one) => fold(one) === wanted);
  return key === undefined ? '' : short(attribute(person, key));
}

/** @param {string} group @returns {{ by: string, value: string, not: string[] | null }} */
function parse(group) {
  if (group.startsWith('other:')) {
    try {
      const [by = '', ...not] = JSON.parse(group.slice('other:'.length)).map(String);
      return { by, value: '', not };
    } catch {
      return { by: '', value: '', not: null }; // somebody else's address
    }
  }
  const at = group.search(group.startsWith('has:') ? /=|$/ : /:|$/);
  return { by: group.slice(0, at), value: group.slice(at + 1), not: null };
}

/** @param {Person} person @param {string} group */
export function inGroup(person, group) {
  const { by, value, not } = parse(group);
  const has = fold(valueOf(person, by));
  return not ? has !== '' && !not.map(fold).includes(has) : has === fold(value);
}

const languages = new Intl.DisplayNames([navigator.language || 'en', 'en'], { type: 'language' });

// languageName returns the name of a language; '' has none.
/** @param {string} tag a BCP 47 tag */
function languageName(tag) {
  try {
    return tag ? (languages.of(tag) ?? tag) : 'not known';
  } catch {
    return tag;
  }
}

const notGiven = 'not given';

/** @param {string} by @param {string} value @param {Pick<Persona, 'id' | 'name'>[]} personas */
function valueName(by, value, personas) {
  if (by === 'language') return languageName(value);
  const name = by === 'persona' ? personas.find(({ id }) => id === value)?.name : value;
  return name || notGiven;
}

// byText is what people are grouped by, in words.
/** @param {string} by */
export const byText = (by) =>
  by === 'persona' ? 'Persona' : by === 'language' ? 'Language' : decoded(by.slice('has:'.length));

// byName is the same within a sentence.
/** @param {string} by */
export const byName = (by) => (by.startsWith('has:') ? byText(by) : by);

/** @param {string} group @param {Pick<Persona, 'id' | 'name'>[]} personas */
export function groupText(group, personas) {
  const { by, value, not } = parse(group);
  return `${byText(by)}: ${not ? 'other' : valueName(by, value, personas)}`;
}

// groupings returns what these people can be grouped by: those of their attributes that most people have.
/** @param {Person[]} people */
export function groupings(people) {
  /** @type {Map<string, { by: string, n: number }>} */
  const found = new Map();
  for (const { attributes } of people)
    for (const key of Object.keys(attributes)) {
      if (!fold(key) || !attribute({ attributes }, key)) continue;
      const one = found.get(fold(key)) ?? { by: `has:${encodeURIComponent(short(key))}`, n: 0 };
      found.set(fold(key), { ...one, n: one.n + 1 });
    }
  const keys = [...found.values()].sort((a, b) => b.n - a.n).slice(0, MOST_KEYS);
  return ['persona', 'language', ...keys.map(({ by }) => by).sort((a, b) => a.localeCompare(b))];
}

/** @typedef {{ group: string, name: string, members: Set<string> }} Segment members has the keys of people */

// segmentsOf groups people: the groups with most people, the others as one, and those without a value.
/** @param {Person[]} people @param {string} by @param {Pick<Persona, 'id' | 'name'>[]} personas */
export function segmentsOf(people, by, personas) {
  /** @type {Map<string, Segment>} */
  const found = new Map();
  const sign = by.startsWith('has:') ? '=' : ':';
  for (const person of people) {
    const value = valueOf(person, by);
    const one = found.get(fold(value)) ?? {
      group: by + sign + value,
      name: valueName(by, value, personas),
      members: new Set(),
    };
    one.members.add(person.key);
    found.set(fold(value), one);
  }
  const without = found.get('');
  found.delete('');
  const most = [...found].sort(([, a], [, b]) => b.members.size - a.members.size);
  const shown = most.length > MOST_GROUPS + 1 ? most.slice(0, MOST_GROUPS) : most; // one alone is not "other"
  const others = most.slice(shown.length);
  const segments = shown
    .map(([, segment]) => segment)
    .sort((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }));
  if (others.length > 0)
    segments.push({
      group: `other:${JSON.stringify([by, ...shown.map(([value]) => value)])}`,
      name: `other (${others.length} values)`,
      members: new Set(others.flatMap(([, { members }]) => [...members])),
    });
  return without ? [...segments, without] : segments;
}

// writeAttributes writes attributes as lines, and readAttributes reads them. A value whose text has not
// changed stays what it was.
/** @param {Record<string, unknown>} attributes */
export const writeAttributes = (attributes) =>
  Object.keys(attributes)
    .map((key) => `${key} = ${attribute({ attributes }, key)}`)
    .join('\n');

/** @param {string} text @param {Record<string, unknown>} before @returns {Record<string, unknown>} */
export function readAttributes(text, before) {
  const pairs = text
    .split('\n')
    .map((line) => line.split(/[=:](.*)/s, 2).map((part) => part.trim()))
    .filter(([key]) => key);
  return Object.fromEntries(
    pairs.map(([key, value = '']) => [
      key,
      value === attribute({ attributes: before }, key) && key in before ? before[key] : value,
    ]),
  );
}
