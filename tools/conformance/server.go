package main

import (
	"context"
	"encoding/base64"
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

// The names of PostgREST's fixtures.
const (
	anonymousRole = "postgrest_test_anonymous"
	loginRole     = "Postgrest_Test_Authenticator"
	secret        = "reallyreallyreallyreallyverysafe"
)

// subjectRoles are the roles that the fixtures' tokens have.
var subjectRoles = []string{
	anonymousRole, "postgrest_test_author", "postgrest_test_default_role", "postgrest_test_superuser",
	"postgrest_test_repeatable_read", "postgrest_test_serializable", "postgrest_test_timeout_ms",
	"postgrest_test_w_superuser_settings",
}

// settings are those of PostgREST's test configuration that the data API has as well.
type settings struct {
	Schemas    []string `json:"configDbSchemas"`
	MaxRows    int64    `json:"configDbMaxRows"`
	Aggregates bool     `json:"configDbAggregates"`
	Plan       bool     `json:"configDbPlanEnabled"`
	Rollback   bool     `json:"configDbTxRollbackAll"`
	Override   bool     `json:"configDbTxAllowOverride"`
	Prepared   bool     `json:"configDbPreparedStatements"`
	PreRequest any      `json:"configDbPreRequest"` // a function's name, in one of two forms
	SearchPath []string `json:"configDbExtraSearchPath"`
	OpenAPI    string   `json:"configOpenApiMode"`
	Security   bool     `json:"configOpenApiSecurityActive"`
	RootSpec   any      `json:"configDbRootSpec"` // a function's name, in one of two forms
	Secret     any      `json:"configJwtSecret"`  // a text, or an object with bytes in Base64
	Audience   string   `json:"configJwtAudience"`
	Origins    []string `json:"configServerCorsAllowedOrigins"`
	Verbosity  any      `json:"configClientErrorVerbosity"`
}

// baseSettings are those of PostgREST's tests where a case has no others.
func baseSettings() settings {
	return settings{Schemas: []string{"test"}, Rollback: true, Override: true, Prepared: true}
}

// readSettings lays the settings of a group of cases over the base settings.
func readSettings(config []byte) settings {
	s := baseSettings()
	if json.Unmarshal(config, &s) != nil { // there are none
		return baseSettings()
	}
	return s
}

// open makes the data API with the settings of a group of cases. It is going to be served at the address.
func open(ctx context.Context, database, address string, config []byte) (http.Handler, func(), error) {
	s := readSettings(config)
	cfg := rest.Config{
		Schemas: s.Schemas, MaxRows: s.MaxRows, Aggregates: s.Aggregates, Plan: s.Plan, AllowUnfiltered: true,
		TerseErrors:     strings.Contains(fmt.Sprint(s.Verbosity), "Minimal"),
		PublicURL:       "http://" + address,
		HideDescription: s.OpenAPI == "disabled",
		Rollback:        s.Rollback, TxOverride: s.Override,
	}
	cfg.Conformance = rest.Conformance{
		AnonymousRole: anonymousRole, SearchPath: s.SearchPath, PreRequest: "test.switch_role",
		RootFunction: functionName(s.RootSpec),
		Estimates:    true, SwaggerToken: s.Security, AllPrivileges: s.OpenAPI == "ignore-privileges",
	}
	switch own := functionName(s.PreRequest); own {
	case "":
	case "test.load_safeupdate": // it loads an extension, instead of which we have a setting
		cfg.Conformance.PreRequest, cfg.AllowUnfiltered = "", false
	default:
		cfg.Conformance.PreRequest = own
	}
	if !s.Prepared {
		separator := "?"
		if strings.Contains(database, "?") {
			separator = "&"
		}
		database += separator + "default_query_exec_mode=exec"
	}
	roles := db.Roles{Login: loginRole, Subjects: subjectRoles}
	store, err := db.Open(ctx, db.Config{URL: database, Roles: roles})
	if err != nil {
		return nil, nil, err
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	handler, err := rest.New(ctx, cfg, rest.Deps{Store: store, Log: log})
	if err != nil {
		store.Close()
		return nil, nil, err
	}
	return cors.Handler(s.cors())(authenticate(handler, s.key(), s.Audience)), store.Close, nil
}

// cors are PostgREST's headers for browsers.
func (s settings) cors() cors.Options {
	options := cors.Options{
		AllowedOrigins: []string{"*"},
		AllowedMethods: []string{"GET", "POST", "PATCH", "PUT", "DELETE", "OPTIONS", "HEAD"},
		AllowedHeaders: []string{"*"},
		ExposedHeaders: []string{
			"Content-Encoding", "Content-Location", "Content-Range", "Content-Type", "Date", "Location", "Server",
			"Transfer-Encoding", "Range-Unit",
		},
		MaxAge: 86400,
	}
	if len(s.Origins) > 0 {
		options.AllowedOrigins, options.AllowCredentials = s.Origins, true
	}
	return options
}

// key is the secret of tokens.
func (s settings) key() []byte {
	switch given := s.Secret.(type) {
	case string:
		return []byte(given)
	case map[string]any:
		if key, err := base64.StdEncoding.DecodeString(fmt.Sprint(given["b64"])); err == nil {
			return key
		}
	}
	return []byte(secret)
}

// functionName reads the name of a function: a text, or an object with schema and name.
func functionName(setting any) string {
	switch v := setting.(type) {
	case string:
		return v
	case map[string]any:
		return fmt.Sprintf("%v.%v", v["qiSchema"], v["qiName"])
	}
	return ""
}

// authenticate replaces the token middleware with PostgREST's rules: a token needs no exp and may have any
// role, and a request without a token is anonymous.
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
	subject := db.Subject{Role: anonymousRole, Claims: json.RawMessage(`{"role":"` + anonymousRole + `"}`)}
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
	if _, _, err := jwt.NewParser().ParseUnverified(bearer, all); err != nil { // Parse has verified it
		return subject, err
	}
	if claims.Role == "" {
		all["role"] = anonymousRole
	} else {
		subject.Role = claims.Role
	}
	subject.Claims, err = json.Marshal(all)
	return subject, err
}
