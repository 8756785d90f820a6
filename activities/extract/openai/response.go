package openai

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

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
	Label      lenientString   `json:"label"` // in the place of the summary, of what no hypothesis asks for
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

// readResponse decodes what a model wrote. Its error is errNotJSON or errCut. A finding about a hypothesis
// that was not in the request keeps an empty id, so that Merge counts it as rejected.
func readResponse(r extract.Request, text string) (extract.Response, error) {
	a, err := decodeResponse(text)
	if err != nil {
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
			Summary:      extract.CleanSentence(string(cmp.Or(f.Summary, f.Label))),
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
