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
      select: 'import_id,speaker,display_name,role,participant_id,participants(name),imports(title)',
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

// people returns the participants of a project. The value of each hypothesis in of has the number of those
// who were asked, and of each stance, and the participants: [{key, name, filter, stance, supports,
// contradicts, neutral}]. Their filter finds their quotes on the board. Somebody in interviews that were not
// checked for a hypothesis is unread. nameOf returns the name of the speaker of a quote.
/** @param {string} projectId @param {Hypothesis[]} hypotheses @param {AbortSignal} [signal] */
export async function people(projectId, hypotheses, signal) {
  const inProject = { project_id: `eq.${projectId}` };
  const [stances, voices] = await Promise.all([
    list(
      'hypothesis_participants',
      {
        ...inProject,
        select: 'hypothesis_id,participant_id,import_id,name,supports,contradicts,neutral,stance',
        order: 'hypothesis_id,participant_id,import_id,name',
      },
      { signal },
    ),
    speakers(inProject, signal),
  ]);

  const names = /** @type {Map<string, string>} */ (new Map());
  const everybody = /** @type {Map<string, Pick<Participant, 'key' | 'name' | 'filter'>>} */ (new Map());
  for (const s of voices) {
    const { name } = s;
    names.set(`${s.import_id} ${s.speaker}`, name);
    if (s.role !== 'participant') continue;
    const key = keyOf(s);
    const filter = { ...(name && { speaker: name }), ...(!s.participant_id && { import: s.import_id }) };
    everybody.set(key, { key, name: name || s.imports.title, filter });
  }

  const said = new Map(stances.map((s) => [`${s.hypothesis_id} ${keyOf(s)}`, s]));
  const of = /** @type {Map<string, People>} */ (new Map());
  for (const h of hypotheses) {
    const participants = [...everybody.values()].map((person) => {
      const { stance, supports, contradicts, neutral } = said.get(`${h.id} ${person.key}`) ?? unread;
      return { ...person, stance, supports, contradicts, neutral };
    });
    participants.sort((a, b) => rank[a.stance] - rank[b.stance] || a.name.localeCompare(b.name));
    of.set(h.id, summary(participants));
  }
  return {
    of,
    nameOf: (/** @type {EvidenceRow} */ e) => names.get(`${e.import_id} ${e.speaker}`) ?? e.speaker,
  };
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

/** @param {Participant[]} participants @returns {People} */
function summary(participants) {
  const n = (/** @type {PersonStance} */ stance) => participants.filter((p) => p.stance === stance).length;
  return {
    participants,
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
export const noBalance = { supports: 0, contradicts: 0, neutral: 0, suggested: 0, rejected: 0 };
