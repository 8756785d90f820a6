package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"research/activities/extract"
	"research/db"
)

// PlanThemes plans what is read: all chunks of all interviews of the project. It keeps the hypotheses and
// themes that the run looks beyond. A retry and a run that continues keep the plan.
//
// The error has the type TypeSuperseded if the claim has ended, and that of outcome.CodeTokenLimit if reading
// would exceed what the run may use.
func (a *Themes) PlanThemes(ctx context.Context, ref ThemeRunRef) (ThemePlan, error) {
	defer heartbeat(ctx, nil)()
	p := &themePlanning{themes: a, ref: ref}
	plan, err := p.run(ctx)
	return plan, a.end(ctx, ref, err)
}

// A themePlanning is an attempt to plan a run.
type themePlanning struct {
	themes *Themes
	ref    ThemeRunRef
	row    db.ThemeRun
	known  extract.Known

	rows  []db.ListScopeImportsRow
	all   []interview
	parts []plannedPart
}

func (p *themePlanning) run(ctx context.Context) (ThemePlan, error) {
	if err := p.themes.needModel(); err != nil {
		return ThemePlan{}, err
	}
	planned, err := p.begin(ctx)
	if err != nil || planned {
		return p.plan(ctx, err)
	}
	if err := p.load(ctx); err != nil {
		return ThemePlan{}, err
	}
	p.choose()
	return p.plan(ctx, p.write(ctx))
}

// begin moves the run to reading. It reports true if it has a plan.
func (p *themePlanning) begin(ctx context.Context) (planned bool, err error) {
	run, by := activityRun(ctx), readerOfThemes(p.themes.finder)
	err = p.themes.imports.store.AsService(ctx, func(q *db.Queries) error {
		if p.row, err = p.ref.lock(ctx, q); err != nil {
			return err
		}
		begun, err := q.BeginThemeRun(ctx, db.BeginThemeRunParams{
			ThemeRunID: p.ref.ThemeRunID, ClaimID: p.ref.ClaimID, WorkflowID: run.workflowID, RunID: run.runID,
			Extractor: by.Extractor, Model: by.Model, PromptVersion: by.PromptVersion,
		})
		if err != nil {
			return err
		}
		if begun == 0 {
			return errSuperseded()
		}
		planned = p.row.ProgressTotal > 0
		return nil
	})
	return planned, failed(ctx, p.themes.imports.log, "begin a run of themes", err, p.ref.attributes()...)
}

// wholeProject is the scope of all interviews.
var wholeProject = json.RawMessage(`{}`)

// listProject lists the interviews of a project. Its error has the type of outcome.CodeTokenLimit if they
// exceed what a process may load.
func listProject(ctx context.Context, q *db.Queries, project uuid.UUID) ([]db.ListScopeImportsRow, error) {
	rows, err := q.ListScopeImports(ctx, db.ListScopeImportsParams{
		ProjectID: project, Scope: wholeProject, Most: maxScopeImports + 1,
	})
	if err != nil {
		return nil, err
	}
	return rows, checkScope(rows)
}

// load loads the interviews of the project, and what is known.
func (p *themePlanning) load(ctx context.Context) error {
	imports := p.themes.imports
	err := imports.store.AsService(ctx, func(q *db.Queries) (err error) {
		if p.rows, err = listProject(ctx, q, p.row.ProjectID); err != nil {
			return err
		}
		p.known, err = listKnown(ctx, q, p.row.ProjectID)
		return err
	})
	if err == nil {
		p.all, err = loadInterviews(ctx, imports.ender.transcripts, p.rows)
	}
	if isSuperseded(err) { // one of them is gone: the next attempt lists them again
		err = errChanged()
	}
	return failed(ctx, imports.log, "load the interviews of a project", err, p.ref.attributes()...)
}

// maxKnownBytes bounds what a prompt says of hypotheses and themes: some 6,000 tokens.
const maxKnownBytes = 24_000

// listKnown lists the hypotheses and the active themes of a project, as many as a prompt may name.
func listKnown(ctx context.Context, q *db.Queries, project uuid.UUID) (extract.Known, error) {
	known := extract.Known{Hypotheses: []string{}, Themes: []string{}}
	statements, err := q.ListKnownStatements(ctx, project)
	if err != nil {
		return known, err
	}
	themes, err := q.ListThemesOfProject(ctx, project)
	left := maxKnownBytes
	for _, row := range statements {
		known.Hypotheses = addKnown(known.Hypotheses, row.Statement, &left)
	}
	for _, row := range themes {
		if row.Status == db.ThemeStatusActive {
			known.Themes = addKnown(known.Themes, row.Name, &left)
		}
	}
	return known, err
}

// addKnown adds a text if it fits what is left of a prompt.
func addKnown(texts []string, text string, left *int) []string {
	if len(text) > *left {
		return texts
	}
	*left -= len(text)
	return append(texts, text)
}

// choose divides all interviews.
func (p *themePlanning) choose() { p.parts = planOpen(p.themes.finder, p.all, p.known) }

