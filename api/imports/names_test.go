package imports

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"mime/multipart"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
)

// packed returns the entry of a zip with a raw name.
func packed(t *testing.T, header *zip.FileHeader) *zip.File {
	t.Helper()
	var data bytes.Buffer
	w := zip.NewWriter(&data)
	header.NonUTF8 = header.Flags&utf8Flag == 0
	creator := header.CreatorVersion
	file, err := w.CreateHeader(header)
	require.NoError(t, err)
	_, err = io.WriteString(file, "Ada: Hello.")
	require.NoError(t, err)
	require.NoError(t, w.Close())
	r, err := zip.NewReader(bytes.NewReader(data.Bytes()), int64(data.Len()))
	require.NoError(t, err)
	r.File[0].CreatorVersion = creator // the writer sets its own
	return r.File[0]
}

func TestEntryName(t *testing.T) {
	t.Parallel()
	const dos, unix = 0 << 8, creatorUnix << 8

	t.Run("keeps the letters of the code pages of programs", func(t *testing.T) {
		t.Parallel()
		for _, c := range []struct {
			name    string
			page    encoding.Encoding
			creator uint16
		}{
			{"Müller Gespräch größer.vtt", charmap.CodePage437, dos},
			{"Entretien été à Orléans.txt", charmap.CodePage437, dos},
			{"MÜLLER.VTT", charmap.CodePage437, dos},
			{"Niño y señora.txt", charmap.CodePage437, dos},
			{"São João Ângela.txt", charmap.CodePage850, dos},
			{"Øvrebø intervju.txt", charmap.CodePage850, dos},
			{"Интервью с Иваном.vtt", charmap.CodePage866, dos},
			{"Interview Иван.vtt", charmap.CodePage866, dos},
			{"Kroužek děti.txt", charmap.CodePage852, dos},
			{"Müller.vtt", charmap.Windows1252, dos},
			{"Müller Gespräch.vtt", charmap.Windows1252, unix},
			{"Réunion à Orléans.txt", charmap.Windows1252, unix},
			{"Ærø og Åse.txt", charmap.Windows1252, unix},
			{"Интервью с Иваном.vtt", charmap.Windows1251, unix},
			{"Interview Иван.vtt", charmap.Windows1251, unix},
		} {
			raw, err := c.page.NewEncoder().String(c.name)
			require.NoError(t, err)
			entry := packed(t, &zip.FileHeader{Name: raw, CreatorVersion: c.creator})
			require.Equal(t, c.name, entryName(entry), "%v", c.page)
		}
	})

	t.Run("is UTF-8 with and without the flag", func(t *testing.T) {
		t.Parallel()
		for _, name := range []string{"Müller.vtt", "Интервью.vtt", "インタビュー.txt", "plain.txt"} {
			require.Equal(t, name, entryName(packed(t, &zip.FileHeader{Name: name, Flags: utf8Flag})))
			require.Equal(t, name, entryName(packed(t, &zip.FileHeader{Name: name})))
		}
	})

	t.Run("is that of Info-ZIP's field, if its checksum matches", func(t *testing.T) {
		t.Parallel()
		extra := func(checksum uint32, name string) []byte {
			field := binary.LittleEndian.AppendUint16([]byte{1, 0, 1, 0, 'x'}, unicodePath) // after another field
			field = binary.LittleEndian.AppendUint16(field, uint16(5+len(name)))
			field = binary.LittleEndian.AppendUint32(append(field, 1), checksum)
			return append(field, name...)
		}
		raw := "M\x81ller.vtt"
		good := &zip.FileHeader{Name: raw, Extra: extra(crc32.ChecksumIEEE([]byte(raw)), "Möller 東京.vtt")}
		require.Equal(t, "Möller 東京.vtt", entryName(packed(t, good)))
		stale := &zip.FileHeader{Name: raw, Extra: extra(1, "another.vtt")}
		require.Equal(t, "Müller.vtt", entryName(packed(t, stale)))
		broken := &zip.FileHeader{Name: raw, Extra: extra(crc32.ChecksumIEEE([]byte(raw)), "M\xffller.vtt")}
		require.Equal(t, "Müller.vtt", entryName(packed(t, broken)))
	})
}

func TestPartName(t *testing.T) {
	t.Parallel()
	for disposition, want := range map[string]string{
		`filename="Müller.vtt"`:                                         "Müller.vtt",
		"filename=\"M\xfcller Gespr\xe4ch.vtt\"":                        "Müller Gespräch.vtt",
		"filename=\"\x80uro \x96 R\xe9union.vtt\"":                      "€uro – Réunion.vtt",
		"filename=\"\xc8\xed\xf2\xe5\xf0\xe2\xfc\xfe.vtt\"":             "Интервью.vtt",
		`filename*=UTF-8''M%C3%BCller.vtt`:                              "Müller.vtt",
		`filename*=ISO-8859-1''M%FCller.vtt`:                            "Müller.vtt",
		`filename="M?ller.vtt"; filename*=iso-8859-1'de'M%FCller.vtt`:   "Müller.vtt",
		`filename*=windows-1251''%C8%E2%E0%ED.vtt; filename="Ivan.vtt"`: "Иван.vtt",
		`filename="a.vtt"; filename*=nonsense''b.vtt`:                   "a.vtt",
		`filename="a.vtt"; filename*=UTF-8''%zz`:                        "a.vtt",
	} {
		form := "--x\r\nContent-Disposition: form-data; name=\"file\"; " + disposition +
			"\r\n\r\nhello\r\n--x--\r\n"
		part, err := multipart.NewReader(strings.NewReader(form), "x").NextPart()
		require.NoError(t, err)
		require.Equal(t, want, partName(part), disposition)
	}
}
