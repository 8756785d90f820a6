package openai

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kaptinlin/jsonrepair"

	"research/activities/extract"
	"research/outcome"
)

// maxFindings is the limit on the findings of one response; more are noise.
const maxFindings = 300

// A modelResponse is the JSON that a model writes. Small models write numbers and lists where the schema has
// strings, so that each field is decoded leniently.
type modelResponse struct {
	Findings  []modelFinding `json:"findings"`
	Questions []struct {
		Hypothesis lenientString `json:"hypothesis"`
		Text       lenientString `json:"text"`
	} `json:"questions"`
}

// A modelFinding is a finding of a response.
type modelFinding struct {
	Hypothesis lenientString   `json:"hypothesis"`
	Utterances json.RawMessage `json:"utterances"`
	Quote      lenientString   `json:"quote"`
	Rationale  lenientString   `json:"rationale"`
	Stance     lenientString   `json:"stance"`
	Strength   lenientString   `json:"strength"`
	Summary    lenientString   `json:"summary"`
}

// A lenientString decodes a JSON string or number; any other value is empty.
type lenientString string

// UnmarshalJSON never fails: a value of another type is no reason to discard the response.
func (s *lenientString) UnmarshalJSON(raw []byte) error {
	var text string
	var number json.Number
	switch {
	case json.Unmarshal(raw, &text) == nil:
		*s = lenientString(text)
	case json.Unmarshal(raw, &number) == nil:
		*s = lenientString(number)
	}
	return nil
}

// token returns s in the form of a keyword or an id.
func (s lenientString) token() string { return strings.ToLower(strings.TrimSpace(string(s))) }

// readResponse decodes what a model wrote. A finding about a hypothesis that was not in the request keeps an
// empty id, so that Merge counts it as rejected.
func readResponse(r extract.Request, text string) (extract.Response, error) {
	var a modelResponse
	if err := decodeResponse(text, &a); err != nil {
		return extract.Response{}, err
	}
	response := extract.Response{Findings: []extract.Finding{}}
	for _, f := range a.Findings[:min(len(a.Findings), maxFindings)] {
		response.Findings = append(response.Findings, extract.Finding{
			HypothesisID: hypothesisID(r, f.Hypothesis),
			Stance:       outcome.Stance(f.Stance.token()),
			Strength:     outcome.Strength(f.Strength.token()),
			Quote:        string(f.Quote),
			Utterances:   citedUtterances(r, f.Utterances),
			Rationale:    extract.CleanSentence(string(f.Rationale)),
			Summary:      extract.CleanSentence(string(f.Summary)),
		})
	}
	for _, q := range a.Questions {
		id, text := hypothesisID(r, q.Hypothesis), extract.CleanSentence(string(q.Text))
		if id != "" && text != "" && len(response.FollowUps) < extract.MaxFollowUps {
			response.FollowUps = append(response.FollowUps, extract.FollowUp{HypothesisID: id, Text: text})
		}
	}
	return response, nil
}

// hypothesisID turns "h2" into the id of the second hypothesis, or "" if the request has none with that
// number.
func hypothesisID(r extract.Request, id lenientString) string {
	n, err := strconv.Atoi(strings.TrimPrefix(id.token(), "h"))
	if err != nil || n < 1 || n > len(r.Hypotheses) {
		return ""
	}
	return r.Hypotheses[n-1].ID
}

var digits = regexp.MustCompile(`\d+`)

// citedUtterances reads ["u12", "u13"], [12, 13] or "u12", and keeps the utterances of the chunk.
func citedUtterances(r extract.Request, raw json.RawMessage) []int {
	cited := []int{}
	for _, number := range digits.FindAllString(string(raw), 64) {
		if n, err := strconv.Atoi(number); err == nil && n >= r.Chunk.From && n < r.Chunk.To {
			cited = append(cited, n)
		}
	}
	return cited
}

// errNotJSON does not repeat what the model wrote.
var errNotJSON = errors.New("the response does not contain the expected JSON")

var (
	// Reasoning models write their thoughts before the JSON.
	thoughts = regexp.MustCompile(
		`(?is)^\s*<(think|thinking|reasoning|thought)>.*?</(think|thinking|reasoning|thought)>`)
	// The JSON begins where a brace is followed by the name of its first member.
	objectStart = regexp.MustCompile(`\{\s*['"“]?findings['"”]?\s*:`)
	listStart   = regexp.MustCompile(`\[\s*\{\s*['"“]?(?:hypothesis|utterances|quote)['"”]?\s*:`)
)

// decodeResponse finds the JSON in what a model wrote: alone, in a code fence, surrounded by prose or
// thoughts, or slightly broken. Of several objects it takes the last, since a model may draft before it
// answers. A list stands for the findings.
func decodeResponse(text string, into *modelResponse) error {
	text = thoughts.ReplaceAllString(text, "")
	if decodeObject(text, into) {
		return nil
	}
	for _, start := range []*regexp.Regexp{objectStart, listStart} { // an object contains a list of findings
		if decodeAt(start.FindAllStringIndex(text, -1), text, into) {
			return nil
		}
	}
	return errNotJSON
}

// decodeAt decodes the JSON that begins at one of the positions.
func decodeAt(starts [][]int, text string, into *modelResponse) bool {
	for i := len(starts) - 1; i >= 0; i-- {
		if value, ok := firstValue(text[starts[i][0]:]); ok && decodeObject(value, into) {
			return true
		}
	}
	for _, start := range starts {
		value := text[start[0]:]
		end := strings.LastIndexAny(value, "}]")
		if end < 0 {
			continue // cut short: the rest cannot be repaired
		}
		if repaired, err := jsonrepair.Repair(value[:end+1]); err == nil && decodeObject(repaired, into) {
			return true
		}
	}
	return false
}

// firstValue returns the JSON value at the beginning of a text.
func firstValue(text string) (string, bool) {
	var raw json.RawMessage
	if json.NewDecoder(strings.NewReader(text)).Decode(&raw) != nil {
		return "", false
	}
	return string(raw), true
}

// decodeObject reports whether text is an object with findings, or a list of findings. Otherwise into is
// unchanged.
func decodeObject(text string, into *modelResponse) bool {
	var a modelResponse
	if json.Unmarshal([]byte(text), &a.Findings) == nil && a.Findings != nil && areFindings(a.Findings) {
		*into = a
		return true
	}
	a = modelResponse{}
	if json.Unmarshal([]byte(text), &a) != nil || a.Findings == nil {
		return false
	}
	*into = a
	return true
}

// areFindings reports whether each element of a list is a finding, and not just any object.
func areFindings(list []modelFinding) bool {
	return !slices.ContainsFunc(list, func(f modelFinding) bool { return f.Quote == "" })
}
