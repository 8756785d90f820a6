// What the modules of the list of interviews, and of one interview, hand to each other.

// nameOf(importId, label) returns the name of a speaker of an interview.
type NameOf = (importId: string, label: string) => string;

// An interview, and the hypotheses to analyse it for.
interface AnalysisRequest {
  id: string;
  hypothesisIds: string[];
}

// start(hypothesisIds, refresh) starts an analysis.
type StartAnalysis = (hypothesisIds: string[], refresh?: boolean) => Promise<void>;

// How hypotheses are shown beside a transcript, by their ids: the class of their colour, and their number in
// the project.
interface Swatches {
  hues: Map<string, string>;
  numbers: Map<string, number>;
}

// What an analysis found: the evidence of an interview, and its answers to hypotheses.
interface Found {
  evidence: LinkedEvidence[];
  answers: Answer[];
}
