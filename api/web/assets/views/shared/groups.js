// Groups of people: by the language of their interview, or by one of their attributes. In an address, a group
// is "language:de", or "has:role=owner" for an attribute. A group without a value, as "has:role=", is those
// who have none.

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

/** @param {string} group @returns {{ key: string | null, value: string }} key is null for a language */
function parse(group) {
  if (!group.startsWith('has:')) return { key: null, value: group.replace(/^language:/, '') };
  const at = group.indexOf('=');
  return { key: decodeURIComponent(group.slice(4, at)), value: group.slice(at + 1) };
}

/** @param {Person} person @param {string} group */
export function inGroup(person, group) {
  const { key, value } = parse(group);
  return (key === null ? person.language : attribute(person, key)) === value;
}

const languages = new Intl.DisplayNames([navigator.language || 'en', 'en'], { type: 'language' });

// languageName returns the name of a language; '' has none.
/** @param {string} tag a BCP 47 tag */
function languageName(tag) {
  try {
    return tag ? (languages.of(tag) ?? tag) : 'Language not known';
  } catch {
    return tag;
  }
}

/** @param {string} group */
export function groupText(group) {
  const { key, value } = parse(group);
  return key === null ? languageName(value) : `${key}: ${value || 'none'}`;
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
