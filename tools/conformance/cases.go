package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// A testCase is requests that follow each other, and the answers that are expected.
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

// readCases reads the cases that expect anything.
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

func (s step) commits() bool {
	return slices.ContainsFunc(s.Headers, func(h [2]string) bool { return strings.Contains(h[1], "tx=commit") })
}

// groups puts cases with the same settings together. Cases that commit are last, since they change the rows
// that others expect.
func groups(list []*testCase) [][]*testCase {
	var order []string
	byKey := map[string][]*testCase{}
	for _, committing := range []bool{false, true} {
		for _, c := range list {
			if slices.ContainsFunc(c.Steps, step.commits) != committing {
				continue
			}
			key := fmt.Sprint(committing) + string(c.Config)
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

// An answer is the response to a step.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// run sends the steps. core says what differs in statuses and bodies, headers what differs in headers.
func (c *testCase) run(base string) (core, headers error) {
	var earlier []answer
	for i, s := range c.Steps {
		a, err := s.send(base, earlier)
		if err != nil {
			return fmt.Errorf("step %d: %w", i, err), headers
		}
		earlier = append(earlier, a)
		if s.Expect == nil {
			continue
		}
		for _, difference := range s.Expect.differences(a) {
			core = errors.Join(core, fmt.Errorf("%s %s: %s", s.Method, s.Path, difference))
		}
		for _, h := range s.Expect.Headers {
			if !h.holds(a.header) {
				got := a.header.Values(h.Name)
				headers = errors.Join(headers, fmt.Errorf("%s %s: header %s is %q", s.Method, s.Path, h.Name, got))
			}
		}
	}
	return core, headers
}

// client sends requests as they are, one connection for each.
var client = &http.Client{
	Transport:     &http.Transport{DisableCompression: true, DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// send sends a step as it is written. A path without a slash gets one: PostgREST's tests call the server
// without HTTP.
func (s step) send(base string, earlier []answer) (answer, error) {
	var body io.Reader
	switch {
	case s.Bytes != nil:
		body = bytes.NewReader(s.Bytes)
	case s.Body != nil:
		body = strings.NewReader(fill(*s.Body, earlier))
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, s.Method, base, body)
	if err != nil {
		return answer{}, err
	}
	r.URL.Opaque = "/" + strings.TrimPrefix(escape(fill(s.Path, earlier)), "/")
	for _, h := range s.Headers {
		if strings.EqualFold(h[0], "host") {
			r.Host = h[1]
		} else {
			r.Header.Add(h[0], fill(h[1], earlier))
		}
	}
	res, err := client.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = res.Body.Close() }()
	got, err := io.ReadAll(res.Body)
	return answer{res.StatusCode, res.Header, got}, err
}

// escape encodes what a request line cannot contain, and nothing else.
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

// The placeholders in a case's texts.
var (
	tokenPlace  = regexp.MustCompile(`\{\{jwt (\S+) (\{.*?\})\}\}`)
	nowPlace    = regexp.MustCompile(`"__NOW([+-]\d+)__"`)
	headerPlace = regexp.MustCompile(`\{\{step(\d+)\.header\.([^}]+)\}\}`)
)

// fill replaces the placeholders of tokens, times, and headers of earlier answers.
func fill(text string, earlier []answer) string {
	text = tokenPlace.ReplaceAllStringFunc(text, signToken)
	return headerPlace.ReplaceAllStringFunc(text, func(place string) string {
		parts := headerPlace.FindStringSubmatch(place)
		if i, err := strconv.Atoi(parts[1]); err == nil && i < len(earlier) {
			return earlier[i].header.Get(parts[2])
		}
		return ""
	})
}

// signToken makes the token of a placeholder, with the claims in the order in which they are written.
func signToken(place string) string {
	parts := tokenPlace.FindStringSubmatch(place)
	key, err := base64.StdEncoding.DecodeString(parts[1])
	if err != nil {
		return place
	}
	claims := nowPlace.ReplaceAllStringFunc(parts[2], func(p string) string {
		shift, _ := strconv.ParseInt(nowPlace.FindStringSubmatch(p)[1], 10, 64) // digits
		return strconv.FormatInt(time.Now().Unix()+shift, 10)
	})
	head := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"HS256"}`)) +
		"." + base64.RawURLEncoding.EncodeToString([]byte(claims))
	signature, err := jwt.SigningMethodHS256.Sign(head, key)
	if err != nil {
		return place
	}
	return head + "." + base64.RawURLEncoding.EncodeToString(signature)
}
