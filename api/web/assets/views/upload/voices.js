// Who speaks in a file that is being imported: the names and roles that the user gives to its speakers.

/** @typedef {UploadItem} Item */

// suggested marks the speakers who are interviewers by their label, or in other interviews.
/** @param {DryRun} found @param {Set<string>} asking */
export const suggested = (found, asking) =>
  Object.fromEntries(
    found.speakerShares
      .filter(({ speaker, role }) => role === 'interviewer' || asking.has(speaker.toLowerCase()))
      .map(({ speaker }) => [speaker, true]),
  );

// nameOf returns the name that a speaker is going to have.
/** @param {Item} item @param {string} label */
export const nameOf = (item, label) => item.names[label]?.trim() || label;

// people groups the speakers of a file: those with the same name are one person. It returns the labels of
// each name.
/** @param {Item} item */
export function people(item) {
  /** @type {Map<string, string[]>} */
  const groups = new Map();
  for (const { speaker } of item.read?.speakerShares ?? []) {
    const key = nameOf(item, speaker).toLowerCase();
    groups.set(key, [...(groups.get(key) ?? []), speaker]);
  }
  return [...groups.values()];
}

// asksIn reports whether the person with these labels is an interviewer.
/** @param {Item} item @param {string[]} labels */
export const asksIn = (item, labels) => labels.some((label) => item.asks[label]);

// choicesOf returns the field speakers of an upload: the names and roles that differ from those that the
// service takes from the file.
/** @param {Item} item */
export function choicesOf(item) {
  /** @type {Record<string, { rename?: string, role?: string }>} */
  const choices = {};
  const roles = new Map(item.read?.speakerShares.map(({ speaker, role }) => [speaker, role]));
  for (const labels of people(item)) {
    const name = nameOf(item, labels[0]);
    const role = asksIn(item, labels) ? 'interviewer' : 'participant';
    for (const label of labels) {
      const choice = {
        ...(name !== label && { rename: name }),
        ...(name && (role !== roles.get(label) || name !== label) && { role }),
      };
      if (Object.keys(choice).length > 0) choices[label] = choice;
    }
  }
  return choices;
}
