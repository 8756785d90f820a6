// Package static serves files that are part of the program, compressed and with entity tags.
package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// A File is a response body, plain and compressed. What a program was not given is made once, for the first
// client that needs it.
type File struct {
	contentType string
	etag        string
	plain, zip  func() []byte // zip returns nil if it would not be smaller
}

// New returns a file.
func New(contentType string, content []byte) File {
	return File{
		contentType: contentType, etag: etagOf(content),
		plain: func() []byte { return content },
		zip:   sync.OnceValue(func() []byte { return compress(content) }),
	}
}

// Compressed returns a file that is compressed by gzip already.
func Compressed(contentType string, zip []byte) (File, error) {
	if _, err := gzip.NewReader(bytes.NewReader(zip)); err != nil {
		return File{}, fmt.Errorf("decompress: %w", err)
	}
	return File{
		contentType: contentType, etag: etagOf(zip),
		plain: sync.OnceValue(func() []byte { return decompress(zip) }),
		zip:   func() []byte { return zip },
	}, nil
}

// compress returns nil if the result would not be smaller.
func compress(content []byte) []byte {
	var zipped bytes.Buffer
	w, err := gzip.NewWriterLevel(&zipped, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(content)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil || zipped.Len() >= len(content) {
		return nil
	}
	return zipped.Bytes()
}

// decompress panics if the content is damaged: it is part of the program.
func decompress(zip []byte) []byte {
	r, err := gzip.NewReader(bytes.NewReader(zip))
	if err == nil {
		var plain []byte
		if plain, err = io.ReadAll(r); err == nil {
			return plain
		}
	}
	panic(fmt.Sprintf("static: decompress: %v", err))
}

func etagOf(content []byte) string {
	sum := sha256.Sum256(content)
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// Send writes the file, compressed if the client accepts that, or 304 if the client's copy is up to date. The
// request is a GET or a HEAD.
func (f File) Send(w http.ResponseWriter, r *http.Request, status int) {
	h := w.Header()
	h.Add("Vary", "Accept-Encoding")
	var body []byte
	etag := `"` + f.etag + `"`
	if acceptsGzip(r.Header.Get("Accept-Encoding")) {
		body = f.zip()
	}
	if body != nil {
		etag = `"` + f.etag + `-gzip"`
		h.Set("Content-Encoding", "gzip")
	} else {
		body = f.plain()
	}
	h.Set("ETag", etag)
	if status == http.StatusOK && matches(r.Header.Get("If-None-Match"), etag) {
		h.Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", f.contentType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method == http.MethodGet {
		_, _ = w.Write(body) // the client may have disconnected
	}
}

// matches reports whether If-None-Match (RFC 9110 §13.1.2) contains the tag, strong or weak, or *.
func matches(header, etag string) bool {
	for one := range strings.SplitSeq(header, ",") {
		if one = strings.TrimPrefix(strings.TrimSpace(one), "W/"); one == etag || one == "*" {
			return true
		}
	}
	return false
}

// acceptsGzip reports whether Accept-Encoding (RFC 9110 §12.5.3) allows gzip. A weight of zero forbids it.
func acceptsGzip(header string) bool {
	for one := range strings.SplitSeq(header, ",") {
		// A coding has the syntax of a media subtype.
		name, params, err := mime.ParseMediaType("x/" + strings.TrimSpace(one))
		if err != nil || name != "x/gzip" {
			continue
		}
		weight, err := strconv.ParseFloat(params["q"], 64)
		return params["q"] == "" || (err == nil && weight > 0)
	}
	return false
}
