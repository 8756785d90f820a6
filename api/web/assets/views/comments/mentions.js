// Who is mentioned in a comment: members of the workspace, by "@" and their names.

/** @typedef {{ id: string, name: string, email?: string }} Named a member, by the name that a comment has */

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

// isShared reports whether several members have a name.
/** @param {string} name @param {Named[]} members */
export const isShared = (name, members) => members.filter((m) => m.name === name).length > 1;

// mentionedIn returns the ids of the members whose names a text has after "@". Of members with the same name,
// it is those who were chosen last, as often as the text has the name. It throws if nobody was.
/** @param {string} text @param {Named[]} members @param {string[]} [chosen] ids, the last one chosen last */
export function mentionedIn(text, members, chosen = []) {
  const names = partsOf(text, members).flatMap((part) => (typeof part === 'string' ? [] : [part.name]));
  const ids = [...new Set(names)].flatMap((name) => {
    const same = members.filter((m) => m.name === name).map(({ id }) => id);
    if (same.length === 1) return same;
    const times = names.filter((one) => one === name).length;
    const meant = chosen.filter((id) => same.includes(id)).slice(-times);
    if (meant.length === 0)
      throw new Error(`Several members are called ${name}. Type @ and choose who is meant.`);
    return meant;
  });
  return [...new Set(ids)];
}

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
