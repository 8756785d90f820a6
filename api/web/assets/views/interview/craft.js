// How an interview is led: who says how much, and what is asked, each with its places in the transcript.
import { html, useId, useState } from '../../page/html.js';
import { Waiting } from '../../page/ui.js';
import { count, number, percent } from '../../page/words.js';
import { duration } from '../shared/interviewwords.js';
import { usePrinting } from '../shared/printing.js';

const SPEAKERS = 12; // that are listed

/** @typedef {(ordinal: number, bytes?: ByteRange) => void} Go scrolls the transcript to a place */
/** @typedef {'all' | 'open' | 'closed' | 'past' | 'hypothetical' | 'leading'} Kind */

// The kinds of questions: what follows their number, and what they are.
/** @type {Record<Kind, { one: string, many: string, means: string }>} */
const kinds = {
  all: { one: 'question', many: 'questions', means: '' },
  open: { one: 'open', many: 'open', means: 'Open questions ask for an account: what, how, why.' },
  closed: { one: 'closed', many: 'closed', means: 'Yes, no or one of a few answers closed questions.' },
  past: { one: 'about the past', many: 'about the past', means: 'They ask what happened.' },
  hypothetical: {
    one: 'hypothetical',
    many: 'hypothetical',
    means:
      'They ask what would be. What the AI or keywords found in the answers is at most medium evidence. ' +
      'The Mom Test (R. Fitzpatrick): “Ask about specifics in the past instead of generics or opinions ' +
      'about the future.”',
  },
  leading: {
    one: 'leading',
    many: 'leading',
    means:
      'They suggest the answer. What the AI or keywords found in the answers is at most medium evidence.',
  },
};
const all = /** @type {Kind[]} */ (Object.keys(kinds));

/** @param {InterviewCraft} craft @param {InterviewCraft['speakers'][number]['role']} role */
const of = (craft, role) => craft.speakers.filter((s) => s.role === role);

// led says in a few words how an interview is led.
/** @param {InterviewCraft} craft */
function led(craft) {
  const { words, interviewerWords, language, questions, more } = craft;
  if (interviewerWords === null) return 'nobody is marked as interviewer';
  const by = of(craft, 'interviewer').length > 1 ? 'by interviewers' : 'by the interviewer';
  const share = `${percent(interviewerWords / words)} ${by}`;
  return language ? `${share}, ${count(questions.length, 'question')}${more ? ' and more' : ''}` : share;
}

// Craft shows how the interview with this id is led. onName, if any, asks who the speakers are.
/**
 * @param {object} props
 * @param {string} props.id
 * @param {Loaded<InterviewCraft>} props.craft
 * @param {NameOf} props.nameOf
 * @param {Go} props.onGo
 * @param {null | (() => void)} props.onName
 */
export function Craft({ id, craft: loaded, nameOf, onGo, onName }) {
  const [open, setOpen] = useState(false);
  const printing = usePrinting();
  const craft = loaded.data;
  if (craft?.words === 0) return null;
  /** @param {string} label */
  const name = (label) => nameOf(id, label);
  return html`
    <details class="craft" open=${open || printing}>
      <summary
        onClick=${(/** @type {Event} */ event) => {
          event.preventDefault(); // so that what is open on paper alone closes again
          setOpen(!open);
        }}
      >
        <h2>Who spoke, and what was asked</h2>
        ${
          craft &&
          html`
            <span class="faint">${led(craft)}</span>
          `
        }
      </summary>
      <${Waiting} for=${loaded} />
      ${
        craft &&
        html`
          <${Shares} craft=${craft} name=${name} onName=${onName} />
          <${Longest} craft=${craft} name=${name} onGo=${onGo} />
          <${Questions} craft=${craft} name=${name} onGo=${onGo} />
          <${Planned} craft=${craft} onGo=${onGo} />
        `
      }
    </details>
  `;
}

/** @typedef {(label: string) => string} Name */

/** @type {Record<SpeakerRow['role'], string>} */
const roles = { interviewer: 'interviewer', participant: '', other: 'neither asks nor is asked' };

// Shares are how much each speaker says. Words without a name are the rest.
/** @param {{ craft: InterviewCraft, name: Name, onName: null | (() => void) }} props */
function Shares({ craft, name, onName }) {
  const { words, interviewerWords, participantWords, speakers } = craft;
  const unnamed = words - speakers.reduce((sum, s) => sum + s.words, 0);
  const rows = speakers.slice(0, SPEAKERS).map((s) => ({
    name: name(s.speaker) || s.displayName || s.speaker,
    role: interviewerWords === null && s.role === 'participant' ? '' : roles[s.role],
    kind: s.role,
    share: s.words / words,
  }));
  if (unnamed > 0) rows.push({ name: 'Without a name', role: '', kind: 'other', share: unnamed / words });
  const rest = speakers.length - SPEAKERS;
  return html`
    <section class="shares">
      <h3>${`Of ${count(words, 'word')}`}</h3>
      <ul>
        ${rows.map(
          (s, i) => html`
            <li key=${i} class=${s.kind}>
              <span class="who">
                <span dir="auto">${s.name}</span>
                ${
                  s.role &&
                  html`
                    <span class="faint">${` ${s.role}`}</span>
                  `
                }
              </span>
              <span class="part">${s.share === 0 ? 'said nothing' : percent(s.share)}</span>
              <span class="bar" aria-hidden="true">
                <span style=${{ width: `${s.share * 100}%` }}></span>
              </span>
            </li>
          `,
        )}
      </ul>
      ${
        rest > 0 &&
        html`
          <p class="faint">${`and ${count(rest, 'speaker')} who said less`}</p>
        `
      }
      ${
        interviewerWords === null &&
        html`
          <p>
            Nobody is marked as interviewer, so there are no questions to count.
            ${
              onName &&
              html`
                ${' '}
                <button class="link" onClick=${onName}>Say who asks the questions</button>
              `
            }
          </p>
        `
      }
      ${
        interviewerWords !== null &&
        participantWords === null &&
        html`
          <p>
            Nobody is marked as a participant.
            ${
              onName &&
              html`
                ${' '}
                <button class="link" onClick=${onName}>Say who was interviewed</button>
              `
            }
          </p>
        `
      }
    </section>
  `;
}

