package activities

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"research/activities/extract"
	"research/db"
	"research/transcript"
)

// keywordExtractor is the name of the extractor that has no model.
const keywordExtractor = "keyword"

// A reader is what reads transcripts: an extractor with its model and its prompt.
type reader struct {
	Extractor     string
	Model         string // empty for none
	PromptVersion string
}

func (r reader) isModel() bool { return r.Extractor != keywordExtractor }

// readings are the parts of a transcript that were read for one hypothesis, by what read them last. They do
// not overlap.
type readings map[reader]extract.Ranges

// loadReadings returns what was read of an import for hypotheses as they are worded, by their ids.
func loadReadings(
	ctx context.Context, q *db.Queries, importID uuid.UUID, hypotheses []extract.Hypothesis,
) (map[string]readings, error) {
	params := db.ListReadingsParams{ImportID: importID, HypothesisIds: []uuid.UUID{}}
	statements := map[string]string{}
	for _, h := range hypotheses {
		id, err := hypothesisID(h.ID)
		if err != nil {
			return nil, err
		}
		params.HypothesisIds = append(params.HypothesisIds, id)
		statements[h.ID] = h.Statement
	}
	rows, err := q.ListReadings(ctx, params)
	if err != nil {
		return nil, err
	}
	all := map[string]readings{}
	for _, row := range rows {
		id := row.HypothesisID.String()
		if statements[id] != row.Statement {
			continue
		}
		if all[id] == nil {
			all[id] = readings{}
		}
		by := reader{row.Extractor, row.Model, row.PromptVersion}
		if all[id][by], err = parseMultirange(row.Read); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// all returns what was read.
func (r readings) all() extract.Ranges { return r.union(func(reader) bool { return true }) }

// byModels returns what a model read.
func (r readings) byModels() extract.Ranges { return r.union(reader.isModel) }

// countingFor returns what an extractor need not read again: keyword matching has not read for a model.
func (r readings) countingFor(extractor string) extract.Ranges {
	if extractor == keywordExtractor {
		return r.all()
	}
	return r.byModels()
}

func (r readings) union(counts func(reader) bool) extract.Ranges {
	var parts []extract.Range
	for by, read := range r {
		if counts(by) {
			parts = append(parts, read...)
		}
	}
	return extract.NewRanges(parts...)
}

// with returns the readings after a run has read ranges to words, which belong to its reader from now on.
func (r readings) with(by reader, read extract.Ranges, t *transcript.Transcript) readings {
	next := readings{}
	for other, before := range r {
		// Of white space alone nothing is kept.
		if left := before.Minus(read).ToWords(t).Minus(read); len(left) > 0 {
			next[other] = left
		}
	}
	next[by] = next[by].Union(read).ToWords(t)
	return next
}

// A hypothesisReading is what is read of a transcript for a hypothesis, as the database takes it.
type hypothesisReading struct {
	HypothesisID      uuid.UUID     `json:"hypothesis_id"`
	Coverage          float64       `json:"coverage"`
	ModelCoverage     float64       `json:"model_coverage"`
	Readings          []readingPart `json:"readings"` // the largest first
	StatementLanguage string        `json:"statement_language"`
}

// A readingPart is the part of a transcript that one reader read.
type readingPart struct {
	Extractor     string  `json:"extractor"`
	Model         *string `json:"model"`
	PromptVersion string  `json:"prompt_version"`
	Coverage      float64 `json:"coverage"`
}

// describe describes the readings for a hypothesis.
func (r readings) describe(id uuid.UUID, t *transcript.Transcript) hypothesisReading {
	described := hypothesisReading{
		HypothesisID:  id,
		Coverage:      r.all().ToWords(t).Coverage(len(t.Text)),
		ModelCoverage: r.byModels().ToWords(t).Coverage(len(t.Text)),
		Readings:      []readingPart{},
	}
	for by, read := range r {
		described.Readings = append(described.Readings, readingPart{
			by.Extractor, nullable(by.Model), by.PromptVersion, read.Coverage(len(t.Text)),
		})
	}
	slices.SortFunc(described.Readings, func(a, b readingPart) int {
		return cmp.Or(cmp.Compare(b.Coverage, a.Coverage), cmp.Compare(a.Extractor, b.Extractor),
			cmp.Compare(valueOf(a.Model), valueOf(b.Model)), cmp.Compare(a.PromptVersion, b.PromptVersion))
	})
	return described
}

// importReadings are the readings of an import for the hypotheses of a request.
type importReadings struct {
	described []hypothesisReading // of all of them
	changed   map[uuid.UUID]readings
}

// any reports whether the run has read anything.
func (r importReadings) any() bool { return len(r.changed) > 0 }

// least is the coverage of the hypothesis that was read least.
func (r importReadings) least() float64 {
	if len(r.described) == 0 {
		return 0
	}
	return slices.MinFunc(r.described, func(a, b hypothesisReading) int {
		return cmp.Compare(a.Coverage, b.Coverage)
	}).Coverage
}

// best returns the reader that the import is named after: of models, if one has read anything, the one that
// read most for all hypotheses. It returns false if nothing was read.
func (r importReadings) best() (reader, bool) {
	shares := map[reader]float64{}
	for _, h := range r.described {
		for _, part := range h.Readings {
			shares[reader{part.Extractor, valueOf(part.Model), part.PromptVersion}] += part.Coverage
		}
	}
	var best reader
	for by, share := range shares {
		isBetter := cmp.Or(cmp.Compare(share, shares[best]),
			strings.Compare(by.Model+by.PromptVersion, best.Model+best.PromptVersion)) > 0
		if by.isModel() != best.isModel() {
			isBetter = by.isModel()
		}
		if best.Extractor == "" || isBetter {
			best = by
		}
	}
	return best, best.Extractor != ""
}

// record writes what changed.
func (r importReadings) record(ctx context.Context, q *db.Queries, importID uuid.UUID) error {
	if !r.any() {
		return nil
	}
	rows := db.RecordReadingsParams{ImportID: importID}
	for id, all := range r.changed {
		for by, read := range all {
			rows.HypothesisIds = append(rows.HypothesisIds, id)
			rows.Extractors = append(rows.Extractors, by.Extractor)
			rows.Models = append(rows.Models, by.Model)
			rows.PromptVersions = append(rows.PromptVersions, by.PromptVersion)
			rows.Reads = append(rows.Reads, multirange(read))
		}
	}
	return q.RecordReadings(ctx, rows)
}

// reads returns what changed as UpdateResults takes it.
func (r importReadings) reads() (json.RawMessage, error) {
	changed := slices.DeleteFunc(slices.Clone(r.described), func(h hypothesisReading) bool {
		return r.changed[h.HypothesisID] == nil
	})
	raw, err := json.Marshal(changed)
	if err != nil {
		return nil, fmt.Errorf("encode what was read: %w", err)
	}
	return raw, nil
}
