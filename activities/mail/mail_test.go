package mail_test

import (
	"bytes"
	"io"
	"mime"
	"mime/multipart"
	netmail "net/mail"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/activities/mail"
)

// sendToFolder returns the file that a mail is written to.
func sendToFolder(t *testing.T, m mail.Message) []byte {
	t.Helper()
	dir := t.TempDir()
	s := newSender(t, mail.Config{Dir: dir, From: "Research <digests@research.example.com>"})
	require.NoError(t, s.Send(t.Context(), m))
	files, err := filepath.Glob(filepath.Join(dir, "*.eml"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	raw, err := os.ReadFile(files[0])
	require.NoError(t, err)
	return raw
}

func TestAMailHasATextAndAnHTMLPart(t *testing.T) {
	t.Parallel()
	m, err := netmail.ReadMessage(bytes.NewReader(sendToFolder(t, message("dana@example.com"))))
	require.NoError(t, err)
	subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	require.NoError(t, err)
	require.Equal(t, "Weekly digest: 2 hypotheses moved – ✓", subject)
	require.Equal(t, `"Research" <digests@research.example.com>`, m.Header.Get("From"))
	require.Equal(t, "<dana@example.com>", m.Header.Get("To"))
	require.Equal(t, "<digest.1@research.example.com>", m.Header.Get("Message-ID"))
	require.Equal(t, "<https://research.example.com/u?token=1>", m.Header.Get("List-Unsubscribe"))
	require.Equal(t, "auto-generated", m.Header.Get("Auto-Submitted"))
	_, err = m.Header.Date()
	require.NoError(t, err)

	mediaType, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	require.NoError(t, err)
	require.Equal(t, "multipart/alternative", mediaType)
	parts := multipart.NewReader(m.Body, params["boundary"])
	for _, want := range []struct{ mediaType, body string }{
		{"text/plain", "Hello\r\n.\r\n.. a line that begins with dots\r\n"},
		{"text/html", "<p>Hello</p>"},
	} {
		part, err := parts.NextPart() // decodes quoted-printable
		require.NoError(t, err)
		mediaType, params, err := mime.ParseMediaType(part.Header.Get("Content-Type"))
		require.NoError(t, err)
		require.Equal(t, want.mediaType, mediaType)
		require.Equal(t, "utf-8", strings.ToLower(params["charset"]))
		body, err := io.ReadAll(part)
		require.NoError(t, err)
		require.Equal(t, want.body, string(body))
	}
	_, err = parts.NextPart()
	require.ErrorIs(t, err, io.EOF)
}

func TestLinesAreShortAndEndWithCRLF(t *testing.T) {
	t.Parallel()
	m := message("dana@example.com")
	m.Text = strings.Repeat("a word or two ", 1000)
	m.Headers["List-Unsubscribe"] = "<https://research.example.com/u?token=" + strings.Repeat("x", 200) + ">"
	for line := range strings.SplitSeq(string(sendToFolder(t, m)), "\r\n") {
		require.LessOrEqual(t, len(line), 998, "RFC 5322 §2.1.1")
		require.NotContains(t, line, "\n")
	}
}

func TestALineBreakInAValueAddsNoHeader(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*mail.Message){
		"subject": func(m *mail.Message) { m.Subject = "Hello\r\nBcc: eve@example.com" },
		"header":  func(m *mail.Message) { m.Headers["List-Id"] = "digests\nBcc: eve@example.com" },
		"name":    func(m *mail.Message) { m.To = "\"Dana\r\nBcc: eve@example.com\" <dana@example.com>" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := message("dana@example.com")
			change(&m)
			s := newSender(t, mail.Config{Dir: t.TempDir(), From: "research@example.com"})
			if s.Send(t.Context(), m) != nil {
				return // rejected as a whole
			}
			parsed, err := netmail.ReadMessage(bytes.NewReader(sendToFolder(t, m)))
			require.NoError(t, err)
			require.Empty(t, parsed.Header.Get("Bcc"))
		})
	}
}

func TestASenderRequiresAValidAddressAndADestination(t *testing.T) {
	t.Parallel()
	_, err := mail.New(mail.Config{Dir: t.TempDir(), From: "research"})
	require.ErrorContains(t, err, "MAIL_FROM")
	_, err = mail.New(mail.Config{From: "research@example.com"})
	require.Error(t, err)
}
