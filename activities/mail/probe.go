package mail

import (
	"context"
	"fmt"
	"os"
)

// Probe tells whether mails would be taken, without sending one: it says hello to the server, with TLS and the password as for a mail, or writes to the folder. Its error never
// holds an address or a password.
func Probe(ctx context.Context, cfg Config) error {
	if _, err := New(cfg); err != nil {
		return err
	}
	if cfg.SMTPURL == "" {
		if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
			return fmt.Errorf("make the folder of MAIL_DIR: %w", err)
		}
		file, err := os.CreateTemp(cfg.Dir, ".probe-*")
		if err != nil {
			return fmt.Errorf("write to the folder of MAIL_DIR: %w", err)
		}
		_ = file.Close()
		return os.Remove(file.Name())
	}
	s, err := newServer(cfg.SMTPURL, cfg)
	if err != nil {
		return err
	}
	c, err := s.dial(ctx)
	if err != nil {
		return err
	}
	_ = c.Quit()
	return nil
}
