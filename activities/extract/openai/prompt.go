package openai

import (
	_ "embed"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"research/activities/extract"
	"research/activities/extract/mask"
)

// promptVersion is the number of the prompt's file. A changed prompt is a new file with a new number.
const promptVersion = "v2"

//go:embed prompts/v2.system.txt
var systemPrompt string

// systemExample follows the system prompt if the example is wanted. It is the same for every request, so that
// servers keep it with the prompt.
//
//go:embed prompts/v2.example.txt
var systemExample string

// repairPrompt follows a request whose response could not be read.
const repairPrompt = "Your last answer to this could not be read. " +
	"Answer with the one JSON object described above, complete, and nothing else."

// userPrompt writes the utterances of the chunk, each with a short id, and then the hypotheses: servers keep
// the beginning of a prompt, so that a later run about other hypotheses reads the transcript from the cache.
// m may be nil.
func userPrompt(r extract.Request, m *mask.Masker) string {
	var b strings.Builder
	b.Grow(r.Chunk.Size() + 32*(r.Chunk.To-r.Chunk.From) + 512)
	writeUserPrompt(&b, r, m)
	return b.String()
}

// writeUserPrompt writes a user prompt to what never fails.
func writeUserPrompt(w io.StringWriter, r extract.Request, m *mask.Masker) {
	writeTranscript(w, r, m)
	write := writerTo(w)
	write("Hypotheses:\n")
	for i, h := range r.Hypotheses {
		write("h", strconv.Itoa(i+1), ": ", sanitize(m.Mask(h.Statement)), "\n")
	}
	write("\nReport the findings about these hypotheses as one JSON object.")
}

// writerTo returns what writes texts to what never fails.
func writerTo(w io.StringWriter) func(parts ...string) {
	return func(parts ...string) {
		for _, part := range parts {
			_, _ = w.WriteString(part)
		}
	}
}

// writeTranscript writes the beginning of a prompt about a chunk: its utterances, and who interviews.
func writeTranscript(w io.StringWriter, r extract.Request, m *mask.Masker) {
	write := writerTo(w)
	write("<transcript>\n")
	for i := r.Chunk.From; i < r.Chunk.To; i++ {
		u := r.Transcript.Utterances[i]
		text := m.MaskPart(r.Transcript.Text, i, max(u.ByteStart, r.Chunk.ByteStart),
			min(u.ByteEnd, r.Chunk.ByteEnd))
		write("[u", strconv.Itoa(i), "] ")
		if u.Speaker != "" {
			write(sanitize(m.Mask(u.Speaker)), ": ")
		}
		write(sanitize(text), "\n")
	}
	write("</transcript>\n\n")
	if len(r.Interviewers) > 0 {
		names := make([]string, len(r.Interviewers))
		for i, name := range r.Interviewers {
			names[i] = sanitize(m.Mask(name))
		}
		write("Interviewers: ", strings.Join(names, ", "),
			". Their own words are no evidence: quote the others.\n\n")
	}
}

// The brackets with which text may resemble the fence or an id of the prompt, of any script.
const (
	fenceBrackets = `<＜‹〈⟨《˂ᐸ❮`
	idBrackets    = `[［【〔⟦`
)

// Text that resembles the fence or an id of the prompt.
var (
	fenceLike = regexp.MustCompile(`(?i)[` + fenceBrackets + `]([\s/／]*(?:transcript|labels))`)
	idLike    = regexp.MustCompile(`(?i)[\` + idBrackets + `]([\s]*[uｕ]\s*\pN)`)
)

// sanitize changes untrusted text for the prompt: it breaks up what resembles the fence or an id, removes
// invisible characters (zero-width, bidirectional and other format controls), and replaces line breaks of all
// kinds by spaces. The stored transcript keeps them.
func sanitize(s string) string {
	if isPlain(s) {
		return s
	}
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.In(r, unicode.Zl, unicode.Zp):
			return ' '
		case unicode.Is(unicode.Cf, r), unicode.IsControl(r), isHangulFiller(r):
			return -1
		}
		return r
	}, s)
	if strings.ContainsAny(s, fenceBrackets) {
		s = fenceLike.ReplaceAllString(s, "($1")
	}
	if strings.ContainsAny(s, idBrackets) {
		s = idLike.ReplaceAllString(s, "($1")
	}
	return s
}

// isPlain reports whether sanitize leaves a text as it is: printable ASCII without brackets. Most utterances
// are.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '<' || c == '[' {
			return false
		}
	}
	return true
}

// isHangulFiller reports whether r is a letter of Hangul that is displayed as blank.
func isHangulFiller(r rune) bool {
	return r == '\u115F' || r == '\u1160' || r == '\u3164' || r == '\uFFA0'
}
