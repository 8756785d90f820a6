package eval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"research/transcript"
)

// A qmsumMeeting is one line of QMSum. Spans are ordinals of turns, both ends inclusive.
type qmsumMeeting struct {
	Turns []struct {
		Speaker string `json:"speaker"`
		Content string `json:"content"`
	} `json:"meeting_transcripts"`
	Queries []struct {
		Query string      `json:"query"`
		Spans [][2]string `json:"relevant_text_span"`
	} `json:"specific_query_list"`
}

func loadQMSum(folder fs.FS, name string) ([]Case, error) {
	raw, err := fs.ReadFile(folder, name)
	if err != nil {
		return nil, err
	}
	var cases []Case
	for i, line := range bytes.Split(bytes.TrimSpace(raw), []byte("\n")) {
		var meeting qmsumMeeting
		if err := json.Unmarshal(line, &meeting); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		t := meeting.transcript()
		hypotheses, err := meeting.hypotheses(t.Utterances)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		cases = append(cases, Case{
			Name:       fmt.Sprintf("%s:%d", path.Base(name), i+1),
			Transcript: t,
			Hypotheses: hypotheses,
		})
	}
	return cases, nil
}

func (m qmsumMeeting) transcript() *transcript.Transcript {
	t := &transcript.Transcript{Language: "en"}
	var text strings.Builder
	for i, turn := range m.Turns {
		if i > 0 {
			text.WriteByte('\n')
		}
		start := text.Len()
		content := strings.Join(strings.Fields(turn.Content), " ")
		text.WriteString(content)
		t.Utterances = append(t.Utterances, transcript.Utterance{
			Speaker: turn.Speaker, Text: content, ByteStart: start, ByteEnd: text.Len(),
		})
	}
	t.Text = text.String()
	return t
}

// hypotheses returns the queries that have spans.
func (m qmsumMeeting) hypotheses(utterances []transcript.Utterance) ([]Hypothesis, error) {
	if len(utterances) == 0 {
		return nil, errors.New("not a meeting of QMSum")
	}
	var hypotheses []Hypothesis
	for _, q := range m.Queries {
		h := Hypothesis{Statement: q.Query}
		for _, span := range q.Spans {
			var from, to int
			_, err := fmt.Sscan(span[0]+" "+span[1], &from, &to)
			if err != nil || from < 0 || to < from || to >= len(utterances) {
				return nil, fmt.Errorf("a span is not within the %d turns", len(utterances))
			}
			h.Gold = append(h.Gold, Gold{ByteStart: utterances[from].ByteStart, ByteEnd: utterances[to].ByteEnd})
		}
		if len(h.Gold) > 0 {
			hypotheses = append(hypotheses, h)
		}
	}
	return hypotheses, nil
}
