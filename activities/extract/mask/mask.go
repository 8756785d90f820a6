package mask

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"research/transcript"
)

// A Masker replaces personal data of one transcript by placeholders such as PERSON_1 and EMAIL_2, and puts it
// back. The same text has the same placeholder in every chunk and every run. Once it is made it does not
// change, and is safe for concurrent use. A nil Masker masks nothing.
type Masker struct {
	spans        map[int][]maskSpan // by utterance, in order
	placeholders map[string]string  // by what they stand for
	originals    map[string]string  // by placeholder
	counts       map[string]int     // placeholders, by kind
	names        []name
}

// A maskSpan is personal data at bytes [start, end) of the transcript.
type maskSpan struct {
	start, end  int
	placeholder string
}

// A name is one form of a speaker's name.
type name struct {
	text, placeholder string
}

// New returns a masker for texts of several transcripts. It knows the names of their speakers, and finds
// other personal data when Mask is called, so that it is not safe for concurrent use.
func New(transcripts ...*transcript.Transcript) *Masker {
	var speakers []string
	for _, t := range transcripts {
		speakers = append(speakers, t.Speakers()...)
	}
	return ForNames(speakers)
}

// ForNames returns a masker that knows the names of these people, as New does.
func ForNames(people []string) *Masker {
	m := &Masker{
		spans: map[int][]maskSpan{}, placeholders: map[string]string{}, originals: map[string]string{},
		counts: map[string]int{},
	}
	for _, person := range people {
		m.addName(person)
	}
	slices.SortStableFunc(m.names, func(a, b name) int { return cmp.Compare(len(b.text), len(a.text)) })
	for _, person := range people {
		m.Mask(person)
	}
	return m
}

// newMasker finds the personal data of a transcript.
func newMasker(t *transcript.Transcript) *Masker {
	m := New(t)
	for i, u := range t.Utterances {
		for _, found := range m.find(u.Text) {
			m.spans[i] = append(m.spans[i], maskSpan{
				start: u.ByteStart + found.start, end: u.ByteStart + found.end, placeholder: found.placeholder,
			})
		}
	}
	return m
}

// addName gives placeholders to the name of a speaker, and to its first and last part. A role is not a name.
func (m *Masker) addName(speaker string) {
	if isRole(speaker) || m.placeholders[speaker] != "" {
		return
	}
	m.counts["PERSON"]++
	person := fmt.Sprintf("PERSON_%d", m.counts["PERSON"])
	m.addForms(speaker, person)
	parts := nameParts(speaker)
	if len(parts) < 2 {
		return
	}
	for i, part := range parts {
		switch {
		case isTooShort(part):
		case i == 0:
			m.addForms(part, person+"_FIRST")
		case i == len(parts)-1:
			m.addForms(part, person+"_LAST")
		default:
			m.addForms(part, fmt.Sprintf("%s_MIDDLE_%d", person, i))
		}
	}
}

// addForms adds a name as it is written, in lower case and in capitals. Each has a placeholder of its own, so
// that each can be put back. A name that is also a common word is not masked in lower case.
func (m *Masker) addForms(text, placeholder string) {
	forms := []name{{text, placeholder}}
	if lower := strings.ToLower(text); lower != text && !isWordAndName(lower) {
		forms = append(forms, name{lower, placeholder + "_LOWER"})
	}
	if upper := strings.ToUpper(text); upper != text {
		forms = append(forms, name{upper, placeholder + "_UPPER"})
	}
	for _, form := range forms {
		if m.placeholders[form.text] == "" {
			m.remember(form.text, form.placeholder)
			m.names = append(m.names, form)
		}
	}
}

func (m *Masker) remember(text, placeholder string) {
	m.placeholders[text], m.originals[placeholder] = placeholder, text
}

// find returns the personal data of a text in order, without overlaps, and its placeholders.
func (m *Masker) find(text string) []maskSpan {
	found := findStructured(text)
	// Words that look like a placeholder would be put back as another text.
	for _, match := range placeholderLike.FindAllStringIndex(text, -1) {
		found = append(found, personalData{match[0], match[1], "TEXT"})
	}
	var spans []maskSpan
	for _, f := range found {
		spans = append(spans, maskSpan{f.start, f.end, m.placeholder(text[f.start:f.end], f.kind)})
	}
	for _, n := range m.names {
		for at := 0; ; {
			i := strings.Index(text[at:], n.text)
			if i < 0 {
				break
			}
			start, end := at+i, at+i+len(n.text)
			if isWholeName(text, start, end) {
				spans = append(spans, maskSpan{start, end, n.placeholder})
			}
			at = end
		}
	}
	return withoutOverlaps(spans)
}

// placeholder returns the placeholder of a text, a new one if it has none.
func (m *Masker) placeholder(text, kind string) string {
	if known := m.placeholders[text]; known != "" {
		return known
	}
	m.counts[kind]++
	made := fmt.Sprintf("%s_%d", kind, m.counts[kind])
	m.remember(text, made)
	return made
}

// withoutOverlaps keeps the longest of overlapping spans, in order.
func withoutOverlaps(spans []maskSpan) []maskSpan {
	slices.SortStableFunc(spans, func(a, b maskSpan) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	var kept []maskSpan
	for _, s := range spans {
		last := len(kept) - 1
		switch {
		case last < 0 || s.start >= kept[last].end:
			kept = append(kept, s)
		case s.end-s.start > kept[last].end-kept[last].start:
			kept[last] = s
		}
	}
	return kept
}

// Mask returns a text that is not of an utterance, such as a hypothesis, with placeholders.
func (m *Masker) Mask(text string) string {
	if m == nil {
		return text
	}
	return replaceSpans(text, 0, m.find(text))
}

// MaskPart returns bytes [start, end) of an utterance with placeholders. Personal data that begins or ends
// outside is replaced too.
func (m *Masker) MaskPart(text string, utterance, start, end int) string {
	if m == nil {
		return text[start:end]
	}
	var within []maskSpan
	for _, s := range m.spans[utterance] {
		if s.start < end && s.end > start {
			within = append(within, maskSpan{max(s.start, start), min(s.end, end), s.placeholder})
		}
	}
	return replaceSpans(text[start:end], start, within)
}

// replaceSpans replaces the spans of a text that begins at offset.
func replaceSpans(text string, offset int, spans []maskSpan) string {
	if len(spans) == 0 {
		return text
	}
	var b strings.Builder
	at := 0
	for _, s := range spans {
		b.WriteString(text[at : s.start-offset])
		b.WriteString(s.placeholder)
		at = s.end - offset
	}
	b.WriteString(text[at:])
	return b.String()
}

// placeholderLike is what placeholders look like.
var placeholderLike = regexp.MustCompile(`\b(?:PERSON|EMAIL|PHONE|IBAN|CARD|ADDRESS|URL|SECRET|TEXT)_\d+` +
	`(?:_(?:FIRST|LAST|MIDDLE_\d+|LOWER|UPPER))*\b`)

// Unmask puts back what the placeholders of a text stand for. An unknown placeholder remains.
func (m *Masker) Unmask(text string) string {
	if m == nil {
		return text
	}
	return placeholderLike.ReplaceAllStringFunc(text, func(placeholder string) string {
		if original, ok := m.originals[placeholder]; ok {
			return original
		}
		return placeholder
	})
}
