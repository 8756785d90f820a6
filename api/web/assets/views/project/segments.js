// What groups of participants say about each hypothesis.
import { html, useMemo } from '../../page/html.js';
import { answer } from '../../client/people.js';
import { count, restOf, unmatchedText } from '../../page/words.js';
import { byName, segmentsOf } from '../shared/groups.js';
import { Table } from './table.js';

const FEW = 5; // from here on, a group says more than its members

/** @typedef {import('../shared/groups.js').Segment} Segment */

// Segments is a table of hypotheses by groups: how many people of each support and contradict. Only those
// count who were asked, and whom the hypothesis is about.
/**
 * @param {object} props
 * @param {Context} props.context
 * @param {Map<string, People>} props.people
 * @param {Participant[]} props.all
 * @param {string} props.by
 */
export function Segments({ context, people, all, by }) {
  const segments = useMemo(() => segmentsOf(all, by, context.personas), [all, by, context.personas]);
  const rows = context.hypotheses.filter((h) => people.has(h.id)); // a new one is not counted at once
  return html`
    <p class="legend">
      People for : against, of those who were asked. ⚠ few people: fewer than ${FEW} were asked.
    </p>
    ${
      segments.length === 1 &&
      html`
        <p class="legend">${alone(by, segments[0])}</p>
      `
    }
    <${Table}
      class="segments"
      corner="Hypothesis"
      heads=${segments.map(
        ({ group, name, members }) => html`
          <th key=${group} scope="col">
            <span dir="auto">${name}</span>
            <small>${members.size === 1 ? '1 person' : `${members.size} people`}</small>
          </th>
        `,
      )}
      rows=${rows}
      row=${(/** @type {Hypothesis} */ h) => html`
        <tr key=${h.id}>
          <th scope="row"><span dir="auto">${h.statement}</span></th>
          ${segments.map(
            (segment) => html`
              <td key=${segment.group}>
                <${Cell}
                  of=${answerOf(/** @type {People} */ (people.get(h.id)), segment)}
                  name=${segment.name}
                  href=${hrefOf(context, h, segment)}
                />
              </td>
            `,
          )}
        </tr>
      `}
    />
  `;
}

// alone says why there is nothing to compare.
/** @param {string} by @param {Segment} segment */
const alone = (by, { name }) =>
  `All participants are in one group (${byName(by)}: ${name}). ` +
  (by === 'language'
    ? 'The language is that of the first interview.'
    : 'Speakers, in the menu of an interview, has the persona and the attributes of each person.');

// answerOf is the answer of a group to a hypothesis.
/** @param {People} people @param {Segment} segment */
function answerOf({ everyone, participants }, { members }) {
  const about = new Set(participants);
  return answer(
    everyone.filter(({ key }) => members.has(key)),
    (p) => about.has(p),
  );
}

// hrefOf is the board of a hypothesis, with the quotes of a group.
/** @param {Context} context @param {Hypothesis} hypothesis @param {Segment} segment */
function hrefOf(context, hypothesis, { group }) {
  const [, persona] = /^persona:(.+)/.exec(group) ?? [];
  const query = new URLSearchParams({ h: hypothesis.id, ...(persona ? { persona } : { group }) });
  return `/projects/${context.id}/evidence?${query}`;
}

/** @param {{ of: People, name: string, href: string }} props */
function Cell({ of, name, href }) {
  const { asked, supporting, contradicting, unmatched } = of;
  if (of.participants.length === 0)
    return html`
      <span class="none">${of.others > 0 ? 'not about them' : 'nobody'}</span>
    `;
  if (asked === 0)
    return html`
      <span class="none">not checked</span>
    `;
  const unknown = asked === unmatched; // keyword matching does not know what they say in other words
  const counts = unknown ? unmatchedText.toLowerCase() : `${supporting} for, ${contradicting} against`;
  const visible = restOf(unknown ? { ...of, unmatched: 0 } : { ...of, silent: 0 });
  const few = (unknown ? asked : asked - unmatched) < FEW;
  const asking = `of ${count(asked, 'person', 'people')}`;
  return html`
    <a href=${href} title=${[counts, ...restOf(of)].join(', ')}>
      <span class="unseen">${`${name}: `}</span>
      ${
        unknown
          ? '?'
          : html`
              <b class="supports">${supporting}</b>
              <span class="unseen">${' for, '}</span>
              <span aria-hidden="true">${' : '}</span>
              <b class="contradicts">${contradicting}</b>
              <span class="unseen">${' against, '}</span>
            `
      }
      <span class="unseen">${`${unknown ? ` ${counts}, ` : ''}${asking}${few ? ', few people' : ''}`}</span>
    </a>
    <small>${[asking, unknown && 'nothing by keywords', ...visible].filter(Boolean).join(' · ')}</small>
    ${
      few &&
      html`
        <small class="few">⚠ few people</small>
      `
    }
  `;
}
