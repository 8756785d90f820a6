package auth

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"research/api/address"
	"research/api/problem"
	"research/identity"
)

// maxBodyBytes is GoTrue's limit.
const maxBodyBytes = 1 << 20

// readJSON reads a body that is one JSON value. Unknown fields are ignored, as in GoTrue.
func readJSON(w http.ResponseWriter, r *http.Request, into any) error {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBodyBytes))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return fail(http.StatusRequestEntityTooLarge, "request_entity_too_large", "The body is larger than 1 MB.")
	case problem.IsUnavailable(err):
		return err
	case err != nil:
		return badJSON("The body ended early.")
	}
	if err := json.Unmarshal(body, into); err != nil {
		return badJSON("The body is not JSON with the expected types.")
	}
	return nil
}

// pathID reads the id of the path. Its error is notUUID if the id is not a UUID.
func pathID(r *http.Request, notUUID error) (uuid.UUID, error) {
	id, err := uuid.Parse(chi.URLParam(r, "id"))
	if err != nil {
		return uuid.Nil, notUUID
	}
	return id, nil
}

// client describes the sender of a request. It logs once if an untrusted proxy sends X-Forwarded-For, because
// all clients of that proxy share the limits of its address.
func (s *server) client(r *http.Request) identity.Client {
	if s.cfg.TrustedHops == 0 && r.Header.Get("X-Forwarded-For") != "" {
		s.warnForwarded.Do(func() {
			s.edge.Log.WarnContext(r.Context(), "X-Forwarded-For is ignored: if a proxy sends it, set "+
				"TRUSTED_PROXY_HOPS, or all clients share the limits of one address")
		})
	}
	return identity.Client{Address: address.Of(r, s.cfg.TrustedHops), UserAgent: r.UserAgent()}
}
