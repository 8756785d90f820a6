package extract

import (
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

var (
	fenceLike = regexp.MustCompile(`(?i)<(\s*/?\s*transcript)`)
	idLike    = regexp.MustCompile(`\[(\s*u\d)`)
)

// defuse takes from hostile text what could look like our fences and ids, and characters that do not show: zero-width, bidirectional
// and other format controls. The stored transcript keeps them.
func defuse(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || r == '\uFEFF' || unicode.IsControl(r) && r != '\t' {
			return -1
		}
		return r
	}, s)
	s = fenceLike.ReplaceAllString(s, "‹$1")
	return idLike.ReplaceAllString(s, "($1")
}

// maxEnum bounds the ids that are listed in the schema: servers refuse enums of more than a few hundred values.
const maxEnum = 250

// answerSchema is the JSON schema of an answer: every field required, ids listed, as strict mode wants it
// (https://platform.openai.com/docs/guides/structured-outputs).
func answerSchema(q Question) map[string]any {
	text := map[string]any{"type": "string"}
	enum := func(values []string) map[string]any { return map[string]any{"type": "string", "enum": values} }
	object := func(order []string, properties map[string]any) map[string]any {
		return map[string]any{"type": "object", "properties": properties, "required": order, "additionalProperties": false}
	}
	hypotheses := make([]string, len(q.Hypotheses))
	for i := range hypotheses {
		hypotheses[i] = "h" + strconv.Itoa(i+1)
	}
	utterance := text
	if n := q.Chunk.To - q.Chunk.From; n <= maxEnum {
		ids := make([]string, n)
		for i := range ids {
			ids[i] = "u" + strconv.Itoa(q.Chunk.From+i)
		}
		utterance = enum(ids)
	}
	finding := object([]string{"hypothesis", "utterances", "quote", "rationale", "stance", "strength", "summary"}, map[string]any{
		"hypothesis": enum(hypotheses),
		"utterances": map[string]any{"type": "array", "items": utterance},
		"quote":      text, "rationale": text,
		"stance":   enum([]string{Supports, Contradicts, Neutral}),
		"strength": enum([]string{Weak, Medium, Strong}),
		"summary":  text,
	})
	question := object([]string{"hypothesis", "text"}, map[string]any{"hypothesis": enum(hypotheses), "text": text})
	return object([]string{"findings", "questions"}, map[string]any{
		"findings":  map[string]any{"type": "array", "items": finding},
		"questions": map[string]any{"type": "array", "items": question},
	})
}

// maxFollowUps is what the prompt asks for at most.
const maxFollowUps = 3

// readAnswer turns a model's JSON into findings. Ids that were not asked about are dropped, findings without a quote as well.
func readAnswer(q Question, text string) (Answer, error) {
	var said struct {
		Findings []struct {
			Hypothesis string          `json:"hypothesis"`
			Utterances json.RawMessage `json:"utterances"`
			Quote      string          `json:"quote"`
			Rationale  string          `json:"rationale"`
			Stance     string          `json:"stance"`
			Strength   string          `json:"strength"`
			Summary    string          `json:"summary"`
		} `json:"findings"`
		Questions []struct {
			Hypothesis string `json:"hypothesis"`
			Text       string `json:"text"`
		} `json:"questions"`
	}
	if err := decodeLoose(text, &said); err != nil {
		return Answer{}, err
	}
	answer := Answer{Findings: []Finding{}}
	for _, f := range said.Findings {
		h, ok := hypothesisOf(q, f.Hypothesis)
		if !ok || strings.TrimSpace(f.Quote) == "" {
			continue
		}
		answer.Findings = append(answer.Findings, Finding{
			HypothesisID: h, Stance: strings.ToLower(f.Stance), Strength: strings.ToLower(f.Strength), Quote: f.Quote,
			Utterances: utterancesOf(q, f.Utterances), Rationale: clean(f.Rationale), Summary: clean(f.Summary),
		})
	}
	for _, s := range said.Questions {
		h, ok := hypothesisOf(q, s.Hypothesis)
		if text := clean(s.Text); ok && text != "" && len(answer.Questions) < maxFollowUps {
			answer.Questions = append(answer.Questions, FollowUp{h, text})
		}
	}
	return answer, nil
}

func hypothesisOf(q Question, id string) (string, bool) {
	n, err := strconv.Atoi(strings.TrimPrefix(strings.ToLower(strings.TrimSpace(id)), "h"))
	if err != nil || n < 1 || n > len(q.Hypotheses) {
		return "", false
	}
	return q.Hypotheses[n-1].ID, true
}

// utterancesOf reads ["u12", "u13"], [12, 13] or "u12", and keeps those of the chunk.
func utterancesOf(q Question, raw json.RawMessage) []int {
	out := []int{}
	for _, digits := range regexp.MustCompile(`\d+`).FindAllString(string(raw), 64) {
		if n, err := strconv.Atoi(digits); err == nil && n >= q.Chunk.From && n < q.Chunk.To {
			out = append(out, n)
		}
	}
	return out
}
