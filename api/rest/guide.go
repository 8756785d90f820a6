package rest

import (
	"fmt"
	"net/http"

	"research/api/admission"
	"research/api/rest/openapi"
	"research/api/rest/query"
	"research/api/token"
	"research/db"
)

// ServeGuide describes to people, in Markdown, what signed-in users may use. It has no rows, and is the same
// for everybody, so that no key is needed.
func (h *Handler) ServeGuide(w http.ResponseWriter, r *http.Request) {
	h.edge.Handle(func(w http.ResponseWriter, r *http.Request) error {
		text, err := h.guide(r)
		if err != nil {
			return err
		}
		w.Header().Set("Content-Type", "text/markdown; charset=utf-8")
		writeBody(w, http.StatusOK, text)
		return nil
	})(w, r)
}

// guide returns the guide to the current schema, which is made for the first reader.
func (h *Handler) guide(r *http.Request) ([]byte, error) {
	current := h.schema.Load()
	if made := current.guide.Load(); made != nil {
		return *made, nil
	}
	ctx := token.With(r.Context(), db.Subject{Role: db.RoleAuthenticated})
	asked, err := http.NewRequestWithContext(ctx, http.MethodGet, "/", http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("write the guide: %w", err)
	}
	c, err := h.compile(current, query.Input{Method: asked.Method, Path: asked.URL.Path}, false)
	if err != nil {
		return nil, err
	}
	var res result
	err = h.queue.Do(ctx, admission.Caller{}, func() error {
		res, err = h.run(asked, current.catalog, c)
		return err
	})
	if err != nil {
		return nil, err
	}
	cfg := openapi.Config{PublicURL: h.cfg.PublicURL, Prefix: h.cfg.Prefix}
	text := openapi.Guide(cfg, current.catalog, c.request.Schema, res.privileges)
	current.guide.Store(&text)
	return text, nil
}
