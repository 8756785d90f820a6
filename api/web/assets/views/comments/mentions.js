// Who is mentioned in a comment: members of the workspace, by "@" and their names.

/** @typedef {{ id: string, name: string }} Named a member, by the name that a comment has */

const LONGEST = 60; // characters of a name that are looked at
const OFFERED = 8; // members at once

/** @param {string} text */
const plain = (text) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

// wantedAt returns where the name begins that is being typed after "@", and what there is of it, or null.
/** @param {string} text @param {number} caret */
export function wantedAt(text, caret) {
  const from = text.lastIndexOf('@', caret - 1);
  if (from < 0 || caret - from > LONGEST) return null;
  const typed = text.slice(from + 1, caret);
  if (/\S/.test(text.charAt(from - 1)) || typed.includes('\n')) return null; // an address, or no name
  return { from, typed };
}

// offered returns the members whose name, or a word of it, begins with what was typed.
/** @param {Named[]} members @param {string} typed */
export function offered(members, typed) {
  const wanted = plain(typed);
  return members
    .filter(({ name }) => plain(name).startsWith(wanted) || ` ${plain(name)}`.includes(` ${wanted}`))
    .slice(0, OFFERED);
}

// mentionedIn returns the ids of the members whose names a text has after "@".
/** @param {string} text @param {Named[]} members */
export const mentionedIn = (text, members) => [
  ...new Set(partsOf(text, members).flatMap((part) => (typeof part === 'string' ? [] : [part.id]))),
];

// partsOf splits a text at the names of members after "@". The longest name counts.
/** @param {string} text @param {Named[]} members @returns {(string | Named)[]} */
export function partsOf(text, members) {
  const byLength = [...members].sort((a, b) => b.name.length - a.name.length);
  /** @type {(string | Named)[]} */
  const parts = [];
  let begin = 0;
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    if (at < begin || /\S/.test(text.charAt(at - 1))) continue;
    const who = byLength.find(
      ({ name }) =>
        name && text.startsWith(name, at + 1) && !/[\p{L}\p{N}]/u.test(text.charAt(at + 1 + name.length)),
    );
    if (!who) continue;
    parts.push(text.slice(begin, at), who);
    begin = at + 1 + who.name.length;
  }
  return [...parts, text.slice(begin)].filter((part) => part !== '');
}
