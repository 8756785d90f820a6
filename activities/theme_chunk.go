package activities

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"

	"research/activities/extract"
	"research/db"
	"research/outcome"
)

// ReadForThemes reads a chunk for what is about none of the known hypotheses and themes, with one call to the
// model, as ReadChunk does for a parse. What a chunk says is stored with its import under a key of the
// transcript, the range, what is known, the prompt and the model, so that another run does not pay again.
func (a *Themes) ReadForThemes(ctx context.Context, in ReadForThemesInput) (ReadChunkResult, error) {
	if err := a.needModel(); err != nil {
		return ReadChunkResult{}, err
	}
	of := &themeChunk{themes: a, ref: in.ThemeRunRef, ordinal: int32(in.Ordinal)}
	return a.imports.readChunk(ctx, of, in.ClaimID, in.Ordinal)
}

// A themeChunk is a chunk that is read for themes: the owner of an attempt to read it.
type themeChunk struct {
	themes  *Themes
	ref     ThemeRunRef
	ordinal int32
	known   extract.Known
}

// openKey is the key of the response to an open request.
func openKey(finder extract.ThemeFinder, text cachedTranscript, r extract.OpenRequest) responseKey {
	return sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%d-%d\n%q\n%q\n%q", promptOf("read", finder), text.sha256,
		r.Chunk.ByteStart, r.Chunk.ByteEnd, r.Interviewers, r.Known.Hypotheses, r.Known.Themes))
}

// open adds to a request what is known.
func (c *themeChunk) open(r extract.Request) extract.OpenRequest {
	return extract.OpenRequest{Request: r, Known: c.known}
}

func (c *themeChunk) attributes() []any { return c.ref.attributes() }

func (c *themeChunk) load(ctx context.Context, r *chunkReading) (done bool, err error) {
	store, log := c.themes.imports.store, c.themes.imports.log
	var version string
	err = store.AsService(ctx, func(q *db.Queries) error {
		if _, err := c.ref.lock(ctx, q); err != nil {
			return err
		}
		part, err := q.StartThemePart(ctx, db.StartThemePartParams{
			ThemeRunID: c.ref.ThemeRunID, ClaimID: c.ref.ClaimID, Ordinal: c.ordinal,
		})
		if errors.Is(err, db.ErrNotFound) { // it is done
			done = true
			return nil
		}
		if err != nil {
			return err
		}
		r.importID, r.interviewers, version = part.ImportID, part.Interviewers, part.Version
		r.chunk = extract.Chunk{
			From: int(part.UtteranceFrom), To: int(part.UtteranceTo),
			ByteStart: int(part.ByteStart), ByteEnd: int(part.ByteEnd),
		}
		known, err := q.GetThemePlan(ctx, c.ref.ThemeRunID)
		if err != nil {
			return err
		}
		return json.Unmarshal(known, &c.known)
	})
	if err == nil && !done {
		r.text, err = c.themes.imports.ender.transcripts.load(ctx, versionRef(r.importID, version))
	}
	r.state = newChunkState(r.chunk)
	return done, failed(ctx, log, "load a chunk", err, c.attributes()...)
}

func (c *themeChunk) key(r *chunkReading, request extract.Request) responseKey {
	return openKey(c.themes.finder, r.text, c.open(request))
}

func (c *themeChunk) estimate(request extract.Request) int64 {
	expected := c.themes.finder.ExpectOpen(c.open(request))
	return expected.InputTokens + expected.OutputTokens
}

func (c *themeChunk) ask(ctx context.Context, request extract.Request) (extract.Response, error) {
	ctx, stop := c.themes.imports.whileClaimed(ctx, c.ref.isClaimed)
	defer stop()
	response, err := c.themes.finder.ReadOpen(ctx, c.open(request))
	if isSuperseded(context.Cause(ctx)) {
		err = context.Cause(ctx)
	}
	return response, err
}

func (c *themeChunk) reserveTokens(ctx context.Context, wanted int64) error {
	limit := c.themes.cfg.MaxTokens
	return c.themes.reserveTokens(ctx, c.ref, wanted, func(q *db.Queries, spent int64) (bool, error) {
		reserved, err := q.ReserveTokenBudget(ctx, db.ReserveTokenBudgetParams{
			ClaimID: c.ref.ClaimID, Ordinal: c.ordinal, Wanted: wanted,
		})
		if err != nil || !reserved || limit == 0 {
			return reserved, err
		}
		rows, err := q.ReserveThemeTokens(ctx, db.ReserveThemeTokensParams{
			ThemeRunID: c.ref.ThemeRunID, Ordinal: c.ordinal, Wanted: wanted, Spent: spent, MaxTokens: limit,
		})
		return rows > 0, err
	})
}

// decide asks about every part: endRequest bounds how many there are.
func (*themeChunk) decide(
	context.Context, *chunkReading, extract.Part,
) (decision extract.Decision, exhausted bool, err error) {
	return extract.Ask, false, nil
}

// endRequest allows a second request about a chunk whose response could not be read, and no smaller parts.
// What is too long is read in parts.
func (*themeChunk) endRequest(
	_ context.Context, p extract.Part, failed outcome.Code,
) (exhausted bool, err error) {
	return failed == outcome.CodeModelBadAnswer && p.Failed != "", nil
}

func (c *themeChunk) store(ctx context.Context, q *db.Queries, response keyedResponse) (bool, error) {
	return q.StoreThemePartResponse(ctx, db.StoreThemePartResponseParams{
		ThemeRunID: c.ref.ThemeRunID, ClaimID: c.ref.ClaimID, Ordinal: c.ordinal,
		Key: response.key[:], Response: response.raw,
		InputTokens: response.usage.InputTokens, OutputTokens: response.usage.OutputTokens,
	})
}

func (c *themeChunk) finish(ctx context.Context, r *chunkReading) error {
	keys, unread, err := r.state.columns()
	if err != nil {
		return err
	}
	err = c.themes.imports.store.AsService(ctx, func(q *db.Queries) error {
		if _, err := c.ref.lock(ctx, q); err != nil {
			return err
		}
		_, err := q.FinishThemePart(ctx, db.FinishThemePartParams{
			ThemeRunID: c.ref.ThemeRunID, ClaimID: c.ref.ClaimID, Ordinal: c.ordinal,
			ResponseKeys: keys, Unread: unread,
		})
		return err
	})
	return failed(ctx, c.themes.imports.log, "finish a chunk", err, c.attributes()...)
}

func (c *themeChunk) see(ctx context.Context, q *db.Queries) error {
	return q.SeeThemePart(ctx, db.SeeThemePartParams{
		ThemeRunID: c.ref.ThemeRunID, ClaimID: c.ref.ClaimID, Ordinal: c.ordinal,
	})
}

func (c *themeChunk) wait(ctx context.Context, q *db.Queries, reason string) error {
	return q.EndThemePart(ctx, db.EndThemePartParams{
		ThemeRunID: c.ref.ThemeRunID, ClaimID: c.ref.ClaimID, Ordinal: c.ordinal, WaitingReason: reason,
	})
}

func (c *themeChunk) suspect(ctx context.Context, q *db.Queries) error {
	return q.SuspectThemeRun(ctx, c.ref.ClaimID)
}
