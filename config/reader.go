package config

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A reader reads one setting after the other and remembers what was wrong.
type reader struct {
	getenv   func(string) string
	printed  []entry
	problems []Problem
}

// An entry is a setting as it will be printed.
type entry struct {
	name, value string
	secret      bool
}

func (e entry) shown() string {
	if !e.secret || e.value == "" {
		return e.value
	}
	if u, err := url.Parse(e.value); err == nil && u.Host != "" {
		return u.Redacted()
	}
	return "***"
}

func (r *reader) problem(name, format string, args ...any) {
	r.problems = append(r.problems, Problem{name, fmt.Sprintf(format, args...)})
}

func (r *reader) raw(name, fallback string, secret bool) string {
	value := strings.TrimSpace(r.getenv(name))
	if secret {
		value = r.fromFile(name, value)
	}
	if value == "" {
		value = fallback
	}
	r.printed = append(r.printed, entry{name, value, secret})
	return value
}

// secretFileBytes is far above any secret, and keeps a wrong path from being read to its end.
const secretFileBytes = 64 << 10

// fromFile lets every secret come from a file instead, which NAME_FILE names: as orchestrators mount them.
func (r *reader) fromFile(name, value string) string {
	path := strings.TrimSpace(r.getenv(name + "_FILE"))
	if path == "" {
		return value
	}
	if value != "" {
		r.problem(name+"_FILE", "and %s are both set: the secret comes from one of them", name)
		return value
	}
	raw, err := readSecret(path)
	if err != nil {
		r.problem(name+"_FILE", "names a file that %s", err)
	}
	return raw
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
	raw, err := io.ReadAll(io.LimitReader(file, secretFileBytes+1))
	switch value := strings.TrimSpace(string(raw)); {
	case err != nil:
		return "", errors.New("cannot be read")
	case len(raw) > secretFileBytes:
		return "", errors.New("is too long for a secret")
	case value == "":
		return "", errors.New("is empty")
	default:
		return value, nil
	}
}

func (r *reader) text(name, fallback string) string { return r.raw(name, fallback, false) }

// secret is a value that is never shown; shorter than least bytes is refused.
func (r *reader) secret(name string, least int) string {
	value := r.raw(name, "", true)
	if value != "" && len(value) < least {
		r.problem(name, "is too short: it needs at least %d characters", least)
	}
	return value
}

func (r *reader) oneOf(name, fallback string, allowed ...string) string {
	value := r.text(name, fallback)
	if !slices.Contains(allowed, value) {
		r.problem(name, "must be one of %s", strings.Join(allowed, ", "))
	}
	return value
}

// optionalBool returns nil if the setting is unset. It accepts what every Temporal client accepts.
func (r *reader) optionalBool(name string) *bool {
	switch strings.ToLower(r.text(name, "")) {
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

// boolean is an optionalBool that is false if unset.
func (r *reader) boolean(name string) bool {
	value := r.optionalBool(name)
	return value != nil && *value
}

func (r *reader) number(name string, fallback, least, most int) int {
	value := r.text(name, strconv.Itoa(fallback))
	n, err := strconv.Atoi(value)
	if err != nil || n < least || n > most {
		r.problem(name, "must be a whole number from %d to %d", least, most)
		return fallback
	}
	return n
}

func (r *reader) duration(name string, fallback, least, most time.Duration) time.Duration {
	value := r.text(name, fallback.String())
	d, err := time.ParseDuration(value)
	if err != nil || d < least || d > most {
		r.problem(name, "must be a duration from %s to %s, written like 15s or 2h30m", least, most)
		return fallback
	}
	return d
}

func (r *reader) hostPort(name, fallback string) string {
	value := r.text(name, fallback)
	if _, _, err := net.SplitHostPort(value); err != nil {
		r.problem(name, "must be host:port, or :port for all addresses")
	}
	return value
}

// optionalHostPort is a hostPort that may be left out.
func (r *reader) optionalHostPort(name string) string {
	if strings.TrimSpace(r.getenv(name)) == "" {
		return r.text(name, "")
	}
	return r.hostPort(name, "")
}

func (r *reader) ratio(name string, fallback float64) float64 {
	value, err := strconv.ParseFloat(r.text(name, strconv.FormatFloat(fallback, 'g', -1, 64)), 64)
	if err != nil || !(value >= 0 && value <= 1) {
		r.problem(name, "must be a number from 0 to 1")
		return fallback
	}
	return value
}

func (r *reader) url(name, fallback string, schemes ...string) string {
	value := r.text(name, fallback)
	r.checkURL(name, value, schemes)
	return value
}

// secretURL is a URL that holds a password.
func (r *reader) secretURL(name string, schemes ...string) string {
	value := r.raw(name, "", true)
	r.checkURL(name, value, schemes)
	return value
}

// list is words of a choice, separated by commas.
func (r *reader) list(name string, allowed ...string) []string {
	words := split(r.text(name, ""))
	for _, word := range words {
		if !slices.Contains(allowed, word) {
			r.problem(name, "must be a list of %s, separated by commas", strings.Join(allowed, ", "))
			return nil
		}
	}
	return words
}

// urls is a list of web addresses, separated by commas.
func (r *reader) urls(name string) []string {
	list := split(r.text(name, ""))
	for _, one := range list {
		u, err := url.Parse(one)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			r.problem(name, "must be a list of addresses that begin with http:// or https://, separated by commas")
			return nil
		}
	}
	return list
}

func split(value string) []string {
	var list []string
	for one := range strings.SplitSeq(value, ",") {
		if one = strings.TrimSpace(one); one != "" {
			list = append(list, one)
		}
	}
	return list
}

// goodDomain is a host name with a dot, an @ before it allowed.
var goodDomain = regexp.MustCompile(`^@?([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z0-9-]+$`)

// validSignUp tells whether a value of SIGNUP means something.
func validSignUp(value string) bool {
	value = strings.ToLower(value)
	if value == "on" || value == "off" {
		return true
	}
	domains := split(value)
	for _, one := range domains {
		if !goodDomain.MatchString(one) {
			return false
		}
	}
	return len(domains) > 0
}

func (r *reader) checkURL(name, value string, schemes []string) {
	if value == "" {
		return
	}
	u, err := url.Parse(value)
	if err != nil || !slices.Contains(schemes, u.Scheme) || u.Host == "" && u.Query().Get("host") == "" {
		r.problem(name, "must be a URL that begins with %s://", strings.Join(schemes, ":// or "))
	}
}
