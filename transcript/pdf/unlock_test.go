package pdf_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/transcript/pdf"
)

// The files are those that qpdf 11 encrypts.
func TestReadsFilesThatOpenWithoutAPassword(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/encrypted/*.pdf")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			if strings.HasPrefix(filepath.Base(file), "password") {
				_, err := pdf.Read(data)
				require.ErrorIs(t, err, pdf.ErrEncrypted)
				return
			}
			require.Equal(t, []string{"Rosa: Is it locked?", "Levi: Only for printing."}, lines(t, data))
		})
	}
}

// Whatever becomes of the settings and of the bytes, a file is read or rejected.
func TestRejectsEncryptionThatMakesNoSense(t *testing.T) {
	t.Parallel()
	for name, change := range map[string][2]string{
		"another handler":    {"/Standard", "/Adobe.PK"},
		"another revision":   {"/R 3", "/R 0"},
		"a key without end":  {"/Length 128", "/Length 999"},
		"no key":             {"/Length 128", "/Length 0  "},
		"no entries":         {"/U <", "/X <"},
		"another permission": {"/P -", "/P  "},
		"another file":       {"/ID [<", "/ID [<99"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile("testdata/encrypted/rc4-128.pdf")
			require.NoError(t, err)
			changed := bytes.Replace(data, []byte(change[0]), []byte(change[1]), 1)
			require.NotEqual(t, data, changed)
			_, err = pdf.Read(changed)
			require.ErrorIs(t, err, pdf.ErrEncrypted)
		})
	}
}

func FuzzEncryption(f *testing.F) {
	files, err := filepath.Glob("testdata/encrypted/*.pdf")
	require.NoError(f, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := pdf.Read(data)
		if err != nil {
			require.NotContains(t, err.Error(), "runtime error")
		}
	})
}
