package main

import (
	"fmt"
	"maps"
	"net"
	"slices"
)

// The size of the cluster, which docker-compose.yml shares.
const (
	serves  = 3
	workers = 4
	nodes   = 2 // of Temporal
)

// A new namespace of Temporal keeps a workflow's history for retention after its end.
const (
	namespace = "default"
	retention = "72h"
)

// Addresses are where services find each other, as host:port.
type addresses struct {
	api, temporal              string // nginx: for clients, and for Temporal's clients
	temporalUI                 string
	postgres, temporalPostgres string
	serve                      [serves]string
	frontends                  [nodes]string // of Temporal
}

// Settings are the environment of a process.
type settings map[string]string

// with returns a copy with further settings, which win.
func (s settings) with(more settings) settings {
	merged := maps.Clone(s)
	maps.Copy(merged, more)
	return merged
}

// environ returns NAME=value pairs, sorted.
func (s settings) environ() []string {
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(s)) {
		pairs = append(pairs, name+"="+s[name])
	}
	return pairs
}

// researchSettings are those that serve, worker and migrate have in common. databaseURL is the owner's;
// secrets have the three keys.
func (a addresses) researchSettings(databaseURL string, secrets settings) settings {
	return settings{
		"DATABASE_URL":       databaseURL,
		"ANON_KEY":           secrets["ANON_KEY"],
		"SERVICE_ROLE_KEY":   secrets["SERVICE_ROLE_KEY"],
		"CRON_SECRET":        secrets["CRON_SECRET"],
		"TEMPORAL_ADDRESS":   a.temporal,
		"TEMPORAL_NAMESPACE": namespace,
		"TEMPORAL_UI_URL":    "http://" + a.temporalUI,
		"PUBLIC_URL":         "http://" + a.api,
		"TRUSTED_PROXY_HOPS": "1", // nginx
	}
}

// sqlSettings lead Temporal's servers and its schema tool to their PostgreSQL.
func (a addresses) sqlSettings(user, password string) settings {
	host, port, _ := net.SplitHostPort(a.temporalPostgres) // our own
	return settings{"SQL_HOST": host, "SQL_PORT": port, "SQL_USER": user, "SQL_PASSWORD": password}
}

// uiSettings are those of Temporal's UI.
func (a addresses) uiSettings() settings {
	return settings{"TEMPORAL_ADDRESS": a.temporal, "TEMPORAL_CODEC_ENDPOINT": "http://" + a.api + "/api/codec"}
}

// upstreams are the variables of nginx.conf.template for the servers behind nginx.
func (a addresses) upstreams() settings {
	variables := settings{}
	for i, address := range a.serve {
		variables[fmt.Sprintf("SERVE_%d", i+1)] = address
	}
	for i, address := range a.frontends {
		variables[fmt.Sprintf("TEMPORAL_%d", i+1)] = address
	}
	return variables
}
