package config

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// A reader reads one setting after the other, and records each with its problems.
type reader struct {
	getenv   func(string) string
	group    string // of the settings that are read next
	values   []value
	problems []Problem
}

// A value is the text of a setting.
type value struct {
	Setting
	text string
	set  bool // by the environment
}

func (v value) masked() string {
	if !v.Secret || v.text == "" {
		return v.text
	}
	if u, err := url.Parse(v.text); v.url && err == nil && u.Host != "" {
		return u.Redacted()
	}
	return "***"
}

func (r *reader) problem(name, format string, args ...any) {
	r.problems = append(r.problems, Problem{name, fmt.Sprintf(format, args...)})
}

// read returns the setting's text, or its default.
func (r *reader) read(s Setting) string {
	s.Group = r.group
	text := strings.TrimSpace(r.getenv(s.Name))
	if s.Secret {
		text = r.fromFile(s.Name, text)
	}
	set := text != ""
	if !set {
		text = s.Default
	}
	r.values = append(r.values, value{s, text, set})
	return text
}

// maxSecretFileBytes is far above any secret, and keeps a wrong path from being read to its end.
const maxSecretFileBytes = 64 << 10

// fromFile reads a secret from the file that NAME_FILE names, as orchestrators mount them.
func (r *reader) fromFile(name, text string) string {
	path := strings.TrimSpace(r.getenv(name + "_FILE"))
	if path == "" {
		return text
	}
	if text != "" {
		r.problem(name+"_FILE", "and %s are both set: the secret comes from one of them", name)
		return text
	}
	secret, err := readSecret(path)
	if err != nil {
		r.problem(name+"_FILE", "names a file that %s", err)
	}
	return secret
}

func readSecret(path string) (string, error) {
	file, err := os.Open(path)
	if os.IsNotExist(err) {
		return "", errors.New("does not exist")
	}
	if err != nil {
		return "", errors.New("cannot be opened")
	}
	defer func() { _ = file.Close() }()
	raw, err := io.ReadAll(io.LimitReader(file, maxSecretFileBytes+1))
	switch secret := strings.TrimSpace(string(raw)); {
	case err != nil:
		return "", errors.New("cannot be read")
	case len(raw) > maxSecretFileBytes:
		return "", errors.New("is too long for a secret")
	case secret == "":
		return "", errors.New("is empty")
	default:
		return secret, nil
	}
}

func (r *reader) text(name, fallback, description string) string {
	return r.read(Setting{Name: name, Default: fallback, Description: description})
}

// secret reads a value that is never shown. It must have at least minLength characters, if it is set.
func (r *reader) secret(name string, minLength int, description string) string {
	s := Setting{Name: name, Secret: true, Description: description}
	if minLength > 0 {
		s.Values = fmt.Sprintf("at least %d characters", minLength)
	}
	text := r.read(s)
	if text != "" && len(text) < minLength {
		r.problem(name, "is too short: it needs at least %d characters", minLength)
	}
	return text
}

func (r *reader) choice(name, fallback string, allowed []string, description string) string {
	values := strings.Join(allowed, ", ")
	text := r.read(Setting{Name: name, Default: fallback, Values: values, Description: description})
	if !slices.Contains(allowed, text) {
		r.problem(name, "must be one of %s", values)
	}
	return text
}

func (r *reader) onOff(name string, fallback bool, description string) bool {
	text := "off"
	if fallback {
		text = "on"
	}
	return r.choice(name, text, []string{"on", "off"}, description) == "on"
}

// optionalBool reads what every Temporal client accepts; nil means not set.
func (r *reader) optionalBool(name, description string) *bool {
	text := r.read(Setting{Name: name, Values: "true, false", Description: description})
	switch strings.ToLower(text) {
	case "":
		return nil
	case "true", "1":
		return new(true)
	case "false", "0":
		return new(false)
	}
	r.problem(name, "must be true or false")
	return nil
}

// boolean is an optionalBool that defaults to false.
func (r *reader) boolean(name, description string) bool {
	value := r.optionalBool(name, description)
	return value != nil && *value
}

func (r *reader) number(name string, fallback, least, most int, description string) int {
	def, values := strconv.Itoa(fallback), fmt.Sprintf("%d to %d", least, most)
	text := r.read(Setting{Name: name, Default: def, Values: values, Description: description})
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		r.problem(name, "must be a whole number from %d to %d", least, most)
		return fallback
	}
	return n
}

func (r *reader) duration(
	name string, fallback, least, most time.Duration, description string,
) time.Duration {
	values := short(least) + " to " + short(most)
	text := r.read(Setting{Name: name, Default: short(fallback), Values: values, Description: description})
	d, err := time.ParseDuration(text)
	if err != nil || d < least || d > most {
		r.problem(name, "must be a duration from %s, written like 15s or 2h30m", values)
		return fallback
	}
	return d
}

