// The line of time of a hypothesis: its interviews, analyses, judgements, verdicts and edits, newest first.
import { html } from '../../page/html.js';
import { list } from '../../client/api.js';
import { Dialog } from '../../page/dialog.js';
import { useLoad } from '../../page/load.js';
import { Waiting } from '../../page/ui.js';
import { count, date, hypothesisStatus, number } from '../../page/words.js';

const MOST = 500; // what the server returns

/** @typedef {{ happened: Happened[], names: Map<string, string>, titles: Map<string, string> }} History */

/** @param {(string | null)[]} ids */
const inList = (ids) => `in.(${[...new Set(ids)].filter((id) => id).join()})`;

// historyOf returns what happened to a hypothesis, with the names of people and the titles of interviews.
/** @param {string} hypothesis @param {AbortSignal} signal @returns {Promise<History>} */
async function historyOf(hypothesis, signal) {
  // Of the same moment, a judgement is below what it led to.
  const order = 'at.desc,kind.desc';
  const happened = await list('rpc/hypothesis_history', { hypothesis, order }, { signal });
  const [people, interviews] = await Promise.all([
    list(
      'profiles',
      { id: inList(happened.map((one) => one.actor_id)), select: 'id,display_name', order: 'id' },
      { signal },
    ),
    list(
      'imports',
      { id: inList(happened.map((one) => one.import_id)), select: 'id,title', order: 'id' },
      { signal },
    ),
  ]);
  return {
    happened,
    names: new Map(people.map((p) => [p.id, p.display_name])),
    titles: new Map(interviews.map((i) => [i.id, i.title])),
  };
}

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const day = new Intl.DateTimeFormat('sv'); // writes 2031-04-12

// What one person does on a day is said in one sentence, if it is of one of these kinds.
const together = ['interview', 'judgement'];
const marks = ['verdict', 'confirmed', 'reopened', 'edited'];

// grouped returns what happened by day, newest first. What was done before a mark stays below it.
/** @param {Happened[]} happened newest first @returns {Map<string, Happened[][]>} */
function grouped(happened) {
  const days = /** @type {Map<string, Happened[][]>} */ (new Map());
  for (const one of happened) {
    const key = day.format(new Date(one.at));
    const groups = days.get(key) ?? [];
    days.set(key, groups);
    const since = groups.findLastIndex(([first]) => marks.includes(first.kind)) + 1;
    const same = groups
      .slice(since)
      .find(
        ([first]) =>
          together.includes(one.kind) && first.kind === one.kind && first.actor_id === one.actor_id,
      );
    if (same) same.push(one);
    else groups.push([one]);
  }
  return days;
}

/** @type {Record<string, string>} */
const judged = {
  accepted: 'accepted',
  rejected: 'rejected',
  suggested: 'took back',
  linked: 'added',
  unlinked: 'took out',
  stance_changed: 'changed the stance of',
};

// verbOf tells a quote that somebody linked with the hypothesis from one whose stance was changed.
/** @param {Happened['detail']} detail */
function verbOf({ verb, from, to }) {
  if (verb !== 'stance_changed') return verb;
  if (!from) return 'linked';
  return to ? verb : 'unlinked';
}

// judgedText is "accepted 5, rejected 2 quotes".
/** @param {Happened[]} group */
function judgedText(group) {
  const verbs = group.map(({ detail }) => verbOf(detail));
  const parts = Object.keys(judged)
    .map((verb) => ({ verb, n: verbs.filter((one) => one === verb).length }))
    .filter(({ n }) => n > 0);
  return parts
    .map(({ verb, n }, i) => {
      const many = i === parts.length - 1 ? count(n, 'quote') : number(n);
      return `${judged[verb]} ${many}`;
    })
    .join(', ');
}

