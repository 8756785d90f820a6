package activities

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"research/activities/extract"
	"research/activities/extract/ask"
	"research/db"
)

// maxThemeFindings bounds the quotes of a run: as many as a board shows at once.
const maxThemeFindings = 10_000

// A themeFinding is a proven quote with its label.
type themeFinding struct {
	extract.Evidence
	id       uuid.UUID
	importID uuid.UUID
}

// themeFindings are what a run has found, in the order of the interviews and their words.
type themeFindings struct {
	row      db.ThemeRun
	read     answerReading
	found    []themeFinding
	rejected int

	interviews []foundInterview
}

// A foundInterview is an interview of the plan, with what was read of it.
type foundInterview struct {
	importID uuid.UUID
	read     extract.Ranges
}

// labels returns the labels, in the order of the findings.
func (f themeFindings) labels() []string {
	labels := make([]string, len(f.found))
	for i, finding := range f.found {
		labels[i] = finding.Summary
	}
	return labels
}

// loadFindings proves what the chunks of a run say. The same responses have the same findings.
func (a *Themes) loadFindings(ctx context.Context, ref ThemeRunRef) (themeFindings, error) {
	var f themeFindings
	var interviews []db.ListThemePartInterviewsRow
	var parts []db.PrivateAnswerPart
	var stored responsesOfImports
	err := a.imports.store.AsService(ctx, func(q *db.Queries) (err error) {
		if f.row, err = ref.lock(ctx, q); err != nil {
			return err
		}
		rows, err := q.ListThemeParts(ctx, ref.ThemeRunID)
		if err != nil {
			return err
		}
		parts = partsOf(rows)
		if interviews, err = q.ListThemePartInterviews(ctx, ref.ThemeRunID); err != nil {
			return err
		}
		responses, err := listPartResponses(ctx, q, parts)
		stored = newResponsesOfImports(responses)
		return err
	})
	if err == nil {
		f.read, err = readingOfParts(parts)
	}
	for _, of := range interviews {
		if err != nil {
			break
		}
		var found []themeFinding
		var rejected int
		found, rejected, err = a.proveFindings(ctx, of, parts, stored)
		f.found, f.rejected = append(f.found, found...), f.rejected+rejected
		f.interviews = append(f.interviews, foundInterview{of.ID, f.read.read[of.ID]})
	}
	f.found = mostFindings(f.found, maxThemeFindings)
	return f, failed(ctx, a.imports.log, "load what was found", err, ref.attributes()...)
}

// partsOf returns the parts of a run as those of a thorough answer, which are read in the same way.
func partsOf(rows []db.PrivateThemeRunPart) []db.PrivateAnswerPart {
	parts := make([]db.PrivateAnswerPart, len(rows))
	for i, row := range rows {
		parts[i] = db.PrivateAnswerPart{
			Ordinal: row.Ordinal, ImportID: row.ImportID, UtteranceFrom: row.UtteranceFrom,
			UtteranceTo: row.UtteranceTo, ByteStart: row.ByteStart, ByteEnd: row.ByteEnd,
			DoneAt: row.DoneAt, ResponseKeys: row.ResponseKeys, Unread: row.Unread,
		}
	}
	return parts
}

// proveFindings proves what the chunks of one interview say. Only words of participants prove something.
func (a *Themes) proveFindings(
	ctx context.Context, of db.ListThemePartInterviewsRow, parts []db.PrivateAnswerPart,
	stored responsesOfImports,
) (found []themeFinding, rejected int, err error) {
	var results []extract.ChunkResult
	for _, part := range parts {
		if part.ImportID != of.ID {
			continue
		}
		ofPart, err := stored.of(part)
		if err != nil {
			return nil, 0, err
		}
		results = append(results, ofPart...)
	}
	if len(results) == 0 {
		return nil, 0, nil
	}
	text, err := a.imports.ender.transcripts.load(ctx, versionRef(of.ID, of.Version))
	if err != nil {
		return nil, 0, err
	}
	silent := ask.Silent(text.Transcript, of.Interviewers)
	open := []extract.Hypothesis{{ID: extract.OpenID}}
	evidence, discarded := extract.Merge(text.Transcript, results, open, silent)
	for _, e := range evidence {
		if e.Summary == "" { // nothing to group it by
			rejected++
			continue
		}
		found = append(found, themeFinding{e, quoteID(of.ID, text, e), of.ID})
	}
	return found, rejected + len(discarded), nil
}

// quoteID makes the id of a quote that is about no hypothesis.
func quoteID(importID uuid.UUID, text cachedTranscript, e extract.Evidence) uuid.UUID {
	return uuid.NewSHA1(evidenceNamespace, fmt.Appendf(nil, "%s %s %d-%d",
		importID, text.sha256, e.ByteStart, e.ByteEnd))
}

// mostFindings returns at most so many findings, in their order: of each interview as many as of another one,
// the most confident of them.
func mostFindings(found []themeFinding, most int) []themeFinding {
	if len(found) <= most {
		return found
	}
	byConfidence := make([]int, len(found))
	for i := range byConfidence {
		byConfidence[i] = i
	}
	slices.SortStableFunc(byConfidence, func(a, b int) int {
		return cmp.Compare(found[b].Confidence, found[a].Confidence)
	})
	rank, count := make([]int, len(found)), map[uuid.UUID]int{}
	for _, i := range byConfidence {
		rank[i] = count[found[i].importID]
		count[found[i].importID]++
	}
	slices.SortStableFunc(byConfidence, func(a, b int) int { return cmp.Compare(rank[a], rank[b]) })
	chosen := byConfidence[:most]
	slices.Sort(chosen)
	kept := make([]themeFinding, most)
	for i, at := range chosen {
		kept[i] = found[at]
	}
	return kept
}

// responsesOfImports are stored responses about chunks.
type responsesOfImports map[responseOfImport]json.RawMessage

type responseOfImport struct {
	importID uuid.UUID
	key      string
}

func newResponsesOfImports(rows []db.ListPartResponsesRow) responsesOfImports {
	stored := responsesOfImports{}
	for _, row := range rows {
		stored[responseOfImport{row.ImportID, string(row.Key)}] = row.Response
	}
	return stored
}

// of returns what a part says. A response that is older than the retention of responses is missing.
func (r responsesOfImports) of(part db.PrivateAnswerPart) ([]extract.ChunkResult, error) {
	var results []extract.ChunkResult
	for _, key := range part.ResponseKeys {
		raw, found := r[responseOfImport{part.ImportID, string(key)}]
		if !found {
			return nil, fmt.Errorf("a response about import %s is missing", part.ImportID)
		}
		response, err := decodeResponse(raw)
		if err != nil {
			return nil, err
		}
		results = append(results, extract.ChunkResult{
			Chunk: extract.Chunk{
				From: int(part.UtteranceFrom), To: int(part.UtteranceTo),
				ByteStart: int(part.ByteStart), ByteEnd: int(part.ByteEnd),
			},
			Response: response.Response,
		})
	}
	return results, nil
}
