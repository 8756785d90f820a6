package mail

import (
	"context"
	"fmt"
	"os"
)

// Probe checks the configuration without sending a mail: it opens a session with the server, with TLS and
// authentication as for a mail, or creates a file in the folder. Its error never contains an address or a
// password.
func Probe(ctx context.Context, cfg Config) error {
	if _, err := New(cfg); err != nil {
		return err
	}
	if cfg.SMTPURL == "" {
		return probeFolder(cfg.Dir)
	}
	e, err := newEndpoint(cfg)
	if err != nil {
		return err
	}
	c, err := e.connect(ctx)
	if err != nil {
		return err
	}
	c.quit()
	return nil
}

func probeFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("create the folder MAIL_DIR: %w", err)
	}
	file, err := os.CreateTemp(dir, ".probe-*")
	if err != nil {
		return fmt.Errorf("write to the folder MAIL_DIR: %w", err)
	}
	_ = file.Close()
	return os.Remove(file.Name())
}
