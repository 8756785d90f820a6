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

	"research/activities/extract/quote"
	"research/outcome"
	"research/transcript"
)

// A Case is one transcript and its known evidence.
type Case struct {
	Name       string
	Transcript *transcript.Transcript
	Hypotheses []Hypothesis
	// Interviewers are speakers whose words are no evidence, in the order of their names.
	Interviewers []string
	// Judged means that people judged what an extractor had found, and did not mark all there is: evidence that
	// is neither gold nor rejected is neither right nor wrong.
	Judged bool
}

// A Hypothesis has the evidence that should be found for it; without gold, nothing should.
type Hypothesis struct {
	Statement string
	Gold      []Gold
	Rejected  []Gold // evidence that people rejected
}

// A Gold span is evidence that people marked: bytes of the transcript's text.
type Gold struct {
	Stance             outcome.Stance // "" if it was not judged
	ByteStart, ByteEnd int
}

// ErrNoCases is returned by Load if the folder has no cases.
var ErrNoCases = errors.New("found neither a NAME.gold.json beside a transcript NAME.* nor a .jsonl of QMSum")

const goldSuffix = ".gold.json"

// Load reads the cases below root, which may be a single file: each NAME.gold.json with the transcript NAME.*
// beside it, and each .jsonl in QMSum's format (https://github.com/Yale-LILY/QMSum), whose specific queries
// are the hypotheses. A gold quote that is not in its transcript is an error.
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

// A goldFile is NAME.gold.json.
type goldFile struct {
	Hypotheses []struct {
		Statement string     `json:"statement"`
		Gold      []goldSpan `json:"gold"`
	} `json:"hypotheses"`
}

// A goldSpan is a quote, or utterances by their ordinals, from 0, both ends inclusive.
type goldSpan struct {
	Stance outcome.Stance `json:"stance"`
	Quote  string         `json:"quote"`
	From   *int           `json:"from"`
	To     *int           `json:"to"`
}

func loadCase(folder fs.FS, name string) (Case, error) {
	c := Case{Name: strings.TrimSuffix(path.Base(name), goldSuffix)}
	raw, err := fs.ReadFile(folder, name)
	if err != nil {
		return c, err
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields() // gold under a misspelled name would silently be ignored
	var file goldFile
	if err := decoder.Decode(&file); err != nil {
		return c, err
	}
	if c.Transcript, err = loadTranscript(folder, name); err != nil {
		return c, err
	}
	aligner := quote.NewAligner(c.Transcript)
	for i, h := range file.Hypotheses {
		hypothesis := Hypothesis{Statement: h.Statement}
		for j, span := range h.Gold {
			gold, err := locateGold(c.Transcript, aligner, span)
			if err != nil {
				return c, fmt.Errorf("hypothesis %d, gold %d: %w", i+1, j+1, err)
			}
			hypothesis.Gold = append(hypothesis.Gold, gold)
		}
		c.Hypotheses = append(c.Hypotheses, hypothesis)
	}
	if len(c.Hypotheses) == 0 {
		return c, errors.New("there are no hypotheses")
	}
	return c, nil
}

// locateGold finds the bytes of a gold span. Its errors do not repeat the quote.
func locateGold(t *transcript.Transcript, aligner *quote.Aligner, span goldSpan) (Gold, error) {
	gold := Gold{Stance: span.Stance}
	if span.Stance != "" && !slices.Contains(outcome.Stances, span.Stance) {
		return gold, errors.New("the stance must be supports, contradicts, neutral or empty")
	}
	if span.Quote != "" {
		found, reason := aligner.Align(span.Quote, nil, 0, len(t.Utterances))
		if reason != "" {
			return gold, fmt.Errorf("the quote is not in the transcript (%s)", reason)
		}
		gold.ByteStart, gold.ByteEnd = found.ByteStart, found.ByteEnd
		return gold, nil
	}
	count := len(t.Utterances)
	if span.From == nil || span.To == nil || *span.From < 0 || *span.To < *span.From || *span.To >= count {
		return gold, fmt.Errorf("requires a quote, or from and to within %d utterances", count)
	}
	gold.ByteStart, gold.ByteEnd = t.Utterances[*span.From].ByteStart, t.Utterances[*span.To].ByteEnd
	return gold, nil
}

// loadTranscript parses the other file that has the gold file's name.
func loadTranscript(folder fs.FS, name string) (*transcript.Transcript, error) {
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
		return nil, fmt.Errorf("requires one transcript %s* beside it, found %d", base, len(found))
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
