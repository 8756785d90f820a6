package publicnet

import (
	"context"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"
)

func TestMaxAge(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	at := func(seconds int) string {
		return now.Add(time.Duration(seconds) * time.Second).Format(http.TimeFormat)
	}
	for _, tt := range []struct {
		header http.Header
		want   time.Duration
	}{
		{http.Header{}, 0},
		{http.Header{"Cache-Control": {"max-age=60"}}, time.Minute},
		{http.Header{"Cache-Control": {"public", `MAX-AGE="60"`}}, time.Minute},
		{http.Header{"Cache-Control": {"max-age=60, s-maxage=30"}}, 30 * time.Second},
		{http.Header{"Cache-Control": {"max-age=60"}, "Age": {"40"}}, 20 * time.Second},
		{http.Header{"Cache-Control": {"max-age=60"}, "Age": {"90"}}, 0},
		{http.Header{"Cache-Control": {"max-age=60, no-store"}}, 0},
		{http.Header{"Cache-Control": {"private, max-age=60"}}, 0},
		{http.Header{"Cache-Control": {"no-cache=Set-Cookie, max-age=60"}}, 0},
		{http.Header{"Cache-Control": {"max-age=-1"}}, 0},
		{http.Header{"Cache-Control": {"max-age=99999999999999999999999"}}, 365 * 24 * time.Hour},
		{http.Header{"Expires": {at(60)}}, time.Minute},
		{http.Header{"Expires": {at(60)}, "Date": {at(30)}}, 30 * time.Second},
		{http.Header{"Expires": {at(60)}, "Cache-Control": {"max-age=5"}}, 5 * time.Second},
		{http.Header{"Expires": {at(-60)}}, 0},
		{http.Header{"Expires": {"0"}}, 0},
	} {
		require.Equal(t, tt.want, maxAge(tt.header, now), "%v", tt.header)
	}
}

func TestContentTypes(t *testing.T) {
	t.Parallel()
	for _, contentType := range []string{
		"application/json", "Application/JSON; charset=utf-8", "application/oauth-client+json",
	} {
		require.True(t, isJSON(contentType), contentType)
	}
	for _, contentType := range []string{
		"", "text/html", "text/json", "image/svg+json", "application/jsonp", "application/json, text/html",
	} {
		require.False(t, isJSON(contentType), contentType)
	}
}

func TestClient(t *testing.T) {
	t.Parallel()
	serve := func(t *testing.T) (host string) {
		t.Helper()
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, "{}")
		}))
		t.Cleanup(server.Close)
		return strings.TrimPrefix(server.URL, "http://")
	}

	t.Run("connects to exempt hosts alone, if they are private", func(t *testing.T) {
		t.Parallel()
		host := serve(t)
		name, port, err := net.SplitHostPort(host)
		require.NoError(t, err)
		for _, exempt := range []string{name, host} {
			c := NewClient(Config{ExemptHosts: []string{exempt}, Timeout: time.Minute})
			document, err := c.FetchJSON(t.Context(), "http://"+host, 2)
			require.NoError(t, err)
			require.Equal(t, "{}", string(document.Body))
			for _, other := range []string{"localhost:" + port, "[::ffff:127.0.0.1]:" + port} {
				_, err = c.FetchJSON(t.Context(), "http://"+other, 2)
				require.ErrorContains(t, err, "private address")
			}
		}
		c := NewClient(Config{ExemptHosts: []string{name + ":1"}, Timeout: time.Minute})
		_, err = c.FetchJSON(t.Context(), "http://"+host, 2)
		require.ErrorContains(t, err, "private address", "another port")
	})

	t.Run("checks the address to which a name resolves, and not the name", func(t *testing.T) {
		t.Parallel()
		host := serve(t)
		_, port, err := net.SplitHostPort(host)
		require.NoError(t, err)
		// A name server that says that a public name is at a private address.
		answers := &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
			client, server := net.Pipe()
			go answerPrivate(server)
			return client, nil
		}}
		dialer := &net.Dialer{Control: requirePublic, Resolver: answers}
		_, err = dialer.DialContext(t.Context(), "tcp", "app.example:"+port)
		require.ErrorIs(t, err, ErrPrivate)
	})

	t.Run("ends with its context", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := NewClient(Config{Timeout: time.Minute}).FetchJSON(ctx, "https://app.example", 2)
		require.ErrorIs(t, err, context.Canceled)
	})
}

