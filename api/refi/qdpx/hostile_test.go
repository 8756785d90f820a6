package qdpx_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/api/refi/qdpx"
)

const empty = `<?xml version="1.0"?><Project name="x"></Project>`

func TestHostileFiles(t *testing.T) {
	t.Parallel()
	const bomb = `<?xml version="1.0"?><!DOCTYPE p [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><Project name="&b;"/>`
	many := []string{"project.qde", empty}
	for i := range 10_001 {
		many = append(many, fmt.Sprintf("Sources/%d.txt", i), "")
	}
	deep := strings.Repeat(`<Code name="x">`, 100_000)
	for name, c := range map[string]struct {
		data   []byte
		reason string
	}{
		"not a zip":       {[]byte("PK\x03\x04 and so on"), "cannot be unpacked"},
		"no description":  {zipped(t, "other.xml", empty), "no project.qde"},
		"a folder above":  {zipped(t, "project.qde", empty, "../../etc/passwd", "x"), "leads out"},
		"a drive":         {zipped(t, "project.qde", empty, `C:\x.txt`, "x"), "leads out"},
		"an absolute":     {zipped(t, "project.qde", empty, "/etc/passwd", "x"), "leads out"},
		"backslashes":     {zipped(t, "project.qde", empty, `..\..\x.txt`, "x"), "leads out"},
		"too many files":  {zipped(t, many...), "more than 10000 files"},
		"a document type": {zipped(t, "project.qde", bomb), "document type"},
		"an external entity": {
			zipped(t, "project.qde",
				`<!DOCTYPE p [<!ENTITY a SYSTEM "file:///etc/passwd">]><Project name="x">&a;</Project>`),
			"document type",
		},
		"an unknown entity": {zipped(t, "project.qde", `<Project name="x">&a;</Project>`), "well-formed"},
		"too deep":          {zipped(t, "project.qde", `<Project name="x"><Codes>`+deep), "nested more than"},
		"too many elements": {
			zipped(t, "project.qde", `<Project name="x"><Users>`+manyUsers(500_001)+`</Users></Project>`),
			"elements",
		},
		"too many attributes": {
			zipped(t, "project.qde", `<Project `+manyAttributes(100)+`></Project>`), "attributes",
		},
		"a bomb":         {zipped(t, "project.qde", strings.Repeat(" ", 65<<20)), "more than 64 MB"},
		"cut off":        {zipped(t, "project.qde", `<Project name="x"><Users>`), "well-formed"},
		"something else": {zipped(t, "project.qde", `<html></html>`), "not a Project"},
		"Latin-1": {
			zipped(t, "project.qde", `<?xml version="1.0" encoding="ISO-8859-1"?><Project name="x"/>`), "UTF-8",
		},
		"claims to be small": {claims(t, 1<<31), "more than 1 GB"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := qdpx.Open(c.data)
			var known *qdpx.Error
			require.ErrorAs(t, err, &known)
			require.Contains(t, known.Reason, c.reason)
		})
	}
}

func manyAttributes(n int) string {
	var all strings.Builder
	for i := range n {
		fmt.Fprintf(&all, ` a%d="1"`, i)
	}
	return all.String()
}

func manyUsers(n int) string {
	var all strings.Builder
	for i := range n {
		fmt.Fprintf(&all, `<User name="%d"/>`, i*7919)
	}
	return all.String()
}

// claims returns a zip whose entry claims a size.
func claims(t *testing.T, size uint64) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	_, err := w.CreateRaw(&zip.FileHeader{Name: "project.qde", Method: zip.Deflate, UncompressedSize64: size})
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return out.Bytes()
}

func TestSourcesThatLie(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("a", 1<<20)
	data := zipped(t, "project.qde", empty, "Sources/big.txt", big, "Sources/ok.txt", "ok")
	file, err := qdpx.Open(data)
	require.NoError(t, err)
	for path, want := range map[string]error{
		"internal://big.txt":             qdpx.ErrTooLarge,
		"internal://none.txt":            qdpx.ErrNoText,
		"internal://../../etc/passwd":    qdpx.ErrNoText,
		"absolute:///etc/passwd":         qdpx.ErrOutside,
		"relative://../elsewhere/my.txt": qdpx.ErrOutside,
		"file:///etc/passwd":             qdpx.ErrOutside,
		"":                               qdpx.ErrNoText,
	} {
		_, err := file.Text(&qdpx.Source{PlainTextPath: path}, 1000)
		require.ErrorIs(t, err, want, path)
	}
	text, err := file.Text(&qdpx.Source{PlainTextPath: "internal://OK.txt"}, 1000)
	require.NoError(t, err)
	require.Equal(t, []any{"ok", "ok.txt", false}, []any{string(text.Data), text.Name, text.IsRich})
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(empty))
	f.Add([]byte(`<CodeBook><Codes><Code guid="{A}" name="x"/></Codes></CodeBook>`))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := qdpx.ReadCodebook(data)
		var known *qdpx.Error
		if err != nil {
			require.ErrorAs(t, err, &known)
		}
	})
}
