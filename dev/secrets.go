package dev

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"research/api/token"
)

// secrets are made once and kept in the state folder, so that the clients of a stack work after a restart.
type secrets struct {
	PostgresPassword string `json:"postgres_password"`
	AnonKey          string `json:"anon_key"`
	ServiceKey       string `json:"service_role_key"`
	CronSecret       string `json:"cron_secret"`
}

// loadSecrets reads the secrets of a state folder, or makes them.
func loadSecrets(dir string) (secrets, error) {
	path := filepath.Join(dir, "secrets.json")
	var s secrets
	raw, err := os.ReadFile(path)
	switch {
	case err == nil:
		if err := json.Unmarshal(raw, &s); err != nil {
			return s, fmt.Errorf("%s is damaged: repair it, or remove the folder %s to start over", path, dir)
		}
		return s, nil
	case !errors.Is(err, fs.ErrNotExist):
		return s, err
	}
	s = secrets{
		PostgresPassword: newSecret(),
		AnonKey:          token.NewAnonKey(),
		ServiceKey:       token.NewServiceKey(),
		CronSecret:       newSecret(),
	}
	if raw, err = json.MarshalIndent(s, "", "  "); err != nil {
		return s, err
	}
	return s, os.WriteFile(path, raw, 0o600)
}

// PrintSecrets writes new values for the secrets that have no default, as NAME=value lines for the .env file
// of a deployment.
func PrintSecrets(out io.Writer) error {
	_, err := fmt.Fprintf(out, "ANON_KEY=%s\nSERVICE_ROLE_KEY=%s\nCRON_SECRET=%s\nMETRICS_TOKEN=%s\n"+
		"POSTGRES_PASSWORD=%s\nDATABASE_SERVE_PASSWORD=%s\nDATABASE_WORKER_PASSWORD=%s\n",
		token.NewAnonKey(), token.NewServiceKey(), newSecret(), newSecret(), newSecret(), newSecret(), newSecret())
	return err
}

// newSecret returns 192 random bits.
func newSecret() string {
	b := make([]byte, 24)
	_, _ = rand.Read(b) // never fails, see crypto/rand
	return base64.RawURLEncoding.EncodeToString(b)
}
