package modeltest

import (
	"regexp"
	"strings"
)

// A Reply is the JSON that a well-behaved model writes.
type Reply struct {
	Findings  []Finding  `json:"findings"`
	Questions []Question `json:"questions"`
}

// A Finding is a finding of a Reply.
type Finding struct {
	Hypothesis string   `json:"hypothesis"`
	Utterances []string `json:"utterances"`
	Quote      string   `json:"quote"`
	Rationale  string   `json:"rationale"`
	Stance     string   `json:"stance"`
	Strength   string   `json:"strength"`
	Summary    string   `json:"summary"`
}

// A Question is a follow-up question of a Reply.
type Question struct {
	Hypothesis string `json:"hypothesis"`
	Text       string `json:"text"`
}

// JSON returns the reply as a model writes it.
func (r Reply) JSON() string { return mustJSON(r) }

// A Line is an utterance in a prompt.
type Line struct {
	ID   string // u12
	Text string // after the speaker's name, if there is one
}

var (
	hypothesisLine = regexp.MustCompile(`(?m)^(h\d+): (.*)$`)
	utteranceLine  = regexp.MustCompile(`(?m)^\[(u\d+)\] (.*)$`)
	word           = regexp.MustCompile(`[\pL\pN]+`)
	negation       = regexp.MustCompile(`(?i)\b(not|never|no|nobody|\w+n['’]t)\b`)
)

// Lines returns the utterances of a prompt.
func Lines(prompt string) []Line {
	var lines []Line
	for _, m := range utteranceLine.FindAllStringSubmatch(prompt, -1) {
		lines = append(lines, Line{m[1], m[2]})
	}
	return lines
}

// Answer quotes, for each hypothesis of the prompt or for its question, the utterance that shares the most
// words with it, if any does. The quote contradicts a hypothesis if it has a negation; otherwise it supports
// it. The same prompt always has the same reply.
func Answer(c Call) Reply {
	reply := Reply{Findings: []Finding{}, Questions: []Question{}}
	lines := Lines(c.User)
	// Lines of the transcript do not match: they begin with an id.
	for _, h := range hypothesisLine.FindAllStringSubmatch(c.User, -1) {
		found, ok := findingOf(lines, h[2])
		if !ok {
			continue
		}
		found.Hypothesis = h[1]
		reply.Findings = append(reply.Findings, found)
		reply.Questions = append(reply.Questions, Question{
			Hypothesis: h[1], Text: "Can you tell me about the last time this happened?",
		})
	}
	if found, ok := findingOf(lines, QuestionOf(c)); ok {
		reply.Findings = append(reply.Findings, found)
	}
	return reply
}

// findingOf quotes the line that shares the most words with a statement, if any does.
func findingOf(lines []Line, statement string) (Finding, bool) {
	line, ok := mostShared(lines, longWords(statement))
	if !ok {
		return Finding{}, false
	}
	quote := passage(line.Text)
	stance := "supports"
	if negation.MatchString(quote) {
		stance = "contradicts"
	}
	return Finding{
		Utterances: []string{line.ID},
		Quote:      quote,
		Rationale:  "It speaks of the same matter.",
		Stance:     stance,
		Strength:   "medium",
		Summary:    "Somebody speaks of it.",
	}, true
}

// mostShared returns the line that shares the most words, or false if no line shares any.
func mostShared(lines []Line, wanted map[string]bool) (best Line, ok bool) {
	most := 0
	for _, l := range lines {
		shared := 0
		for w := range longWords(l.Text) {
			if wanted[w] {
				shared++
			}
		}
		if shared > most {
			best, most = l, shared
		}
	}
	return best, most > 0
}

// longWords returns the words of four bytes and more.
func longWords(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range word.FindAllString(strings.ToLower(s), -1) {
		if len(w) >= 4 {
			set[w] = true
		}
	}
	return set
}

var tokenPattern = regexp.MustCompile(`\pL+|\pN{1,3}|[^\s\pL\pN]`)

// Tokens counts tokens approximately as current tokenizers do for English: words, up to three digits, and
// symbols.
func Tokens(s string) int { return len(tokenPattern.FindAllStringIndex(s, -1)) }

// maxPassage is the size of the longest quote, in bytes.
const maxPassage = 200

// passage returns a line without the speaker's name, cut between words.
func passage(line string) string {
	if name, rest, ok := strings.Cut(line, ": "); ok && len(name) <= 60 {
		line = rest
	}
	if len(line) <= maxPassage {
		return line
	}
	line = line[:maxPassage]
	if i := strings.LastIndexByte(line, ' '); i > 0 {
		line = line[:i]
	}
	return strings.ToValidUTF8(line, "")
}
