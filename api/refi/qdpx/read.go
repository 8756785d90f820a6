package qdpx

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"net/url"
	"path"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	descriptionName = "project.qde"
	// maxEntries is how many files a .qdpx may have.
	maxEntries = 10_000
	// maxUnpacked is how large they may be together. Media are never unpacked.
	maxUnpacked = 1 << 30
	// maxDescription is the size of the largest project.qde, or .qdc.
	maxDescription = 64 << 20
	// maxRatio is the highest compression ratio of a file. Descriptions have ratios of up to 40.
	maxRatio = 500
)

var (
	errNotZip      = unreadable("It is not a .qdpx: it cannot be unpacked.", nil)
	errEntries     = tooLarge("It has more than %d files.", maxEntries)
	errUnpacked    = tooLarge("It has more than %d GB, unpacked.", maxUnpacked>>30)
	errDescription = tooLarge("Its description has more than %d MB.", maxDescription>>20)
	errTraversal   = unreadable("It has a file whose name leads out of it.", nil)
	errNoProject   = unreadable("It has no project.qde, which every .qdpx has.", nil)
	errPacked      = unreadable("It is damaged, encrypted, or packed in an unknown way.", nil)
)

// A File is a .qdpx or a .qdc that was read. Its sources are unpacked when they are asked for.
type File struct {
	Project *Project
	entries map[string]*zip.File // by their folded names; empty for a codebook
}

// IsCodebook reports whether a file is a .qdc, not a .qdpx, by its first bytes.
func IsCodebook(data []byte) bool { return !bytes.HasPrefix(data, []byte("PK")) }

// Open reads a .qdpx. Its error is an *Error.
func Open(data []byte) (*File, error) {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if errors.Is(err, zip.ErrInsecurePath) {
		return nil, errTraversal
	}
	if err != nil {
		return nil, errNotZip
	}
	f := &File{entries: map[string]*zip.File{}}
	if err := f.list(archive.File); err != nil {
		return nil, err
	}
	description := f.entries[descriptionName]
	if description == nil {
		return nil, errNoProject
	}
	text, err := unpack(description, maxDescription, errDescription)
	if err != nil {
		return nil, err
	}
	f.Project, err = readProject(text)
	return f, err
}

// list indexes the files of the zip by name.
func (f *File) list(files []*zip.File) error {
	if len(files) > maxEntries {
		return errEntries
	}
	total := uint64(0)
	for _, entry := range files {
		name := strings.ReplaceAll(entry.Name, `\`, "/")
		if leadsOut(name) {
			return errTraversal
		}
		if total += min(entry.UncompressedSize64, maxUnpacked+1); total > maxUnpacked {
			return errUnpacked
		}
		if key := folded(name); f.entries[key] == nil && !strings.HasSuffix(name, "/") {
			f.entries[key] = entry
		}
	}
	return nil
}

// leadsOut reports whether a name is no path below the folder into which a program would unpack it.
func leadsOut(name string) bool {
	if strings.HasPrefix(name, "/") || strings.ContainsAny(name, ":\x00") {
		return true
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == ".." {
			return true
		}
	}
	return false
}

// folded returns a name without what programs write differently: case, and the form of accents.
func folded(name string) string { return norm.NFC.String(strings.ToLower(path.Clean(name))) }

// unpack reads a file of the zip. It counts the bytes, because the sizes in a zip cannot be trusted.
func unpack(entry *zip.File, limit int64, larger error) ([]byte, error) {
	if entry.Flags&1 != 0 {
		return nil, errPacked
	}
	file, err := entry.Open()
	if err != nil {
		return nil, errPacked
	}
	defer func() { _ = file.Close() }()
	limit = min(limit, 64<<10+int64(min(entry.CompressedSize64, maxUnpacked))*maxRatio)
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	switch {
	case int64(len(data)) > limit:
		return nil, larger
	case err != nil:
		return nil, errPacked
	}
	return data, nil
}

// Reasons why a source has no text.
var (
	ErrOutside  = errors.New("its file is outside of the .qdpx")
	ErrNoText   = errors.New("it has no text")
	ErrDamaged  = errors.New("its file cannot be unpacked")
	ErrTooLarge = errors.New("its file is too large")
)

// Text returns the text of a source without a byte order mark, with the line breaks that it has, and the name
// of its file, which is "" for a text within the description. At most limit bytes are unpacked. If the source
// has only a formatted document, it returns that: isRich is true, and positions in it are unknown. Its errors
// are those above.
func (f *File) Text(s *Source, limit int64) (text []byte, name string, isRich bool, err error) {
	if s.Content != nil && *s.Content != "" {
		if int64(len(*s.Content)) > limit {
			return nil, "", false, ErrTooLarge
		}
		return []byte(*s.Content), "", false, nil
	}
	entry, isOutside := f.find(s.PlainTextPath)
	if entry == nil {
		var isRichOutside bool
		entry, isRichOutside = f.find(s.RichTextPath)
		isRich, isOutside = true, isOutside || isRichOutside
	}
	switch {
	case entry == nil && isOutside:
		return nil, "", false, ErrOutside
	case entry == nil:
		return nil, "", false, ErrNoText
	}
	data, err := unpack(entry, limit, ErrTooLarge)
	if errors.Is(err, errPacked) {
		err = ErrDamaged
	}
	if err != nil {
		return nil, "", false, err
	}
	name = path.Base(strings.ReplaceAll(entry.Name, `\`, "/"))
	if isRich {
		return data, name, true, nil
	}
	if data = unicodeText(data); !utf8.Valid(data) {
		data = bytes.ToValidUTF8(data, []byte("\ufffd"))
	}
	return data, name, false, nil
}

// find returns the file at a path of the description, and whether the path is that of a file elsewhere.
func (f *File) find(location string) (entry *zip.File, isOutside bool) {
	if location == "" {
		return nil, false
	}
	scheme, rest, ok := strings.Cut(location, ":")
	rest = strings.TrimLeft(strings.ReplaceAll(rest, `\`, "/"), "/")
	if !ok {
		scheme, rest = "internal", strings.ReplaceAll(location, `\`, "/")
	}
	names := []string{rest}
	if plain, err := url.PathUnescape(rest); err == nil && plain != rest {
		names = append(names, plain)
	}
	for _, name := range names {
		candidates := []string{"sources/" + name, name}
		if !strings.EqualFold(scheme, "internal") {
			candidates = append(candidates, "sources/"+path.Base(name)) // a copy, as some programs add
		}
		for _, candidate := range candidates {
			if entry := f.entries[folded(candidate)]; entry != nil {
				return entry, false
			}
		}
	}
	return nil, !strings.EqualFold(scheme, "internal")
}
