package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strings"

	"research/activities/extract"
)

// errEnough means that what follows in a response is of no use.
var errEnough = errors.New("the response has what was asked for")

// Bounds of an answer in JSON Lines. The prompt asks for at most 12 sentences.
const (
	maxLines      = 50
	maxLineBytes  = 16 << 10
	maxLinesBytes = 128 << 10 // of the whole text, drafts and thoughts in it included
	maxTries      = 256       // to find the end of a line; each takes a brace
	maxAfterEnd   = 4 << 10   // after the last line: models end, and their usage follows
	maxCites      = 12        // of a sentence
	maxCiteBytes  = 2000
)

// answerLines reads what a model writes in JSON Lines, as it arrives. It finds the objects of the lines
// whatever is around them: thoughts, prose, code fences, a list, or an object that has all sentences.
type answerLines struct {
	each   func(extract.AnswerLine) error
	unmask func(string) string

	rest   []byte // what no line was read from yet
	size   int    // of the whole text
	begun  bool   // thoughts are over
	seen   int    // bytes of rest that do not end thoughts
	cut    bool   // a line was not complete
	tries  int    // to find the end of the object at the beginning of rest
	broken int    // lines that were dropped
	count  int    // lines that each has
	ended  int    // 1 and the bytes after the last line, or 0 before it
	said   map[string]bool
	failed error // of each
}

func newAnswerLines(unmask func(string) string, each func(extract.AnswerLine) error) *answerLines {
	return &answerLines{each: each, unmask: unmask, said: map[string]bool{}}
}

// reset begins again with another response.
func (a *answerLines) reset() { *a = *newAnswerLines(a.unmask, a.each) }

// add reads a part of the text. Its error is that of each; errCut, if the text is too long; or errEnough.
func (a *answerLines) add(text string) error {
	a.size += len(text)
	switch {
	case a.ended > maxAfterEnd:
		return errEnough
	case a.ended > 0:
		a.ended += len(text)
		return nil
	case a.size > maxLinesBytes:
		return errCut
	}
	a.rest = append(a.rest, text...)
	if strings.Contains(text, "}") || !a.begun && strings.Contains(text, ">") {
		return a.read(false) // something may end in it
	}
	return nil
}

// end reads what is left at the end of the text. whole is the text, if it did not arrive in parts.
func (a *answerLines) end(whole string) error {
	if a.failed != nil {
		return a.failed
	}
	if a.size == 0 {
		if err := a.add(whole); err != nil {
			return err
		}
	}
	return a.read(true)
}

// check returns the error of a response that was read: errCut or errNotJSON if it had no line.
func (a *answerLines) check() error {
	switch {
	case a.count > 0 || a.ended > 0:
		return nil
	case a.cut:
		return errCut
	}
	return errNotJSON
}

// The members with which a line begins, or the object that has all lines.
var (
	lineStart    = regexp.MustCompile(`\{\s*['"“„]?(text|cites|result|missing|sentences|lines)['"”“]?\s*:`)
	nextLine     = regexp.MustCompile(`\n\s*\{\s*['"“„]?(?:text|result)['"”“]?\s*:`)
	thoughtStart = regexp.MustCompile(`(?i)^\s*<(think|thinking|reasoning|thought)>`)
	thoughtEnd   = regexp.MustCompile(`(?i)</(think|thinking|reasoning|thought)>`)
)

// maxLineStart is more than lineStart and thoughtEnd match.
const maxLineStart = 64

// read reads the lines that are complete. final is set at the end of the text.
func (a *answerLines) read(final bool) error {
	if !a.skipThoughts(final) {
		return nil
	}
	for a.ended == 0 {
		line, isBroken, ok := a.next(final)
		if !ok {
			return nil
		}
		if err := a.pass(line, isBroken); err != nil {
			return err
		}
	}
	return nil
}

