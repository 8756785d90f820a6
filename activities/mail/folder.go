package mail

import (
	"context"
	"fmt"
	"net/mail"
	"os"
	"path/filepath"
	"time"
)

// A folder is a transport that writes each mail to a file, which mail programs can open.
type folder struct{ dir string }

// deliver writes a mail. The file appears complete.
func (f folder) deliver(_ context.Context, _, _ *mail.Address, raw []byte, id string) error {
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return fmt.Errorf("%w: cannot create the folder of mails", ErrUnavailable)
	}
	path := filepath.Join(f.dir, time.Now().UTC().Format("20060102T150405.000")+"-"+id+".eml")
	if err := os.WriteFile(path+".partial", raw, 0o600); err != nil {
		return fmt.Errorf("%w: cannot write the mail", ErrUnavailable)
	}
	if err := os.Rename(path+".partial", path); err != nil {
		return fmt.Errorf("%w: cannot rename the mail", ErrUnavailable)
	}
	return nil
}

func (folder) close() {}
