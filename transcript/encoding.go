package transcript

import (
	"bytes"
	"net/http"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/wlynxg/chardet"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
)

// decode gives the file's text as valid UTF-8 without a byte order mark.
func decode(data []byte) (string, error) {
	if len(data) > MaxBytes {
		return "", refuse("it is larger than %d MB; split it into several files", MaxBytes>>20)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return "", refuse("the file is empty")
	}
	if what := binaryKind(data); what != "" {
		return "", refuse("it is %s, not a transcript; export the transcript as WebVTT, SRT or text and upload that", what)
	}
	switch {
	case bytes.HasPrefix(data, []byte("\xEF\xBB\xBF")):
		data = data[3:]
	case bytes.HasPrefix(data, []byte("\xFF\xFE")):
		return decodeUTF16(data[2:], false)
	case bytes.HasPrefix(data, []byte("\xFE\xFF")):
		return decodeUTF16(data[2:], true)
	}
	if little, big := zerosAt(data); little != big {
		return decodeUTF16(data, big)
	}
	if utf8.Valid(data) {
		if bytes.IndexByte(data, 0) >= 0 {
			return "", refuse("it holds binary data, not text")
		}
		return string(data), nil
	}
	return decodeLegacy(data)
}

// zerosAt tells whether every second byte is mostly zero: UTF-16 without a byte order mark, little or big endian.
func zerosAt(data []byte) (little, big bool) {
	sample := data[:min(len(data), 4096)&^1]
	if len(sample) < 4 {
		return false, false
	}
	var even, odd int
	for i := 0; i < len(sample); i += 2 {
		if sample[i] == 0 {
			even++
		}
		if sample[i+1] == 0 {
			odd++
		}
	}
	pairs := len(sample) / 2
	return odd*5 > pairs*2 && even*20 < pairs, even*5 > pairs*2 && odd*20 < pairs
}

func decodeUTF16(data []byte, bigEndian bool) (string, error) {
	units := make([]uint16, 0, len(data)/2)
	for i := 0; i+1 < len(data); i += 2 {
		if bigEndian {
			units = append(units, uint16(data[i])<<8|uint16(data[i+1]))
		} else {
			units = append(units, uint16(data[i+1])<<8|uint16(data[i]))
		}
	}
	text := string(utf16.Decode(units))
	if strings.IndexByte(text, 0) >= 0 || strings.Count(text, "\uFFFD")*50 > len(units) {
		return "", refuse("it holds binary data, not text")
	}
	return strings.TrimPrefix(text, "\uFEFF"), nil
}

// decodeLegacy reads an encoding older than Unicode. What cannot be told is Windows-1252, as in the WHATWG's Encoding Standard.
func decodeLegacy(data []byte) (string, error) {
	var enc encoding.Encoding
	if guess := chardet.Detect(data[:min(len(data), 1<<20)]); guess.Confidence >= 0.5 {
		if known, err := htmlindex.Get(guess.Encoding); err == nil {
			enc = known
		}
	}
	if enc == nil {
		enc, _ = htmlindex.Get("windows-1252")
	}
	out, err := enc.NewDecoder().Bytes(data)
	if err != nil || !utf8.Valid(out) {
		return "", refuse("its character encoding cannot be told; save it as UTF-8")
	}
	text := string(out)
	odd := strings.Count(text, "\uFFFD")
	for _, r := range text {
		if r < ' ' && r != '\n' && r != '\r' && r != '\t' && r != '\f' {
			odd++
		}
	}
	if odd*50 > len(text) {
		return "", refuse("it holds binary data, not text")
	}
	return text, nil
}

// binaryKind names what a file is when it is plainly no text, after its first bytes (https://mimesniff.spec.whatwg.org).
func binaryKind(data []byte) string {
	kind, _, _ := strings.Cut(http.DetectContentType(data), ";")
	major, _, _ := strings.Cut(kind, "/")
	switch {
	case kind == "application/pdf":
		return "a PDF"
	case kind == "application/zip":
		return "an archive or an office document"
	case kind == "text/html":
		return "a web page"
	case kind == "application/x-gzip", kind == "application/x-rar-compressed":
		return "an archive"
	case major == "image":
		return "a picture"
	case major == "audio":
		return "a sound recording"
	case major == "video":
		return "a video"
	case major == "font", kind == "application/wasm", kind == "application/postscript":
		return "a binary file"
	}
	return ""
}
