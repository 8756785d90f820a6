package identity

import (
	"net/url"
	"path"
	"strings"
)

// maxRedirectBytes is the length of the URLs that all browsers and mail programs handle.
const maxRedirectBytes = 2000

// redirect returns the wanted address if it is allowed, and PUBLIC_URL otherwise.
func (s *Service) redirect(wanted string) string {
	if wanted != "" && len(wanted) <= maxRedirectBytes && s.cfg.allowsRedirect(wanted) {
		return wanted
	}
	return s.cfg.PublicURL
}

// allowsRedirect reports whether an address is PublicURL, one of RedirectURLs, or below one of them.
func (c Config) allowsRedirect(address string) bool {
	target, err := url.Parse(address)
	if err != nil || target.Host == "" || target.User != nil || target.Opaque != "" {
		return false
	}
	if target.Scheme != "http" && target.Scheme != "https" {
		return false
	}
	// Browsers parse these differently from package url.
	if strings.ContainsAny(address+target.Path, "\\\t\r\n") {
		return false
	}
	if isBelow(target, c.PublicURL) {
		return true
	}
	for _, allowed := range c.RedirectURLs {
		if isBelow(target, allowed) {
			return true
		}
	}
	return false
}

// isBelow reports whether target is the address base or below it.
func isBelow(target *url.URL, base string) bool {
	allowed, err := url.Parse(base)
	if err != nil || allowed.Scheme != target.Scheme || !strings.EqualFold(allowed.Host, target.Host) {
		return false
	}
	folder := strings.TrimRight(allowed.Path, "/")
	clean := path.Clean("/" + target.Path) // decoded, and without dots
	return folder == "" || clean == folder || strings.HasPrefix(clean, folder+"/")
}
