package imports

import (
	"archive/zip"
	"encoding/binary"
	"hash/crc32"
	"mime/multipart"
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
)

// Code pages of names that are not UTF-8, the likeliest first.
var (
	// zipPages are those of programs for DOS and Windows, which take that of the system's console.
	zipPages = []encoding.Encoding{
		charmap.CodePage437, charmap.CodePage850, charmap.CodePage852, charmap.CodePage866, charmap.Windows1252,
		charmap.Windows1251,
	}
	// textPages are those of other programs.
	textPages = []encoding.Encoding{
		charmap.Windows1252, charmap.Windows1251, charmap.CodePage437, charmap.CodePage850, charmap.CodePage866,
	}
)

const (
	utf8Flag     = 0x800  // general purpose bit 11 (APPNOTE.TXT 4.4.4)
	unicodePath  = 0x7075 // Info-ZIP's extra field (APPNOTE.TXT 4.6.9)
	creatorUnix  = 3      // the systems that made an entry (APPNOTE.TXT 4.4.2)
	creatorMacOS = 19
)

// entryName returns the name of an entry of a zip. Only newer programs write UTF-8; others write the name in
// the code page of their system, which the zip does not say.
func entryName(entry *zip.File) string {
	if entry.Flags&utf8Flag != 0 {
		return entry.Name
	}
	if name, ok := unicodeName(entry); ok {
		return name
	}
	if creator := entry.CreatorVersion >> 8; creator == creatorUnix || creator == creatorMacOS {
		return decodeName(entry.Name, textPages)
	}
	return decodeName(entry.Name, zipPages)
}

// unicodeName returns the name in Info-ZIP's extra field, which is valid with the checksum of the other name.
func unicodeName(entry *zip.File) (string, bool) {
	for extra := entry.Extra; len(extra) >= 4; {
		id, size := binary.LittleEndian.Uint16(extra), int(binary.LittleEndian.Uint16(extra[2:]))
		if len(extra) < 4+size {
			return "", false
		}
		field := extra[4 : 4+size]
		if id == unicodePath && size > 5 && field[0] == 1 &&
			binary.LittleEndian.Uint32(field[1:]) == crc32.ChecksumIEEE([]byte(entry.Name)) {
			return string(field[5:]), utf8.Valid(field[5:])
		}
		extra = extra[4+size:]
	}
	return "", false
}

// extendedFilename matches a file name with its character set (RFC 5987).
var extendedFilename = regexp.MustCompile(`(?i)filename\*\s*=\s*([\w-]+)'[^']*'([^;\s]+)`)

// partName returns the name of an uploaded file. Some programs write it in the code page of their system.
func partName(part *multipart.Part) string {
	// Package mime knows no character set but UTF-8.
	if found := extendedFilename.FindStringSubmatch(part.Header.Get("Content-Disposition")); found != nil {
		charset, err := htmlindex.Get(found[1])
		raw, escapeErr := url.PathUnescape(found[2])
		if err == nil && escapeErr == nil {
			if name, err := charset.NewDecoder().String(raw); err == nil {
				return name
			}
		}
	}
	return decodeName(part.FileName(), textPages)
}

// decodeName returns a name as UTF-8. Of the code pages it takes the one in which the name looks the most
// like words.
func decodeName(name string, pages []encoding.Encoding) string {
	if utf8.ValidString(name) {
		return name
	}
	best, fewest := "", len(name)+1
	for _, page := range pages {
		decoded, err := page.NewDecoder().String(name)
		if err != nil {
			continue
		}
		if n := oddities(decoded); n < fewest {
			best, fewest = decoded, n
		}
	}
	return best
}

// oddities counts what names rarely have: symbols other than dashes and quotation marks, alphabets within one
// word, capitals within a word of small letters, and three accented letters in a row.
func oddities(name string) (n int) {
	letters := []rune(name)
	at := func(i int) rune {
		if i < 0 || i >= len(letters) {
			return ' '
		}
		return letters[i]
	}
	accented := 0
	for i, r := range letters {
		if r < utf8.RuneSelf {
			accented = 0
			continue
		}
		before, after := at(i-1), at(i+1)
		isLatin := unicode.Is(unicode.Latin, r)
		switch accented++; {
		case strings.ContainsRune("–—’“”„«»€°§", r):
			accented = 0
		case !unicode.In(r, unicode.Lu, unicode.Ll):
			n++
		case isOther(before, isLatin), isOther(after, isLatin):
			n++
		case unicode.IsUpper(r) && unicode.IsLower(before),
			unicode.IsUpper(r) && unicode.IsUpper(before) && unicode.IsLower(after):
			n++
		case isLatin && accented > 2:
			n++
		}
	}
	return n
}

// isOther reports whether a letter is of another alphabet.
func isOther(letter rune, isLatin bool) bool {
	return unicode.IsLetter(letter) && unicode.Is(unicode.Latin, letter) != isLatin
}
