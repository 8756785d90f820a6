// Judgements of quotes.

// What can be judged: a quote as a hypothesis has it or, without a stance, as its interview has it.
interface Judgeable {
  id: string;
  review: ReviewState;
  reviewed_at: string | null;
  stance?: Stance;
  newer?: NewerJudgement;
}

// What somebody says of a quote. The stance is that to the hypothesis of the judgement.
interface Opinion {
  review: ReviewState;
  stance?: Stance;
}

// The state of a quote before or after a judgement.
interface JudgedState extends Opinion {
  reviewed_at: string | null;
  newer?: NewerJudgement; // whose it is, where somebody else said it in the meantime
  by?: string; // whose it is, where somebody else had said it before
}

// A judgement that is not saved yet.
interface Judgement {
  key: string;
  at: number; // when, in ms; later judgements have a greater one
  evidenceId: string;
  hypothesisId: string | null;
  from: JudgedState & { after?: string }; // after: the key of an unsaved judgement of the same quote
  to: Opinion;
  theirs: JudgedState | null; // the state of the server after a conflict
  batch?: string; // of the judgements of a selection
}

// What became of the judgements of a selection: the ids of the quotes, and what they were judged.
interface Tally {
  saved: string[];
  same: string[]; // somebody else judged them so
  theirs: string[]; // somebody else judged them in the meantime
  gone: string[]; // deleted
  refused: string[]; // the role does not allow it
  failed: string[]; // the server refused the request
  reviews: ReviewState[];
}

interface Conflict extends Judgement {
  theirs: JudgedState;
}

// What views show of a judgement. reviewed_at is there when the server has it.
interface JudgedValues extends Opinion {
  reviewer?: Reviewer | null; // null: the user
  newer: NewerJudgement | undefined;
  reviewed_at?: string | null;
}
