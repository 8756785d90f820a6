// Changes of the evidence of an interview: judging, editing, adding and deleting it.
import { useJudging } from '../judging/judging.js';

// byPlace sorts evidence by its place in the transcript.
/** @param {LinkedEvidence} a @param {LinkedEvidence} b */
const byPlace = (a, b) => (a.byte_start ?? 0) - (b.byte_start ?? 0);

// useChanges returns functions that judge the evidence, and those that show what became of it. all is the
// evidence, and set changes what was loaded.
/** @param {LinkedEvidence[]} all @param {Loaded<Found>['set']} set */
export function useChanges(all, set) {
  /** @param {(all: LinkedEvidence[]) => LinkedEvidence[]} update */
  const show = (update) => set((found) => ({ ...found, evidence: update(found.evidence) }));
  /** @param {string} id @param {Partial<LinkedEvidence>} values */
  const change = (id, values) => show((now) => now.map((e) => (e.id === id ? { ...e, ...values } : e)));
  const { review, undo, judged } = useJudging({ rows: all, apply: change });
  return {
    review,
    undo,
    judged,
    change,
    /** @param {string} id */
    drop: (id) => show((now) => now.filter((e) => e.id !== id)),
    /** @param {LinkedEvidence} e */
    put: (e) => show((now) => [...now, e].sort(byPlace)),
  };
}
