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
}

type Layout = 'labels' | 'heads' | 'times' | 'hours' | 'paragraphs';

interface Estimate {
  calls: number;
  tokens: number;
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
  email: string;
  factors?: Factor[];
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
