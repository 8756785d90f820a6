package imports

import (
	"errors"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"research/api/problem"
	"research/api/token"
	"research/internal/ratelimit"
)

// dryRunsPerUpload is how many dry runs a user has for each upload of the limit. A dry run costs as much as
// an upload, and the page makes one for each file and for each layout that somebody tries.
const dryRunsPerUpload = 5

// New returns the handler for /api/import. Its paths are relative to that.
func New(d Deps) (http.Handler, error) {
	if d.Store == nil || d.Parser == nil || d.Estimator == nil || d.Authenticator == nil || d.Log == nil {
		return nil, errors.New("imports: a dependency is missing")
	}
	s := &server{
		Config: d.Config, store: d.Store, uploads: d.Uploads,
		requests: d.Statements, parser: d.Parser, estimator: d.Estimator, log: d.Log,
		edge:    problem.Edge{Log: d.Log, Format: problem.FormatAPI, Translations: translations},
		dryRuns: ratelimit.New(dryRunsPerUpload*d.UploadLimit, time.Hour, time.Now),
	}
	r := chi.NewRouter()
	s.edge.Fallbacks(r)
	r.Group(func(r chi.Router) {
		r.Use(
			d.Authenticator.APIKey(s.edge.Write), d.Authenticator.Bearer(s.edge.Write), token.SignedIn(s.edge.Write),
		)
		r.Post("/", s.edge.Handle(s.createImport, "dry_run"))
		r.Get("/{importId}", s.edge.Handle(s.admitted(s.getImport)))
		r.Delete("/{importId}", s.edge.Handle(s.entered(s.deleteImport), "keep"))
		r.Post("/{importId}/restore", s.edge.Handle(s.entered(s.restoreImport)))
		r.Delete("/{importId}/restore", s.edge.Handle(s.entered(s.forgetImport)))
		r.Get("/{importId}/reading", s.edge.Handle(s.getReading))
		r.Put("/{importId}/reading", s.edge.Handle(s.putReading, "dry_run"))
		r.Get("/{importId}/corrections", s.edge.Handle(s.admitted(s.listCorrections), "limit"))
		r.Post("/{importId}/corrections", s.edge.Handle(s.entered(s.correct)))
		r.Post("/{importId}/redactions", s.edge.Handle(s.entered(s.redact), "dry_run"))
		r.Post("/{importId}/parse", s.edge.Handle(s.entered(s.parseImport)))
		r.Post("/{importId}/estimate", s.edge.Handle(s.estimateImport))
		r.Post("/{importId}/cancel", s.edge.Handle(s.entered(s.cancelImport)))
		r.Get("/{importId}/craft", s.edge.Handle(s.admitted(s.getCraft)))
		r.Get("/{importId}/runs", s.edge.Handle(s.admitted(s.listRuns)))
	})
	return r, nil
}