// answerPrivate answers queries for the address of any name with a private one, in the form of DNS over TCP.
func answerPrivate(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	for {
		var length [2]byte
		if _, err := io.ReadFull(conn, length[:]); err != nil {
			return
		}
		query := make([]byte, binary.BigEndian.Uint16(length[:]))
		if _, err := io.ReadFull(conn, query); err != nil {
			return
		}
		var message dnsmessage.Message
		if message.Unpack(query) != nil {
			return
		}
		message.Response, message.Additionals = true, nil
		if question := message.Questions[0]; question.Type == dnsmessage.TypeA {
			message.Answers = []dnsmessage.Resource{{
				Header: dnsmessage.ResourceHeader{Name: question.Name, Type: question.Type, Class: question.Class},
				Body:   &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}},
			}}
		}
		answer, err := message.AppendPack(make([]byte, 2))
		if err != nil {
			return
		}
		binary.BigEndian.PutUint16(answer, uint16(len(answer)-2))
		if _, err := conn.Write(answer); err != nil {
			return
		}
	}
}

func TestCausesOfErrors(t *testing.T) {
	t.Parallel()
	fetch := func(t *testing.T, address string, roots *x509.CertPool) error {
		t.Helper()
		exempt := []string{"127.0.0.1", "localhost"}
		client := NewClient(Config{ExemptHosts: exempt, Timeout: time.Minute, Roots: roots})
		_, err := client.FetchJSON(t.Context(), address, 2)
		var known *DocumentError
		require.ErrorAs(t, err, &known)
		return err
	}
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	trusted := x509.NewCertPool()
	trusted.AddCert(server.Certificate())
	require.ErrorIs(t, fetch(t, server.URL, nil), ErrUnknownAuthority)
	otherName := strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	require.ErrorIs(t, fetch(t, otherName, trusted), ErrCertificate)
	require.NoError(t, errors.Unwrap(fetch(t, server.URL, trusted)), "it has answered")

	gone := httptest.NewServer(nil)
	gone.Close()
	err := fetch(t, gone.URL, nil)
	require.ErrorIs(t, err, ErrUnreachable)
	require.ErrorContains(t, err, "refuses connections")
	require.ErrorIs(t, fetch(t, strings.Replace(server.URL, "127.0.0.1", "[::1]", 1), nil), ErrPrivate)

	notFound := &url.Error{Err: &net.DNSError{Err: "no such host", Name: "secret.example", IsNotFound: true}}
	err = documentError(t.Context(), notFound)
	require.ErrorIs(t, err, ErrUnknownHost)
	require.NotContains(t, err.Error(), "secret.example")
	slow := &url.Error{Err: &net.DNSError{Err: "timeout", Name: "secret.example", IsTimeout: true}}
	require.ErrorIs(t, documentError(t.Context(), slow), ErrUnreachable)
}

func TestFetch(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		form := r.FormValue("say")
		status, err := strconv.Atoi(r.URL.Query().Get("status"))
		if err != nil {
			status = http.StatusOK
		}
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, form)
	}))
	t.Cleanup(server.Close)
	client := NewClient(Config{ExemptHosts: []string{"127.0.0.1"}, Timeout: time.Minute})
	send := func(t *testing.T, query, body string) (Response, error) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"?"+query,
			strings.NewReader(body))
		require.NoError(t, err)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		return client.Fetch(r, 4)
	}

	t.Run("returns a response of any status", func(t *testing.T) {
		t.Parallel()
		for _, status := range []int{200, 302, 400, 503} {
			resp, err := send(t, "status="+strconv.Itoa(status), "say=four")
			require.NoError(t, err)
			require.Equal(t, status, resp.Status)
			require.Equal(t, "four", string(resp.Body))
			require.Equal(t, "/elsewhere", resp.Header.Get("Location"))
		}
	})
	t.Run("rejects a body that is too large, and keeps the status", func(t *testing.T) {
		t.Parallel()
		resp, err := send(t, "status=400", "say=fives")
		var known *DocumentError
		require.ErrorAs(t, err, &known)
		require.False(t, known.Temporary)
		require.Equal(t, Response{Status: 400, Header: resp.Header}, resp)
	})
	t.Run("says whether a later attempt may succeed", func(t *testing.T) {
		t.Parallel()
		for status, temporary := range map[int]bool{404: false, 302: false, 408: true, 429: true, 500: true} {
			_, err := client.FetchJSON(t.Context(), server.URL+"?status="+strconv.Itoa(status), 4)
			var known *DocumentError
			require.ErrorAs(t, err, &known)
			require.Equal(t, temporary, known.Temporary, status)
		}
	})
}
