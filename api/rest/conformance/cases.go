package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// The least shares that must pass. The named files hold what every client uses.
const (
	leastCore   = 0.90
	leastStrict = 0.80
	leastNamed  = 0.95
)

var named = []string{"QuerySpec.hs", "AndOrParamsSpec.hs", "EmbedDisambiguationSpec.hs", "EmbedInnerJoinSpec.hs", "RangeSpec.hs", "SingularSpec.hs", "InsertSpec.hs", "UpdateSpec.hs",
	"UpsertSpec.hs", "DeleteSpec.hs", "ErrorSpec.hs", "RpcSpec.hs"}

// A testCase is requests that follow each other, and the answers to expect.
type testCase struct {
	ID     string          `json:"id"`
	File   string          `json:"file"`
	Config json.RawMessage `json:"config"`
	Steps  []step          `json:"steps"`
}

type step struct {
	Method  string       `json:"method"`
	Path    string       `json:"path"`
	Headers [][2]string  `json:"headers"`
	Body    *string      `json:"body"`
	Bytes   []byte       `json:"body_b64"`
	Expect  *expectation `json:"expect"`
}

type expectation struct {
	Status  int             `json:"status"`
	JSON    json.RawMessage `json:"body_json"`
	Text    *string         `json:"body_text"`
	Bytes   *[]byte         `json:"body_b64"`
	Extra   []string        `json:"extra"`
	Paths   []pathCheck     `json:"json_paths"`
	Headers []headerCheck   `json:"headers"`
}

type pathCheck struct {
	Path    []any           `json:"path"`
	Absent  bool            `json:"absent"`
	Present bool            `json:"present"`
	Equals  json.RawMessage `json:"equals"`
}

type headerCheck struct {
	Name     string  `json:"name"`
	Absent   bool    `json:"absent"`
	Equals   *string `json:"equals"`
	Contains *string `json:"contains"`
	Regex    *string `json:"regex"`
	RegexNot *string `json:"regex_not"`
}

type score struct{ all, core, strict int }

func (s *score) add(core, strict bool) {
	s.all++
	if core {
		s.core++
	}
	if strict {
		s.strict++
	}
}

// runCases loads the fixtures and runs the cases: core are those whose statuses and bodies agree, strict those whose headers do too.
func runCases(out io.Writer, database, file, checkout, known string) error {
	list, err := readCases(file)
	if err != nil {
		return err
	}
	left, err := os.ReadFile(known)
	if err != nil {
		return err
	}
	if database, err = loadFixtures(database, checkout); err != nil {
		return err
	}
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(out, format, args...) }
	scores, total := map[string]*score{}, &score{}
	for _, group := range groups(list) {
		server := httptest.NewUnstartedServer(nil)
		handler, closeStore, err := open(context.Background(), database, server.Listener.Addr().String(), group[0].Config)
		if err != nil {
			return fmt.Errorf("serve with %s: %w", group[0].Config, err)
		}
		server.Config.Handler = handler
		server.Start()
		for _, c := range group {
			core, headers := c.run(server.URL)
			name := filepath.Base(c.File)
			if scores[name] == nil {
				scores[name] = &score{}
			}
			for _, s := range []*score{scores[name], total} {
				s.add(core == nil, core == nil && headers == nil)
			}
			if failed := errors.Join(core, headers); failed != nil {
				listed := "NOT LISTED in " + known
				if bytes.Contains(left, []byte("`"+c.ID+"`")) {
					listed = "listed"
				}
				say("%s (%s): %.300s\n", c.ID, listed, failed)
			}
		}
		server.Close()
		closeStore()
	}
	var low []error
	for _, name := range slices.Sorted(maps.Keys(scores)) {
		s := scores[name]
		say("%-32s %4d cases, core %4d, strict %4d\n", name, s.all, s.core, s.strict)
		if slices.Contains(named, name) && share(s.core, s.all) < leastNamed {
			low = append(low, fmt.Errorf("%s: fewer than %.0f %% pass", name, 100*leastNamed))
		}
	}
	say("%-32s %4d cases, core %4d (%.1f %%), strict %4d (%.1f %%)\n", "all", total.all, total.core, 100*share(total.core, total.all), total.strict, 100*share(total.strict, total.all))
	if share(total.core, total.all) < leastCore || share(total.strict, total.all) < leastStrict {
		low = append(low, fmt.Errorf("fewer than %.0f %% core or %.0f %% strict pass", 100*leastCore, 100*leastStrict))
	}
	return errors.Join(low...)
}

func share(part, whole int) float64 { return float64(part) / float64(max(whole, 1)) }

