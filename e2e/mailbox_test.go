package e2e

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A receivedMail is a mail as its reader gets it.
type receivedMail struct {
	header     mail.Header
	text, html string
}

// mailDir is the folder into which the service writes mails.
func (s *service) mailDir() string { return filepath.Join(s.settings["STATE_DIR"], "mail") }

// receivedMails returns all mails that were sent, by the recipient's address.
func (s *service) receivedMails(t *testing.T) map[string][]receivedMail {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(s.mailDir(), "*.eml"))
	require.NoError(t, err)
	mails := map[string][]receivedMail{}
	for _, path := range files {
		file, err := os.Open(path)
		require.NoError(t, err)
		received := readMail(t, file)
		require.NoError(t, file.Close())
		to, err := mail.ParseAddress(received.header.Get("To"))
		require.NoError(t, err)
		mails[to.Address] = append(mails[to.Address], received)
	}
	return mails
}

func readMail(t *testing.T, raw io.Reader) receivedMail {
	t.Helper()
	m, err := mail.ReadMessage(raw)
	require.NoError(t, err)
	received := receivedMail{header: m.Header}
	_, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	require.NoError(t, err)
	parts := multipart.NewReader(m.Body, params["boundary"])
	for {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return received
		}
		require.NoError(t, err)
		body, err := io.ReadAll(quotedprintable.NewReader(part))
		require.NoError(t, err)
		if strings.HasPrefix(part.Header.Get("Content-Type"), "text/html") {
			received.html = string(body)
		} else {
			received.text = strings.ReplaceAll(string(body), "\r\n", "\n")
		}
	}
}
