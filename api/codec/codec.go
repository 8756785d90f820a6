// Package codec is the endpoint by which Temporal's UI and CLI show what PAYLOAD_KEYS encrypts: Temporal's remote codec protocol, for operators alone.
//
// A program shows CODEC_SECRET as a bearer token. A browser opens GET /api/codec once, gives the secret as the password, and gets a cookie, which counts for requests
// from the origin of TEMPORAL_UI_URL alone.
package codec

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/cors"
	"go.temporal.io/sdk/converter"
)

// Path is where New's handler is mounted.
const Path = "/api/codec"

// Config is what the endpoint needs; all but UIURL is required.
type Config struct {
	Codec     converter.PayloadCodec
	Secret    string           // CODEC_SECRET
	PublicURL string           // PUBLIC_URL: cookies are for https alone where it is that
	UIURL     string           // TEMPORAL_UI_URL; empty: no browser may ask
	Now       func() time.Time // the clock; nil means time.Now
}

// maxBody is above what Temporal's UI sends at once: a page of a history.
const maxBody = 16 << 20

// signedInFor is how long a browser may decrypt: a working day.
const signedInFor = 12 * time.Hour

const cookieName = "research_codec"

type server struct {
	Config
	origin string
}

// New makes the handler; paths are those after Path.
func New(c Config) (http.Handler, error) {
	if c.Codec == nil || c.Secret == "" || c.PublicURL == "" {
		return nil, errors.New("codec: a dependency is missing")
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	s := &server{Config: c}
	origins := cors.Options{AllowedMethods: []string{"POST"}, AllowedHeaders: []string{"Authorization", "Content-Type", "X-Namespace"}, AllowCredentials: true,
		AllowOriginFunc: func(_ *http.Request, origin string) bool { return origin != "" && origin == s.origin }}
	if u, err := url.Parse(c.UIURL); err == nil && u.Host != "" {
		s.origin = u.Scheme + "://" + u.Host
	}
	payloads := converter.NewPayloadCodecHTTPHandler(c.Codec)
	r := chi.NewRouter()
	r.Use(cors.Handler(origins))
	r.Get("/", s.signIn)
	for _, path := range []string{"/encode", "/decode"} {
		r.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			if !s.authorised(r) {
				refuse(w)
				return
			}
			w.Header().Set("Cache-Control", "no-store")
			r.Body = http.MaxBytesReader(w, r.Body, maxBody)
			payloads.ServeHTTP(w, r)
		})
	}
	return r, nil
}

// authorised: the secret from programs, the cookie from the UI's origin.
func (s *server) authorised(r *http.Request) bool {
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok && s.isSecret(bearer) {
		return true
	}
	cookie, err := r.Cookie(cookieName)
	return err == nil && s.origin != "" && r.Header.Get("Origin") == s.origin && s.goodCookie(cookie.Value)
}

func (s *server) isSecret(given string) bool {
	return subtle.ConstantTimeCompare([]byte(given), []byte(s.Secret)) == 1
}

// signIn gives a browser its cookie.
func (s *server) signIn(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if _, password, ok := r.BasicAuth(); !ok || !s.isSecret(password) {
		w.Header().Set("WWW-Authenticate", `Basic realm="any name, and CODEC_SECRET as the password", charset="UTF-8"`)
		refuse(w)
		return
	}
	until := s.Now().Add(signedInFor)
	cookie := &http.Cookie{Name: cookieName, Value: s.cookie(until), Path: Path, Expires: until, HttpOnly: true, SameSite: http.SameSiteLaxMode}
	if strings.HasPrefix(s.PublicURL, "https://") {
		// The UI is often at another site.
		cookie.Secure, cookie.SameSite = true, http.SameSiteNoneMode
	}
	http.SetCookie(w, cookie)
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = fmt.Fprintf(w, "Signed in for %s. In Temporal's UI, set the codec server to %s%s and tick “include cross-origin credentials”.\n", signedInFor, s.PublicURL, Path)
}

// cookie is an end, and a proof that it was given by one who knows the secret.
func (s *server) cookie(until time.Time) string {
	end := strconv.FormatInt(until.Unix(), 10)
	return end + "." + s.proof(end)
}

func (s *server) goodCookie(value string) bool {
	end, proof, ok := strings.Cut(value, ".")
	if !ok || !hmac.Equal([]byte(proof), []byte(s.proof(end))) {
		return false
	}
	unix, err := strconv.ParseInt(end, 10, 64)
	return err == nil && s.Now().Unix() < unix
}

func (s *server) proof(end string) string {
	mac := hmac.New(sha256.New, []byte(s.Secret))
	_, _ = mac.Write([]byte(Path + " " + end)) // it never fails
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func refuse(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(http.StatusUnauthorized)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": "unauthorized", "message": "Operators alone: show CODEC_SECRET as a bearer token, or sign in at " + Path + "."})
}