// LineOfTime is the dialog with what happened to a hypothesis, by day.
/** @param {{ context: Context, hypothesis: Hypothesis, onClose: () => void }} props */
export function LineOfTime({ hypothesis, onClose }) {
  const loaded = useLoad((signal) => historyOf(hypothesis.id, signal), [hypothesis.id]);
  const history = loaded.data;
  return html`
    <${Dialog} title="History" onClose=${onClose} wide>
      <p class="quote-like" dir="auto">${hypothesis.statement}</p>
      <${Waiting} for=${loaded} />
      ${
        history?.happened.length === 0 &&
        html`
          <p class="faint">Nothing has happened to it yet.</p>
        `
      }
      ${
        history &&
        html`
          <div class="line-of-time">
            ${[...grouped(history.happened)].map(
              ([at, groups]) => html`
                <section key=${at} aria-label=${date(at)}>
                  <h3>${date(at)}</h3>
                  <ol>
                    ${groups.map(
                      (group, i) => html`
                        <${Entry} key=${i} group=${group} history=${history} />
                      `,
                    )}
                  </ol>
                </section>
              `,
            )}
          </div>
        `
      }
      ${
        history &&
        history.happened.length >= MOST &&
        html`
          <p class="faint">${`Only the latest ${MOST} are listed.`}</p>
        `
      }
    <//>
  `;
}

/** @param {{ group: Happened[], history: History }} props */
function Entry({ group, history: { names, titles } }) {
  const [one] = group;
  const who = (one.actor_id && names.get(one.actor_id)) || 'Somebody';
  const said = sentences[one.kind]?.(group, who);
  if (!said) return null;
  const interviews = one.kind === 'interview' || one.kind === 'analysis' ? group : [];
  return html`
    <li class=${one.kind}>
      <time datetime=${one.at}>${clock.format(new Date(one.at))}</time>
      <p dir="auto">
        <span>${said}</span>
        ${interviews.map(
          ({ import_id: id }, i) => html`
            ${i === 0 ? ': ' : ', '}
            <a key=${id} href=${`/imports/${id}`}>${(id && titles.get(id)) || 'an interview'}</a>
          `,
        )}
      </p>
      ${
        one.detail.reason &&
        html`
          <p class="faint" dir="auto">${one.detail.reason}</p>
        `
      }
    </li>
  `;
}

// analysisText is "An analysis by a model found 3 new quotes, changed 1".
/** @param {Happened['detail']} detail */
function analysisText({ status, extractor, model, added, changed, gone }) {
  const by = extractor === 'keyword' ? 'Keyword matching' : `An analysis${model ? ` by ${model}` : ''}`;
  if (status !== 'parsed') return `${by} ended without an answer`;
  const found = [
    added > 0 && `found ${count(added, 'new quote')}`,
    changed > 0 && `changed ${number(changed)}`,
    gone > 0 && `no longer found ${number(gone)}`,
  ].filter(Boolean);
  return `${by} ${found.join(', ') || 'changed nothing here'}`;
}

/** @param {Happened['detail']} detail */
const verdictOf = ({ status }) => hypothesisStatus[/** @type {Verdict} */ (status)] ?? '';

/** @type {Record<string, string>} */
const edited = { statement: 'the statement', falsified_if: '“Wrong if”' };

/** @param {Happened['detail']} detail */
const editedText = ({ changed }) =>
  (changed ?? [])
    .filter((/** @type {string} */ column) => column in edited)
    .map((/** @type {string} */ column) => edited[column])
    .join(' and ');

// What is said of each kind: of a group of the same kind, and who did it.
/** @type {Record<Happened['kind'], (group: Happened[], who: string) => string>} */
const sentences = {
  interview: (group, who) => `${who} added ${count(group.length, 'interview')}`,
  analysis: ([{ detail }]) => analysisText(detail),
  judgement: (group, who) => `${who} ${judgedText(group)}`,
  verdict: ([{ detail }], who) => `${who} decided: ${verdictOf(detail)}`,
  confirmed: ([{ detail }], who) => `${who} confirmed the verdict: ${verdictOf(detail)}`,
  reopened: ([{ detail }]) =>
    `Open again: by then, ${count(detail.against, 'person', 'people')} had spoken against the verdict`,
  edited: ([{ detail }], who) => `${who} edited ${editedText(detail)}`,
};
