// Command conformance runs PostgREST's own cases against the data API, over PostgREST's fixtures (make conformance; docs/compat.md, "Data API").
//
//	conformance -cases FILE -postgrest CHECKOUT   loads the fixtures, runs the cases, prints what passed, and fails below the floors
//	conformance                                   serves on PORT with CASE_CONFIG, a group's settings as JSON, for a runner of somebody else's
//
// Both want DATABASE_URL or TEST_DATABASE_URL: of a throw-away cluster, as its owner.
package main

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"flag"
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
	login     = "Postgrest_Test_Authenticator"
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
	Prepared   *bool    `json:"configDbPreparedStatements"`
	PreRequest any      `json:"configDbPreRequest"`
	SearchPath []string `json:"configDbExtraSearchPath"`
	OpenAPI    string   `json:"configOpenApiMode"`
	Security   bool     `json:"configOpenApiSecurityActive"`
	RootSpec   any      `json:"configDbRootSpec"`
	Secret     any      `json:"configJwtSecret"`
	Audience   string   `json:"configJwtAudience"`
	Origins    []string `json:"configServerCorsAllowedOrigins"`
	Verbosity  any      `json:"configClientErrorVerbosity"`
}

func main() {
	cases := flag.String("cases", "", "the cases, a JSON object a line")
	checkout := flag.String("postgrest", "", "a checkout of PostgREST, whose fixtures the cases need")
	known := flag.String("known", "docs/compat.md", "where cases that are left out are listed")
	flag.Parse()
	url := cmp.Or(os.Getenv("DATABASE_URL"), os.Getenv("TEST_DATABASE_URL"))
	var err error
	if *cases == "" {
		err = serve(url)
	} else {
		err = runCases(os.Stdout, url, *cases, *checkout, *known)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

func serve(url string) error {
	address := "127.0.0.1:" + os.Getenv("PORT")
	handler, closeStore, err := open(context.Background(), url, address, []byte(os.Getenv("CASE_CONFIG")))
	if err != nil {
		return err
	}
	defer closeStore()
	server := &http.Server{Addr: address, Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	return server.ListenAndServe()
}

// open makes the data API with the settings of a group of cases; address is where it will be served.
func open(ctx context.Context, url, address string, config []byte) (http.Handler, func(), error) {
	var s settings
	if err := json.Unmarshal(config, &s); err != nil {
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
	cfg.OpenAPI = rest.OpenAPI{Mode: s.OpenAPI, Swagger: true, Security: s.Security, Root: functionName(s.RootSpec), PublicURL: "http://" + address}
	if s.Prepared != nil && !*s.Prepared {
		mark := "?"
		if strings.Contains(url, mark) {
			mark = "&"
		}
		url += mark + "default_query_exec_mode=exec"
	}
	store, err := db.Open(ctx, db.Config{URL: url, Login: login, Roles: []string{anonymous,
		"postgrest_test_author", "postgrest_test_default_role", "postgrest_test_superuser", "postgrest_test_repeatable_read", "postgrest_test_serializable",
		"postgrest_test_timeout_ms", "postgrest_test_w_superuser_settings"}})
	if err != nil {
		return nil, nil, err
	}
	handler, err := rest.New(ctx, cfg, rest.Deps{Store: store, Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))})
	if err != nil {
		store.Close()
		return nil, nil, err
	}
	origins := cors.Options{AllowedOrigins: []string{"*"}, AllowedMethods: []string{"GET", "POST", "PATCH", "PUT", "DELETE", "OPTIONS", "HEAD"},
		AllowedHeaders: []string{"*"}, ExposedHeaders: []string{"Content-Encoding", "Content-Location", "Content-Range", "Content-Type", "Date", "Location", "Server", "Transfer-Encoding", "Range-Unit"}, MaxAge: 86400}
	if len(s.Origins) > 0 {
		origins.AllowedOrigins, origins.AllowCredentials = s.Origins, true
	}
	return cors.Handler(origins)(authenticate(handler, s.key(), s.Audience)), store.Close, nil
}

// key is the secret of tokens: a text, or bytes in Base64.
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

// authenticate stands for token.Authenticator with PostgREST's settings: tokens need no exp and may have any role, and whoever has none is anonymous.
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
