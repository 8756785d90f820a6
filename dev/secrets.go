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

// secrets are made once and kept in the state folder, so that clients of a stack go on working after a restart.
type secrets struct {
	PostgresPassword string `json:"postgres_password"`
	AnonKey          string `json:"anon_key"`
	ServiceKey       string `json:"service_role_key"`
	CronSecret       string `json:"cron_secret"`
}

func loadSecrets(dir string) (secrets, error) {
	path := filepath.Join(dir, "secrets.json")
	var s secrets
	raw, err := os.ReadFile(path)
	switch {
	case err == nil:
		if err := json.Unmarshal(raw, &s); err != nil {
			return s, fmt.Errorf("%s is damaged: put it right, or remove the folder %s to begin anew", path, dir)
		}
		return s, nil
	case !errors.Is(err, fs.ErrNotExist):
		return s, err
	}
	s = secrets{PostgresPassword: newSecret(), AnonKey: token.NewAnonKey(), ServiceKey: token.NewServiceKey(), CronSecret: newSecret()}
	if raw, err = json.MarshalIndent(s, "", "  "); err != nil {
		return s, err
	}
	return s, os.WriteFile(path, raw, 0o600)
}

// PrintSecrets writes new values for the settings that have no default, a NAME=value a line: for the .env file of a deployment.
func PrintSecrets(out io.Writer) error {
	_, err := fmt.Fprintf(out, "ANON_KEY=%s\nSERVICE_ROLE_KEY=%s\nCRON_SECRET=%s\n", token.NewAnonKey(), token.NewServiceKey(), newSecret())
	return err
}

// newSecret is 192 random bits.
func newSecret() string {
	b := make([]byte, 24)
	_, _ = rand.Read(b) // never fails, see crypto/rand
	return base64.RawURLEncoding.EncodeToString(b)
}
