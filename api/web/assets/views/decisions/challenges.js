// Decisions that people have spoken against since they were made.
import { html, useEffect, useState } from '../../page/html.js';
import { list, rpc } from '../../client/api.js';
import { later } from '../../page/later.js';
import { session } from '../../client/session.js';
import { usePoll } from '../../page/load.js';
import { problem, toast } from '../../page/messages.js';
import { count, date, hypothesisStatus } from '../../page/words.js';

const DecideAgain = later(async () => (await import('./again.js')).DecideAgain);

const IDLE_MS = 20_000; // without a stream of events

/** @typedef {Map<string, Challenge>} Challenges by the ids of hypotheses */
/** @type {Challenges} */
const none = new Map();

// The events after which other people may speak against a decision.
const changing = /^(evidence|import|hypothesis)\./;

/** @param {Hypothesis} h */
const decided = (h) => h.status === 'validated' || h.status === 'invalidated';

// decidersOf returns who made decisions that are challenged.
/** @param {Challenge[]} challenges @param {AbortSignal} signal */
async function decidersOf(challenges, signal) {
  if (challenges.length === 0) return new Map();
  const decisions = await list(
    'hypothesis_decisions',
    {
      id: `in.(${challenges.map((one) => one.decision_id).join()})`,
      select: 'id,profiles(id,display_name)',
      order: 'id',
    },
    { signal },
  );
  return new Map(decisions.map((one) => [one.id, one.profiles]));
}

// useChallenges follows the challenges of a project; look asks at once.
/** @param {Context} context */
export function useChallenges({ id, hypotheses }) {
  const [of, setOf] = useState(none);
  const [nudge, setNudge] = useState(0);
  const verdicts = hypotheses.map((h) => `${h.status} ${h.decided_at} ${h.reopen_after}`).join();
  usePoll(
    async (signal) => {
      if (!hypotheses.some(decided)) return setOf(none);
      const rows = await list(
        'hypothesis_challenges',
        {
          project_id: `eq.${id}`,
          select:
            'hypothesis_id,decision_id,status,decided_at,falsified_if,reopen_after,against,reopened,' +
            'evidence_ids',
          order: 'hypothesis_id',
        },
        { signal },
      );
      const deciders = await decidersOf(rows, signal);
      setOf(
        new Map(rows.map((row) => [row.hypothesis_id, { ...row, decider: deciders.get(row.decision_id) }])),
      );
    },
    () => (hypotheses.some(decided) ? IDLE_MS : 0),
    [id, verdicts, nudge],
    {
      path: '/api/events',
      about: (event) => changing.test(event.type) && event.data.data.projectId === id,
    },
  );
  return { of, look: () => setNudge((n) => n + 1) };
}

// challengeText is "3 people have contradicted this since you decided".
/** @param {Pick<Challenge, 'status' | 'against' | 'decider'>} challenge */
const challengeText = ({ status, against, decider }) =>
  `${count(against, 'person', 'people')} ${against === 1 ? 'has' : 'have'} ` +
  `${status === 'validated' ? 'contradicted' : 'supported'} this since ${sinceText(decider)}`;

/** @param {Challenge['decider']} decider */
function sinceText(decider) {
  if (!decider) return 'the decision'; // whose account is gone
  return decider.id === session.get().user?.id
    ? 'you decided'
    : `${decider.display_name || 'somebody'} decided`;
}

// sinceHref leads to what people have said against a decision since.
/** @param {string} project @param {string} hypothesis */
const sinceHref = (project, hypothesis) => `/projects/${project}/evidence?h=${hypothesis}&since=decision`;

// Challenged says that people have spoken against a decision, on the board and in lists; look runs when that
// may have changed. A decision that is open again stands out.
/**
 * @param {object} props
 * @param {Context} props.context
 * @param {Hypothesis} props.hypothesis
 * @param {Challenge | undefined} props.challenge
 * @param {() => void} props.look
 */
export function Challenged({ context, hypothesis: h, challenge, look }) {
  const [again, setAgain] = useState(false);
  const [busy, setBusy] = useState(false);
  async function keep() {
    setBusy(true);
    try {
      await rpc('confirm_decision', { hypothesis: h.id });
      toast(`The verdict “${hypothesisStatus[h.status]}” is confirmed with what is known now.`);
      context.reload();
      look();
    } catch (error) {
      problem(error);
    }
    setBusy(false);
  }
  // The dialog stays while somebody decides, whatever becomes of the challenge meanwhile.
  return html`
    ${
      challenge?.status === h.status &&
      html`
        <${Notice} ...${{ context, challenge, busy }} onAgain=${() => setAgain(true)} onKeep=${keep} />
      `
    }
    ${
      again &&
      html`
        <${DecideAgain} context=${context} hypothesis=${h} onDone=${look} onClose=${() => setAgain(false)} />
      `
    }
  `;
}

/**
 * @param {object} props
 * @param {Context} props.context
 * @param {Challenge} props.challenge
 * @param {boolean} props.busy
 * @param {() => void} props.onAgain
 * @param {() => void} props.onKeep
 */
function Notice({ context, challenge, busy, onAgain, onKeep }) {
  const { hypothesis_id: id, reopened, decided_at: at, falsified_if: wrong } = challenge;
  return html`
    <div class=${reopened ? 'challenge reopened' : 'challenge'}>
      <p>
        ${
          reopened &&
          html`
            <b>Open again:</b>
            ${' '}
          `
        }
        <span title=${`Decided on ${date(at)}`} dir="auto">${challengeText(challenge)}</span>
        ${
          reopened &&
          wrong &&
          html`
            ${' · wrong if: '}
            <span dir="auto">${wrong}</span>
          `
        }
      </p>
      <p class="do">
        <a href=${sinceHref(context.id, id)}>Look at what they said</a>
        ${
          context.canEdit &&
          html`
            <button class="link" onClick=${onAgain}>Decide again</button>
            <button class="link" disabled=${busy} onClick=${onKeep}>Keep the verdict</button>
          `
        }
      </p>
    </div>
  `;
}

// InList calls onMarks with what the rows of the list of hypotheses say about the decisions; it shows nothing
// itself.
/** @param {{ context: Context, onMarks: (marks: { of: (h: Hypothesis) => Children }) => void }} props */
export function InList({ context, onMarks }) {
  const { of, look } = useChallenges(context);
  const mark = (/** @type {Hypothesis} */ h) => html`
    <${Challenged} context=${context} hypothesis=${h} challenge=${of.get(h.id)} look=${look} />
  `;
  useEffect(() => onMarks({ of: mark }), [of, context.hypotheses]);
  return null;
}
