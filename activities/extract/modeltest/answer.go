package modeltest

import (
	"encoding/json"
	"regexp"
	"strings"
)

// A Reply is what a well-behaved model answers.
type Reply struct {
	Findings  []Finding  `json:"findings"`
	Questions []Question `json:"questions"`
}

// A Finding is one of its findings.
type Finding struct {
	Hypothesis string   `json:"hypothesis"`
	Utterances []string `json:"utterances"`
	Quote      string   `json:"quote"`
	Rationale  string   `json:"rationale"`
	Stance     string   `json:"stance"`
	Strength   string   `json:"strength"`
	Summary    string   `json:"summary"`
}

// A Question is one of its open questions.
type Question struct {
	Hypothesis string `json:"hypothesis"`
	Text       string `json:"text"`
}

// JSON writes the reply.
func (r Reply) JSON() string {
	raw, err := json.Marshal(r)
	if err != nil {
		panic(err) // strings always marshal
	}
	return string(raw)
}

// A Line is an utterance as the prompt shows it.
type Line struct {
	ID   string // u12
	Text string // with the speaker's name before it, where there is one
}

var (
	hypothesisLine = regexp.MustCompile(`(?m)^(h\d+): (.*)$`)
	utteranceLine  = regexp.MustCompile(`(?m)^\[(u\d+)\] (.*)$`)
	word           = regexp.MustCompile(`[\pL\pN]+`)
)

// Lines reads the utterances of a prompt.
func Lines(prompt string) []Line {
	var lines []Line
	for _, m := range utteranceLine.FindAllStringSubmatch(prompt, -1) {
		lines = append(lines, Line{m[1], m[2]})
	}
	return lines
}

// Answer reads the prompt of a call and finds, for each hypothesis, the utterance that shares most words with it, where any does: it contradicts where it
// has a negation, else it supports. The same prompt has the same answer.
func Answer(c Call) Reply {
	reply := Reply{Findings: []Finding{}, Questions: []Question{}}
	lines := Lines(c.User)
	head, _, _ := strings.Cut(c.User, "<transcript>")
	for _, h := range hypothesisLine.FindAllStringSubmatch(head, -1) {
		wanted := words(h[2])
		best, most := -1, 0
		for i, l := range lines {
			shared := 0
			for w := range words(l.Text) {
				if wanted[w] {
					shared++
				}
			}
			if shared > most {
				best, most = i, shared
			}
		}
		if best < 0 {
			continue
		}
		quote := passage(lines[best].Text)
		f := Finding{
			Hypothesis: h[1], Utterances: []string{lines[best].ID}, Quote: quote, Rationale: "It speaks of the same matter.",
			Stance: "supports", Strength: "medium", Summary: "Somebody speaks of it.",
		}
		if negation.MatchString(quote) {
			f.Stance = "contradicts"
		}
		reply.Findings = append(reply.Findings, f)
		reply.Questions = append(reply.Questions, Question{h[1], "Can you tell me about the last time this happened?"})
	}
	return reply
}

var negation = regexp.MustCompile(`(?i)\b(not|never|no|nobody|\w+n['’]t)\b`)

// words are those of four letters and more.
func words(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range word.FindAllString(strings.ToLower(s), -1) {
		if len(w) >= 4 {
			set[w] = true
		}
	}
	return set
}

var piece = regexp.MustCompile(`\pL+|\pN{1,3}|[^\s\pL\pN]`)

// Tokens counts about as the tokenizers of the day do for English: words, up to three digits, and signs.
func Tokens(s string) int { return len(piece.FindAllStringIndex(s, -1)) }

// passage is a line without the speaker's name, at most its first 200 bytes, whole words.
func passage(line string) string {
	if name, rest, ok := strings.Cut(line, ": "); ok && len(name) <= 60 {
		line = rest
	}
	if len(line) <= 200 {
		return line
	}
	line = line[:200]
	if i := strings.LastIndexByte(line, ' '); i > 0 {
		line = line[:i]
	}
	return strings.ToValidUTF8(line, "")
}
