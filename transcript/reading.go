package transcript

import "errors"

// A Reading is what a person has decided about how a file is read. The zero Reading decides nothing. Labels
// are written as the file has them.
type Reading struct {
	People []string          `json:"people,omitempty"` // labels that are people
	Nobody []string          `json:"nobody,omitempty"` // labels of fields, headings and notes
	Same   map[string]string `json:"same,omitempty"`   // labels of the same person as another label

	// Unlabelled is who says the lines without a label that may be another voice: a label, a new name, or ""
	// for nobody who is named. If it is nil, the reading is weighed.
	Unlabelled *string `json:"unlabelled,omitempty"`

	// From and To are the beginnings of the lines, or turns, at which the interview begins and ends, as Edges
	// has them. What is before and after is not read. "" is the first or the last line.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
}

// ErrReading is the error for a decision that does not fit the file.
var ErrReading = errors.New("the file cannot be read as decided")

// A LabelKind says what a label is.
type LabelKind string

// The kinds of labels.
const (
	LabelPerson LabelKind = "person" // its words are those of a speaker
	LabelNobody LabelKind = "nobody" // it is a field, a heading, a note, or a word before a colon
)

// A Label is what stands where files have the names of speakers.
type Label struct {
	Label string
	Kind  LabelKind // as it is read
	Same  string    // the label of the same person, or ""
	Count int       // how often it occurs
	Share float64   // of the words, 0 to 1, that would be its own
	Doubt float64   // 0 to 1: how likely the kind is wrong
	Note  bool      // it looks like that of an observer's notes, which nobody says
	First Context
}

// A Context is a line with its neighbours. The texts are cut to 200 characters.
type Context struct {
	Before, Line, After string
}

// Unlabelled describes the lines without a label that may be another voice than the speaker above.
type Unlabelled struct {
	Count   int    // lines, or paragraphs
	In      string // the label in whose turns most of them are
	Speaker string // who says them as the file is read: In, another label, or "" for nobody who is named
	Suggest string // who is likely to say them, or ""
	Doubt   float64
	First   Context
}

// A Doubt is a turn whose speaker is uncertain.
type Doubt struct {
	Ordinal int     // of the utterance
	Other   string  // the speaker in the next likely reading, or ""
	Doubt   float64 // 0 to 1
}

// Edges are the first and the last lines of a file, or its turns, for a person to choose where the interview
// begins and ends. Each has at most 20; the texts are cut to 200 characters.
type Edges struct {
	Head, Tail []string
}
