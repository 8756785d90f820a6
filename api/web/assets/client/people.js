// The people behind the evidence: who supports a hypothesis, who contradicts it, and who says nothing about
// it.
import { list, rpc } from './api.js';

/** @type {Record<PersonStance, number>} */
const rank = { contradicts: 1, mixed: 2, supports: 0, neutral: 3, silent: 4, unmatched: 5, unread: 6 };

// A person is a participant, or else the speakers of an interview with one name.
/** @param {{ participant_id: string | null, import_id: string, name: string }} row */
const keyOf = ({ participant_id: participantId, import_id: importId, name }) =>
  participantId ?? `${importId} ${name}`;

// speakers returns the speakers of imports, with the name of the person.
/** @param {Filter} filter @param {AbortSignal} [signal] @returns {Promise<Voice[]>} */
export async function speakers(filter, signal) {
  const rows = await list(
    'import_speakers',
    {
      ...filter,
      select:
        'import_id,speaker,display_name,role,participant_id,participants(name),' +
        'imports(title,language,created_at)',
      order: 'import_id,speaker',
    },
    { signal },
  );
  return rows.map((s) => ({ ...s, name: s.participants?.name ?? s.display_name }));
}

// interviewers returns a function that reports whether the speaker of a quote is an interviewer.
/** @param {string} projectId @param {AbortSignal} [signal] */
export async function interviewers(projectId, signal) {
  const rows = await list(
    'import_speakers',
    {
      project_id: `eq.${projectId}`,
      role: 'eq.interviewer',
      select: 'import_id,speaker',
      order: 'import_id,speaker',
    },
    { signal },
  );
  const all = new Set(rows.map((s) => `${s.import_id} ${s.speaker}`));
  return (/** @type {EvidenceRow} */ e) => all.has(`${e.import_id} ${e.speaker}`);
}

// everyone returns the participants of a project by their keys. The filter of a participant finds their
// quotes on the board. nameOf and personOf return who speaks in a quote, and asks whether it is an
// interviewer.
/** @param {string} projectId @param {AbortSignal} [signal] */
export async function everyone(projectId, signal) {
  const [voices, all] = await Promise.all([
    speakers({ project_id: `eq.${projectId}` }, signal),
    rpc('project_people', { project: projectId }, { signal }),
  ]);

  const names = /** @type {Map<string, string>} */ (new Map());
  const asking = /** @type {Set<string>} */ (new Set());
  const keys = /** @type {Map<string, string>} */ (new Map()); // of people, by speaker
  const voiceOf = /** @type {Map<string, Voice>} */ (new Map()); // the first of each person
  const uploaded = (/** @type {Voice} */ s) => s.imports?.created_at ?? '';
  for (const s of voices.toSorted((a, b) => uploaded(a).localeCompare(uploaded(b)))) {
    names.set(`${s.import_id} ${s.speaker}`, s.name);
    if (s.role === 'interviewer') asking.add(`${s.import_id} ${s.speaker}`);
    if (s.role !== 'participant') continue;
    const key = keyOf(s);
    keys.set(`${s.import_id} ${s.speaker}`, key);
    if (!voiceOf.has(key)) voiceOf.set(key, s);
  }
  const everybody = /** @type {Map<string, Person>} */ (new Map());
  const named = all.filter(({ participant_id: id }) => id).map(({ name }) => name);
  for (const { participant_id: id, import_id: importId, name, persona_id: personaId, attributes } of all) {
    const key = keyOf({ participant_id: id, import_id: importId, name });
    const voice = voiceOf.get(key);
    const shared = id && named.indexOf(name) !== named.lastIndexOf(name);
    const filter = {
      ...(name && { speaker: name }),
      ...(!id && { import: importId }),
      ...(shared && { person: id }),
    };
    everybody.set(key, {
      key,
      name: name || (voice?.imports.title ?? ''),
      filter,
      personaId,
      attributes,
      language: voice?.imports.language ?? '',
      interview: voice?.imports.title ?? '',
    });
  }

  /** @param {EvidenceRow} e */
  const place = (e) => `${e.import_id} ${e.speaker}`;
  return {
    everybody,
    nameOf: (/** @type {EvidenceRow} */ e) => names.get(place(e)) ?? e.speaker,
    personOf: (/** @type {EvidenceRow} */ e) => everybody.get(keys.get(place(e)) ?? ''),
    asks: (/** @type {EvidenceRow} */ e) => asking.has(place(e)),
  };
}

