package eval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"research/activities/extract"
	"research/transcript"
)

// A Case is one transcript and what is known of it.
type Case struct {
	Name       string
	Transcript *transcript.Transcript
	Hypotheses []Hypothesis
}

// A Hypothesis is asked about; Gold is what should be found, nothing where it is empty.
type Hypothesis struct {
	Statement string
	Gold      []Gold
}

// A Gold span is evidence that people found: bytes of the transcript's text.
type Gold struct {
	Stance             string // "" where it was not judged
	ByteStart, ByteEnd int
}

// ErrNoCases is returned by Load where there is nothing to measure by.
var ErrNoCases = errors.New("there is no NAME.gold.json with a transcript NAME.* beside it, and no .jsonl of QMSum")

const goldSuffix = ".gold.json"

// Load reads what is in a folder below root, which may be a single file: each NAME.gold.json with the transcript NAME.* beside it, and each .jsonl in QMSum's form
// (https://github.com/Yale-LILY/QMSum: its specific queries are the hypotheses). A gold quote that does not stand in its transcript is an error.
func Load(folder fs.FS, root string) ([]Case, error) {
	var cases []Case
	err := fs.WalkDir(folder, root, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || entry.IsDir():
			return err
		case strings.HasSuffix(name, goldSuffix):
			c, err := loadCase(folder, name)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			cases = append(cases, c)
		case path.Ext(name) == ".jsonl":
			meetings, err := loadQMSum(folder, name)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			cases = append(cases, meetings...)
		}
		return nil
	})
	if err == nil && len(cases) == 0 {
		err = ErrNoCases
	}
	return cases, err
}

// goldFile is NAME.gold.json. A span is a quote, or utterances by their ordinals, the first being 0, both included.
type goldFile struct {
	Hypotheses []struct {
		Statement string `json:"statement"`
		Gold      []struct {
			Stance string `json:"stance"`
			Quote  string `json:"quote"`
			From   *int   `json:"from"`
			To     *int   `json:"to"`
		} `json:"gold"`
	} `json:"hypotheses"`
}

func loadCase(folder fs.FS, name string) (Case, error) {
	c := Case{Name: strings.TrimSuffix(path.Base(name), goldSuffix)}
	raw, err := fs.ReadFile(folder, name)
	if err != nil {
		return c, err
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields() // a misspelled field would be gold that nobody looks for
	var file goldFile
	if err := decoder.Decode(&file); err != nil {
		return c, err
	}
	if c.Transcript, err = transcriptBeside(folder, name); err != nil {
		return c, err
	}
	aligner := extract.NewAligner(c.Transcript)
	for i, h := range file.Hypotheses {
		known := Hypothesis{Statement: h.Statement}
		for j, g := range h.Gold {
			if !slices.Contains([]string{"", extract.Supports, extract.Contradicts, extract.Neutral}, g.Stance) {
				return c, fmt.Errorf("hypothesis %d, gold %d: the stance is supports, contradicts, neutral or none", i+1, j+1)
			}
			span := Gold{Stance: g.Stance}
			switch {
			case g.Quote != "":
				found, refusal := aligner.Align(g.Quote, nil, extract.Whole(c.Transcript))
				if refusal != "" {
					return c, fmt.Errorf("hypothesis %d, gold %d: the quote does not stand in the transcript (%s)", i+1, j+1, refusal)
				}
				span.ByteStart, span.ByteEnd = found.ByteStart, found.ByteEnd
			case g.From != nil && g.To != nil && 0 <= *g.From && *g.From <= *g.To && *g.To < len(c.Transcript.Utterances):
				span.ByteStart, span.ByteEnd = c.Transcript.Utterances[*g.From].ByteStart, c.Transcript.Utterances[*g.To].ByteEnd
			default:
				return c, fmt.Errorf("hypothesis %d, gold %d: wants a quote, or from and to within %d utterances", i+1, j+1, len(c.Transcript.Utterances))
			}
			known.Gold = append(known.Gold, span)
		}
		c.Hypotheses = append(c.Hypotheses, known)
	}
	if len(c.Hypotheses) == 0 {
		return c, errors.New("lists no hypotheses")
	}
	return c, nil
}

// transcriptBeside parses the one other file that has the gold file's name.
func transcriptBeside(folder fs.FS, name string) (*transcript.Transcript, error) {
	entries, err := fs.ReadDir(folder, path.Dir(name))
	if err != nil {
		return nil, err
	}
	base := strings.TrimSuffix(path.Base(name), goldSuffix) + "."
	var found []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), base) && !strings.HasSuffix(e.Name(), goldSuffix) && !e.IsDir() {
			found = append(found, e.Name())
		}
	}
	if len(found) != 1 {
		return nil, fmt.Errorf("wants one transcript %s* beside it, and there are %d", base, len(found))
	}
	raw, err := fs.ReadFile(folder, path.Join(path.Dir(name), found[0]))
	if err != nil {
		return nil, err
	}
	t, err := transcript.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", found[0], err)
	}
	return t, nil
}

// qmsumMeeting is a line of QMSum. Spans are ordinals of turns, both included.
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
	for number, line := range bytes.Split(bytes.TrimSpace(raw), []byte("\n")) {
		var meeting qmsumMeeting
		if err := json.Unmarshal(line, &meeting); err != nil {
			return nil, fmt.Errorf("line %d: %w", number+1, err)
		}
		if len(meeting.Turns) == 0 {
			return nil, fmt.Errorf("line %d: is no meeting of QMSum", number+1)
		}
		c := Case{Name: fmt.Sprintf("%s:%d", path.Base(name), number+1), Transcript: meeting.transcript()}
		for _, q := range meeting.Queries {
			h := Hypothesis{Statement: q.Query}
			for _, span := range q.Spans {
				var from, to int
				if _, err := fmt.Sscan(span[0]+" "+span[1], &from, &to); err != nil || from < 0 || to < from || to >= len(meeting.Turns) {
					return nil, fmt.Errorf("line %d: a span is not within the %d turns", number+1, len(meeting.Turns))
				}
				h.Gold = append(h.Gold, Gold{ByteStart: c.Transcript.Utterances[from].ByteStart, ByteEnd: c.Transcript.Utterances[to].ByteEnd})
			}
			if len(h.Gold) > 0 {
				c.Hypotheses = append(c.Hypotheses, h)
			}
		}
		cases = append(cases, c)
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
		from := text.Len()
		said := strings.Join(strings.Fields(turn.Content), " ")
		text.WriteString(said)
		t.Utterances = append(t.Utterances, transcript.Utterance{Speaker: turn.Speaker, Text: said, ByteStart: from, ByteEnd: text.Len()})
	}
	t.Text = text.String()
	return t
}
