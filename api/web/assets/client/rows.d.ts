// Rows of the data API with the columns that the page asks for, and what functions of the database return.
// Declarations are only for checking; browsers get none of them. Times are ISO 8601, unless their name ends
// in ms.

type Role = 'owner' | 'admin' | 'editor' | 'viewer';
type Stance = 'supports' | 'contradicts' | 'neutral';
type PersonStance = Stance | 'mixed' | 'silent' | 'unmatched' | 'unread';
type Strength = 'weak' | 'medium' | 'strong';
type ReviewState = 'suggested' | 'accepted' | 'rejected';
type Level = 'high' | 'medium' | 'low';
// A question that makes what answers it say less.
type AskedKind = 'hypothetical' | 'leading';
type Match = 'verbatim' | 'repaired' | 'manual';
type Origin = 'ai' | 'keyword' | 'human';
type Result = 'pending' | 'supports' | 'contradicts' | 'mixed' | 'undecided' | 'nothing_found';
type Verdict = 'untested' | 'testing' | 'validated' | 'invalidated' | 'inconclusive' | 'parked';
type Category = 'problem' | 'customer' | 'value' | 'channel' | 'pricing' | 'other';
type QuestionStatus = 'open' | 'asked' | 'answered' | 'dropped';
type InterviewStatus =
  'uploaded' | 'queued' | 'parsing' | 'parsed' | 'failed' | 'canceled' | 'terminated' | 'timed_out';

// Rows of the data API.

interface Project {
  id: string;
  name: string;
  description: string;
  stage: 'problem' | 'solution' | 'market' | 'scale';
  status: 'active' | 'paused' | 'completed' | 'archived';
  created_at: string;
}

interface Workspace {
  id: string;
  name: string;
  slug: string;
  require_mfa: boolean;
  check_speakers: boolean;
  role: Role; // of the user
  projects: Project[];
}

interface Profile {
  id: string;
  display_name: string;
  email: string;
  created_at: string;
}

interface Member {
  workspace_id: string;
  user_id: string;
  role: Role;
  created_at: string;
  profiles: Profile | null;
}

interface Invitation {
  id: string;
  email: string;
  role: Role;
  created_at: string;
  expires_at: string;
}

// What ended because whoever gave it may no longer do so.
interface EndedGrant {
  kind: 'invitation' | 'link' | 'webhook';
  id: string;
  what: string;
  role: Role | null;
  given_by_name: string | null;
  given_at: string;
  ended_at: string;
}

interface Persona {
  id: string;
  name: string;
  description: string;
  segment: string;
  goals: string[];
  pains: string[];
}

interface Hypothesis {
  id: string;
  persona_id: string | null;
  statement: string;
  category: Category;
  importance: Level;
  status: Verdict;
  falsified_if: string;
  decided_by: string | null;
  decided_at: string | null;
  decision_reason: string;
  reopen_after: number; // people who speak against the decision
  created_at: string;
}

// A verdict as it was made, and what was known then: people, quotes and interviews.
interface Decided extends Rest {
  id: string;
  status: Verdict;
  reason: string;
  decided_at: string;
  decided_by: string | null;
}

// What a verdict rests on.
interface Rest {
  participants: number; // who count
  supporting: number;
  contradicting: number;
  mixed: number;
  neutral: number;
  silent: number;
  unmatched: number;
  supports: number; // quotes
  contradicts: number;
  neutrals: number;
  interviews: number; // which were read for it
  coverage: number; // of these, on average
}

// What people have said against a decision since it was made.
interface Challenge {
  hypothesis_id: string;
  decision_id: string;
  decider?: { id: string; display_name: string } | null; // null if that account is gone
  status: Verdict;
  decided_at: string;
  falsified_if: string;
  reopen_after: number;
  against: number; // people
  reopened: boolean;
  evidence_ids: string[];
}

// The people for and against a hypothesis, and those who are silent, after one of its interviews.
interface CourseStep {
  import_id?: string;
  title: string;
  interviewed_on?: string | null;
  supporting: number;
  contradicting: number;
  mixed: number;
  silent: number;
  changed: boolean; // this interview changed the stance of somebody
  coverage: number; // how much of it was read for the hypothesis; 0: people alone gave evidence
  model_coverage: number; // how much of it a model read
}

// What happened to a hypothesis.
interface Happened {
  at: string;
  kind: 'interview' | 'analysis' | 'judgement' | 'verdict' | 'confirmed' | 'reopened' | 'edited';
  actor_id: string | null;
  import_id: string | null;
  evidence_id: string | null;
  decision_id: string | null;
  detail: Record<string, any>;
}

