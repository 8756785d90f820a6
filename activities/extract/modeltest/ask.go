package modeltest

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

// An AskReply is what a well-behaved model writes to answer a question: a line for each sentence, and a last
// one.
type AskReply struct {
	Sentences []Sentence
	End       AskEnd
}

// A Sentence is a line of an AskReply.
type Sentence struct {
	Text  string `json:"text"`
	Cites []Cite `json:"cites"`
}

// A Cite is what proves a Sentence.
type Cite struct {
	ID    string `json:"id"`
	Quote string `json:"quote"`
}

// An AskEnd is the last line of an AskReply.
type AskEnd struct {
	Result  string `json:"result"`
	Missing string `json:"missing"`
}

// Lines returns the lines as a model writes them, each with its line break.
func (r AskReply) Lines() []string {
	var lines []string
	for _, s := range r.Sentences {
		lines = append(lines, jsonLine(s))
	}
	return append(lines, jsonLine(r.End))
}

func jsonLine(v any) string { return mustJSON(v) + "\n" }

func mustJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings always marshal
	}
	return string(raw)
}

// A Passage is a passage in a prompt for an answer.
type Passage struct {
	ID        string // p12
	Interview int    // its number
	Lines     []Line // of the interviewees, without ids
}

var (
	questionLine = regexp.MustCompile(`(?m)^Question: (.*)$`)
	passageLine  = regexp.MustCompile(`^\[(p\d+)\] interview (\d+)$`)
)

// QuestionOf returns the question of a prompt, or "".
func QuestionOf(c Call) string {
	found := questionLine.FindStringSubmatch(c.User)
	if found == nil {
		return ""
	}
	return found[1]
}

// AsksToCompose reports whether a call asks for the sentences of an answer.
func AsksToCompose(c Call) bool {
	return strings.Contains(c.User, "\n</transcripts>\n\nQuestion: ")
}

// AsksForWordings reports whether a call asks for other wordings of a question.
func AsksForWordings(c Call) bool {
	return strings.HasSuffix(c.User, "\n\nAnswer with other wordings as one JSON object.")
}

// Passages returns the passages of a prompt for an answer.
func Passages(prompt string) []Passage {
	var passages []Passage
	for line := range strings.Lines(prompt) {
		line = strings.TrimRight(line, "\n")
		if m := passageLine.FindStringSubmatch(line); m != nil {
			interview, _ := strconv.Atoi(m[2]) // digits
			passages = append(passages, Passage{ID: m[1], Interview: interview})
		}
		if said, ok := strings.CutPrefix(line, "> "); ok && len(passages) > 0 {
			last := &passages[len(passages)-1]
			last.Lines = append(last.Lines, Line{Text: said})
		}
	}
	return passages
}

// maxSentences is how many sentences an honest answer has.
const maxSentences = 5

// ComposeAnswer quotes from each of the first passages the line that shares the most words with the question,
// if any does. The same prompt always has the same reply.
func ComposeAnswer(c Call) AskReply {
	reply := AskReply{End: AskEnd{Result: "answered"}}
	wanted := longWords(QuestionOf(c))
	for _, p := range Passages(c.User) {
		line, ok := mostShared(p.Lines, wanted)
		if !ok || len(reply.Sentences) == maxSentences {
			continue
		}
		quote := passage(line.Text)
		reply.Sentences = append(reply.Sentences, Sentence{
			Text: "It was said: " + quote, Cites: []Cite{{ID: p.ID, Quote: quote}},
		})
	}
	if len(reply.Sentences) == 0 {
		reply.End = AskEnd{Result: "not_answered", Missing: "Nothing is said about it."}
	}
	return reply
}

// Wordings is the JSON of another wording of a question: its longer words, in the other direction.
func Wordings(c Call) string {
	wording := ""
	for w := range strings.FieldsSeq(QuestionOf(c)) {
		if len(w) >= 4 {
			wording = strings.Trim(w, "?!.,") + " " + wording
		}
	}
	return mustJSON(map[string]any{"wordings": []string{strings.TrimSpace(wording)}})
}
