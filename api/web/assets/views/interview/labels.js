// How the hypotheses of a project, and their evidence, are marked beside a transcript.
import { useMemo } from '../../page/html.js';
import { linksOf } from '../shared/themes.js';
import { askedOf, stanceMarks, stanceVerbs, unconfirmed } from '../shared/evidencewords.js';

// statementsOf returns the statements of hypotheses, by their ids: as they are worded now or, if they are
// deleted, as they were when an interview was analysed.
/** @param {Answer[]} answers @param {Hypothesis[]} hypotheses */
export const statementsOf = (answers, hypotheses) =>
  new Map([
    ...answers.map((a) => /** @type {const} */ ([a.hypothesis_id, a.statement])),
    ...hypotheses.map((h) => /** @type {const} */ ([h.id, h.statement])),
  ]);

// useLabels returns the labels and colours of the hypotheses, and of evidence in the transcript. If only is
// the id of a hypothesis, evidence is labelled for that one. themes has the themes of the project, by their
// ids.
/**
 * @param {Context} context
 * @param {string} only
 * @param {Map<string, Theme>} themes
 * @returns {Swatches & EvidenceMarks}
 */
export function useLabels(context, only, themes) {
  // Hypotheses get their colours in the order of the project.
  const hues = useMemo(
    () => new Map(context.hypotheses.map((h, i) => [h.id, `hue-${i % 8}`])),
    [context.hypotheses],
  );
  const numbers = useMemo(
    () => new Map(context.hypotheses.map((h, i) => [h.id, i + 1])),
    [context.hypotheses],
  );
  // The link that gives evidence its colour.
  /** @param {LinkedEvidence} e */
  const linkOf = (e) =>
    e.evidence_hypotheses.find((l) => l.hypothesis_id === only) ?? e.evidence_hypotheses.at(0);
  /** @param {LinkedEvidence} e */
  const themesOf = (e) => linksOf(e).flatMap((l) => themes.get(l.theme_id) ?? []);
  return {
    hues,
    numbers,
    labelOf(e) {
      const links = e.evidence_hypotheses.filter((l) => !only || l.hypothesis_id === only);
      /** @param {EvidenceLink} l */
      const number = (l) => numbers.get(l.hypothesis_id) ?? '';
      return {
        short: links.map((l) => `${stanceMarks[l.stance]}${number(l)}`).join(' '),
        long: [
          ...links.map((l) => `${stanceVerbs[l.stance]}: hypothesis ${number(l)}`),
          ...themesOf(e).map((t) => `theme: ${t.name}`),
          ...(e.speaker_confirmed ? [] : [unconfirmed.short]),
          ...[askedOf(e)?.short ?? []].flat(),
        ].join(', '),
      };
    },
    themesOf,
    hueOf: (e) => hues.get(linkOf(e)?.hypothesis_id ?? '') ?? 'hue-none',
    stanceOf: (e) => linkOf(e)?.stance,
  };
}
