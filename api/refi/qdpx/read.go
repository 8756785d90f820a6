package qdpx

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"net/url"
	"path"
	"strings"

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
	failed  map[*zip.File]failure
}

// A failure is why a file could not be unpacked, so that it is not tried for every source that names it.
type failure struct {
	limit int64
	err   error
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

// A Text is that of a source.
type Text struct {
	Data []byte // in UTF-8 without a byte order mark, with the line breaks that it has
	Name string // of its file; "" for a text within the description
	// IsRich says that the source has only a formatted document. Data is that, and positions in it are unknown.
	IsRich bool
	// IsGuessed says that the text was not Unicode, and was read as Windows-1252.
	IsGuessed bool
}

// Text returns the text of a source. At most limit bytes are unpacked. Its errors are those above.
func (f *File) Text(s *Source, limit int64) (Text, error) {
	if s.Content != nil && *s.Content != "" {
		if int64(len(*s.Content)) > limit {
			return Text{}, ErrTooLarge
		}
		return Text{Data: []byte(*s.Content)}, nil
	}
	entry, isOutside := f.find(s.PlainTextPath)
	isRich := false
	if entry == nil {
		var isRichOutside bool
		entry, isRichOutside = f.find(s.RichTextPath)
		isRich, isOutside = true, isOutside || isRichOutside
	}
	switch {
	case entry == nil && isOutside:
		return Text{}, ErrOutside
	case entry == nil:
		return Text{}, ErrNoText
	}
	data, err := f.unpack(entry, limit)
	if err != nil {
		return Text{}, err
	}
	text := Text{Data: data, Name: path.Base(strings.ReplaceAll(entry.Name, `\`, "/")), IsRich: isRich}
	if !isRich {
		text.Data, text.IsGuessed = decoded(data)
	}
	return text, nil
}

// unpack reads the file of a source.
func (f *File) unpack(entry *zip.File, limit int64) ([]byte, error) {
	if failed, ok := f.failed[entry]; ok && limit <= failed.limit {
		return nil, failed.err
	}
	data, err := unpack(entry, limit, ErrTooLarge)
	if err == nil {
		return data, nil
	}
	if errors.Is(err, errPacked) {
		limit, err = maxUnpacked, ErrDamaged
	}
	if f.failed == nil {
		f.failed = map[*zip.File]failure{}
	}
	f.failed[entry] = failure{limit, err}
	return nil, err
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
