package activities

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"go.temporal.io/sdk/temporal"

	"research/activities/extract"
	"research/activities/extract/grouping"
	"research/db"
	"research/outcome"
)

// FinishThemes writes what a run has found, in one transaction, and ends the run: themes that are proposed,
// with their quotes, and the quotes that belong to none. It replaces what earlier runs suggested and nobody
// has touched. What a person made, judged or wrote about stays as it is. A retry changes nothing, and neither
// does another run that finds the same.
//
// If everything that was to be read failed, or no labels could be grouped, the run fails with the reason.
func (a *Themes) FinishThemes(ctx context.Context, ref ThemeRunRef) (ThemesEnd, error) {
	defer heartbeat(ctx, nil)()
	if err := a.needModel(); err != nil {
		return ThemesEnd{}, err
	}
	found, err := a.loadFindings(ctx, ref)
	if errors.Is(err, db.ErrNotFound) || isSuperseded(err) { // it has ended, perhaps by an attempt before
		end, _, err := a.ender.end(ctx, ref, func(*db.Queries, db.ThemeRun) (db.ThemeRun, error) {
			return db.ThemeRun{}, errSuperseded()
		})
		return end, err
	}
	if err != nil {
		return ThemesEnd{}, err
	}
	g := &labelGrouping{themes: a, ref: ref, row: found.row}
	grouped, err := g.run(ctx, found.labels())
	if errors.Is(err, errAnotherCall) { // a response is gone, or the settings of the worker have changed
		return ThemesEnd{}, temporal.NewNonRetryableApplicationError("labels are not grouped",
			string(outcome.CodeInternal), nil)
	}
	if err != nil {
		return ThemesEnd{}, err
	}
	end, wrote, err := a.ender.end(ctx, ref, func(q *db.Queries, run db.ThemeRun) (db.ThemeRun, error) {
		w := themeWriting{q: q, run: run, found: found, grouped: grouped}
		return w.write(ctx)
	})
	if err == nil && wrote {
		a.imports.log.InfoContext(ctx, "proposals of themes ended", "theme_run_id", ref.ThemeRunID,
			"status", end.Status, "themes", end.Proposed, "quotes", end.Quotes, "unused", end.Unused)
	}
	return end, err
}

// A themeWriting writes what a run has found, in a transaction.
type themeWriting struct {
	q       *db.Queries
	run     db.ThemeRun
	found   themeFindings
	grouped grouping.Result

	ids      []uuid.UUID // of the evidence of each finding; uuid.Nil if it is not suggested
	proposed int
	used     map[uuid.UUID]bool // quotes of a theme
}

func (w *themeWriting) write(ctx context.Context) (db.ThemeRun, error) {
	if reason := w.failure(); reason != "" {
		return w.q.EndThemeRun(ctx, endThemesParams(FailThemesInput{
			ThemeRunRef: ThemeRunRef{w.run.ID, *w.run.ClaimID}, Status: outcome.ThemesFailed, ErrorCode: reason,
		}))
	}
	if err := w.writeQuotes(ctx); err != nil {
		return db.ThemeRun{}, err
	}
	if err := w.writeThemes(ctx); err != nil {
		return db.ThemeRun{}, err
	}
	suggested := map[uuid.UUID]bool{}
	for _, id := range w.ids {
		if id != uuid.Nil {
			suggested[id] = true
		}
	}
	return w.q.FinishThemeRun(ctx, db.FinishThemeRunParams{
		ThemeRunID: w.run.ID, ClaimID: *w.run.ClaimID, Coverage: w.found.read.coverage,
		Proposed: int32(w.proposed), Quotes: int32(len(suggested)),
		Unused: int32(len(suggested) - len(w.used)), Rejected: int32(w.found.rejected),
	})
}

// failure says why nothing is proposed, or is empty.
func (w *themeWriting) failure() outcome.Code {
	switch {
	case w.found.read.coverage == 0 && w.found.read.reason != "":
		return w.found.read.reason
	case w.grouped.Failed != "" && len(w.grouped.Themes) == 0:
		return w.grouped.Failed
	}
	return ""
}

// writeQuotes writes the quotes of each interview, and deletes those that earlier runs suggested there.
func (w *themeWriting) writeQuotes(ctx context.Context) error {
	w.ids = make([]uuid.UUID, len(w.found.found))
	byImport := map[uuid.UUID][]int{}
	for i, f := range w.found.found {
		byImport[f.importID] = append(byImport[f.importID], i)
	}
	if err := w.q.ReadByIndexOnly(ctx); err != nil {
		return err
	}
	for _, of := range w.found.interviews {
		if err := w.writeQuotesOf(ctx, of, byImport[of.importID]); err != nil {
			return err
		}
	}
	return nil
}

// writeQuotesOf writes the findings of one interview.
func (w *themeWriting) writeQuotesOf(ctx context.Context, of foundInterview, findings []int) error {
	existing, err := w.q.ListQuotesOfImport(ctx, of.importID)
	if err != nil {
		return err
	}
	rows := db.UpsertEvidenceParams{
		ImportID: of.importID, Origin: db.EvidenceOriginAi, Model: w.run.Model, PromptVersion: w.run.PromptVersion,
	}
	isKept := map[uuid.UUID]bool{}
	for _, i := range findings {
		f := w.found.found[i]
		id, isWritten := placeOf(f, existing)
		w.ids[i], isKept[id] = id, true
		if !isWritten {
			continue
		}
		rows.Ids = append(rows.Ids, id)
		rows.Quotes = append(rows.Quotes, f.Quote)
		rows.Summaries = append(rows.Summaries, f.Summary)
		rows.Rationales = append(rows.Rationales, "")
		rows.ByteStarts = append(rows.ByteStarts, int32(f.ByteStart))
		rows.ByteEnds = append(rows.ByteEnds, int32(f.ByteEnd))
		rows.Matches = append(rows.Matches, string(f.Match))
		rows.Confidences = append(rows.Confidences, f.Confidence)
	}
	var stale []uuid.UUID
	for _, row := range existing {
		span := extract.Range{Start: int(row.ByteStart), End: int(row.ByteEnd)}
		if isReplaceable(row) && !isKept[row.ID] && of.read.Covers(span) {
			stale = append(stale, row.ID)
		}
	}
	if len(stale) > 0 {
		if err := w.q.DeleteSuggestions(ctx, stale); err != nil {
			return err
		}
	}
	if len(rows.Ids) == 0 {
		return nil
	}
	_, err = w.q.UpsertEvidence(ctx, rows)
	return err
}

// isReplaceable reports whether a run may delete a quote: an earlier one suggested it, and nobody touched it.
func isReplaceable(row db.ListQuotesOfImportRow) bool {
	return row.OfRun && !row.OfPerson && !row.OfHypothesis && !row.OfTheme
}

// placeOf returns the id of the evidence of a finding, and whether it is to be written. What people made of
// the same words decides: nothing is suggested (uuid.Nil) for words that they rejected, or that are about a
// hypothesis or a theme already, and a quote of theirs is not written again.
func placeOf(f themeFinding, existing []db.ListQuotesOfImportRow) (id uuid.UUID, isWritten bool) {
	id, isWritten = f.id, true
	for _, row := range existing {
		if !extract.SameSpan(int(row.ByteStart), int(row.ByteEnd), f.ByteStart, f.ByteEnd) || isReplaceable(row) {
			continue
		}
		if row.OfHypothesis || row.OfTheme || row.Review == db.EvidenceReviewRejected {
			return uuid.Nil, false
		}
		id, isWritten = row.ID, false
	}
	return id, isWritten
}