// Longest is the longest stretch in which no participant speaks.
/** @param {{ craft: InterviewCraft, name: Name, onGo: Go }} props */
function Longest({ craft, name, onGo }) {
  const { longest } = craft;
  if (!longest || longest.words === 0) return null;
  const asked = of(craft, 'participant');
  const { from, to, words, ms } = longest;
  return html`
    <p class="longest">
      <button class="figure" onClick=${() => onGo(from)}>
        <b>${count(words, 'word')}${ms !== null && ms > 0 && `, ${duration(ms)}`}</b>
        <span dir="auto">
          ${` longest without ${asked.length === 1 ? name(asked[0].speaker) : 'a participant'}`}
        </span>
        <span class="faint">
          ${from === to ? ` turn ${number(from + 1)}` : ` turns ${number(from + 1)}–${number(to + 1)}`}
        </span>
      </button>
    </p>
  `;
}

// Questions are how many the interviewers asked of each kind. Each number lists its places.
/** @param {{ craft: InterviewCraft, name: Name, onGo: Go }} props */
function Questions({ craft, name, onGo }) {
  const id = useId();
  const [kind, setKind] = useState(/** @type {Kind | null} */ (null));
  const { language, questions, interviewerWords, more } = craft;
  if (!language)
    return html`
      <p class="faint">Questions are not recognised in this language; only shares are counted.</p>
    `;
  if (interviewerWords === null) return null;
  const several = of(craft, 'interviewer').length > 1;
  /** @param {Kind} k */
  const those = (k) => questions.filter((q) => k === 'all' || q[k]);
  return html`
    <section class="asked">
      <h3>What was asked</h3>
      <ul class="figures">
        ${all.map((k) => {
          const n = those(k).length;
          const text = html`
            <b>${number(n)}${more && '+'}</b>
            ${` ${n === 1 ? kinds[k].one : kinds[k].many}`}
          `;
          return html`
            <li key=${k}>
              ${
                n === 0
                  ? html`
                      <span class="figure">${text}</span>
                    `
                  : html`
                      <button
                        class=${`figure${kind === k ? ' on' : ''}`}
                        aria-expanded=${kind === k}
                        aria-controls=${id}
                        onClick=${() => setKind(kind === k ? null : k)}
                      >
                        ${text}
                      </button>
                    `
              }
            </li>
          `;
        })}
      </ul>
      <div id=${id}>
        ${
          kind &&
          html`
            <p class="faint">${kinds[kind].means}</p>
            <ol class="places" aria-label=${`${kind === 'all' ? '' : kinds[kind].one} questions`.trim()}>
              ${those(kind).map(
                (q) => html`
                  <li key=${q.byteStart}>
                    <${Place} q=${q} by=${several && name(q.speaker)} onGo=${onGo} />
                  </li>
                `,
              )}
            </ol>
          `
        }
      </div>
      <p class="faint">
        Recognised by their words; some are missed.
        ${more && ` Only the first ${number(questions.length)} are counted.`}
      </p>
    </section>
  `;
}

// Place is a question as it was asked; it opens its place in the transcript. by is who asked it, if that is
// shown.
/** @param {{ q: AskedQuestion, by?: string | false, onGo: Go }} props */
const Place = ({ q, by, onGo }) => html`
  <button class="place" onClick=${() => onGo(q.ordinal, { byte_start: q.byteStart, byte_end: q.byteEnd })}>
    <span dir="auto">${q.text}</span>
    <span class="faint" dir="auto">${` ${by ? `${by}, ` : ''}turn ${number(q.ordinal + 1)}`}</span>
  </button>
`;

// Planned are the questions of the project: which of them were asked, and where.
/** @param {{ craft: InterviewCraft, onGo: Go }} props */
function Planned({ craft: { planned, questions, interviewerWords }, onGo }) {
  if (planned.length === 0 || interviewerWords === null) return null;
  const found = planned.filter((p) => p.asked.length > 0).length;
  return html`
    <section class="planned">
      <h3>${`${number(found)} of ${count(planned.length, 'planned question')} found`}</h3>
      <ul>
        ${planned.map(
          (p) => html`
            <li key=${p.questionId} class=${p.asked.length > 0 ? 'found' : ''}>
              <span dir="auto">${p.text}</span>
              ${
                p.asked.length === 0
                  ? html`
                      <span class="faint">${' not found'}</span>
                    `
                  : p.asked
                      .filter((i) => i < questions.length)
                      .map(
                        (i) => html`
                          <${Place} key=${i} q=${questions[i]} onGo=${onGo} />
                        `,
                      )
              }
            </li>
          `,
        )}
      </ul>
      <p class="faint">Compared by their words: one that was asked in quite other words is not found.</p>
    </section>
  `;
}
