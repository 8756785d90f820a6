package transcript

import (
	"research/transcript/internal/language"
	"research/transcript/internal/refine"
)

// Parse reads a transcript, whose format and encoding it detects by the content. Its error is a *FormatError,
// for a file in no known format or without words.
//
// It takes time and memory in proportion to the size of the file, whatever its content. The same bytes always
// have the same transcript.
func Parse(data []byte) (*Transcript, error) { return Read(data, Reading{}) }

// Read does what Parse does, with what a person has decided.
func Read(data []byte, decided Reading) (*Transcript, error) {
	src, err := detect(data)
	if err != nil {
		return nil, err
	}
	return read(src)
}

// read parses a source.
func read(s source) (*Transcript, error) {
	list := s.parse()
	if s.lines != "" {
		refine.Turns(&list, s.text)
	}
	t, err := normalize(s.format, list)
	if err != nil {
		return nil, err
	}
	t.warn(s, list)
	if t.Language = s.language; t.Language == "" {
		t.Language = language.Guess(t.Text)
	}
	t.Confidence = 1
	for i := range t.Utterances {
		t.Utterances[i].Confidence = 1
	}
	return t, nil
}
