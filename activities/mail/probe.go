package mail

import (
	"context"
	"fmt"
	"os"
)

// Probe checks the configuration without sending a mail: it begins one, with TLS, the login and the sender,
// and takes it back before it names a recipient; or it creates a file in the folder. Its error may be a
// *LoginError or a *SenderError, and never contains an address or a password.
func Probe(ctx context.Context, cfg Config) error {
	s, err := New(cfg)
	if err != nil {
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
	defer c.quit()
	defer c.closeOnDone(ctx)()
	if err := c.sender(s.from, !isASCII(s.from.Address)); err != nil {
		return err
	}
	c.reset()
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
