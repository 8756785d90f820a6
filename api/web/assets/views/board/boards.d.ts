// What the modules of the board hand to each other.

// An interview of the project.
type BoardImport = Pick<
  Interview,
  | 'id'
  | 'title'
  | 'language'
  | 'interviewed_on'
  | 'persona_id'
  | 'status'
  | 'progress_done'
  | 'progress_total'
  | 'started_at'
  | 'created_at'
  | 'finished_at'
>;

// The interviews by their ids. A quote that was added by hand may have none.
type BoardImports = Map<string | null, BoardImport>;

// The evidence for a hypothesis, what interviewers say about it, and the answers of interviews to it.
interface BoardRows {
  hypothesisId: string;
  rows: Quote[];
  asked: Quote[];
  answers: Answer[];
}

// The filters of a board; '' is no filter. any reports whether there is one.
interface BoardFilters {
  import: string;
  speaker: string;
  person: string;
  persona: string;
  group: string;
  review: string;
  since: string; // 'decision' asks for what was said against a decision since it was made
  any: boolean;
}

// The interviews that say nothing about the hypothesis, or were not checked for it as it is worded now.
interface BoardGaps {
  nothing: InterviewName[]; // a model read them
  unmatched: InterviewName[]; // only keywords were matched, and none was found
  keyword: InterviewName[]; // only keywords were matched, with or without quotes
  mixed: boolean; // a model read others
  foreign: string; // which languages keyword matching did not bridge
  partly: (InterviewName & { readers: string })[];
  pending: BoardImport[]; // being analysed
  ended: BoardImport[]; // the analysis ended without an answer
  unchecked: BoardImport[];
}

type InterviewName = Pick<Interview, 'id' | 'title'>;
