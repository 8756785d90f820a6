// What a person decides about the speakers of a file, and what there is to ask.

/** @typedef {{ kind: 'person' | 'nobody' | 'same', of: string }} Answer of: whom a label is the same as */
/** @typedef {FoundLabel & { asked: FoundLabel['kind'] }} AskedLabel asked: as it was read at first */
/**
 * @typedef {object} Inventory what is asked about a file
 * @property {AskedLabel[]} doubtful in the order in which they are asked
 * @property {FoundLabel[]} certain
 * @property {UnlabelledLines | null} unlabelled
 * @property {boolean} asksUnlabelled
 * @property {FileReading['edges']} edges
 */

// DOUBTFUL is the doubt from which something is asked: turns below a confidence of 0.9 are doubtful.
const DOUBTFUL = 0.1;

// inventoryOf returns what is asked about a file. What was asked before stays, in its order, so that nothing
// moves while it is answered.
/** @param {FileReading} reading @param {Inventory | null} before @returns {Inventory} */
export function inventoryOf({ labels, unlabelled, edges }, before) {
  const now = new Map(labels.map((one) => [one.label, one]));
  const asked = (before?.doubtful ?? []).map((one) => ({ ...one, ...now.get(one.label) }));
  const known = new Set(asked.map(({ label }) => label));
  const more = labels
    .filter(({ label, doubt, note }) => (note || doubt >= DOUBTFUL) && !known.has(label))
    .sort((a, b) => b.doubt - a.doubt)
    .map((one) => ({ ...one, asked: one.kind }));
  for (const { label } of more) known.add(label);
  return {
    doubtful: [...asked, ...more],
    certain: labels.filter(({ label }) => !known.has(label)),
    unlabelled: unlabelled ?? before?.unlabelled ?? null,
    asksUnlabelled: (before?.asksUnlabelled ?? false) || (unlabelled?.doubt ?? 0) >= DOUBTFUL,
    edges: before?.edges ?? edges, // all lines, although some are no longer read
  };
}

// asks reports whether something was doubtful.
/** @param {Inventory} inventory */
export const asks = ({ doubtful, asksUnlabelled }) => doubtful.length > 0 || asksUnlabelled;

/** @param {Inventory} inventory */
const labelsOf = ({ doubtful, certain }) => [...doubtful, ...certain];

// decidedFor returns what was decided about a label, or null.
/** @param {Decision} decided @param {string} label @returns {Answer | null} */
export function decidedFor({ people, nobody, same }, label) {
  if (nobody?.includes(label)) return { kind: 'nobody', of: '' };
  if (same?.[label]) return { kind: 'same', of: same[label] };
  return people?.includes(label) ? { kind: 'person', of: '' } : null;
}

// answerFor returns what a label is: as it was decided, or else as it is read.
/** @param {Decision} decided @param {FoundLabel} found @returns {Answer} */
export const answerFor = (decided, { label, kind, same }) =>
  decidedFor(decided, label) ?? (same ? { kind: 'same', of: same } : { kind, of: '' });

// personsIn returns the labels that are people of their own.
/** @param {Decision} decided @param {Inventory} inventory */
export const personsIn = (decided, inventory) =>
  labelsOf(inventory)
    .filter((one) => answerFor(decided, one).kind === 'person')
    .sort((a, b) => b.share - a.share)
    .map(({ label }) => label);

// withLabel decides about a label. Those that were the same person as one who is nobody are no longer.
/** @param {Decision} decided @param {string} label @param {Answer} answer @returns {Decision} */
export function withLabel(decided, label, { kind, of }) {
  const without = (/** @type {string[] | undefined} */ all) => (all ?? []).filter((one) => one !== label);
  const same = Object.entries(decided.same ?? {}).filter(
    ([one, as]) => one !== label && (kind === 'person' || as !== label),
  );
  return {
    ...decided,
    people: kind === 'person' ? [...without(decided.people), label] : without(decided.people),
    nobody: kind === 'nobody' ? [...without(decided.nobody), label] : without(decided.nobody),
    same: Object.fromEntries(kind === 'same' ? [...same, [label, of]] : same),
  };
}

