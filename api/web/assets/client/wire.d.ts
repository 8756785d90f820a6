// Responses of /api and /auth/v1, and events.

// What a file was read as, before it is imported.
interface DryRun {
  format: string;
  utterances: number;
  words: number;
  durationMs: number | null;
  warnings: string[];
  speakers: string[];
  speakerShares: { speaker: string; role: string; share: number; utterances: number }[];
  turns: { speaker: string; startMs: number | null; text: string }[];
  layouts: { layout: Layout; utterances: number; speakers: string[] }[];
  duplicateOf?: string | null;
  reading?: FileReading;
  proposed: { title: string; interviewedOn: string | null; interviewers: string[] };
}

type Layout = 'labels' | 'heads' | 'times' | 'hours' | 'paragraphs';

// What a person decided about how a file is read. Labels are written as the file has them.
interface Decision {
  people?: string[];
  nobody?: string[]; // labels of fields, headings and notes
  same?: Record<string, string>; // labels of the same person as another label
  unlabelled?: string; // who says the lines without a label; '' is nobody who is named
  from?: string; // the lines at which the interview begins and ends
  to?: string;
}

// A line with its neighbours.
interface LineContext {
  before: string;
  line: string;
  after: string;
}

// What stands where files have the names of speakers.
interface FoundLabel {
  label: string;
  kind: 'person' | 'nobody';
  same: string; // the label of the same person, or ''
  count: number;
  share: number; // of the words
  doubt: number; // 0 to 1
  note?: boolean; // it looks like that of an observer's notes
  first: LineContext;
}

// The lines without a label that may be another voice than the speaker above.
interface UnlabelledLines {
  count: number;
  in: string; // the label in whose turns most of them are
  speaker: string; // who says them as the file is read, or ''
  suggest: string; // who is likely to say them, or ''
  doubt: number;
  first: LineContext;
}

// A turn whose speaker is not certain.
interface DoubtfulTurn {
  ordinal: number;
  speaker: string;
  other: string; // the speaker in the next likely reading, or ''
  startMs: number | null;
  text: string;
  confidence: number;
}

// How a file is read, what is doubtful about that, and what was decided.
interface FileReading {
  confidence: number;
  needsLook: boolean;
  labels: FoundLabel[];
  unlabelled: UnlabelledLines | null;
  doubts: DoubtfulTurn[];
  edges: { head: string[]; tail: string[] };
  decided: Decision;
  remembered: string[]; // labels whose answer is from earlier files of the project
  rememberedUnlabelled?: boolean;
}

// What reading a stored file again does.
interface Reread extends FileReading {
  utterances: number;
  speakers: string[];
  evidence: { kept: number; moved: number; placeLost: number };
}

// What a turn of a transcript was before somebody corrected it.
interface Correction {
  ordinal: number;
  wasText: string;
  wasSpeaker: string;
  correctedBy: string; // a name, or ''
  correctedAt: string;
}

// The state of a transcript, and what was corrected in it, the oldest first.
interface Corrections {
  base: string;
  corrections: Correction[];
}

interface TurnChange {
  ordinal: number;
  text?: string;
  speaker?: string;
}

// What correcting or redacting a transcript does.
interface Corrected {
  base: string;
  turns: number;
  evidence: { kept: number; changed: number; placeLost: number };
}

interface Redacted extends Corrected {
  occurrences: number;
  speakers: string[];
  others: number;
  title: boolean;
  places: { ordinal: number; speaker: string; before: string; words: string; after: string }[];
}

// How an interview is led: who says how much, and what its interviewers ask. Without a language there are no
// questions.
interface InterviewCraft {
  language: string;
  words: number;
  interviewerWords: number | null; // null if there is no interviewer
  participantWords: number | null; // null if there is no participant
  otherWords: number;
  speakers: { speaker: string; displayName: string; role: SpeakerRow['role']; words: number }[];
  longest: { from: number; to: number; words: number; ms: number | null } | null; // without a participant
  questions: AskedQuestion[];
  more?: boolean; // there are more questions than these
  planned: { questionId: string; hypothesisId: string | null; text: string; asked: number[] }[];
}

// What an interviewer asks. Its bytes are those of the transcript.
interface AskedQuestion {
  ordinal: number;
  byteStart: number;
  byteEnd: number;
  speaker: string;
  text: string;
  open: boolean;
  closed: boolean;
  past: boolean;
  hypothetical: boolean;
  leading: boolean;
}

interface Estimate {
  calls: number;
  tokens: number;
  cost?: { amount: number; currency: string };
}

// Answers to questions that were asked of the interviews of a project.

// How it is answered: from the passages that fit best, from everything, or with such passages and no AI.
type AnswerMode = 'quick' | 'thorough' | 'passages';
type AnswerStatus = 'queued' | 'reading' | 'answered' | 'failed' | 'canceled' | 'timed_out' | 'terminated';
type AnswerResult = 'answered' | 'partly' | 'not_answered' | 'not_found';

// The interviews that are asked: all where nothing limits them.
interface AnswerScope {
  personas?: string[];
  imports?: string[];
  from?: string | null;
  to?: string | null;
}

interface StartedAnswer {
  answerId: string;
  status: AnswerStatus;
}

interface AnswerQuote {
  id: string;
  importId: string;
  importTitle: string;
  quote: string;
  speaker: string;
  speakerConfirmed: boolean;
  startMs: number | null;
  utteranceFrom: number | null;
  utteranceTo: number | null;
  byteStart: number;
  byteEnd: number;
  match: Match;
  evidenceId: string | null; // what was kept from it
}