// next takes the next line from what is left, or returns false if there is none yet. A broken line ends where
// the next one begins. An object that never ends is returned as "": there may be lines within.
func (a *answerLines) next(final bool) (line string, isBroken, ok bool) {
	at := lineStart.FindSubmatchIndex(a.rest)
	if at == nil {
		a.rest = a.rest[max(len(a.rest)-maxLineStart, 0):]
		return "", false, false
	}
	name := string(a.rest[at[2]:at[3]])
	holdsLines := name == "sentences" || name == "lines"
	a.rest = a.rest[at[0]:]
	if holdsLines && !final {
		return "", false, false
	}
	size := len(a.rest)
	if following := nextLine.FindIndex(a.rest); following != nil && !holdsLines {
		size = following[0]
	}
	line = string(a.rest[:size])
	closed := closedSize(line)
	switch {
	case closed > 0:
		size = closed
	case size < len(a.rest):
		isBroken = true
	case final || size > maxLineBytes || a.tries == maxTries:
		size, line, isBroken = 1, "", true
	default:
		a.tries++
		return "", false, false
	}
	a.rest, a.tries = a.rest[size:], 0
	return line[:min(size, len(line))], isBroken, true
}

// skipThoughts skips the thoughts that some models write before they answer, and reports whether the answer
// has begun.
func (a *answerLines) skipThoughts(final bool) bool {
	for !a.begun {
		begin := bytes.TrimLeft(a.rest, " \t\r\n")
		isShort := len(begin) < len("<reasoning>") && !bytes.ContainsRune(begin, '>')
		if !thoughtStart.Match(begin) {
			if !final && (len(begin) == 0 || begin[0] == '<' && isShort) {
				return false
			}
			a.begun = true
			break
		}
		from := max(a.seen-maxLineStart, 0)
		end := thoughtEnd.FindIndex(a.rest[from:])
		if end == nil {
			a.seen, a.cut = len(a.rest), final
			return false
		}
		a.rest, a.seen = a.rest[from+end[1]:], 0
	}
	return true
}

// A writtenLine is the JSON of a line, or of an object that has all of them.
type writtenLine struct {
	Text      lenientString   `json:"text"`
	Cites     json.RawMessage `json:"cites"`
	Result    lenientString   `json:"result"`
	Missing   lenientString   `json:"missing"`
	Sentences []writtenLine   `json:"sentences"`
	Lines     []writtenLine   `json:"lines"`
}

// pass gives a line to each. One that cannot be decoded is dropped, or if it is broken one without its cites.
func (a *answerLines) pass(line string, isBroken bool) error {
	written, ok := decodeRepairedAs[writtenLine](line)
	if ok && (!isBroken || len(a.cites(written.Cites)) > 0) {
		return a.passWritten(written)
	}
	a.cut = true
	if a.broken++; a.broken > maxStarts {
		return errCut
	}
	return nil
}

func (a *answerLines) passWritten(w writtenLine) error {
	for _, inner := range append(w.Sentences, w.Lines...) {
		if err := a.passWritten(inner); err != nil {
			return err
		}
	}
	text := extract.CleanSentence(a.unmask(string(w.Text)))
	if text != "" && !a.said[text] && a.ended == 0 { // models that repeat themselves write it again
		a.said[text] = true
		if a.count == maxLines {
			return errCut
		}
		if err := a.give(extract.AnswerLine{Text: text, Cites: a.cites(w.Cites)}); err != nil {
			return err
		}
		a.count++
	}
	if (w.Result == "" && w.Missing == "") || a.ended > 0 {
		return nil
	}
	a.ended = 1
	return a.give(extract.AnswerLine{
		Result: resultOf(w.Result), Missing: extract.CleanSentence(a.unmask(string(w.Missing))),
	})
}

func (a *answerLines) give(line extract.AnswerLine) error {
	a.failed = a.each(line)
	return a.failed
}

// cites reads a list of cites, or one alone. Those without a quote, or with one that is too long, are
// dropped.
func (a *answerLines) cites(raw json.RawMessage) (cites []extract.Cite) {
	type writtenCite struct {
		ID    lenientString `json:"id"`
		Quote lenientString `json:"quote"`
	}
	var written []writtenCite
	if json.Unmarshal(raw, &written) != nil {
		written = make([]writtenCite, 1)
		if json.Unmarshal(raw, &written[0]) != nil {
			return nil
		}
	}
	for _, c := range written[:min(len(written), maxCites)] {
		quote := strings.TrimSpace(a.unmask(string(c.Quote)))
		if quote != "" && len(quote) <= maxCiteBytes {
			cites = append(cites, extract.Cite{ID: strings.Trim(c.ID.token(), "[] "), Quote: quote})
		}
	}
	return cites
}

// resultOf returns the result that a model names, and "partly" for any other word.
func resultOf(said lenientString) string {
	switch token := strings.NewReplacer(" ", "_", "-", "_").Replace(said.token()); token {
	case "answered", "not_answered":
		return token
	}
	return "partly"
}
