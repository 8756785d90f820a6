package activities

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"

	"research/activities/extract"
	"research/activities/extract/grouping"
	"research/db"
	"research/outcome"
)

// groupOrdinal is the ordinal of the calls about labels, beside those of chunks.
const groupOrdinal = -1

// GroupLabels groups the labels of what a run has found, with one call to the model: it gets labels and ids,
// and nothing of the interviews. Another activity makes the next call. Responses are stored under a key of
// the labels before the activity ends, so that neither a retry nor a later run pays for them again.
func (a *Themes) GroupLabels(ctx context.Context, ref ThemeRunRef) (LabelGroups, error) {
	defer heartbeat(ctx, nil)()
	if err := a.needModel(); err != nil {
		return LabelGroups{}, err
	}
	found, err := a.loadFindings(ctx, ref)
	if err != nil {
		return LabelGroups{}, a.end(ctx, ref, err)
	}
	g := &labelGrouping{themes: a, ref: ref, row: found.row, mayCall: true}
	grouped, err := g.run(ctx, found.labels())
	if errors.Is(err, errAnotherCall) {
		return LabelGroups{Labels: len(found.found)}, nil
	}
	groups := LabelGroups{Done: true, Labels: len(found.found), Groups: len(grouped.Themes)}
	return groups, a.end(ctx, ref, err)
}

// errAnotherCall means that another activity makes the next call.
var errAnotherCall = errors.New("another call is needed")

// A labelGrouping is an attempt to group the labels of a run.
type labelGrouping struct {
	themes  *Themes
	ref     ThemeRunRef
	row     db.ThemeRun
	mayCall bool // until a call was made
}

// run groups labels. Its error is errAnotherCall if a call is needed that it may not make.
func (g *labelGrouping) run(ctx context.Context, labels []string) (grouping.Result, error) {
	ask := func(labels []string) ([]extract.Group, outcome.Code, error) { return g.ask(ctx, labels) }
	return grouping.Group(labels, g.themes.finder.GroupSize(), ask)
}

// storedGroups are a response about labels, or the code of a failure that would only repeat.
type storedGroups struct {
	extract.Groups
	Failed outcome.Code `json:"failed,omitempty"`
}

// ask returns the stored response about labels, or that of a call. A response that could not be read is asked
// for once more.
func (g *labelGrouping) ask(ctx context.Context, labels []string) ([]extract.Group, outcome.Code, error) {
	key := g.key(labels)
	for _, again := range []bool{false, true} {
		stored, err := g.find(ctx, key, again)
		if err != nil {
			return nil, "", err
		}
		if stored == nil {
			if !g.mayCall {
				return nil, "", errAnotherCall
			}
			g.mayCall = false
			if stored, err = g.call(ctx, key, extract.GroupRequest{Labels: labels, Again: again}); err != nil {
				return nil, "", err
			}
		}
		if stored.Failed != outcome.CodeModelBadAnswer || again {
			return stored.Groups.Groups, stored.Failed, nil
		}
	}
	panic("unreachable") // the second response ends the loop
}

// key is the key of the response about labels.
func (g *labelGrouping) key(labels []string) responseKey {
	return sha256.Sum256(fmt.Appendf(nil, "%s\n%q", promptOf("group", g.themes.finder), labels))
}

// find returns the stored response, or its failure in this run.
func (g *labelGrouping) find(ctx context.Context, key responseKey, again bool) (*storedGroups, error) {
	for _, key := range []responseKey{key, failureKey(key, g.ref.ClaimID, again)} {
		row, err := db.AsService(ctx, g.themes.imports.store, func(q *db.Queries) (db.GetAnswerResponseRow, error) {
			return q.GetAnswerResponse(ctx, db.GetAnswerResponseParams{Key: key[:], ProjectID: g.row.ProjectID})
		})
		if errors.Is(err, db.ErrNotFound) {
			continue
		}
		var stored storedGroups
		if err == nil {
			err = json.Unmarshal(row.Response, &stored)
		}
		return &stored, failed(ctx, g.themes.imports.log, "look for a stored response", err, g.ref.attributes()...)
	}
	return nil, nil
}

// call calls the model about labels, and stores what it responds.
func (g *labelGrouping) call(
	ctx context.Context, key responseKey, r extract.GroupRequest,
) (*storedGroups, error) {
	names, err := db.AsService(ctx, g.themes.imports.store, func(q *db.Queries) ([]string, error) {
		return q.ListNames(ctx, g.row.ProjectID)
	})
	if err != nil {
		return nil, failed(ctx, g.themes.imports.log, "list the names of a project", err, g.ref.attributes()...)
	}
	r.Names = names
	var stored storedGroups
	usage, err := g.themes.imports.callModel(ctx, claimedCall{
		expected:  g.themes.finder.ExpectGroups(r.Labels),
		reserve:   g.reserve,
		isClaimed: g.ref.isClaimed,
		count: func(ctx context.Context, failure *extract.Error) error {
			return g.countFailure(ctx, key, r.Again, failure)
		},
		call: func(ctx context.Context) (extract.Usage, error) {
			groups, err := g.themes.finder.GroupLabels(ctx, r)
			stored.Groups = groups
			return groups.Usage, err
		},
	})
	var failure *extract.Error
	switch {
	case errors.As(err, &failure) && repeats(failure.Code):
		return &storedGroups{Failed: failure.Code}, nil
	case err != nil:
		return nil, err
	}
	return &stored, g.keep(ctx, key, stored, usage)
}

func (g *labelGrouping) reserve(ctx context.Context, wanted int64) error {
	return g.themes.reserveTokens(ctx, g.ref, wanted, func(q *db.Queries, _ int64) (bool, error) {
		return q.ReserveTokenBudget(ctx, db.ReserveTokenBudgetParams{
			ClaimID: g.ref.ClaimID, Ordinal: groupOrdinal, Wanted: wanted,
		})
	})
}

// countFailure stores a failure that would repeat, and counts the tokens of others.
func (g *labelGrouping) countFailure(
	ctx context.Context, key responseKey, again bool, failure *extract.Error,
) error {
	switch {
	case repeats(failure.Code):
		key = failureKey(key, g.ref.ClaimID, again)
	case failure.Usage == extract.Usage{}:
		return nil
	default:
		key = attemptKey(ctx, key)
	}
	return g.keep(ctx, key, storedGroups{Failed: failure.Code}, failure.Usage)
}

// keep stores the response to a call with what it cost.
func (g *labelGrouping) keep(
	ctx context.Context, key responseKey, response storedGroups, used extract.Usage,
) error {
	raw, err := json.Marshal(response)
	if err != nil {
		return fmt.Errorf("encode a response: %w", err)
	}
	store := func(ctx context.Context, q *db.Queries) (bool, error) {
		return q.StoreGroups(ctx, db.StoreGroupsParams{
			ThemeRunID: g.ref.ThemeRunID, ClaimID: g.ref.ClaimID, Ordinal: groupOrdinal, Key: key[:], Response: raw,
			InputTokens: used.InputTokens, OutputTokens: used.OutputTokens,
		})
	}
	return g.themes.imports.keepResponse(ctx, g.ref.attributes(), store)
}
