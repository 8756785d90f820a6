package extract

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"

	"github.com/kaptinlin/jsonrepair"
)

// errNotJSON says nothing of what the model wrote.
var errNotJSON = errors.New("not the JSON that was asked for")

// thoughts are what reasoning models write before they answer.
var thoughts = regexp.MustCompile(`(?is)^\s*<(think|thinking|reasoning|thought)>.*?</(think|thinking|reasoning|thought)>`)

// decodeAnswer reads JSON that a model wrote: alone, in a fence, with prose or thoughts around it, or slightly broken. It wants an object with findings; of
// several it takes the last, since what comes before is talk.
func decodeAnswer(text string, into *modelAnswer) error {
	text = thoughts.ReplaceAllString(text, "")
	if decodeObject(text, into) {
		return nil
	}
	// The object begins where a brace is followed by the name of one of its fields.
	starts := objectStart.FindAllStringIndex(text, -1)
	for i := len(starts) - 1; i >= 0; i-- {
		from := starts[i][0]
		if value, ok := firstValue(text[from:]); ok && decodeObject(value, into) {
			return nil
		}
	}
	for i := range starts {
		object := text[starts[i][0]:]
		if end := strings.LastIndexByte(object, '}'); end >= 0 {
			object = object[:end+1]
		} else {
			continue // cut short: what is missing cannot be repaired
		}
		if repaired, err := jsonrepair.Repair(object); err == nil && decodeObject(repaired, into) {
			return nil
		}
	}
	return errNotJSON
}

var objectStart = regexp.MustCompile(`\{\s*['"“]?findings['"”]?\s*:`)

// firstValue cuts the JSON value that a text begins with.
func firstValue(text string) (string, bool) {
	decoder := json.NewDecoder(strings.NewReader(text))
	var raw json.RawMessage
	if decoder.Decode(&raw) != nil {
		return "", false
	}
	return string(raw), true
}

// decodeObject leaves into as it was where it fails.
func decodeObject(text string, into *modelAnswer) bool {
	var said modelAnswer
	if json.Unmarshal([]byte(text), &said) != nil || said.Findings == nil {
		return false
	}
	*into = said
	return true
}
