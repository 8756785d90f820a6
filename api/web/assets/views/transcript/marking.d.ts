// What the modules of the transcript hand to each other.

// A position in a transcript: the list index of an utterance, and an index into its text.
interface TextPoint {
  at: number;
  index: number;
}

// A part of a transcript that is marked.
interface ByteRange {
  byte_start: number;
  byte_end: number;
}

// An occurrence of words that somebody looks for.
interface MarkedWords extends ByteRange {
  id: string;
  find: true;
}

// Evidence with a place in the transcript.
type LocatedEvidence = LinkedEvidence & ByteRange;

// An utterance to scroll to, by its ordinal, and what to mark in it: words that were searched for, or bytes.
// asked differs each time that somebody asks for a place again.
interface WantedPlace {
  ordinal: number;
  words: string;
  forms: string[];
  bytes?: ByteRange;
  asked?: number;
}

// Where words are in the window.
interface WordsBox {
  top: number;
  bottom: number;
  left: number;
}

// Words that somebody chose: by selecting them or, with focus, by the button of their turn.
interface ChosenSpan extends Span {
  focus?: boolean;
  theme?: number; // how often somebody asked for a theme of them
  box: WordsBox;
}

interface PlayerControl {
  seek(ms: number): void;
}

// How evidence is marked: the colour class of its hypothesis, its stance, and a label with its text
// alternative.
interface EvidenceMarks {
  hueOf(e: LinkedEvidence): string;
  stanceOf(e: LinkedEvidence): Stance | undefined;
  labelOf(e: LinkedEvidence): { short: string; long: string };
  themesOf(e: LinkedEvidence): Theme[];
}

// A theme of quotes in a turn.
interface Stripe {
  theme: Theme;
  quotes: LocatedEvidence[];
}

// What keys do with the words of a transcript. theme asks for a theme of the chosen words, or of the turn
// that has the focus, and enter moves the focus to a turn. Both return whether there is such a thing.
interface WordsControl {
  theme(): boolean;
  enter(): boolean;
}