// people returns everyone of a project, and of has the answer to each hypothesis, which only the people count
// for whom it is about. Somebody in interviews that were not checked for a hypothesis is unread.
/** @param {string} projectId @param {Hypothesis[]} hypotheses @param {AbortSignal} [signal] */
export async function people(projectId, hypotheses, signal) {
  const [stances, who] = await Promise.all([
    list(
      'hypothesis_participants',
      {
        project_id: `eq.${projectId}`,
        select: 'hypothesis_id,participant_id,import_id,name,supports,contradicts,neutral,stance',
        order: 'hypothesis_id,participant_id,import_id,name',
      },
      { signal },
    ),
    everyone(projectId, signal),
  ]);
  const said = new Map(stances.map((s) => [`${s.hypothesis_id} ${keyOf(s)}`, s]));
  const of = /** @type {Map<string, People>} */ (new Map());
  for (const h of hypotheses) {
    const all = [...who.everybody.values()].map((person) => {
      const { stance, supports, contradicts, neutral } = said.get(`${h.id} ${person.key}`) ?? unread;
      return { ...person, stance, supports, contradicts, neutral };
    });
    all.sort((a, b) => rank[a.stance] - rank[b.stance] || a.name.localeCompare(b.name));
    of.set(
      h.id,
      answer(all, (p) => !h.persona_id || (p.personaId ?? h.persona_id) === h.persona_id),
    );
  }
  return { ...who, of };
}

/** @type {Pick<Participant, 'stance' | 'supports' | 'contradicts' | 'neutral'>} */
const unread = { stance: 'unread', supports: 0, contradicts: 0, neutral: 0 };

// counts returns how many people were asked about each hypothesis of a project, and how many of them support
// and contradict it.
/** @param {string} projectId @param {AbortSignal} [signal] */
export const counts = async (projectId, signal) =>
  new Map(
    (
      await list(
        'hypothesis_people',
        {
          project_id: `eq.${projectId}`,
          select: 'hypothesis_id,asked:participants,supporting,contradicting,unmatched',
          order: 'hypothesis_id',
        },
        { signal },
      )
    ).map((row) => [row.hypothesis_id, row]),
  );

// answer counts the people who pass a test.
/** @param {Participant[]} everyone @param {(person: Participant) => boolean} test @returns {People} */
export function answer(everyone, test) {
  const participants = everyone.filter(test);
  const n = (/** @type {PersonStance} */ stance) => participants.filter((p) => p.stance === stance).length;
  return {
    everyone,
    participants,
    others: everyone.length - participants.length,
    asked: participants.length - n('unread'),
    supporting: n('supports'),
    contradicting: n('contradicts'),
    mixed: n('mixed'),
    neutral: n('neutral'),
    silent: n('silent'),
    unmatched: n('unmatched'),
    unread: n('unread'),
  };
}

// balances returns how many quotes support and contradict each hypothesis of a project. A hypothesis without
// quotes has noBalance.
/** @param {string} projectId @param {AbortSignal} [signal] @returns {Promise<Map<string, Balance>>} */
export const balances = async (projectId, signal) =>
  new Map(
    (await rpc('hypothesis_balances', { project: projectId }, { signal })).map((b) => [b.hypothesis_id, b]),
  );
/** @type {Balance} */
export const noBalance = { supports: 0, contradicts: 0, neutral: 0, suggested: 0, rejected: 0, accepted: 0 };