func readCases(file string) ([]*testCase, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var list []*testCase
	for d := json.NewDecoder(bytes.NewReader(raw)); ; {
		var c testCase
		if err := d.Decode(&c); errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if slices.ContainsFunc(c.Steps, step.expects) {
			list = append(list, &c)
		}
	}
}

func (s step) expects() bool { return s.Expect != nil && !reflect.DeepEqual(*s.Expect, expectation{}) }

// groups puts cases of the same settings together. Those that commit come last, so that they spoil no others.
func groups(list []*testCase) [][]*testCase {
	commits := func(c *testCase) bool {
		return slices.ContainsFunc(c.Steps, func(s step) bool {
			return slices.ContainsFunc(s.Headers, func(h [2]string) bool { return strings.Contains(h[1], "tx=commit") })
		})
	}
	var order []string
	byKey := map[string][]*testCase{}
	for _, last := range []bool{false, true} {
		for _, c := range list {
			if commits(c) != last {
				continue
			}
			key := fmt.Sprint(last) + string(c.Config)
			if byKey[key] == nil {
				order = append(order, key)
			}
			byKey[key] = append(byKey[key], c)
		}
	}
	var all [][]*testCase
	for _, key := range order {
		all = append(all, byKey[key])
	}
	return all
}

// loadFixtures makes a database as PostgREST's own tests do, and returns its URL. It needs psql and PostGIS.
func loadFixtures(database, checkout string) (string, error) {
	const name = "pgrst_spec"
	u, err := url.Parse(database)
	if err != nil || u.Host == "" {
		return "", errors.New("DATABASE_URL or TEST_DATABASE_URL must be the URL of a throw-away PostgreSQL")
	}
	psql := func(arguments ...string) error {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, "psql", append([]string{u.String(), "-q", "-X", "-v", "ON_ERROR_STOP=1"}, arguments...)...)
		cmd.Env = append(os.Environ(), "PGTZ=utc", "PGOPTIONS=-c search_path=public,test -c client_min_messages=error")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("load the fixtures: %w: %.500s", err, out)
		}
		return nil
	}
	if err := psql("-c", "drop database if exists "+name,
		"-c", `do $$ begin if not exists (select from pg_roles where rolname = '`+login+`') then create role "`+login+`" login noinherit; end if; end $$`,
		"-c", "create database "+name+" template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C'",
		"-c", "alter database "+name+" set timezone = 'UTC'", "-c", "alter database "+name+" set search_path = public, test",
		"-c", `alter role "`+login+`" in database `+name+" set search_path = public, test"); err != nil {
		return "", err
	}
	u.Path = "/" + name
	return u.String(), errors.Join(psql("-v", "PGUSER="+login, "-f", filepath.Join(checkout, "test/spec/fixtures/load.sql")), psql("-c", "vacuum analyze"))
}

// An answer is what a step got.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// run sends the steps; core is what differs in statuses and bodies, headers what differs in those.
func (c *testCase) run(base string) (core, headers error) {
	var before []answer
	for i, s := range c.Steps {
		a, err := s.send(base, before)
		if err != nil {
			return fmt.Errorf("step %d: %w", i, err), headers
		}
		before = append(before, a)
		if s.Expect == nil {
			continue
		}
		for _, problem := range s.Expect.differences(a) {
			core = errors.Join(core, fmt.Errorf("%s %s: %s", s.Method, s.Path, problem))
		}
		for _, h := range s.Expect.Headers {
			if !h.holds(a.header) {
				headers = errors.Join(headers, fmt.Errorf("%s %s: header %s is %q", s.Method, s.Path, h.Name, a.header.Values(h.Name)))
			}
		}
	}
	return core, headers
}

var (
	tokenPlace  = regexp.MustCompile(`\{\{jwt (\S+) (\{.*?\})\}\}`)
	nowPlace    = regexp.MustCompile(`"__NOW([+-]\d+)__"`)
	headerPlace = regexp.MustCompile(`\{\{step(\d+)\.header\.([^}]+)\}\}`)
)

