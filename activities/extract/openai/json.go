package openai

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kaptinlin/jsonrepair"
)

// Errors of decodeResponse. They do not repeat what the model wrote.
var (
	errNotJSON = errors.New("the response does not contain the expected JSON")
	// errCut means that the JSON ends early, whatever the server says about the end of the response.
	errCut = errors.New("the JSON of the response is cut")
)

var (
	// Reasoning models write their thoughts before the JSON.
	thoughts = regexp.MustCompile(
		`(?is)^\s*<(think|thinking|reasoning|thought)>.*?</(think|thinking|reasoning|thought)>`)
	// The JSON begins where a brace is followed by the name of its first member.
	objectStart  = regexp.MustCompile(`\{\s*['"“„]?(?:findings|questions)['"”“]?\s*:`)
	listStart    = regexp.MustCompile(`\[\s*\{\s*['"“„]?(?:hypothesis|utterances|quote)['"”“]?\s*:`)
	findingStart = regexp.MustCompile(`\{\s*['"“„]?(?:hypothesis|utterances|quote)['"”“]?\s*:`)
)

// decodeResponse finds the JSON in what a model wrote: alone, in a JSON string, in a code fence, surrounded
// by prose or thoughts, or slightly broken. A list stands for the findings. JSON that had to be closed at its
// end is cut: what is missing there cannot be known.
func decodeResponse(text string) (modelResponse, error) {
	if len(text) > maxResponseText {
		return modelResponse{}, errCut
	}
	text = thoughts.ReplaceAllString(text, "")
	if found, ok := decodeObject(text); ok {
		return found, nil
	}
	var inner string
	if json.Unmarshal([]byte(text), &inner) == nil {
		text = inner
		if found, ok := decodeObject(text); ok {
			return found, nil
		}
	}
	for _, start := range []*regexp.Regexp{objectStart, listStart} { // an object contains a list of findings
		found, err := decodeLast(text, start)
		if !errors.Is(err, errNotJSON) {
			return found, err
		}
	}
	return modelResponse{}, errNotJSON
}

// Bounds of what is read of a response: a model that repeats itself, or a hostile server.
const (
	maxStarts       = 64      // objects and lists, from the end
	maxResponseText = 1 << 20 // bytes, ten times the longest response
)

// decodeLast decodes the last object that begins as start describes, since a model may draft before it
// answers. An empty one after it is an example.
func decodeLast(text string, start *regexp.Regexp) (last modelResponse, err error) {
	err = errNotJSON
	end := 0
	starts := start.FindAllStringIndex(text, -1)
	for _, at := range starts[max(len(starts)-maxStarts, 0):] {
		if at[0] < end { // within the object before
			continue
		}
		size := closedSize(text[at[0]:])
		if size < 0 { // cut, unless it is prose beside an answer
			if err != nil || findingStart.MatchString(text[at[0]:]) {
				last, err = modelResponse{}, errCut
			}
			continue
		}
		found, ok := decodeRepaired(text[at[0] : at[0]+size])
		if !ok {
			continue
		}
		end = at[0] + size
		if err != nil || len(found.Findings) > 0 || len(last.Findings) == 0 {
			last, err = found, nil
		}
	}
	return last, err
}

// decodeLastAs decodes the last object in what a model wrote that begins as start describes. Its error is
// errNotJSON or errCut.
func decodeLastAs[T any](text string, start *regexp.Regexp) (found T, err error) {
	if len(text) > maxResponseText {
		return found, errCut
	}
	text = thoughts.ReplaceAllString(text, "")
	var inner string
	if json.Unmarshal([]byte(text), &inner) == nil {
		text = inner
	}
	starts := start.FindAllStringIndex(text, -1)
	for _, at := range slices.Backward(starts[max(len(starts)-maxStarts, 0):]) {
		size := closedSize(text[at[0]:])
		if size < 0 {
			return found, errCut
		}
		if decoded, ok := decodeRepairedAs[T](text[at[0] : at[0]+size]); ok {
			return decoded, nil
		}
	}
	return found, errNotJSON
}

// decodeRepairedAs decodes an object, repaired if necessary.
func decodeRepairedAs[T any](text string) (found T, ok bool) {
	if json.Unmarshal([]byte(text), &found) == nil {
		return found, true
	}
	var repaired T
	fixed, err := jsonrepair.Repair(text)
	return repaired, err == nil && json.Unmarshal([]byte(fixed), &repaired) == nil
}

// The quotation marks that models write in the place of JSON's, with those that close them.
var closingQuotes = map[rune]string{'"': `"`, '\'': `'`, '“': `”“"`, '„': `“”"`}

// closedSize returns the size of the object or list at the beginning of a text, or -1 if it is not closed. It
// reads what jsonrepair can repair: other quotation marks, comments, and quotation marks within strings.
func closedSize(text string) int {
	depth := 0
	closing := "" // of the string, if it is within one
	isComment, isEscaped := false, false
	for i, r := range text {
		switch {
		case isComment:
			isComment = r != '\n'
		case isEscaped:
			isEscaped = false
		case closing != "":
			isEscaped = r == '\\'
			if strings.ContainsRune(closing, r) && endsString(text[i+utf8.RuneLen(r):]) {
				closing = ""
			}
		case closingQuotes[r] != "":
			closing = closingQuotes[r]
		case r == '/':
			isComment = strings.HasPrefix(text[i:], "//")
		case r == '{', r == '[':
			depth++
		case r == '}', r == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// endsString reports whether a quotation mark before a text closes a string: quotation marks within a string
// are followed by words.
func endsString(rest string) bool {
	rest = strings.TrimLeft(rest, " \t\r\n")
	return rest == "" || strings.ContainsRune(",:]}/", rune(rest[0]))
}

// decodeRepaired decodes an object, repaired if necessary.
func decodeRepaired(text string) (modelResponse, bool) {
	if found, ok := decodeObject(text); ok {
		return found, true
	}
	repaired, err := jsonrepair.Repair(text)
	if err != nil {
		return modelResponse{}, false
	}
	return decodeObject(repaired)
}

// decodeObject reports whether text is an object with findings, or a list of findings.
func decodeObject(text string) (modelResponse, bool) {
	var a modelResponse
	if json.Unmarshal([]byte(text), &a.Findings) == nil && a.Findings != nil && areFindings(a.Findings) {
		return a, true
	}
	a = modelResponse{}
	if json.Unmarshal([]byte(text), &a) != nil || a.Findings == nil {
		return modelResponse{}, false
	}
	return a, true
}

// areFindings reports whether each element of a list is a finding, and not just any object.
func areFindings(list []modelFinding) bool {
	return !slices.ContainsFunc(list, func(f modelFinding) bool { return f.Quote == "" })
}