const MOST_LETTERS = 4000; // of the labels in a decision, which has at most 16 KB

// asRead decides that everything is as it is read. Of very many labels, the doubtful ones come first.
/** @param {Decision} decided @param {Inventory} inventory @returns {Decision} */
export function asRead(decided, inventory) {
  let all = decided;
  let letters = 0;
  for (const one of labelsOf(inventory)) {
    letters += one.label.length;
    if (letters > MOST_LETTERS) break;
    all = withLabel(all, one.label, answerFor(decided, one));
  }
  const { unlabelled } = inventory;
  return unlabelled ? { ...all, unlabelled: decided.unlabelled ?? unlabelled.speaker } : all;
}

// likeliest returns whom a label is likely to be the same person as: who has the same beginning, or else who
// says most.
/** @param {string} label @param {string[]} persons those who say most first */
export function likeliest(label, persons) {
  const letters = (/** @type {string} */ text) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
  const mine = letters(label);
  const others = persons.filter((one) => one !== label);
  return (
    others.find((one) => {
      const its = letters(one);
      return mine && its && (mine.startsWith(its) || its.startsWith(mine));
    }) ??
    others.at(0) ??
    ''
  );
}

// settled returns a decision by which a doubtful turn is said by one of its two possible speakers, or null if
// no label decides about it. It decides about all turns like it.
/**
 * @param {Decision} decided
 * @param {Inventory} inventory
 * @param {DoubtfulTurn} turn
 * @param {string} speaker
 */
export function settled(decided, inventory, turn, speaker) {
  const find = (/** @type {string} */ label) => inventory.doubtful.find((one) => one.label === label);
  const [now, other] = [find(turn.speaker), find(turn.other)];
  const keeps = speaker === turn.speaker;
  const person = /** @type {Answer} */ ({ kind: 'person', of: '' });
  const nobody = /** @type {Answer} */ ({ kind: 'nobody', of: '' });
  if (other && answerFor(decided, other).kind === 'nobody')
    return withLabel(decided, other.label, keeps ? nobody : person);
  if (now) return withLabel(decided, now.label, keeps ? person : nobody);
  return inventory.unlabelled ? { ...decided, unlabelled: speaker } : null;
}

// withoutRemembered returns what was decided about a file itself, without the answers of earlier files, which
// hold unless something else is decided.
/** @param {FileReading} reading @returns {Decision} */
export function withoutRemembered({ decided, remembered, rememberedUnlabelled }) {
  const own = (/** @type {string} */ label) => !remembered.includes(label);
  return {
    ...decided,
    people: decided.people?.filter(own),
    nobody: decided.nobody?.filter(own),
    same: Object.fromEntries(Object.entries(decided.same ?? {}).filter(([label]) => own(label))),
    unlabelled: rememberedUnlabelled ? undefined : decided.unlabelled,
  };
}

// isEmpty reports whether nothing was decided.
/** @param {Decision} decided */
export const isEmpty = ({ people, nobody, same, unlabelled, from, to }) =>
  !people?.length &&
  !nobody?.length &&
  Object.keys(same ?? {}).length === 0 &&
  unlabelled === undefined &&
  !from &&
  !to;

// alsoFor returns what was decided about one file for another one with the same labels, which has inventory:
// its own decisions stay, and where an interview begins and ends is not taken over.
/**
 * @param {Decision} own
 * @param {Inventory} inventory
 * @param {Decision} other
 * @param {Inventory} otherInventory
 */
export function alsoFor(own, inventory, other, otherInventory) {
  let all = own;
  const here = new Set(labelsOf(inventory).map(({ label }) => label));
  for (const label of here) {
    const answer = decidedFor(other, label);
    if (answer && !decidedFor(own, label) && (!answer.of || here.has(answer.of)))
      all = withLabel(all, label, answer);
  }
  const { unlabelled } = inventory;
  if (
    unlabelled &&
    own.unlabelled === undefined &&
    other.unlabelled !== undefined &&
    unlabelled.in === otherInventory.unlabelled?.in
  )
    all = { ...all, unlabelled: other.unlabelled };
  return all;
}
