// The answer to a hypothesis: how many people support and contradict it, and who they are.
import { html } from '../../page/html.js';
import { setQuery } from '../../page/router.js';
import { categories, count, date, headline, importances, personStances, restOf } from '../../page/words.js';
import { Title } from '../../page/ui.js';
import { restsOn, reviewedOf } from './evidencewords.js';
import { Mark } from './mark.js';
import { Plot } from './plot.js';
import { Verdict } from '../hypotheses/verdict.js';

/** @typedef {{ speaker: string, import: string, person: string }} Want what the filters of the board say */

const SHOWN = 16; // faces below the headline

// Headline is "4 of 9 participants contradict, 3 support".
/** @param {{ of: PeopleCounts }} props */
export const Headline = ({ of }) =>
  headline(of).map(
    ({ text, stance }, i) => html`
      ${i > 0 && ', '}
      <span key=${stance} class=${stance}>${text}</span>
    `,
  );

// RestsOn says how many of the quotes behind an answer people have reviewed.
/** @param {{ of: Reviewed }} props */
export const RestsOn = ({ of }) =>
  of.quotes > 0 &&
  html`
    <p class=${of.accepted < of.quotes ? 'rests-on open' : 'rests-on'}>${restsOn(of)}</p>
  `;

const everybody = { speaker: null, import: null, person: null };

/** @param {string} text */
const wordsOf = (text) => text.trim().split(/\s+/);

// tails returns the texts without the words with which all of them begin.
/** @param {string[]} texts */
function tails(texts) {
  const all = texts.map(wordsOf);
  let same = 0;
  while (all.every((words) => same < words.length && words[same] === all[0][same])) same++;
  return all.map((words) => words.slice(same).join(' '));
}

// FaceName is a word for a person, and what tells them from others with this word. full is for the ear.
/** @typedef {{ word: string, rest: string, full: string }} FaceName */

// faceNames returns names of people of whom none looks like another one: the first word of a name, or the
// rest of it, of people with one name their interviews, and of those with one title too, a number.
/** @param {Pick<Participant, 'key' | 'name' | 'interview'>[]} people */
function faceNames(people) {
  const named = /** @type {Map<string, FaceName>} */ (new Map());
  const inOrder = [...people].sort((a, b) => (a.key < b.key ? -1 : 1)); // whatever they say
  const byWord = Object.groupBy(inOrder, ({ name }) => wordsOf(name)[0]);
  for (const [word, alike = []] of Object.entries(byWord)) {
    const byName = Object.groupBy(alike, ({ name }) => wordsOf(name).join(' '));
    for (const [full, same = []] of Object.entries(byName)) {
      const rest = full.slice(word.length + 1);
      const titles = tails(same.map(({ interview }) => interview));
      const differ = new Set(titles).size === titles.length;
      same.forEach(({ key, interview }, i) => {
        const which = differ ? titles[i] || interview : `${i + 1}`;
        const more = same.length > 1 ? which : '';
        named.set(key, {
          word,
          rest: alike.length > 1 ? [rest, more].filter(Boolean).join(' ') : '',
          full: more ? `${full}, ${differ ? interview : which}` : full,
        });
      });
    }
  }
  return named;
}

/** @param {{ people: People, want: Want, projectId: string }} props */
function Faces({ people, want, projectId }) {
  /** @param {Participant} person */
  const chosen = ({ filter }) =>
    Object.entries(filter).every(([name, value]) => want[/** @type {keyof Want} */ (name)] === value);
  const names = faceNames(people.everyone);
  const nameOf = (/** @type {Participant} */ { key, name }) =>
    names.get(key) ?? { word: name, rest: '', full: name };
  const said = (/** @type {Participant} */ p) => `${nameOf(p).full}: ${personStances[p.stance]}`;
  const [shown, hidden] = [people.participants.slice(0, SHOWN), people.participants.slice(SHOWN)];
  return html`
    <ul class="faces">
      ${shown.map(
        (p) => html`
          <li key=${p.key}>
            <button
              title=${said(p)}
              aria-label=${said(p)}
              aria-pressed=${chosen(p)}
              disabled=${p.supports + p.contradicts + p.neutral === 0}
              onClick=${() => setQuery(chosen(p) ? everybody : p.filter)}
            >
              <${Mark} stance=${p.stance} />
              <span dir="auto">
                <span class=${nameOf(p).rest && 'unseen'}>${nameOf(p).word}</span>
                ${nameOf(p).rest && ` ${nameOf(p).rest}`}
              </span>
            </button>
          </li>
        `,
      )}
      ${
        hidden.length > 0 &&
        html`
          <li class="rest"><a href=${`/projects/${projectId}`}>and ${hidden.length} more</a></li>
        `
      }
    </ul>
  `;
}

// Subject is a hypothesis, and once they are ready, its answer and its verdict.
/**
 * @param {object} props
 * @param {Context} props.context
 * @param {Hypothesis} props.hypothesis
 * @param {People | undefined} props.people
 * @param {Balance} props.quotes
 * @param {Step[]} props.steps
 * @param {Want} props.want
 * @param {boolean} props.narrow whether the answer is that of the people whom the filters ask for
 * @param {boolean} props.ready
 */
export function Subject({ context, hypothesis, people, quotes, steps, want, narrow, ready }) {
  const total = quotes.supports + quotes.contradicts + quotes.neutral;
  return html`
    <header class="about">
      <p class="meta">
        <span>${categories[hypothesis.category]}</span>
        <span class=${'importance ' + hypothesis.importance}>
          ${importances[hypothesis.importance]} importance
        </span>
      </p>
      <${Title} key=${hypothesis.id} class="hypothesis-title" text=${hypothesis.statement}>
        ${hypothesis.statement}
      <//>
      ${
        hypothesis.falsified_if &&
        html`
          <p class="wrong-if" dir="auto">
            Wrong if${' '}
            <b>${hypothesis.falsified_if}</b>
          </p>
        `
      }
    </header>
    ${
      ready &&
      html`
        <section class="conclusion" aria-label="Answer">
          <div class="people">
            <p class="headline">
              ${
                people &&
                html`
                  ${
                    narrow && people.everyone.length === 0
                      ? 'The filter matches no participant'
                      : html`
                          <${Headline} of=${people} />
                        `
                  }
                `
              }
            </p>
            <p class="score">
              ${
                narrow &&
                html`
                  <span>only those of the filter</span>
                `
              }
              ${
                people &&
                restOf(people).map(
                  (text) => html`
                    <span key=${text}>${text}</span>
                  `,
                )
              }
              ${
                total > 0 &&
                html`
                  <span class="of">${count(total, 'quote')}:</span>
                  <span>${quotes.supports} for</span>
                  <span>${quotes.contradicts} against</span>
                  <span>${quotes.neutral} neutral</span>
                `
              }
            </p>
            <${RestsOn} of=${reviewedOf(quotes)} />
            ${
              people &&
              html`
                <${Faces} people=${people} want=${want} projectId=${context.id} />
              `
            }
          </div>
          <div class="decision">
            <${Plot} steps=${steps} />
            <div class="line">
              <span class="faint" aria-hidden="true">Verdict</span>
              <${Verdict} context=${context} hypothesis=${hypothesis} />
            </div>
            ${
              hypothesis.decision_reason &&
              html`
                <p class="faint reason" dir="auto">
                  ${hypothesis.decision_reason}
                  ${hypothesis.decided_at && ` (${date(hypothesis.decided_at)})`}
                </p>
              `
            }
          </div>
        </section>
      `
    }
  `;
}
