package cli

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/uuid"

	"research/activities"
	"research/activities/extract/eval"
	"research/config"
	"research/db"
	"research/outcome"
)

// errNothingJudged means that a project has no evidence to measure by.
var errNothingJudged = errors.New("nobody has accepted or rejected evidence of this project's transcripts")

// loadCases loads the known evidence: of the embedded set, a folder, a file of QMSum, or a set that was saved
// from a project, whose transcripts are in the database.
func loadCases(ctx context.Context, cfg config.Config, path string) ([]eval.Case, error) {
	if path == "" {
		return eval.Load(eval.Set(), ".")
	}
	if filepath.Ext(path) != ".json" || strings.HasSuffix(path, ".gold.json") {
		return eval.Load(os.DirFS(filepath.Dir(path)), filepath.Base(path))
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	set, err := eval.ReadJudgedSet(raw)
	if err != nil {
		return nil, err
	}
	return withStore(ctx, cfg, func(store *db.Store) ([]eval.Case, error) {
		return set.Cases(activities.TranscriptLoader(ctx, store))
	})
}

// loadProject loads what people judged of a project.
func loadProject(ctx context.Context, cfg config.Config, project uuid.UUID) ([]eval.Case, error) {
	return withStore(ctx, cfg, func(store *db.Store) ([]eval.Case, error) {
		set, err := judgedSet(ctx, store, project)
		if err != nil {
			return nil, err
		}
		return set.Cases(activities.TranscriptLoader(ctx, store))
	})
}

// saveProject writes what people judged of a project to a new file, which only its owner may read.
func saveProject(
	ctx context.Context, cfg config.Config, project uuid.UUID, path string,
) (eval.JudgedSet, error) {
	set, err := withStore(ctx, cfg, func(store *db.Store) (eval.JudgedSet, error) {
		return judgedSet(ctx, store, project)
	})
	if err != nil {
		return set, err
	}
	raw, err := json.MarshalIndent(set, "", "  ")
	if err != nil {
		return set, err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return set, err
	}
	_, err = file.Write(append(raw, '\n'))
	return set, errors.Join(err, file.Close())
}

func withStore[T any](ctx context.Context, cfg config.Config, do func(*db.Store) (T, error)) (T, error) {
	store, err := openStore(ctx, cfg, "research eval", nil)
	if err != nil {
		var none T
		return none, err
	}
	defer store.Close()
	return do(store)
}

// judgedSet groups the evidence that people judged by import and hypothesis.
func judgedSet(ctx context.Context, store *db.Store, project uuid.UUID) (eval.JudgedSet, error) {
	rows, err := db.AsService(ctx, store, func(q *db.Queries) ([]db.ListJudgedEvidenceRow, error) {
		return q.ListJudgedEvidence(ctx, project)
	})
	if err == nil && len(rows) == 0 {
		err = errNothingJudged
	}
	var set eval.JudgedSet
	var hypothesis uuid.UUID
	for _, row := range rows {
		if n := len(set.Imports); n == 0 || set.Imports[n-1].ID != row.ImportID.String() {
			set.Imports = append(set.Imports, eval.JudgedImport{ID: row.ImportID.String()})
			hypothesis = uuid.Nil
		}
		current := &set.Imports[len(set.Imports)-1]
		if hypothesis != row.HypothesisID {
			hypothesis = row.HypothesisID
			current.Hypotheses = append(current.Hypotheses, eval.JudgedHypothesis{
				Statement: row.Statement, Gold: []eval.JudgedQuote{}, Rejected: []eval.JudgedQuote{},
			})
		}
		judged := &current.Hypotheses[len(current.Hypotheses)-1]
		quote := eval.JudgedQuote{
			Stance: outcome.Stance(row.Stance), Quote: row.Quote,
			ByteStart: int(row.ByteStart), ByteEnd: int(row.ByteEnd),
		}
		if row.Accepted {
			judged.Gold = append(judged.Gold, quote)
		} else {
			judged.Rejected = append(judged.Rejected, quote)
		}
	}
	return set, err
}
