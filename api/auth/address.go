package auth

import (
	"net"
	"net/http"
	"net/mail"
	"net/netip"
	"strings"
	"unicode/utf8"
)

// address is where a request comes from: the connection's other end, or what the outermost of the trusted proxies wrote into X-Forwarded-For. Entries further left
// are the client's own invention. It is "" where nothing can be read.
func (s *Server) address(r *http.Request) string {
	return clientAddress(r, s.cfg.TrustedHops)
}

func clientAddress(r *http.Request, hops int) string {
	peer := r.RemoteAddr
	if host, _, err := net.SplitHostPort(peer); err == nil {
		peer = host
	}
	if hops > 0 {
		entries := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
		if len(entries) >= hops {
			if ip, ok := parseIP(entries[len(entries)-hops]); ok {
				return ip.String()
			}
		}
	}
	if ip, ok := parseIP(peer); ok {
		return ip.String()
	}
	return ""
}

// parseIP reads an address, with or without a port.
func parseIP(s string) (netip.Addr, bool) {
	s = strings.TrimSpace(s)
	if at, err := netip.ParseAddrPort(s); err == nil {
		return at.Addr().Unmap().WithZone(""), true
	}
	ip, err := netip.ParseAddr(strings.Trim(s, "[]"))
	return ip.Unmap().WithZone(""), err == nil
}

// network is what is counted as one address: of IPv6 the /64, which one line has whole.
func network(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil || ip.Is4() {
		return address
	}
	prefix, err := ip.Prefix(64)
	if err != nil {
		return address
	}
	return prefix.String()
}

// maxEmail is the column's.
const maxEmail = 255

// plausibleEmail accepts what a mail server would, as far as one can tell without asking it.
func plausibleEmail(s string) bool {
	if len(s) > maxEmail || !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f || r == utf8.RuneError }) {
		return false
	}
	local, domain, found := strings.Cut(s, "@")
	if !found || local == "" || len(local) > 64 || strings.Contains(domain, "@") { // RFC 5321 §4.5.3.1.1
		return false
	}
	parsed, err := mail.ParseAddress(s)
	return err == nil && parsed.Address == s && parsed.Name == "" && validDomain(domain)
}

func validDomain(domain string) bool {
	if domain == "" || len(domain) > 253 {
		return false
	}
	for _, label := range strings.Split(domain, ".") {
		if label == "" || len(label) > 63 || strings.HasPrefix(label, "-") || strings.HasSuffix(label, "-") {
			return false
		}
	}
	return true
}
