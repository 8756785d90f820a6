// Who speaks in a file that is being imported: the names and roles that the user gives to its speakers.

/** @typedef {UploadItem} Item */

// knownOf returns the interviewers and the people among the speakers of interviews, by their names in lower
// case.
/** @param {Voice[]} all @returns {KnownSpeakers} */
export function knownOf(all) {
  const asking = new Set();
  /** @type {Map<string, KnownPerson>} */
  const people = new Map();
  for (const { role, name, participant_id: id, import_id: importId, imports } of all) {
    if (role === 'interviewer') asking.add(name.toLowerCase());
    if (role !== 'participant' || !id) continue;
    const person = people.get(id) ?? { id, name: name.toLowerCase(), interviews: [] };
    person.interviews.push({ id: importId, title: imports.title });
    people.set(id, person);
  }
  return { asking, people: [...people.values()] };
}

// namesakes returns the people of other interviews with the name of a person in a file. They may be one.
/** @param {Item} item @param {string[]} labels those of the person */
export function namesakes(item, labels) {
  if (asksIn(item, labels)) return [];
  const name = nameOf(item, labels[0]).toLowerCase();
  const replaced = item.answer === 'replace' ? item.duplicate?.id : undefined;
  return item.others.filter((p) => p.name === name && p.interviews.some(({ id }) => id !== replaced));
}

// suggested marks the speakers who are interviewers by their label, because they ask the questions, or in
// other interviews.
/** @param {DryRun} found @param {Set<string>} asking */
export const suggested = (found, asking) =>
  Object.fromEntries(
    found.speakerShares
      .filter(
        ({ speaker, role }) =>
          role === 'interviewer' || proposes(found, speaker) || asking.has(speaker.toLowerCase()),
      )
      .map(({ speaker }) => [speaker, true]),
  );

// proposes reports whether a speaker is taken for the interviewer because of the questions.
/** @param {DryRun} found @param {string} speaker */
export const proposes = (found, speaker) => found.proposed.interviewers.includes(speaker);

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
// service takes from the file, and who is somebody of another interview.
/** @param {Item} item */
export function choicesOf(item) {
  /** @type {Record<string, { rename?: string, role?: string, participantId?: string }>} */
  const choices = {};
  const roles = new Map(item.read?.speakerShares.map(({ speaker, role }) => [speaker, role]));
  for (const labels of people(item)) {
    const name = nameOf(item, labels[0]);
    const role = asksIn(item, labels) ? 'interviewer' : 'participant';
    const same = role === 'participant' && item.same[name.toLowerCase()];
    for (const label of labels) {
      const choice = {
        ...(name !== label && { rename: name }),
        ...(same && { participantId: same }),
        ...(name && (role !== roles.get(label) || name !== label) && { role }),
      };
      if (Object.keys(choice).length > 0) choices[label] = choice;
    }
  }
  return choices;
}
