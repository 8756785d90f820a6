// What the modules of the board of themes hand to each other.

// A quote on the board, with who says it.
interface Themed {
  id: string;
  importId: string | null;
  quote: string;
  speaker: string; // the name of the person
  person: string | null; // the key of the participant, or null
  who: Person | undefined;
  ready: boolean; // its interview is not being read
  counts: boolean; // among the people of a theme
  title: string; // of the interview
  startMs: number | null;
  origin: Origin;
  review: ReviewState;
  confirmed: boolean; // the speaker
  loose: boolean; // without a hypothesis
  noted: boolean; // it has a memo or comments
  text: string; // what a filter looks at, in lower case
}

interface ThemesData {
  themes: Map<string, Theme>;
  quotes: Themed[]; // by interview and place
  links: Map<string, ThemeLink[]>; // by quote
}

// The head of a theme, or of the quotes without one.
interface ThemeHead {
  id: string;
  theme: Theme | null;
  depth: number; // 0 at the top of a column
  people: number;
  quotes: number;
  all: { people: number; quotes: number } | null; // with the themes below it; null if there are none
}

interface ThemeColumn {
  id: string;
  items: string[];
}

interface ThemeLayout {
  columns: ThemeColumn[];
  columnOf: Map<string, ThemeColumn>; // by theme
  heads: Map<string, ThemeHead>; // by theme
}

// What the board is filtered by: words, a group of people, and whether quotes have themes or hypotheses.
interface ThemeFilters {
  text: string;
  group: string;
  only: '' | 'unassigned' | 'loose';
  any: boolean;
}

interface ThemeRun {
  id: string;
  status: 'queued' | 'reading' | 'done' | 'failed' | 'canceled' | 'timed_out' | 'terminated';
  waiting_reason: string | null;
  progress_done: number;
  progress_total: number;
  imports_total: number;
  coverage: number;
  proposed_count: number; // themes
  quotes_count: number;
  unused_count: number; // quotes that were not grouped
  rejected_count: number; // quotes that were not proven
  model: string | null;
  error_code: string | null;
  error_message: string | null;
  created_at: string;
  finished_at: string | null;
}

interface Tables {
  theme_runs: ThemeRun;
}

// The answer of /api/project/{projectId}/themes/estimate.
interface ThemesEstimate extends AnswerEstimate {
  imports: number; // of the project
}

// The answer of /api/project/{projectId}/words.
interface UnforeseenWords {
  words: UnforeseenWord[];
  people: number;
  interviews: number;
  readTurns: number;
  truncated: boolean; // there are more turns than were read
}

interface UnforeseenWord {
  word: string;
  forms: string[];
  people: number;
  interviews: number;
  places: {
    importId: string;
    importTitle: string;
    ordinal: number;
    speaker: string;
    startMs?: number | null;
    text: string; // the turn, or a part of it
    textFrom: number; // the byte of the turn that the text begins with
    at: [number, number]; // the bytes of the word in the text
  }[];
}

type ThemeActs = ReturnType<typeof import('./acts.js').useActs>;
type ThemeFocus = ReturnType<typeof import('./focus.js').useFocus>;
type ChosenItems = ReturnType<typeof import('./chosen.js').useChosenItems>;

// The dialog that is open. A theme that was dropped on another one is asked about.
type ThemeDialog =
  | {
      kind:
        | 'keys'
        | 'move'
        | 'add'
        | 'new'
        | 'split'
        | 'merge'
        | 'edit'
        | 'nest'
        | 'hypothesis'
        | 'notes'
        | 'archived';
    }
  | { kind: 'dropped'; theme: Theme; on: Theme };

interface ThemeDialogProps {
  context: Context;
  data: ThemesData;
  acts: ThemeActs;
  chosen: ChosenItems;
  focus: ThemeFocus;
  onClose(): void;
}

// What happens to the items of the board.
interface ThemeBoardActs {
  select(item: string): void;
  pick(item: string, upTo: boolean): void;
  ref(item: string, box: HTMLElement | null): void;
}
