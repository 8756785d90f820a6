package extract

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// promptVersion is the number of the prompt's file. A changed prompt is a new file with a new number.
const promptVersion = "v1"

//go:embed prompts/v1.system.txt
var systemPrompt string

// userPrompt writes the hypotheses and the chunk's utterances, each with a short id.
func userPrompt(q Question) string {
	var b strings.Builder
	b.WriteString("Hypotheses:\n")
	for i, h := range q.Hypotheses {
		fmt.Fprintf(&b, "h%d: %s\n", i+1, defuse(h.Statement))
	}
	b.WriteString("\n<transcript>\n")
	for i := q.Chunk.From; i < q.Chunk.To; i++ {
		u := q.Transcript.Utterances[i]
		text := q.Transcript.Text[max(u.ByteStart, q.Chunk.ByteStart):min(u.ByteEnd, q.Chunk.ByteEnd)]
		fmt.Fprintf(&b, "[u%d] ", i)
		if u.Speaker != "" {
			fmt.Fprintf(&b, "%s: ", defuse(u.Speaker))
		}
		b.WriteString(defuse(text))
		b.WriteByte('\n')
	}
	b.WriteString("</transcript>\n\nReport the findings as one JSON object.")
	return b.String()
}

// What looks like our fence or our ids, in the brackets of any script.
var (
	fenceLike = regexp.MustCompile(`(?i)[<＜‹〈⟨《˂ᐸ❮]([\s/／]*transcript)`)
	idLike    = regexp.MustCompile(`(?i)[\[［【〔⟦]([\s]*[uｕ]\s*\pN)`)
)

// defuse takes from hostile text what could look like our fence and ids, and characters that do not show: zero-width, bidirectional and other format
// controls. Line breaks of all kinds become spaces. The stored transcript keeps them.
func defuse(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.In(r, unicode.Zl, unicode.Zp):
			return ' '
		case unicode.Is(unicode.Cf, r), unicode.IsControl(r), r == '\u115F', r == '\u1160', r == '\u3164', r == '\uFFA0': // the last are blank letters of Hangul
			return -1
		}
		return r
	}, s)
	s = fenceLike.ReplaceAllString(s, "($1")
	return idLike.ReplaceAllString(s, "($1")
}

// maxEnum bounds the ids that are listed in the schema: OpenAI refused schemas with more than 500 values of enums, and long ones of more than 15,000 characters.
const maxEnum = 380

// A schema is a JSON schema of an answer. Its fields are kept in order, since a model writes them in that order: the rationale before the stance.
type schema struct {
	Type       string     `json:"type"`
	Enum       []string   `json:"enum,omitempty"`
	Items      *schema    `json:"items,omitempty"`
	Properties properties `json:"properties,omitempty"`
	Required   []string   `json:"required,omitempty"`
	Additional *bool      `json:"additionalProperties,omitempty"`
}

type property struct {
	name   string
	schema schema
}

type properties []property

