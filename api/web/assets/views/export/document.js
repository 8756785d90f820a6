// Documents to save: evidence and findings as a list of blocks, which become Markdown or a Word document.
//
// A source belongs to the quote before it.
import { clock } from '../shared/interviewwords.js';
import { date, headline, hypothesisStatus, restOf } from '../../page/words.js';
import {
  askedOf,
  editedBy,
  matches,
  placeLost,
  unconfirmed,
  restsOn,
  reviews,
  stances,
  strengths,
} from '../shared/evidencewords.js';
import { saturationText } from '../shared/saturation.js';
import { methodOf } from '../report/method.js';
import { gapsOf, notesOn, peopleOf, proofOf, sourceOf } from '../findings/statements.js';

/** @typedef {import('./formats.js').Link} Link */
/** @typedef {{ kind: 'title' | 'heading' | 'subheading' | 'text' | 'quote', text: string }} Text */
/** @typedef {{ kind: 'source', source: string[], facts: string[] }} Source */
/** @typedef {Text | Source} Block */

/** @param {string} text */
const oneLine = (text) => text.replaceAll('\n', ' ');

// verdictOf returns the blocks with the verdict on a hypothesis.
/**
 * @param {Pick<Hypothesis, 'status' | 'falsified_if' | 'decision_reason' | 'decided_at'>} hypothesis
 * @returns {Text[]}
 */
const verdictOf = ({ status, falsified_if: wrong, decision_reason: reason, decided_at: at }) =>
  [
    `Verdict: ${hypothesisStatus[status]}${at ? ` (${date(at)})` : ''}`,
    reason && `Reason: ${reason}`,
    wrong && `Wrong if: ${wrong}`,
  ]
    .filter((text) => text)
    .map((text) => ({ kind: 'text', text: oneLine(text || '') }));

/** @type {Stance[]} */
const sides = ['supports', 'contradicts', 'neutral'];

// documentOfEvidence lists links, as linksOf returns them, by hypothesis and stance. It says what was chosen.
/**
 * @param {Project} project
 * @param {(Hypothesis & { evidence: Reviewed })[]} hypotheses
 * @param {Link[]} links
 * @param {string} at
 * @param {string} what
 */
export function documentOfEvidence(project, hypotheses, links, at, what) {
  /** @type {Block[]} */
  const blocks = [
    { kind: 'title', text: `Evidence: ${project.name}` },
    {
      kind: 'text',
      text:
        `Exported on ${at}. ${what ? `${what} ` : ''}` +
        'Every quote matches the transcript word for word, unless noted otherwise.',
    },
  ];
  /** @param {string} title @param {Block[]} verdict @param {Link[]} all */
  const section = (title, verdict, all) => {
    blocks.push({ kind: 'heading', text: oneLine(title) }, ...verdict);
    if (all.length === 0) blocks.push({ kind: 'text', text: 'No evidence.' });
    for (const stance of [...sides, null]) {
      const some = all.filter((l) => l.stance === stance);
      if (some.length === 0) continue;
      if (stance) blocks.push({ kind: 'subheading', text: `${stances[stance]} (${some.length})` });
      for (const l of some) {
        blocks.push(
          { kind: 'quote', text: l.quote },
          {
            kind: 'source',
            source: [l.participant, l.interview ?? '', clock(l.start_ms)].filter(Boolean),
            facts: [
              l.strength ? `${strengths[l.strength]} evidence` : '',
              reviews[l.review],
              l.origin === 'ai'
                ? `AI${l.model ? ` (${l.model})` : ''}`
                : l.origin === 'keyword'
                  ? 'keyword match, no AI'
                  : 'added by a person',
              editedBy(l)?.short ?? '',
              l.place_lost ? placeLost.short : matches[l.match].short,
              l.speaker_confirmed ? '' : unconfirmed.short,
              askedOf(l)?.short ?? '',
            ].filter(Boolean),
          },
        );
        if (l.summary) blocks.push({ kind: 'text', text: oneLine(l.summary) });
      }
    }
  };
  for (const h of hypotheses)
    section(
      h.statement,
      [...verdictOf(h), { kind: /** @type {const} */ ('text'), text: restsOn(h.evidence) }].filter(
        ({ text }) => text,
      ),
      links.filter((l) => l.hypothesis_id === h.id),
    );
  const rest = links.filter((l) => l.hypothesis_id === null);
  if (rest.length > 0) section('Without a hypothesis', [], rest);
  return blocks;
}