interface Question {
  id: string;
  text: string;
  status: QuestionStatus;
  priority: Level;
  origin: Origin;
  hypothesis_id: string | null;
  persona_id: string | null;
  created_at: string;
}

// A row of imports: an interview with the state of its analysis.
interface Interview {
  id: string;
  project_id: string;
  title: string;
  filename: string;
  format: string;
  language: string; // of the transcript; '' if unknown
  persona_id: string | null;
  interviewed_on: string | null;
  status: InterviewStatus;
  progress_done: number;
  progress_total: number;
  waiting_reason: string | null;
  error_code: string | null;
  error_message: string | null;
  extractor: string | null;
  model: string | null;
  evidence_count: number;
  rejected_count: number;
  needs_look: boolean; // some speakers are not certain
  coverage: number;
  unread: UnreadRange[];
  workflow_id: string | null;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
}

// Turns that were not analysed, by their ordinals.
interface UnreadRange {
  from: number;
  to: number;
  reason?: string;
}

interface Utterance {
  import_id: string;
  ordinal: number;
  speaker: string;
  start_ms: number | null;
  text: string;
  byte_start: number;
  byte_end: number;
  confidence: number; // that it is the speaker's, 0 to 1
}

interface Reviewer {
  id?: string;
  display_name: string;
}

// Another member who has a view of the project open.
interface Present {
  user_id: string;
  display_name: string;
  place: 'evidence' | 'review';
}

interface EvidenceLink {
  hypothesis_id: string;
  stance: Stance;
  strength: Strength;
  given_strength?: Strength | null; // what it was found as, if it may be medium at most
}

interface EvidenceRow {
  id: string;
  import_id: string | null;
  quote: string;
  summary: string;
  rationale: string;
  speaker: string;
  start_ms: number | null;
  end_ms: number | null;
  utterance_from: number | null;
  utterance_to: number | null;
  byte_start: number | null;
  byte_end: number | null;
  match: Match;
  confidence: number | null;
  origin: Origin;
  review: ReviewState;
  reviewed_at: string | null;
  model: string | null;
  prompt_version?: string | null;
  created_at: string;
  edited_at: string | null;
  in_progress: boolean;
  speaker_confirmed: boolean;
  place_lost: boolean; // its transcript was changed, and has the words no more
  asked_kind: AskedKind | null; // of the question that it answers
  asked_start: number | null; // the bytes of that question
  asked_end: number | null;
  original_quote: string | null;
  original_speaker: string | null;
  reviewer?: Reviewer | null;
  editor?: Reviewer | null;
}

// Evidence of an interview, with its links to hypotheses.
interface LinkedEvidence extends EvidenceRow {
  evidence_hypotheses: EvidenceLink[];
}

// What somebody else said of a quote after it was loaded: judged it, or changed its stance.
interface NewerJudgement {
  by: string;
  at: string;
  stance: boolean; // only its stance
}

// Evidence as one hypothesis has it: the quotes of a board, and of review mode.
interface Quote extends EvidenceRow, EvidenceLink {
  linked_at?: string;
  newer?: NewerJudgement; // of somebody else, since the quote was loaded
}

// The answer of an interview to a hypothesis.
interface Answer {
  import_id: string;
  hypothesis_id: string;
  statement: string;
  result: Result;
  coverage: number;
  model_coverage: number; // the part that a model read
  readings: Reader[];
  statement_language: string; // '' if unknown
  checked_at: string | null;
}

// What read a part of a transcript for a hypothesis. The parts are disjoint, the largest first.
interface Reader {
  extractor: string;
  model: string | null;
  prompt_version: string;
  coverage: number;
}

interface SpeakerRow {
  import_id: string;
  speaker: string; // the label in the transcript
  display_name: string;
  role: 'participant' | 'interviewer' | 'other';
  participant_id: string | null;
  participants: { name: string } | null;
  imports: { title: string; language: string; created_at: string };
}

// A speaker of an interview, with the name of the person.
interface Voice extends SpeakerRow {
  name: string;
}

// An answer to a question that was asked, as lists of them show it.
interface AnswerRow {
  id: string;
  question_id: string | null;
  question: string;
  title: string; // '' without a name of its own
  kept: boolean;
  mode: AnswerMode;
  status: AnswerStatus;
  result: AnswerResult | null;
  people_total: number;
  people_count: number;
  stale_since: string | null;
  created_at: string;
  author?: Reviewer | null;
}

interface FindingQuote {
  hypothesis_id: string;
  evidence_id: string;
  position: number;
}

