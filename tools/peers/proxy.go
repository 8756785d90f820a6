package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"time"
)

// peerAddress is where the Supabase CLI serves its API, and so where the suites send their requests.
const peerAddress = "127.0.0.1:54321"

// startProxy serves the suites' address, and passes requests on with our keys.
func startProxy(service *url.URL) (stop func(), err error) {
	listener, err := net.Listen("tcp", peerAddress)
	if err != nil {
		return func() {}, fmt.Errorf("the suites need the address of the Supabase CLI: %w", err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(service)
		replaceKeys(r.Out)
	}}
	server := &http.Server{Handler: proxy, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }()
	return func() { _ = server.Close() }, nil
}

// replaceKeys puts our keys in place of the CLI's, which are tokens that the suites sign. Requests of
// postgrest-js have none: the CLI's gateway demands it for the other APIs alone.
func replaceKeys(r *http.Request) {
	switch roleOf(r.Header.Get("apikey")) {
	case "anon":
		r.Header.Set("apikey", anonKey)
	case "service_role", "supabase_admin":
		r.Header.Set("apikey", serviceKey)
	}
	if r.Header.Get("apikey") == "" && strings.HasPrefix(r.URL.Path, "/rest/") {
		r.Header.Set("apikey", anonKey)
	}
	switch roleOf(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")) {
	case "anon":
		r.Header.Set("Authorization", "Bearer "+anonKey)
	case "service_role", "supabase_admin":
		r.Header.Set("Authorization", "Bearer "+serviceKey)
	}
}

// roleOf returns the role in a token, unverified, or nothing.
func roleOf(token string) string {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return ""
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return ""
	}
	var claims struct {
		Role string `json:"role"`
	}
	_ = json.Unmarshal(payload, &claims)
	return claims.Role
}
