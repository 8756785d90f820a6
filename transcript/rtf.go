package transcript

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"

	"research/transcript/internal/charset"
	"research/transcript/internal/format"
	"research/transcript/internal/plain"
)

// isRTF reports whether a file is rich text.
func isRTF(data []byte) bool { return bytes.HasPrefix(data, []byte(`{\rtf`)) }

// detectRTF reads the text of a rich-text file (RTF 1.9.1), as word processors and TextEdit write it.
func detectRTF(data []byte) (source, error) {
	d := rtfText{data: data, codePage: charmap.Windows1252}
	d.read()
	d.flush()
	d.endParagraph()
	return d.source(format.RTF)
}

// rtfText collects the text of a rich-text file.
type rtfText struct {
	richText

	data     []byte
	at       int
	codePage encoding.Encoding
	bytes    []byte   // characters of the code page that are not decoded yet
	units    []uint16 // characters of UTF-16 that are not decoded yet
	groups   []rtfGroup
	group    rtfGroup
	skip     int // characters after a Unicode one that stand for it in old readers
	inTable  bool
	merged   []bool // the cells of the row that continue the ones above
	merging  bool   // the cell that is being defined does
}

// rtfGroup is what ends with a group.
type rtfGroup struct {
	hidden    bool // the destination has no text of the document
	invisible bool // the characters are hidden
	deleted   bool // the characters are a tracked deletion
	skip      int  // characters that follow each Unicode one
}

func (g rtfGroup) hasText() bool { return !g.hidden && !g.invisible && !g.deleted }

// maxGroups bounds how deep groups are remembered.
const maxGroups = 10_000

func (d *rtfText) read() {
	d.group.skip = 1
	for d.at < len(d.data) {
		c := d.data[d.at]
		d.at++
		switch c {
		case '{':
			d.flush()
			if len(d.groups) < maxGroups {
				d.groups = append(d.groups, d.group)
			}
		case '}':
			d.flush()
			if n := len(d.groups); n > 0 {
				d.group, d.groups = d.groups[n-1], d.groups[:n-1]
			}
		case '\\':
			d.control()
		case '\r', '\n':
		default:
			d.character(c)
		}
	}
}

// character adds a character of the code page.
func (d *rtfText) character(c byte) {
	if d.skip > 0 {
		d.skip--
		return
	}
	if !d.group.hasText() {
		return
	}
	d.flushUnits()
	d.bytes = append(d.bytes, c)
}

// control reads a control word or symbol after its backslash.
func (d *rtfText) control() {
	if d.at >= len(d.data) {
		return
	}
	c := d.data[d.at]
	if !isASCIILetter(c) {
		d.at++
		d.symbol(c)
		return
	}
	from := d.at
	for d.at < len(d.data) && isASCIILetter(d.data[d.at]) && d.at-from < 32 {
		d.at++
	}
	word := string(d.data[from:d.at])
	from = d.at
	if d.at < len(d.data) && d.data[d.at] == '-' {
		d.at++
	}
	for d.at < len(d.data) && plain.IsDigit(d.data[d.at]) && d.at-from < 10 {
		d.at++
	}
	number, err := strconv.Atoi(string(d.data[from:d.at]))
	if err != nil {
		number = 1
	}
	if d.at < len(d.data) && d.data[d.at] == ' ' {
		d.at++
	}
	d.word(word, number)
}

func (d *rtfText) symbol(c byte) {
	switch c {
	case '\'':
		if d.at+2 <= len(d.data) {
			if n, err := strconv.ParseUint(string(d.data[d.at:d.at+2]), 16, 8); err == nil {
				d.character(byte(n))
			}
			d.at += 2
		}
	case '*':
		d.group.hidden = true
	case '~':
		d.write("\u00a0")
	case '_':
		d.write("-")
	case '\\', '{', '}':
		d.character(c)
	case '\r', '\n':
		d.write("\n\n")
	}
}

func (d *rtfText) word(word string, number int) {
	switch word {
	case "fonttbl", "colortbl", "stylesheet", "info", "pict", "header", "headerl", "headerr", "headerf",
		"footer", "footerl", "footerr", "footerf", "footnote", "annotation", "fldinst", "themedata", "datastore",
		"listtable", "listoverridetable", "listtext", "pntext", "rsidtbl", "generator", "object", "xmlnstbl":
		d.group.hidden = true
	case "ansicpg":
		if e, err := htmlindex.Get(fmt.Sprintf("windows-%d", number)); err == nil {
			d.codePage = e
		}
	case "mac":
		d.codePage = charmap.Macintosh
	case "v":
		d.flush()
		d.group.invisible = number != 0
	case "deleted":
		d.flush()
		d.group.deleted = number != 0
	case "plain":
		d.flush()
		d.group.invisible, d.group.deleted = false, false
	case "uc":
		d.group.skip = min(max(number, 0), 8)
	case "u":
		if d.group.hasText() {
			d.flushBytes()
			d.units = append(d.units, uint16(number))
		}
		d.skip = d.group.skip
	case "par", "sect", "page":
		d.write("\n\n")
	case "line":
		d.write("\n")
	case "tab":
		d.write("\t")
	case "emdash":
		d.write("—")
	case "endash":
		d.write("–")
	case "lquote":
		d.write("‘")
	case "rquote":
		d.write("’")
	case "ldblquote":
		d.write("“")
	case "rdblquote":
		d.write("”")
	case "bullet":
		d.write("•")
	default:
		d.tableWord(word)
	}
}

// tableWord reads the control words of tables. A cell has no beginning of its own.
func (d *rtfText) tableWord(word string) {
	switch word {
	case "trowd":
		d.flush()
		d.merged, d.merging = d.merged[:0], false
		if !d.inTable {
			d.inTable = true
			d.startTable()
			d.startRow()
			d.startCell()
		}
	case "clvmrg":
		d.merging = true
	case "cellx":
		if len(d.merged) < maxTableColumns {
			d.merged = append(d.merged, d.merging)
		}
		d.merging = false
	case "cell":
		d.flush()
		if len(d.row) < len(d.merged) && d.merged[len(d.row)] {
			d.continueCell()
		}
		d.endCell()
		d.endParagraph()
		d.startCell()
	case "row":
		d.flush()
		d.endRow()
		d.endTable()
		d.inTable = false
	}
}

// write adds text that is Unicode already.
func (d *rtfText) write(text string) {
	d.flush()
	d.skip = 0
	if d.group.hasText() {
		d.out.WriteString(text)
	}
}

func (d *rtfText) flush() {
	d.flushBytes()
	d.flushUnits()
}

func (d *rtfText) flushBytes() {
	if len(d.bytes) == 0 {
		return
	}
	if text, ok := charset.DecodeFrom(d.codePage, d.bytes); ok {
		d.out.WriteString(text)
	}
	d.bytes = d.bytes[:0]
}

func (d *rtfText) flushUnits() {
	if len(d.units) > 0 {
		d.out.WriteString(strings.ToValidUTF8(string(utf16.Decode(d.units)), "\uFFFD"))
		d.units = d.units[:0]
	}
}

func isASCIILetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
