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
	cut    bool   // a line was not complete
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
	if !strings.ContainsAny(text, "}>\n") {
		return nil // nothing ends in it
	}
	return a.read(false)
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
)

// maxLineStart is more than lineStart matches.
const maxLineStart = 64

// read reads the lines that are complete. final is set at the end of the text.
func (a *answerLines) read(final bool) error {
	if !a.skipThoughts(final) {
		return nil
	}
	for a.ended == 0 {
		at := lineStart.FindSubmatchIndex(a.rest)
		if at == nil {
			a.rest = a.rest[max(len(a.rest)-maxLineStart, 0):]
			return nil
		}
		name := string(a.rest[at[2]:at[3]])
		holdsLines := name == "sentences" || name == "lines"
		a.rest = a.rest[at[0]:]
		size := closedSize(string(a.rest))
		next := nextLine.FindIndex(a.rest)
		isBroken := next != nil && !holdsLines && (size < 0 || next[0] < size)
		switch {
		case isBroken:
			size = next[0]
		case size > 0:
		case final || len(a.rest) > maxLineBytes && !holdsLines: // there may be lines within
			a.cut, a.rest = true, a.rest[1:]
			continue
		default:
			return nil
		}
		line := string(a.rest[:size])
		a.rest = a.rest[size:]
		if err := a.pass(line, isBroken); err != nil {
			return err
		}
	}
	return nil
}

// skipThoughts skips the thoughts that some models write before they answer, and reports whether the answer
// has begun.
func (a *answerLines) skipThoughts(final bool) bool {
	for !a.begun {
		begin := bytes.TrimLeft(a.rest, " \t\r\n")
		isShort := len(begin) < len("<reasoning>") && !bytes.ContainsRune(begin, '>')
		switch {
		case !thoughtStart.Match(begin):
			if !final && (len(begin) == 0 || begin[0] == '<' && isShort) {
				return false
			}
			a.begun = true
		case thoughts.Match(begin):
			a.rest = begin[len(thoughts.Find(begin)):]
		default:
			a.cut = final
			return false
		}
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
	if !ok || isBroken && len(a.cites(written.Cites)) == 0 {
		a.cut = true
		return nil
	}
	return a.passWritten(written)
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
