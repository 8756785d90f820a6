package main

import (
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/joho/godotenv"

	"research/dev"
)

// The files that docker-compose.yml mounts into its containers.
//
//go:embed nginx.conf.template temporal
var files embed.FS

// writeFiles writes the configuration of Temporal and of nginx into the state folder.
func (c *cluster) writeFiles() error {
	for _, dir := range []string{"temporal", "nginx", "mail"} {
		if err := os.MkdirAll(c.path(dir), 0o711); err != nil {
			return err
		}
	}
	entries, err := fs.ReadDir(files, "temporal")
	if err != nil {
		return err
	}
	for _, entry := range entries {
		content, err := files.ReadFile("temporal/" + entry.Name())
		if err != nil {
			return err
		}
		if err := os.WriteFile(c.path("temporal", entry.Name()), content, 0o600); err != nil {
			return err
		}
	}
	conf, err := nginxConf(c.at.upstreams().with(settings{
		"API_LISTEN": c.at.api, "TEMPORAL_LISTEN": c.at.temporal, "NGINX_DIR": c.path("nginx"),
		"RESOLVER": "127.0.0.1", // not asked: the upstreams are addresses
	}))
	if err != nil {
		return err
	}
	return os.WriteFile(c.path("nginx", "nginx.conf"), []byte(conf), 0o600)
}

// loadSecrets reads the secrets of the folder. Where there are none, it makes them as an operator does, by
// `research secrets`.
func (c *cluster) loadSecrets(ctx context.Context) (settings, error) {
	path := c.path("secrets.env")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		secrets, err := exec.CommandContext(ctx, filepath.Join(c.Bin, "research"), "secrets").Output()
		if err != nil {
			return nil, fmt.Errorf("research secrets: %w", err)
		}
		secrets = fmt.Appendf(secrets, "POSTGRES_PASSWORD=%s\n", rand.Text())
		if err := os.WriteFile(path, secrets, 0o600); err != nil {
			return nil, err
		}
	}
	return godotenv.Read(path)
}

// writeEnv writes what clients need, as `make dev` writes dev.env.
func (c *cluster) writeEnv(path string) error {
	return dev.WriteEnv(path, [][2]string{
		{"API_URL", "http://" + c.at.api},
		{"PUBLIC_URL", "http://" + c.at.api}, // for research import, doctor and mcp
		{"ANON_KEY", c.secrets["ANON_KEY"]},
		{"SERVICE_ROLE_KEY", c.secrets["SERVICE_ROLE_KEY"]},
		{"CRON_SECRET", c.secrets["CRON_SECRET"]},
		{"DATABASE_URL", c.databaseURL},
		{"TEMPORAL_ADDRESS", c.at.temporal},
		{"TEMPORAL_NAMESPACE", namespace},
		{"TEMPORAL_UI_URL", "http://" + c.at.temporalUI},
		{"MAIL_DIR", c.path("mail")},
	})
}
