package imports

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"strings"

	"research/transcript"
)

// maxRatio is the highest compression ratio of a file in a zip. Transcripts have ratios of 3 to 20.
const maxRatio = 200

// openArchive opens data as a zip, or returns nil if it is not one. Documents that are zips themselves, such
// as those of Word, do not count.
func openArchive(data []byte) *zip.Reader {
	if !bytes.HasPrefix(data, []byte("PK\x03\x04")) {
		return nil
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil // package transcript reports what is wrong with it
	}
	for _, entry := range archive.File {
		switch entry.Name {
		case "[Content_Types].xml", "mimetype", "META-INF/container.xml": // of Office, OpenDocument and EPUB
			return nil
		}
	}
	return archive
}

// slashed returns the name of an entry with slashes, as the format prescribes. Some programs on Windows write
// backslashes.
func slashed(name string) string { return strings.ReplaceAll(name, `\`, "/") }

// readEntry unpacks a file. It counts the bytes, because the sizes in a zip cannot be trusted.
func readEntry(entry *zip.File) ([]byte, error) {
	if entry.Flags&1 != 0 {
		return nil, errPacked // encrypted
	}
	file, err := entry.Open()
	if err != nil {
		return nil, errPacked
	}
	defer func() { _ = file.Close() }()
	limit := min(int64(transcript.MaxBytes), int64(min(entry.CompressedSize64, 1<<30))*maxRatio)
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	switch {
	case int64(len(data)) > limit:
		return nil, errTooLarge
	case err != nil && !errors.Is(err, io.EOF):
		return nil, errPacked
	}
	return data, nil
}
