// Package address reads the network address of the client that sent a request, for the edges that limit or
// record clients.
package address

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// Of returns the peer's address, or the entry of X-Forwarded-For that the outermost trusted proxy added. The
// client can choose the entries further left. It returns "" if the address cannot be read.
func Of(r *http.Request, trustedHops int) string {
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
