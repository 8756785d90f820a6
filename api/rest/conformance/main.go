// Command conformance serves the data API over PostgREST's own fixtures, so that PostgREST's cases can be run against it (see docs/compat.md). It reads PORT, DATABASE_URL
// and CASE_CONFIG, PostgREST's settings of a group of cases as JSON.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/go-chi/cors"
	"github.com/golang-jwt/jwt/v5"

	"research/api/rest"
	"research/api/token"
	"research/db"
)

const (
	anonymous = "postgrest_test_anonymous"
	secret    = "reallyreallyreallyreallyverysafe"
)

// settings are those of PostgREST's test configuration that we have as well.
type settings struct {
	Schemas    []string `json:"configDbSchemas"`
	MaxRows    *int64   `json:"configDbMaxRows"`
	Aggregates *bool    `json:"configDbAggregates"`
	Plan       *bool    `json:"configDbPlanEnabled"`
	Rollback   *bool    `json:"configDbTxRollbackAll"`
	Override   *bool    `json:"configDbTxAllowOverride"`
	PreRequest any      `json:"configDbPreRequest"`
	SearchPath []string `json:"configDbExtraSearchPath"`
	OpenAPI    string   `json:"configOpenApiMode"`
	Security   bool     `json:"configOpenApiSecurityActive"`
	RootSpec   any      `json:"configDbRootSpec"`
	Secret     any      `json:"configJwtSecret"`
	Audience   string   `json:"configJwtAudience"`
	Verbosity  any      `json:"configClientErrorVerbosity"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

func run() error {
	var s settings
	if err := json.Unmarshal([]byte(os.Getenv("CASE_CONFIG")), &s); err != nil {
		s = settings{}
	}
	cfg := rest.Config{Schemas: []string{"test"}, Rollback: true, TxOverride: true, AllowUnfiltered: true, Anonymous: anonymous, PreRequest: "test.switch_role"}
	if s.Schemas != nil {
		cfg.Schemas = s.Schemas
	}
	cfg.SearchPath = s.SearchPath
	if s.MaxRows != nil {
		cfg.MaxRows = *s.MaxRows
	}
	for _, one := range []struct {
		from *bool
		into *bool
	}{{s.Aggregates, &cfg.Aggregates}, {s.Plan, &cfg.Plan}, {s.Rollback, &cfg.Rollback}, {s.Override, &cfg.TxOverride}} {
		if one.from != nil {
			*one.into = *one.from
		}
	}
	cfg.TerseErrors = strings.Contains(fmt.Sprint(s.Verbosity), "Minimal")
	switch own := functionName(s.PreRequest); own {
	case "":
	case "test.load_safeupdate": // loads an extension, for which we have a setting
		cfg.PreRequest, cfg.AllowUnfiltered = "", false
	default:
		cfg.PreRequest = own
	}
	cfg.OpenAPI = rest.OpenAPI{Mode: s.OpenAPI, Swagger: true, Security: s.Security, Root: functionName(s.RootSpec), PublicURL: "http://127.0.0.1:" + os.Getenv("PORT")}
	ctx := context.Background()
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	store, err := db.Open(ctx, db.Config{URL: os.Getenv("DATABASE_URL"), Login: "Postgrest_Test_Authenticator", Roles: []string{anonymous,
		"postgrest_test_author", "postgrest_test_default_role", "postgrest_test_superuser", "postgrest_test_repeatable_read", "postgrest_test_serializable",
		"postgrest_test_timeout_ms", "postgrest_test_w_superuser_settings"}})
	if err != nil {
		return err
	}
	defer store.Close()
	handler, err := rest.New(ctx, cfg, rest.Deps{Store: store, Log: log})
	if err != nil {
		return err
	}
	key := []byte(secret)
	if text, ok := s.Secret.(string); ok {
		key = []byte(text)
	}
	front := cors.Handler(cors.Options{AllowedOrigins: []string{"*"}, AllowedMethods: []string{"GET", "POST", "PATCH", "PUT", "DELETE", "OPTIONS", "HEAD"},
		AllowedHeaders: []string{"*"}, ExposedHeaders: []string{"Content-Encoding", "Content-Location", "Content-Range", "Content-Type", "Date", "Location", "Server", "Transfer-Encoding", "Range-Unit"}, MaxAge: 86400})
	server := &http.Server{Addr: "127.0.0.1:" + os.Getenv("PORT"), Handler: front(authenticate(handler, key, s.Audience)), ReadHeaderTimeout: 10 * time.Second}
	return server.ListenAndServe()
}

// functionName reads a function's name, which PostgREST's settings write in two ways.
func functionName(setting any) string {
	switch v := setting.(type) {
	case string:
		return v
	case map[string]any:
		return fmt.Sprintf("%v.%v", v["qiSchema"], v["qiName"])
	}
	return ""
}

// authenticate stands for token.Gate with PostgREST's settings: tokens need no exp and may have any role, and whoever has none is anonymous.
func authenticate(next *rest.Handler, key []byte, audience string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		subject, err := identify(r, key, audience)
		if err != nil {
			next.WriteError(w, r, err)
			return
		}
		next.ServeHTTP(w, r.WithContext(token.With(r.Context(), subject)))
	})
}

func identify(r *http.Request, key []byte, audience string) (db.Subject, error) {
	subject := db.Subject{Role: anonymous, Claims: json.RawMessage(`{"role":"` + anonymous + `"}`)}
	bearer, err := token.BearerOf(r)
	if err != nil || bearer == "" {
		return subject, err
	}
	claims, err := token.Parse(bearer, func(*jwt.Token) (any, error) { return key, nil },
		jwt.WithValidMethods([]string{"HS256"}), jwt.WithLeeway(30*time.Second), jwt.WithIssuedAt())
	switch {
	case err != nil:
		return subject, err
	case audience != "" && len(claims.Audience) > 0 && !slices.Contains(claims.Audience, audience):
		return subject, token.ErrAudience
	}
	all := jwt.MapClaims{}
	if _, _, err := jwt.NewParser().ParseUnverified(bearer, all); err != nil { // it is verified
		return subject, err
	}
	if claims.Role == "" {
		all["role"] = anonymous
	} else {
		subject.Role = claims.Role
	}
	subject.Claims, err = json.Marshal(all)
	return subject, err
}
