// A file that is being imported. What was imported is removed.
interface UploadItem {
  id: number;
  projectId: string;
  personaId: string | null;
  file: File;
  sum: string; // a hash of the content
  state: 'reading' | 'ready' | 'sending' | 'failed'; // reading is the dry run
  doing: 'reading' | 'sending'; // what failed
  part: number; // how much was sent, from 0 to 1
  error: Error | null;
  refused: boolean;
  read: DryRun | null; // in the chosen layout
  inventory: import('../reading/decisions.js').Inventory | null; // what is asked about it
  decided: Decision; // what the user decided about the reading
  again: boolean; // it is read again with that
  lost: Error | null; // why that failed
  looked: boolean; // the user says that it is right as it is read
  layouts: DryRun['layouts'];
  layout: Layout | '';
  title: string;
  date: string; // of the interview; empty for none
  typed: { title?: boolean; date?: boolean }; // what the user typed instead of what the file proposes
  // What the user decided about speakers, by their labels.
  names: Record<string, string>;
  asks: Record<string, boolean>;
  same: Record<string, string>; // by names in lower case, the participants of other interviews who they are
  others: KnownPerson[]; // the people of other interviews
  known: Promise<KnownSpeakers>;
  duplicate: UploadDuplicate | null; // the interview that was made from the same file
  answer: 'skip' | 'replace' | 'keep'; // what to do with it then
  key: string | null;
  control: AbortController;
}

type UploadDuplicate = Pick<Interview, 'id' | 'title' | 'persona_id' | 'interviewed_on'> & {
  quotes: number;
  judged: number;
};

// The speakers of other interviews: the names of interviewers, in lower case, and the participants.
interface KnownSpeakers {
  asking: Set<string>;
  people: KnownPerson[];
}

interface KnownPerson {
  id: string;
  name: string; // in lower case
  interviews: { id: string; title: string }[];
}
