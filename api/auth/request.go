package auth

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

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
	case err != nil:
		return badJSON("The body ended early.")
	}
	if err := json.Unmarshal(body, into); err != nil {
		return badJSON("The body is not JSON with the expected types.")
	}
	return nil
}

// pathID reads the id of the path. notUUID is the answer if it is not one.
func pathID(r *http.Request, notUUID *problem.Error) (uuid.UUID, error) {
	id, err := uuid.Parse(chi.URLParam(r, "id"))
	if err != nil {
		return uuid.Nil, notUUID
	}
	return id, nil
}

// client describes the sender of a request.
func (s *server) client(r *http.Request) identity.Client {
	return identity.Client{Address: clientAddress(r, s.cfg.TrustedHops), UserAgent: r.UserAgent()}
}

// clientAddress returns the other end of the connection, or the entry of X-Forwarded-For that the outermost
// of the trusted proxies added. The client can choose the entries further left. It returns "" if the address
// cannot be read.
func clientAddress(r *http.Request, trustedHops int) string {
	if trustedHops > 0 {
		entries := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
		if len(entries) >= trustedHops {
			if ip, ok := parseIP(entries[len(entries)-trustedHops]); ok {
				return ip.String()
			}
		}
	}
	peer := r.RemoteAddr
	if host, _, err := net.SplitHostPort(peer); err == nil {
		peer = host
	}
	if ip, ok := parseIP(peer); ok {
		return ip.String()
	}
	return ""
}

// parseIP reads an address with or without a port.
func parseIP(s string) (netip.Addr, bool) {
	s = strings.TrimSpace(s)
	if withPort, err := netip.ParseAddrPort(s); err == nil {
		return withPort.Addr().Unmap().WithZone(""), true
	}
	ip, err := netip.ParseAddr(strings.Trim(s, "[]"))
	return ip.Unmap().WithZone(""), err == nil
}
