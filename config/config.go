// Package config reads the settings of every program from the environment, once, and checks them.
//
// It is the only reader of the environment. Load reports all problems at once, each by the name of its
// setting, and a Config prints itself with its secrets masked. Each file has one topic: the settings of a
// consumer, with their descriptions, which also make the reference in docs/settings.md. A consumer is handed
// only its own part.
package config

import (
	"fmt"
	"slices"
	"strings"
)

// Config is everything that can be set, with a part for each consumer.
type Config struct {
	StateDir string // where `research dev` keeps its data, and where mails go without SMTP_URL

	HTTP          HTTP
	Database      Database
	Temporal      Temporal
	Worker        Worker
	Keys          Keys
	Identity      Identity
	Data          Data
	Events        Events
	Retention     Retention
	Extract       Extract
	Parse         Parse
	Ask           Ask
	MCP           MCP
	Quotas        Quotas
	Digest        Digest
	Mail          Mail
	Observability Observability
	Dev           Dev

	values []value
}

// Load reads and checks all settings. Its error is a *Problems that names each setting at fault.
func Load(getenv func(string) string) (Config, error) {
	r := &reader{getenv: getenv}
	var c Config
	c.HTTP = readHTTP(r)
	c.Database = readDatabase(r)
	c.Temporal = readTemporal(r)
	c.Keys = readKeys(r)
	c.Identity = readIdentity(r)
	c.Data = readData(r)
	c.Events = readEvents(r)
	c.Retention = readRetention(r)
	c.Extract = readExtract(r)
	c.Parse = readParse(r)
	c.Ask = readAsk(r)
	c.MCP = readMCP(r)
	c.Quotas = readQuotas(r)
	c.Worker = readWorker(r, c.Extract)
	c.StateDir, c.Dev = readDev(r)
	c.Digest = readDigest(r)
	c.Mail = readMail(r, c.StateDir)
	c.Observability = readObservability(r)

	if c.Keys.JWTSecret != "" && c.Identity.PrivateKey != "" {
		r.problem("JWT_PRIVATE_KEY", "and JWT_SECRET are both set: tokens are signed with one of them")
	}
	if c.Identity.Off && c.Keys.JWTSecret == "" && c.Identity.ExternalIssuers == "" {
		r.problem("IDENTITY",
			"is off, and neither EXTERNAL_ISSUERS nor JWT_SECRET says whose tokens to trust instead")
	}
	c.values = r.values
	if len(r.problems) > 0 {
		return c, &Problems{List: r.problems}
	}
	return c, nil
}

// IsSet reports whether the environment sets name, so that its default does not apply.
func (c Config) IsSet(name string) bool {
	return slices.ContainsFunc(c.values, func(v value) bool { return v.Name == name && v.set })
}

// Require checks that the settings that a program cannot do without are set. Its error is a *Problems that
// names all that are missing.
func (c Config) Require(names ...string) error {
	var missing []Problem
	for _, v := range c.values {
		if slices.Contains(names, v.Name) && v.text == "" {
			missing = append(missing, Problem{v.Name, "is missing"})
		}
	}
	if len(missing) > 0 {
		return &Problems{List: missing}
	}
	return nil
}

// String lists every setting, one per line, with secrets masked.
func (c Config) String() string {
	var b strings.Builder
	for _, v := range c.values {
		fmt.Fprintf(&b, "%s=%s\n", v.Name, v.masked())
	}
	return b.String()
}