// MarshalJSON writes an object with its fields in order.
func (p properties) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, field := range p {
		if i > 0 {
			b.WriteByte(',')
		}
		value, err := json.Marshal(field.schema)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%q:%s", field.name, value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// objectOf makes every field required and allows no other, as strict mode wants it (https://platform.openai.com/docs/guides/structured-outputs).
func objectOf(fields ...property) schema {
	closed := false
	s := schema{Type: "object", Properties: fields, Additional: &closed}
	for _, f := range fields {
		s.Required = append(s.Required, f.name)
	}
	return s
}

func listOf(items schema) schema      { return schema{Type: "array", Items: &items} }
func textIn(allowed ...string) schema { return schema{Type: "string", Enum: allowed} }

// answerSchema lists the ids that may be named, as far as servers take such lists.
func answerSchema(q Question) schema {
	hypotheses := make([]string, len(q.Hypotheses))
	for i := range hypotheses {
		hypotheses[i] = "h" + strconv.Itoa(i+1)
	}
	var utterances []string
	if n := q.Chunk.To - q.Chunk.From; n+len(hypotheses) <= maxEnum {
		for i := range n {
			utterances = append(utterances, "u"+strconv.Itoa(q.Chunk.From+i))
		}
	}
	return objectOf(
		property{"findings", listOf(objectOf(
			property{"hypothesis", textIn(hypotheses...)},
			property{"utterances", listOf(textIn(utterances...))},
			property{"quote", textIn()},
			property{"rationale", textIn()},
			property{"stance", textIn(Supports, Contradicts, Neutral)},
			property{"strength", textIn(Weak, Medium, Strong)},
			property{"summary", textIn()},
		))},
		property{"questions", listOf(objectOf(
			property{"hypothesis", textIn(hypotheses...)},
			property{"text", textIn()},
		))},
	)
}

// What is taken of one answer at most. The prompt asks for three questions; findings beyond a few a turn are noise.
const (
	maxFollowUps = 3
	maxFindings  = 300
)

// modelAnswer is what a model is asked to write. Small models put numbers and lists where texts belong: each field is read as it comes.
type modelAnswer struct {
	Findings []struct {
		Hypothesis loose           `json:"hypothesis"`
		Utterances json.RawMessage `json:"utterances"`
		Quote      loose           `json:"quote"`
		Rationale  loose           `json:"rationale"`
		Stance     loose           `json:"stance"`
		Strength   loose           `json:"strength"`
		Summary    loose           `json:"summary"`
	} `json:"findings"`
	Questions []struct {
		Hypothesis loose `json:"hypothesis"`
		Text       loose `json:"text"`
	} `json:"questions"`
}

// loose is a text, or a number read as one; anything else is empty.
type loose string

// UnmarshalJSON never fails: what is no text is no reason to throw away an answer.
func (l *loose) UnmarshalJSON(raw []byte) error {
	var text string
	var number json.Number
	switch {
	case json.Unmarshal(raw, &text) == nil:
		*l = loose(text)
	case json.Unmarshal(raw, &number) == nil:
		*l = loose(number)
	}
	return nil
}

// readAnswer turns a model's JSON into findings. Those about a hypothesis that was not asked about keep no id, so that Merge counts them as refused.
func readAnswer(q Question, text string) (Answer, error) {
	var said modelAnswer
	if err := decodeAnswer(text, &said); err != nil {
		return Answer{}, err
	}
	answer := Answer{Findings: []Finding{}}
	for _, f := range said.Findings[:min(len(said.Findings), maxFindings)] {
		answer.Findings = append(answer.Findings, Finding{
			HypothesisID: hypothesisOf(q, f.Hypothesis), Stance: word(f.Stance), Strength: word(f.Strength), Quote: string(f.Quote),
			Utterances: utterancesOf(q, f.Utterances), Rationale: clean(string(f.Rationale)), Summary: clean(string(f.Summary)),
		})
	}
	for _, s := range said.Questions {
		h := hypothesisOf(q, s.Hypothesis)
		if text := clean(string(s.Text)); h != "" && text != "" && len(answer.Questions) < maxFollowUps {
			answer.Questions = append(answer.Questions, FollowUp{h, text})
		}
	}
	return answer, nil
}

func word(l loose) string { return strings.ToLower(strings.TrimSpace(string(l))) }

// hypothesisOf turns h2 into the second hypothesis' id; "" where there is none such.
func hypothesisOf(q Question, id loose) string {
	n, err := strconv.Atoi(strings.TrimPrefix(word(id), "h"))
	if err != nil || n < 1 || n > len(q.Hypotheses) {
		return ""
	}
	return q.Hypotheses[n-1].ID
}

var number = regexp.MustCompile(`\d+`)

// utterancesOf reads ["u12", "u13"], [12, 13] or "u12", and keeps those of the chunk.
func utterancesOf(q Question, raw json.RawMessage) []int {
	out := []int{}
	for _, digits := range number.FindAllString(string(raw), 64) {
		if n, err := strconv.Atoi(digits); err == nil && n >= q.Chunk.From && n < q.Chunk.To {
			out = append(out, n)
		}
	}
	return out
}
