package extract

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// promptVersion is the number of the prompt's file. A changed prompt is a new file with a new number.
const promptVersion = "v1"

//go:embed prompts/v1.system.txt
var systemPrompt string

// repairPrompt follows a request whose response could not be read.
const repairPrompt = "Your last answer to this could not be read. " +
	"Answer with the one JSON object described above, complete, and nothing else."

// userPrompt writes the hypotheses and the utterances of the chunk, each with a short id.
func userPrompt(r Request) string {
	var b strings.Builder
	b.WriteString("Hypotheses:\n")
	for i, h := range r.Hypotheses {
		fmt.Fprintf(&b, "h%d: %s\n", i+1, sanitize(h.Statement))
	}
	b.WriteString("\n<transcript>\n")
	for i := r.Chunk.From; i < r.Chunk.To; i++ {
		u := r.Transcript.Utterances[i]
		text := r.Transcript.Text[max(u.ByteStart, r.Chunk.ByteStart):min(u.ByteEnd, r.Chunk.ByteEnd)]
		fmt.Fprintf(&b, "[u%d] ", i)
		if u.Speaker != "" {
			fmt.Fprintf(&b, "%s: ", sanitize(u.Speaker))
		}
		b.WriteString(sanitize(text))
		b.WriteByte('\n')
	}
	b.WriteString("</transcript>\n\nReport the findings as one JSON object.")
	return b.String()
}

// Text that resembles the fence or an id of the prompt, in the brackets of any script.
var (
	fenceLike = regexp.MustCompile(`(?i)[<＜‹〈⟨《˂ᐸ❮]([\s/／]*transcript)`)
	idLike    = regexp.MustCompile(`(?i)[\[［【〔⟦]([\s]*[uｕ]\s*\pN)`)
)

// sanitize changes untrusted text for the prompt: it breaks up what resembles the fence or an id, removes
// invisible characters (zero-width, bidirectional and other format controls), and replaces line breaks of all
// kinds by spaces. The stored transcript keeps them.
func sanitize(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.In(r, unicode.Zl, unicode.Zp):
			return ' '
		case unicode.Is(unicode.Cf, r), unicode.IsControl(r), isHangulFiller(r):
			return -1
		}
		return r
	}, s)
	s = fenceLike.ReplaceAllString(s, "($1")
	return idLike.ReplaceAllString(s, "($1")
}

// isHangulFiller reports whether r is a letter of Hangul that is displayed as blank.
func isHangulFiller(r rune) bool {
	return r == '\u115F' || r == '\u1160' || r == '\u3164' || r == '\uFFA0'
}
