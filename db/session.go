package db

import (
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// A Setting is a run-time parameter of a session or a transaction. Its name never comes from a client.
type Setting struct{ Name, Value string }

// sessionSettings are those of which the service depends on the default, whatever an administrator has set
// for the database or the login. Poolers pass on the few of fixSession alone.
var sessionSettings = []Setting{
	{"row_security", "on"},           // off makes statements fail that a policy would filter
	{"quote_all_identifiers", "off"}, // names in definitions are compared
	{"jit", "off"},                   // without statistics, it compiles for 300 ms what runs for one
}

// connectTimeout is for each address, unless the connection string has a connect_timeout. The driver would
// wait for ever.
const connectTimeout = 5 * time.Second

// fixSession sets what a connection needs from its first byte: texts are UTF-8, and a backslash in a literal
// is one. Poolers refuse most other startup parameters (PgBouncer's ignore_startup_parameters).
func fixSession(cfg *pgx.ConnConfig) {
	if cfg.ConnectTimeout == 0 {
		cfg.ConnectTimeout = connectTimeout
	}
	cfg.RuntimeParams["client_encoding"] = "UTF8"
	cfg.RuntimeParams["standard_conforming_strings"] = "on"
}

// settingsExpr has the calls that set sessionSettings, and others. Local ones end with the transaction.
func settingsExpr(local bool, others ...Setting) string {
	var calls []string
	for _, set := range append(others, sessionSettings...) {
		calls = append(calls, fmt.Sprintf("set_config(%s, %s, %t)", literal(set.Name), literal(set.Value), local))
	}
	return strings.Join(calls, ", ")
}

// literal writes a text as a literal of SQL.
func literal(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