// short writes a duration without units that are zero: 2h instead of 2h0m0s.
func short(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// price reads the price of a million tokens. It defaults to 0.
func (r *reader) price(name, description string) float64 {
	text := r.read(Setting{Name: name, Default: "0", Values: "0 to 100000", Description: description})
	price, err := strconv.ParseFloat(text, 64)
	if err != nil || !(price >= 0 && price <= 100_000) {
		r.problem(name, "must be a number from 0 to 100000")
		return 0
	}
	return price
}

func (r *reader) ratio(name string, fallback float64, description string) float64 {
	def := strconv.FormatFloat(fallback, 'g', -1, 64)
	text := r.read(Setting{Name: name, Default: def, Values: "0 to 1", Description: description})
	ratio, err := strconv.ParseFloat(text, 64)
	if err != nil || !(ratio >= 0 && ratio <= 1) {
		r.problem(name, "must be a number from 0 to 1")
		return fallback
	}
	return ratio
}

func (r *reader) hostPort(name, fallback, description string) string {
	text := r.text(name, fallback, description)
	r.checkHostPort(name, text)
	return text
}

// optionalHostPort is a hostPort that may be left out.
func (r *reader) optionalHostPort(name, description string) string {
	text := r.text(name, "", description)
	if text != "" {
		r.checkHostPort(name, text)
	}
	return text
}

func (r *reader) checkHostPort(name, text string) {
	if _, _, err := net.SplitHostPort(text); err != nil {
		r.problem(name, "must be host:port, or :port for all addresses")
	}
}

// url reads a web address, which may be left out.
func (r *reader) url(name, description string) string {
	text := r.text(name, "", description)
	r.checkURL(name, text, []string{"http", "https"})
	return text
}

// origin reads the URL of a web site: a scheme and a host, and a port unless it is the scheme's. It is
// returned as browsers write it (RFC 6454).
func (r *reader) origin(name, description string) string {
	text := r.text(name, "", description)
	if text == "" {
		return ""
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		r.problem(name, "must be a URL that begins with http:// or https://")
		return ""
	case strings.Trim(u.Path, "/") != "":
		r.problem(name, "must have no path: give the service a host name of its own, such as "+
			"https://research.example.com")
		return ""
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		r.problem(name, "must be a scheme, a host and perhaps a port, such as https://research.example.com")
		return ""
	case strings.ContainsFunc(u.Host, func(c rune) bool { return c > unicode.MaxASCII }):
		r.problem(name, "must have its host in ASCII, as DNS has it: xn--…")
		return ""
	}
	if port, err := strconv.Atoi(cmp.Or(u.Port(), "0")); err != nil || port > 65535 {
		r.problem(name, "must have a port from 1 to 65535, or none")
		return ""
	}
	return asBrowsersWrite(u.Scheme + "://" + u.Host)
}

// asBrowsersWrite returns a URL with the origin that browsers send (RFC 6454): in lower case, without the
// port of the scheme and without the dot at the end of a full name. It has no slash at its end.
func asBrowsersWrite(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return text
	}
	host, port := strings.TrimSuffix(strings.ToLower(u.Hostname()), "."), u.Port()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port != "" && port != map[string]string{"http": "80", "https": "443"}[u.Scheme] {
		host += ":" + port
	}
	u.Host = host
	return strings.TrimRight(u.String(), "/")
}

// secretURL reads a URL with a password, which may be left out.
func (r *reader) secretURL(name string, schemes []string, description string) string {
	text := r.read(Setting{Name: name, Secret: true, Description: description, url: true})
	r.checkURL(name, text, schemes)
	return text
}

func (r *reader) checkURL(name, text string, schemes []string) {
	if text == "" {
		return
	}
	u, err := url.Parse(text)
	if err != nil || !slices.Contains(schemes, u.Scheme) || u.Host == "" && u.Query().Get("host") == "" {
		r.problem(name, "must be a URL that begins with %s://", strings.Join(schemes, ":// or "))
	}
}

// list reads words of a choice, separated by commas.
func (r *reader) list(name string, allowed []string, description string) []string {
	values := strings.Join(allowed, ", ")
	words := split(r.read(Setting{Name: name, Values: "any of " + values, Description: description}))
	for _, word := range words {
		if !slices.Contains(allowed, word) {
			r.problem(name, "must be a list of %s, separated by commas", values)
			return nil
		}
	}
	return words
}

// urls reads web addresses, separated by commas.
func (r *reader) urls(name, description string) []string {
	list := split(r.text(name, "", description))
	for i, one := range list {
		u, err := url.Parse(one)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			r.problem(name, "must be a list of URLs that begin with http:// or https://, separated by commas")
			return nil
		}
		list[i] = asBrowsersWrite(one)
	}
	return list
}

// hosts reads hosts, with or without a port, separated by commas.
func (r *reader) hosts(name, description string) []string {
	list := split(r.text(name, "", description))
	for _, host := range list {
		if strings.ContainsAny(host, "/*@ ") {
			r.problem(name, "must be hosts such as app.example or app.example:8443, not URLs")
			return nil
		}
	}
	return list
}

// split returns the parts of a list that is separated by commas, without empty ones.
func split(text string) []string {
	var parts []string
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

// A Setting is an environment variable that Load reads.
type Setting struct {
	Name        string
	Group       string // a heading of the reference
	Default     string // as it would be written in the environment; empty means none
	Values      string // what may be written, where that is a range or a choice
	Description string // Markdown, with links relative to docs/
	Secret      bool   // never shown; may also come from a file that NAME_FILE names

	url bool // of a secret: only the password of its URL is
}