// fill puts tokens, times, and headers of earlier answers where a case has places for them.
func fill(text string, before []answer) string {
	text = tokenPlace.ReplaceAllStringFunc(text, func(place string) string {
		parts := tokenPlace.FindStringSubmatch(place)
		key, err := base64.StdEncoding.DecodeString(parts[1])
		if err != nil {
			return place
		}
		claims := nowPlace.ReplaceAllStringFunc(parts[2], func(p string) string {
			shift, _ := strconv.ParseInt(nowPlace.FindStringSubmatch(p)[1], 10, 64) // digits
			return strconv.FormatInt(time.Now().Unix()+shift, 10)
		})
		// The claims as they are, not as a map would sort them.
		head := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"HS256"}`)) + "." + base64.RawURLEncoding.EncodeToString([]byte(claims))
		signature, err := jwt.SigningMethodHS256.Sign(head, key)
		if err != nil {
			return place
		}
		return head + "." + base64.RawURLEncoding.EncodeToString(signature)
	})
	return headerPlace.ReplaceAllStringFunc(text, func(place string) string {
		parts := headerPlace.FindStringSubmatch(place)
		if i, err := strconv.Atoi(parts[1]); err == nil && i < len(before) {
			return before[i].header.Get(parts[2])
		}
		return ""
	})
}

// send sends a step as it is written; a path without a slash gets one, as in PostgREST's tests, which call the server without HTTP.
func (s step) send(base string, before []answer) (answer, error) {
	var body io.Reader
	switch {
	case s.Bytes != nil:
		body = bytes.NewReader(s.Bytes)
	case s.Body != nil:
		body = strings.NewReader(fill(*s.Body, before))
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, s.Method, base, body)
	if err != nil {
		return answer{}, err
	}
	r.URL.Opaque = "/" + strings.TrimPrefix(escape(fill(s.Path, before)), "/")
	for _, h := range s.Headers {
		if strings.EqualFold(h[0], "host") {
			r.Host = h[1]
		} else {
			r.Header.Add(h[0], fill(h[1], before))
		}
	}
	client := &http.Client{Transport: &http.Transport{DisableCompression: true, DisableKeepAlives: true}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = res.Body.Close() }()
	got, err := io.ReadAll(res.Body)
	return answer{res.StatusCode, res.Header, got}, err
}

// escape encodes what a request line cannot hold, and nothing else.
func escape(path string) string {
	var b strings.Builder
	for i := range len(path) {
		if c := path[i]; c > ' ' && c < 0x7f && !strings.ContainsRune("\"<>\\^`{|}", rune(c)) {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// differences compares an answer with what is expected of its status and body.
func (e *expectation) differences(a answer) (list []string) {
	differ := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if e.Status != 0 && e.Status != a.status {
		differ("status %d instead of %d", a.status, e.Status)
	}
	got, isJSON := decode(a.body)
	if want, given := decode(e.JSON); given && !(isJSON && reflect.DeepEqual(got, want)) {
		differ("body %.200s instead of %.200s", a.body, e.JSON)
	}
	if e.Text != nil && *e.Text != string(a.body) {
		differ("text %.200q instead of %.200q", a.body, *e.Text)
	}
	if e.Bytes != nil && !bytes.Equal(*e.Bytes, a.body) {
		differ("the bytes differ")
	}
	for _, p := range e.Paths {
		value, found := follow(got, p.Path)
		want, compared := decode(p.Equals)
		switch {
		case p.Absent && found:
			differ("%v is there", p.Path)
		case (p.Present || compared) && !found:
			differ("%v is missing", p.Path)
		case compared && !reflect.DeepEqual(value, want):
			differ("%v is %.200v", p.Path, value)
		}
	}
	if slices.Contains(e.Extra, "error_format") {
		fields, _ := got.(map[string]any)
		if _, has := fields["message"]; !has {
			differ("no error's body: %.200s", a.body)
		}
	}
	return list
}

func decode(raw []byte) (value any, ok bool) {
	err := json.Unmarshal(raw, &value)
	return value, err == nil
}

func follow(value any, path []any) (any, bool) {
	for _, key := range path {
		switch k := key.(type) {
		case string:
			object, _ := value.(map[string]any)
			next, has := object[k]
			if !has {
				return nil, false
			}
			value = next
		case float64:
			list, _ := value.([]any)
			i := int(k)
			if i < 0 {
				i += len(list)
			}
			if i < 0 || i >= len(list) {
				return nil, false
			}
			value = list[i]
		}
	}
	return value, true
}

func (h headerCheck) holds(header http.Header) bool {
	values := header.Values(h.Name)
	if h.Absent || len(values) == 0 {
		return h.Absent && len(values) == 0
	}
	matches := func(pattern *string) bool {
		re, err := regexp.Compile(*pattern)
		return err == nil && re.MatchString(values[0])
	}
	switch {
	case h.Equals != nil:
		return slices.Contains(values, *h.Equals)
	case h.Contains != nil:
		return slices.ContainsFunc(values, func(v string) bool { return strings.Contains(v, *h.Contains) })
	case h.Regex != nil:
		return matches(h.Regex)
	case h.RegexNot != nil:
		return !matches(h.RegexNot)
	}
	return true
}
