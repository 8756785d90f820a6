// Themes, their quotes, and comments.

// What a theme is to be, or was. A merged theme is archived too.
type ThemeStatus = 'proposed' | 'active' | 'archived';

interface Theme {
  id: string;
  project_id: string;
  parent_id: string | null;
  name: string;
  description: string;
  memo: string;
  color: string; // #rrggbb
  origin: 'human' | 'ai';
  status: ThemeStatus;
  merged_into: string | null;
  position: number;
  created_at: string;
}

// A quote of a theme.
interface ThemeLink {
  evidence_id: string;
  theme_id: string;
  origin: 'human' | 'ai';
  review: ReviewState;
}

// A theme of a quote, as the quote has it.
type QuoteTheme = Pick<ThemeLink, 'theme_id' | 'review'> & { origin: string };

interface EvidenceRow {
  project_id: string;
  memo: string;
  evidence_themes?: QuoteTheme[];
  comments?: { count: number }[];
}

// A quote that can get a theme.
type CodedQuote = Pick<EvidenceRow, 'id' | 'project_id' | 'evidence_themes'>;

// What a search finds: the quote that a hit is, or became, with its themes.
interface FoundWords {
  coded?: CodedQuote;
}

// What is written about a quote or a theme.
interface Noted {
  memo: string;
  comments: number;
}

// What somebody did with themes and their quotes. quotes is their number.
interface ThemeChange {
  id: string;
  kind: string;
  actor_id: string | null;
  at: string;
  undone: boolean;
  quotes: number;
  name: string;
}

interface ThemeChanged {
  change_id: string;
  theme_id: string;
}

// Words of a transcript that become a quote.
interface NewWords {
  importId: string;
  quote: string;
  byteStart: number;
  byteEnd: number;
}

interface Comment {
  id: string;
  evidence_id: string | null;
  theme_id: string | null;
  body: string;
  mentions: string[]; // members of the workspace, by their ids
  created_by: string | null;
  created_at: string;
  edited_at: string | null;
  author?: Reviewer | null;
}

interface Tables {
  comments: Comment;
  evidence_themes: ThemeLink;
  themes: Theme;
}

interface Functions {
  merge_themes: ThemeChanged;
  move_evidence: ThemeChanged;
  split_theme: ThemeChanged;
  theme_changes: ThemeChange[];
  theme_to_hypothesis: string;
  undo_theme_change: ThemeChanged;
}