// What is known of the method of a report.
interface ReportFacts {
  interviews: number;
  participants: number;
  first_on: string | null;
  last_on: string | null;
  undated: number;
  by_model: number; // read in full for each of its hypotheses
  by_keyword: number; // the same
  by_both: number; // the same, some by a model and others by keywords
  not_read: number;
  models: string[];
  evidence: Reviewed;
}

interface ReportTexts {
  title: string; // or the name of the project
  summary: string;
  method: string;
  recommendations: string;
}

// The report of a project, without its findings.
interface ProjectReport extends ReportTexts {
  id: string | null; // null if nobody wrote it
  updated_at: string | null;
  facts: ReportFacts;
  hypothesis_ids: string[];
}

// A report as others see it.
interface SharedReport extends ReportTexts {
  facts: ReportFacts;
  findings: Findings[];
}

interface FindingShare {
  id: string;
  expires_at: string;
  show_names: boolean;
  created_at: string;
  ended_at: string | null;
  profiles: Profile | null;
}

interface DigestPreferences {
  frequency: 'off' | 'daily' | 'weekly';
  timezone: string;
  hour: number;
  weekday: number;
  paused_until: string | null;
}

interface DigestDelivery {
  id: string;
  frequency: string;
  period: string;
  status: 'planned' | 'sending' | 'sent' | 'skipped' | 'uncertain' | 'failed';
  reason: string;
  sent_at: string | null;
}

interface AuditRecord {
  id: string;
  occurred_at: string;
  actor_id: string | null;
  actor_email: string | null;
  action: string;
  target_type: string;
  target_id: string;
  detail: {
    role?: Role;
    from?: Role;
    to?: Role;
    email?: string;
    settings?: string[];
    quotes?: number;
    format?: string;
    show_names?: boolean;
    report?: boolean;

    for_good?: boolean;
    used?: number;
    limit?: number;
  } | null;
  network: string | null;
  client: string | null;
}

// What somebody did. The detail is that of a judgement of a quote, or of a change of its stance.
interface Activity {
  id: string;
  verb: string;
  occurred_at: string;
  detail: { hypothesis_id?: string; from: ReviewState | Stance | null; to: ReviewState | Stance | null };
  profiles: Pick<Profile, 'display_name'> | null;
}

// The tables and views, by name.
interface Tables {
  activity_events: Activity;
  answer_quotes: { id: string };
  answers: AnswerRow;
  digest_deliveries: DigestDelivery;
  digest_preferences: DigestPreferences;
  evidence: LinkedEvidence & {
    reviewed_by?: string | null;
    edited_by?: string | null;
    profiles?: Profile | null;
    imports?: Interview & { sha256: string };
  };
  evidence_hypotheses: EvidenceLink & { evidence_id: string; linked_at: string; evidence: EvidenceRow };
  finding_quotes: FindingQuote;
  finding_shares: FindingShare;
  hypotheses: Hypothesis;
  hypothesis_challenges: Challenge;
  hypothesis_decisions: Decided & { profiles: Pick<Profile, 'id' | 'display_name'> | null };
  hypothesis_participants: {
    hypothesis_id: string;
    participant_id: string | null;
    import_id: string;
    name: string;
    supports: number;
    contradicts: number;
    neutral: number;
    stance: PersonStance;
  };
  hypothesis_people: PeopleCounts & { hypothesis_id: string };
  import_hypotheses: Answer & { imports: Pick<Interview, 'title' | 'status'> };
  import_speakers: SpeakerRow;
  imports: Interview;
  participants: {
    id: string;
    name: string;
    persona_id: string | null;
    attributes: Record<string, unknown>;
  };
  personas: Persona;
  profiles: Profile;
  projects: Project;
  questions: Question;
  reports: { id: string };
  'rpc/audit_log': AuditRecord;
  'rpc/hypothesis_history': Happened;
  'rpc/hypothesis_timeline': CourseStep;
  utterances: Utterance;
  webhook_endpoints: { id: string };
  workspace_invitations: Invitation;
  workspace_members: Member & {
    workspaces: Omit<Workspace, 'role' | 'projects'> & { projects: (Project & { count: number })[] };
  };
  workspaces: Workspace;
}

// Answers of functions of the database, by their names.
interface DeletedInterview {
  import_id: string;
  title: string;
  deleted_by: string | null;
  deleted_by_name: string | null;
  deleted_at: string;
  restorable_until: string;
}
interface Functions {
  accept_invitation: boolean;
  confirm_decision: { id: string }[];
  decline_invitation: boolean;
  deleted_interviews: DeletedInterview[];
  ended_grants: EndedGrant[];
  hypothesis_balances: (Balance & { hypothesis_id: string })[];
  hypothesis_findings: Findings;
  import_overviews: Overview[];
  my_invitations: MyInvitation[];
  project_people: ProjectPerson[];
  project_report: ProjectReport;
  my_locked_workspaces: { id: string; name: string }[];
  restore_speakers: Voice[];
  search_project: Hit[];
  take_over_grant: boolean;
  who_is_here: Present[];
  workspace_usage: WorkspaceUsage[];
}

