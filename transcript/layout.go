package transcript

import (
	"errors"
	"slices"
)

// A Layout is a way to read a text: where its speakers and times are. Parse chooses one; a person who knows
// better can choose another.
type Layout string

// The layouts that ParseLayout accepts.
const (
	LayoutLabels     Layout = "labels"     // "Dana: …"; each label that may be a name is a speaker
	LayoutHeads      Layout = "heads"      // a name with a time, the words after it or below
	LayoutTimes      Layout = "times"      // a time, the words after it, with or without a label
	LayoutHours      Layout = "hours"      // as Parse chooses, but "10:02" is a time of day
	LayoutParagraphs Layout = "paragraphs" // no speakers and no times
)

// layouts are in the order in which Readings lists them.
var layouts = []struct {
	layout Layout
	as     func(src source) (source, bool)
}{
	{LayoutLabels, source.asLabels},
	{LayoutHeads, source.asHeads},
	{LayoutTimes, source.asTimes},
	{LayoutHours, source.asHours},
	{LayoutParagraphs, source.asParagraphs},
}

// ErrLayout is the error for a layout that a file cannot have.
var ErrLayout = errors.New("the file cannot be read in this layout")

// A LayoutReading is what ParseLayout makes of a file.
type LayoutReading struct {
	Layout     Layout
	Utterances int
	Speakers   []string
}

// maxLayoutBytes is the size of the largest text that is read in all layouts.
const maxLayoutBytes = 1 << 20

// ParseLayout does what Parse does, in a layout. Its error is ErrLayout or a *FormatError.
func ParseLayout(data []byte, layout Layout) (*Transcript, error) {
	src, err := detect(data)
	if err != nil {
		return nil, err
	}
	for _, l := range layouts {
		if l.layout != layout || src.lines == "" {
			continue
		}
		if other, ok := l.as(src); ok {
			return other.read(Reading{}, Advice{})
		}
	}
	return nil, ErrLayout
}

// Readings returns the other layouts in which a text makes a transcript that differs from the one that Parse
// returned. Tables, captions and the data of services have none.
func Readings(data []byte, parsed *Transcript) []LayoutReading {
	src, err := detect(data)
	if err != nil || src.lines == "" || len(src.lines) > maxLayoutBytes {
		return nil
	}
	seen := []*Transcript{parsed}
	var found []LayoutReading
	for _, l := range layouts {
		other, ok := l.as(src)
		if !ok {
			continue
		}
		t, err := other.read(Reading{}, Advice{})
		if err != nil || slices.ContainsFunc(seen, t.isSame) {
			continue
		}
		seen = append(seen, t)
		found = append(found, LayoutReading{l.layout, len(t.Utterances), t.Speakers()})
	}
	return found
}

// isSame reports whether two transcripts have the same turns.
func (t *Transcript) isSame(other *Transcript) bool {
	return slices.EqualFunc(t.Utterances, other.Utterances, func(a, b Utterance) bool {
		a.Confidence, b.Confidence = 0, 0
		return a == b
	})
}
