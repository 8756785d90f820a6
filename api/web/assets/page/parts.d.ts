// What modules of the page hand to each other.

// A request to the APIs, and its response, whose body is parsed JSON, or null.
interface RequestOptions {
  method?: string;
  headers?: Record<string, string>;
  json?: unknown;
  signal?: AbortSignal;
  keepalive?: boolean;
}

interface Answered<T> {
  status: number;
  headers: Headers;
  body: T;
}

// The parameters of a request to the data API.
type Filter = Record<string, string | number | readonly string[] | null | undefined>;

// What useLoad returns.
interface Loaded<T> {
  data: T | undefined;
  error: Error | null;
  loading: boolean;
  reload(): void;
  set(change: (data: T) => T): void;
}

// What the views of a project share.
interface Context {
  id: string;
  workspace: Workspace;
  project: Project;
  hypotheses: Hypothesis[];
  personas: Persona[];
  canEdit: boolean;
  reload(): void;
  set(change: (data: ProjectRows) => ProjectRows): void;
}

interface ProjectRows {
  hypotheses: Hypothesis[];
  personas: Persona[];
}

// The children of a component, as templates make them.
type Children = import('../vendor/preact.js').Child;
type Component<P = object> = import('../vendor/preact.js').Component<P>;
type Ref<T> = import('../vendor/hooks.js').Ref<T>;

interface Store<T> {
  get(): T;
  set(next: T): void;
  follow(f: (value: T) => void): () => void;
}

// The attributes that a Field gives its control.
type Control = { id: string; 'aria-describedby'?: string; 'aria-invalid'?: string };

// The values of a form, by the names of its fields.
type Values = Record<string, string>;

// A quote selected in a transcript: its bytes, and the list indices of its first and last utterance.
interface Span {
  quote: string;
  byteStart: number;
  byteEnd: number;
  from: number;
  to: number;
}

// The quotes for and against in one interview, for the chart of a board. at is its day, and known whether
// that is the day of the interview, and not that of the upload.
interface Step {
  at: string;
  known: boolean;
  title: string;
  supports: number;
  contradicts: number;
}

// The ids of the quotes of a board by stance, and the quotes by id.
interface Columns extends Record<Stance, string[]> {
  byId: Map<string, Quote>;
}

// What a list of rows can be asked for: to scroll to a row, and which row is at the top.
interface WindowedControl {
  show(id: string, offset: number): void;
  first(): { id: string; offset: number } | null;
}

interface ColumnsControl {
  show(row: Quote | undefined, offset: number): void;
  focus(row: Quote): void;
  first(): { id: string; offset: number } | null;
}

interface VirtualControl {
  show(index: number, find?: (row: Element) => Element | null): void;
}