interface AnswerSentence {
  ordinal: number;
  text: string;
  peopleCount: number; // whose words are quoted
  quotes: AnswerQuote[];
}

interface AskedAnswer extends StartedAnswer {
  projectId: string;
  questionId: string | null;
  question: string;
  mode: AnswerMode;
  scope: AnswerScope;
  title: string; // '' without a name of its own
  kept: boolean;
  result: AnswerResult | null;
  missing: string; // what the interviews do not say
  importsTotal: number;
  importsRead: number;
  passagesTotal: number;
  passagesRead: number;
  coverage: number;
  progress: { done: number; total: number };
  waitingReason: string | null;
  peopleTotal: number;
  peopleCount: number;
  unsupportedCount: number; // sentences that were left out
  rejectedCount: number; // quotes that were not proven
  staleSince: string | null;
  model: string | null;
  inputTokens: number;
  outputTokens: number;
  errorCode: string | null;
  errorMessage: string | null;
  createdBy: string | null;
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
  sentences: AnswerSentence[];
  passages: AnswerQuote[]; // the closest ones, where there are no sentences
}

interface AnswerEstimate {
  calls: number;
  inputTokens: number;
  outputTokens: number;
  cost?: { amount: number; currency: string };
}

interface Change {
  evidenceId: string;
  hypothesisId: string;
  quote: string;
  kept: boolean;
  before?: EvidenceLink; // missing if it was added
  after?: EvidenceLink; // missing if it is gone
}

interface Run {
  status: InterviewStatus;
  refresh: boolean; // everything was to be read again
  hypothesisIds: string[];
  added: Change[];
  changed: Change[];
  gone: Change[];
  discarded: DiscardedQuote[];
}

// A quote that did not become evidence.
interface DiscardedQuote {
  reason: string;
  hypothesisId?: string;
  quote: string;
  utterance: number;
}

interface DigestPreview {
  empty: boolean;
  period: string;
  subject: string;
  text: string;
  mailable: boolean;
}

// An event of /api/events.
interface ServerEvent {
  id: string;
  type: string;
  data: { data: { projectId?: string } };
}

// Responses of /auth/v1.

interface Factor {
  id: string;
  status: string;
  friendly_name?: string;
  created_at: string;
}

interface User {
  id: string;
  email: string; // '' if the user has none
  factors?: Factor[];
  identities?: Identity[];
  user_metadata?: { email_verified?: boolean; full_name?: string; name?: string };
}

// A way to sign in: by e-mail, or with an account of a provider.
interface Identity {
  identity_id: string;
  provider: string;
  identity_data: { email?: string; full_name?: string; name?: string };
  created_at: string;
  last_sign_in_at: string | null;
}

// What the server offers to those who sign in.
interface AuthSettings {
  external: Record<string, boolean>;
  custom_providers?: { identifier: string; name: string }[];
  disable_signup: boolean;
}

interface Tokens {
  access_token: string;
  refresh_token: string;
  expires_in: number;
  user: User;
}

interface Device {
  id: string;
  user_agent: string;
  ip: string;
  current: boolean;
  last_used_at: string;
}

// The guide of the next interview.
interface InterviewGuide {
  projectId: string;
  language: string;
  questions: {
    text: string;
    hypothesisId: string | null;
    statement: string;
    questionId: string | null;
    past: boolean;
    why: string;
  }[];
  leftOut: { questionId: string; text: string; why: string }[];
  hypotheses: OpenHypothesis[]; // the most urgent first
  personas: { id: string; name: string; people: number; heard: number }[];
  ask: string;
}

interface OpenHypothesis {
  id: string;
  statement: string;
  importance: 'high' | 'medium' | 'low';
  uncertainty: number; // 0 to 1
  people: number;
  supporting: number;
  contradicting: number;
  mixed: number; // people who do both, and count on neither side
  ready: boolean; // it says what would prove it wrong
}

// Where to go if an app was allowed before what it asks for.
interface OAuthRedirect {
  redirect_url: string;
}

// What an app asks for.
interface OAuthRequest {
  authorization_id: string;
  redirect_uri: string;
  redirect_host: string;
  client: OAuthClient;
  user: { id: string; email: string };
  scope: string;
  resource: string;
}

// An app. The name is its own claim. The host is not: it is that of the document that describes the app, or
// else that to which the user's answer goes, such as "claude.ai", "127.0.0.1", or a scheme such as "cursor:".
interface OAuthClient {
  id: string;
  name: string;
  uri: string;
  logo_uri: string;
  host: string;
  registration_type: string; // manual, dynamic or metadata_document
}

interface OAuthGrant {
  client: OAuthClient;
  scopes: string[];
  granted_at: string;
  last_used_at: string;
}

interface PersonalToken {
  id: string;
  name: string;
  scopes: string[];
  token?: string; // only in the answer to the request that makes it
  created_at: string;
  expires_at: string;
  last_used_at: string | null;
}

// What comes of the file of another program, or came.
interface ProjectImport {
  sources: number;
  imported: number;
  themes: number;
  hypotheses: number;
  quotes: number;
  codings: number;
  users: number;
  known: { interviews: number; themes: number; quotes: number };
  interviews: { title: string; quotes: number; speakers: number; known: boolean; importId: string | null }[];
  themeNames: string[];
  skipped: { what: string; name: string; reason: string }[];
  skippedCount: number;
  warnings: string[];
}