// documentOfFindings is the page of the findings of a hypothesis.
/** @param {Findings} f */
export function documentOfFindings(f) {
  const people = { ...peopleOf(f.people), others: f.others };
  const answer = headline(people)
    .map(({ text }) => text)
    .join(', ');
  /** @type {Block[]} */
  const blocks = [
    { kind: 'title', text: oneLine(f.statement) },
    { kind: 'text', text: `${[answer, ...restOf(people)].join('; ')}. ${saturationText(f.course)}`.trim() },
    ...verdictOf(f),
  ];
  for (const stance of sides) {
    const some = f.quotes.filter((q) => q.stance === stance);
    if (some.length === 0) continue;
    blocks.push({ kind: 'heading', text: stances[stance] });
    for (const q of some)
      blocks.push(
        { kind: 'quote', text: q.quote },
        { kind: 'source', source: sourceOf(q), facts: notesOn(q).map(({ short }) => short) },
      );
  }
  blocks.push({ kind: 'heading', text: 'What this rests on' });
  for (const text of gapsOf(f)) blocks.push({ kind: 'text', text });
  blocks.push({ kind: 'text', text: `${proofOf(f.quotes)} As of ${date(f.as_of)}.`.trim() });
  return blocks;
}

// lower turns titles into headings, and headings into subheadings.
/** @param {Block} block @returns {Block} */
function lower(block) {
  if (block.kind === 'title') return { ...block, kind: 'heading' };
  return block.kind === 'heading' ? { ...block, kind: 'subheading' } : block;
}

// part returns lines of text under a heading, if there are any.
/** @param {string} heading @param {string[]} lines @returns {Block[]} */
function part(heading, lines) {
  const filled = lines.filter((line) => line.trim());
  if (filled.length === 0) return [];
  return [
    { kind: 'heading', text: heading },
    ...filled.map((text) => /** @type {Block} */ ({ kind: 'text', text })),
  ];
}

// documentOfReport is the report of a project with its findings.
/** @param {SharedReport} report @returns {Block[]} */
export const documentOfReport = ({ title, summary, method, recommendations, facts, findings }) => [
  { kind: 'title', text: oneLine(title) },
  ...part('Summary', summary.split('\n')),
  ...part('Method', [...method.split('\n'), ...methodOf(facts, findings.length)]),
  ...findings.flatMap(documentOfFindings).map(lower),
  ...part('Recommendations', recommendations.split('\n')),
];

// plain escapes the characters that have a meaning in Markdown or HTML.
/** @param {string} text */
const plain = (text) => String(text).replace(/[\\`*_{}[\]<>()#+\-!|~&]/g, '\\$&');

// Brackets mean nothing without a link, and are easier to read without backslashes.
/** @param {string} text */
const fact = (text) => plain(text).replace(/\\([()])/g, '$1');

/** @param {Block} block */
function markdown(block) {
  if (block.kind === 'source') {
    const { source, facts } = block;
    return [source.length > 0 && `— ${source.map(plain).join(', ')}`, facts.map(fact).join(', ')]
      .filter(Boolean)
      .join('; ');
  }
  const { kind, text } = block;
  if (kind === 'title') return `# ${plain(text)}`;
  if (kind === 'heading') return `## ${plain(text)}`;
  if (kind === 'subheading') return `### ${fact(text)}`;
  if (kind === 'text') return fact(text);
  return text
    .split('\n')
    .map((line) => `> ${plain(line)}`)
    .join('\n');
}

/** @param {Block[]} blocks */
export const toMarkdown = (blocks) =>
  blocks
    .map(markdown)
    .filter(Boolean)
    .map((text) => `${text}\n`)
    .join('\n');
