package transcript

import "research/transcript/internal/language"

// Parse reads a transcript in any format and encoding that Detect recognizes. Its error is a *FormatError.
//
// It takes time and memory in proportion to the size of the file, whatever its content. The same bytes always
// have the same transcript.
func Parse(data []byte) (*Transcript, error) {
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
		refineTurns(&list, s.text)
	}
	t, err := normalize(s.format, list)
	if err != nil {
		return nil, err
	}
	t.warn(s, list)
	if t.Language = s.language; t.Language == "" {
		t.Language = language.Guess(t.Text)
	}
	return t, nil
}

// Detect returns the format of a file, by its content. Its error is a *FormatError, for files that are not
// transcripts. Parse may still reject a file whose format is known, if it contains no words.
func Detect(data []byte) (Format, error) {
	src, err := detect(data)
	return src.format, err
}