// What a workspace uses. A limit is null if there is none.
interface WorkspaceUsage {
  storage_bytes: number;
  storage_limit: number | null;
  uploads_today: number;
  uploads_limit: number | null;
  tokens_used: number;
  tokens_reserved: number;
  tokens_limit: number | null;
  exhausted: string[];
  renews_at: string;
}

// The numbers of quotes of a hypothesis.
interface Balance {
  supports: number;
  contradicts: number;
  neutral: number;
  suggested: number;
  rejected: number;
  accepted: number; // reviewed by a person
}

// A person who was interviewed. import_id is that of a speaker who is not linked to a participant.
interface ProjectPerson {
  participant_id: string | null;
  import_id: string;
  name: string;
  persona_id: string | null;
  attributes: Record<string, unknown>;
}

interface Overview {
  import_id: string;
  speakers: string[];
  duration_ms: number | null;
  words: number | string;
}

// An invitation whose link was followed has no more than its id, unless the address is proven.
interface MyInvitation {
  id: string;
  workspace_name?: string;
  invited_by?: string;
  role?: Role;
}

// What a search finds. Quotes that were added by hand may have no interview.
type Hit = TurnHit | QuoteHit | NameHit | HypothesisHit;

interface FoundWords {
  text: string; // an excerpt
  speaker: string;
  start_ms: number | null;
  more: boolean;
  forms: string[]; // of the words that were searched, in text
}

interface TurnHit extends FoundWords {
  kind: 'utterance';
  id: null;
  import_id: string;
  title: string; // of the interview
  ordinal: number;
  found: number; // the turns of the interview that have the words
}

type QuoteHit = FoundWords & {
  kind: 'quote';
  id: string;
  ordinal: number | null;
  found: null;
  unconfirmed?: boolean; // the speaker
  asked_kind?: AskedKind | null;
} & ({ import_id: string; title: string } | { import_id: null; title: null });

interface NameHit extends FoundWords {
  kind: 'interview' | 'speaker';
  id: string;
  import_id: string;
  title: string;
  ordinal: null;
  found: null;
}

interface HypothesisHit extends FoundWords {
  kind: 'hypothesis';
  id: string;
  import_id: null;
  title: '';
  ordinal: null;
  found: null;
}

// How many people were asked about a hypothesis, and what they say.
interface PeopleCounts {
  asked: number;
  supporting: number;
  contradicting: number;
  mixed?: number;
  neutral?: number;
  silent?: number; // in what a model read
  unmatched?: number; // only keywords were matched, and nothing was found that counts
  unread?: number;
  others?: number; // of another persona: they do not count
}

interface Person {
  key: string;
  name: string;
  filter: { speaker?: string; import?: string; person?: string }; // finds their quotes on a board
  personaId: string | null;
  attributes: Record<string, unknown>;
  language: string; // of their first interview
  interview: string; // its title
}

interface Participant extends Person {
  stance: PersonStance;
  supports: number;
  contradicts: number;
  neutral: number;
}

interface People extends Required<PeopleCounts> {
  participants: Participant[];
  everyone: Participant[]; // with those whom the hypothesis is not about
}

// How many of the quotes behind an answer people have accepted.
interface Reviewed {
  quotes: number;
  accepted: number;
}

// The findings of a hypothesis.
interface FoundQuote {
  review: ReviewState;
  evidence_id?: string;
  import_id?: string | null;
  quote: string;
  stance: Stance;
  match: Match;
  speaker: string;
  speaker_confirmed: boolean;
  place_lost: boolean;
  asked_kind: AskedKind | null;
  start_ms: number | null;
  interview: string | null;
  interviewed_on: string | null;
}

interface Findings {
  statement: string;
  category: Category;
  importance: Level;
  status: Verdict;
  falsified_if: string;
  decision_reason: string;
  decided_at: string | null;
  as_of: string;
  quotes: FoundQuote[];
  people: { label: string; stance: PersonStance }[];
  persona: string | null; // the name of the one whom it is about
  others: number; // people with another persona
  evidence: Reviewed;
  interviews: number;
  course: CourseStep[];
  gaps: {
    not_read: string[];
    partly_read: { label: string; coverage: number }[];
    nothing_found: string[]; // by a model
    unmatched: string[]; // only keywords were matched
  };
}