// planOpen returns all chunks of all interviews.
func planOpen(finder extract.ThemeFinder, all []interview, known extract.Known) (parts []plannedPart) {
	for i, of := range all {
		for _, chunk := range finder.PlanOpen(of.text.Transcript, known) {
			parts = append(parts, plannedPart{interview: i, Chunk: chunk})
		}
	}
	return parts
}

// write writes the plan.
func (p *themePlanning) write(ctx context.Context) error {
	err := p.themes.imports.store.AsService(ctx, func(q *db.Queries) error {
		locked, err := p.ref.lock(ctx, q)
		if err != nil {
			return err
		}
		rows, err := listProject(ctx, q, locked.ProjectID)
		if err != nil {
			return err
		}
		if !isSameScope(rows, p.rows) {
			return errChanged()
		}
		if err := p.checkTokenLimit(ctx, q, locked); err != nil {
			return err
		}
		return p.insert(ctx, q)
	})
	return failed(ctx, p.themes.imports.log, "plan a run of themes", err, p.ref.attributes()...)
}

// insert writes the parts of the plan. The last step groups and writes.
func (p *themePlanning) insert(ctx context.Context, q *db.Queries) error {
	known, err := json.Marshal(p.known)
	if err != nil {
		return fmt.Errorf("encode what is known: %w", err)
	}
	planned, err := q.PlanThemeRun(ctx, db.PlanThemeRunParams{
		ThemeRunID: p.ref.ThemeRunID, ClaimID: p.ref.ClaimID, Known: known,
		ImportsTotal: int32(len(p.all)), ProgressTotal: int32(len(p.parts)) + 1,
	})
	if err != nil || planned == 0 {
		return errors.Join(err, errSuperseded())
	}
	parts := db.InsertThemePartsParams{ThemeRunID: p.ref.ThemeRunID}
	for i, part := range p.parts {
		parts.Ordinals = append(parts.Ordinals, int32(i))
		parts.Imports = append(parts.Imports, p.all[part.interview].importID)
		parts.UtteranceFroms = append(parts.UtteranceFroms, int32(part.From))
		parts.UtteranceTos = append(parts.UtteranceTos, int32(part.To))
		parts.ByteStarts = append(parts.ByteStarts, int32(part.ByteStart))
		parts.ByteEnds = append(parts.ByteEnds, int32(part.ByteEnd))
	}
	return q.InsertThemeParts(ctx, parts)
}

// plan returns what is left of the plan, unless planning has failed.
func (p *themePlanning) plan(ctx context.Context, err error) (ThemePlan, error) {
	if err != nil {
		return ThemePlan{}, err
	}
	plan := ThemePlan{Concurrency: p.themes.imports.cfg.Concurrency}
	type all = []db.PrivateThemeRunPart
	parts, err := db.AsService(ctx, p.themes.imports.store, func(q *db.Queries) (all, error) {
		return q.ListThemeParts(ctx, p.ref.ThemeRunID)
	})
	plan.Total = len(parts)
	for _, part := range parts {
		if part.DoneAt == nil {
			plan.Chunks = append(plan.Chunks, int(part.Ordinal))
		}
	}
	return plan, failed(ctx, p.themes.imports.log, "list the parts of a run", err, p.ref.attributes()...)
}

// checkTokenLimit rejects a run whose requests would exceed what it may use, before the first of them is paid
// for. Chunks whose response is stored cost nothing.
func (p *themePlanning) checkTokenLimit(ctx context.Context, q *db.Queries, locked db.ThemeRun) error {
	if p.themes.cfg.MaxTokens == 0 {
		return nil
	}
	estimate, err := estimateOpen(ctx, q, p.themes.finder, p.all, p.parts, p.known)
	if err != nil {
		return err
	}
	total := locked.InputTokens + locked.OutputTokens + estimate.Usage.InputTokens + estimate.Usage.OutputTokens
	if total > p.themes.cfg.MaxTokens {
		return errThemesTokenLimit()
	}
	return nil
}

// estimateOpen adds up the requests about chunks whose response is not stored.
func estimateOpen(
	ctx context.Context, q *db.Queries, finder extract.ThemeFinder, all []interview, parts []plannedPart,
	known extract.Known,
) (sum Estimate, err error) {
	keys := db.ListPartResponsesParams{Imports: []uuid.UUID{}, Keys: [][]byte{}}
	requests := make([]extract.OpenRequest, len(parts))
	byKey := make([]responseKey, len(parts))
	for i, part := range parts {
		of := all[part.interview]
		requests[i] = extract.OpenRequest{
			Request: extract.Request{
				Transcript: of.text.Transcript, Chunk: part.Chunk, Interviewers: of.interviewers,
			},
			Known: known,
		}
		byKey[i] = openKey(finder, of.text, requests[i])
		keys.Imports, keys.Keys = append(keys.Imports, of.importID), append(keys.Keys, byKey[i][:])
	}
	rows, err := q.ListPartResponses(ctx, keys)
	if err != nil {
		return sum, err
	}
	stored := map[responseKey]bool{}
	for _, row := range rows {
		stored[responseKey(row.Key)] = true
	}
	for i, request := range requests {
		if !stored[byKey[i]] {
			sum.Calls++
			sum.Usage = sum.Usage.Add(finder.ExpectOpen(request))
		}
	}
	return sum, nil
}
