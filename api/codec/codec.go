// Package codec is Temporal's remote codec endpoint: it decrypts what PAYLOAD_KEYS encrypts, for Temporal's
// UI and CLI. It is for operators only.
//
// Programs send CODEC_SECRET as a bearer token. A browser opens GET /api/codec once, sends the secret as the
// password, and gets a cookie. The cookie is accepted only in requests from the origin of TEMPORAL_UI_URL.
package codec

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/cors"
	"go.temporal.io/sdk/converter"

	"research/api/problem"
)

// Path is the path where the handler must be mounted.
const Path = "/api/codec"

// Config configures the endpoint. All fields but UIURL and Now are required.
type Config struct {
	Codec     converter.PayloadCodec
	Secret    string // CODEC_SECRET
	PublicURL string // PUBLIC_URL; if it is https, cookies are sent over https only
	UIURL     string // TEMPORAL_UI_URL; empty means that browsers are rejected
	Log       *slog.Logger
	Now       func() time.Time // the clock; nil means time.Now
}

const (
	// maxBodyBytes exceeds the largest request of Temporal's UI: a page of a history.
	maxBodyBytes = 16 << 20
	// signInTime is how long a sign-in lasts: a working day.
	signInTime = 12 * time.Hour

	cookieName = "research_codec"
)

type server struct {
	cfg    Config
	origin string // of the UI; empty means none
	edge   problem.Edge
}

// New returns the handler. Paths are those after Path.
func New(cfg Config) (http.Handler, error) {
	if cfg.Codec == nil || cfg.Secret == "" || cfg.PublicURL == "" || cfg.Log == nil {
		return nil, errors.New("codec: a dependency is missing")
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	s := &server{cfg: cfg, edge: problem.Edge{Log: cfg.Log, Format: problem.FormatAPI, Lenient: true}}
	if u, err := url.Parse(cfg.UIURL); err == nil && u.Host != "" {
		s.origin = u.Scheme + "://" + u.Host
	}
	payloads := http.MaxBytesHandler(converter.NewPayloadCodecHTTPHandler(cfg.Codec), maxBodyBytes)
	r := chi.NewRouter()
	r.Use(cors.Handler(cors.Options{
		AllowedMethods:   []string{http.MethodPost},
		AllowedHeaders:   []string{"Authorization", "Content-Type", "X-Namespace"},
		AllowCredentials: true,
		AllowOriginFunc: func(_ *http.Request, origin string) bool {
			return origin != "" && origin == s.origin
		},
	}))
	s.edge.Fallbacks(r)
	r.Get("/", s.edge.Handle(s.signIn))
	r.Handle("/encode", s.requireOperator(payloads))
	r.Handle("/decode", s.requireOperator(payloads))
	return r, nil
}

// unauthorized is the response to a request without the secret and without a valid cookie.
func unauthorized() *problem.Error {
	return &problem.Error{
		Status: http.StatusUnauthorized, Code: "unauthorized",
		Message: "This endpoint is for operators: send CODEC_SECRET as a bearer token, or sign in at " + Path + ".",
	}
}

func (s *server) requireOperator(next http.Handler) http.Handler {
	return s.edge.Handle(func(w http.ResponseWriter, r *http.Request) error {
		if !s.isOperator(r) {
			return unauthorized()
		}
		w.Header().Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
		return nil
	})
}

// isOperator reports whether a request has the secret, or comes from the UI with a valid cookie.
func (s *server) isOperator(r *http.Request) bool {
	bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if ok && s.isSecret(bearer) {
		return true
	}
	cookie, err := r.Cookie(cookieName)
	return err == nil && s.origin != "" && r.Header.Get("Origin") == s.origin && s.validCookie(cookie.Value)
}

func (s *server) isSecret(given string) bool {
	return subtle.ConstantTimeCompare([]byte(given), []byte(s.cfg.Secret)) == 1
}

// signIn sets the cookie.
func (s *server) signIn(w http.ResponseWriter, r *http.Request) error {
	if _, password, ok := r.BasicAuth(); !ok || !s.isSecret(password) {
		w.Header().Set("WWW-Authenticate",
			`Basic realm="any name, and CODEC_SECRET as the password", charset="UTF-8"`)
		return unauthorized()
	}
	expires := s.cfg.Now().Add(signInTime)
	cookie := &http.Cookie{
		Name: cookieName, Value: s.cookie(expires), Path: Path, Expires: expires,
		HttpOnly: true, SameSite: http.SameSiteLaxMode,
	}
	if strings.HasPrefix(s.cfg.PublicURL, "https://") {
		cookie.Secure, cookie.SameSite = true, http.SameSiteNoneMode // the UI is often on another site
	}
	http.SetCookie(w, cookie)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, err := fmt.Fprintf(w, "Signed in for %s. In Temporal's UI, set the codec server to %s%s "+
		"and tick “include cross-origin credentials”.\n", signInTime, s.cfg.PublicURL, Path)
	if err != nil {
		s.cfg.Log.DebugContext(r.Context(), "answer not sent", "error", err)
	}
	return nil
}

// cookie returns a signed value with the time until which a browser is signed in.
func (s *server) cookie(expires time.Time) string {
	unix := strconv.FormatInt(expires.Unix(), 10)
	return unix + "." + s.mac(unix)
}

func (s *server) validCookie(value string) bool {
	expires, mac, ok := strings.Cut(value, ".")
	if !ok || !hmac.Equal([]byte(mac), []byte(s.mac(expires))) {
		return false
	}
	unix, err := strconv.ParseInt(expires, 10, 64)
	return err == nil && s.cfg.Now().Unix() < unix
}

func (s *server) mac(expires string) string {
	mac := hmac.New(sha256.New, []byte(s.cfg.Secret))
	mac.Write([]byte(Path + " " + expires))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}
