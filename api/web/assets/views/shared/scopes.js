// What apps and personal access tokens may do, in words.

/** @typedef {{ may: string, short: string }} Words */

// Of apps, which have the tools for assistants only.
/** @type {Record<string, Words>} */
export const ofApps = {
  'research:read': {
    may: 'Read the interviews, hypotheses and evidence of all your workspaces',
    short: 'reads',
  },
  'research:write': { may: 'Add hypotheses, questions and evidence', short: 'adds' },
  'research:ask': { may: 'Ask questions of your interviews, which costs money', short: 'asks questions' },
  email: { may: 'See your e-mail address', short: 'sees your e-mail address' },
};

// mayOf returns what each scope allows to an app, and a scope without words as it is.
/** @param {string[]} scopes */
export const mayOf = (scopes) => scopes.map((scope) => ofApps[scope]?.may ?? scope);

// shortOf returns in a few words what each scope allows to apps, or to tokens.
/** @param {string[]} scopes @param {Record<string, Words>} words */
export const shortOf = (scopes, words) => scopes.map((scope) => words[scope]?.short ?? scope).join(', ');

// Of personal access tokens, which work at the whole API.
/** @type {Record<string, Words>} */
export const ofTokens = {
  'research:read': { may: 'Read what you can read', short: 'reads' },
  'research:write': { may: 'Add, change, analyse and delete what you can', short: 'changes' },
  'research:ask': { may: 'Ask questions of your interviews, which costs money', short: 'asks' },
};

const MOST = 100; // characters of a name

// nameOf returns the name that an app gives itself, on one line, without invisible characters.
/** @param {string} name */
export const nameOf = (name) => {
  const plain = [...name.replace(/[\p{C}\s]+/gu, ' ').trim()];
  return plain.length > MOST
    ? plain.slice(0, MOST).join('') + '…'
    : plain.join('') || 'An app without a name';
};
