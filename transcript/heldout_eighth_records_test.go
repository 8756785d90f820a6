package transcript_test

import (
	"archive/zip"
	"bytes"
	"html"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// readEighthRecords reads the files that were written by hand, each with what must be read.
func readEighthRecords(t testing.TB) []*eighthFile {
	t.Helper()
	data, err := os.ReadFile("testdata/typed/files.txt")
	if err != nil {
		t.Fatal(err)
	}
	var files []*eighthFile
	for block := range strings.SplitSeq("\n"+string(data), "\n=== ") {
		name, rest, ok := strings.Cut(block, "\n")
		if !ok || name == "" {
			continue
		}
		text, want, _ := strings.Cut(rest, "--- want\n")
		f := &eighthFile{name: "record/" + name, data: []byte(text), grain: time.Second}
		for line := range strings.Lines(want) {
			f.want = append(f.want, readEighthWant(strings.TrimRight(line, "\n")))
		}
		files = append(files, f)
	}
	return files
}

// readEighthWant reads "speaker⇥seconds⇥words", "~ an aside" or "~~ a loose aside". The seconds are - without
// a time, and ? if any time is right.
func readEighthWant(line string) eighthTurn {
	if text, ok := strings.CutPrefix(line, "~~ "); ok {
		return eighthTurn{text: text, aside: true, loose: true}
	}
	if text, ok := strings.CutPrefix(line, "~ "); ok {
		return eighthTurn{text: text, aside: true}
	}
	parts := strings.SplitN(line, "\t", 3)
	turn := eighthTurn{speaker: parts[0], text: parts[2]}
	switch parts[1] {
	case "-":
		turn.at = noTime
	case "?":
		turn.at = anyTime
	default:
		seconds, err := strconv.Atoi(parts[1])
		if err != nil {
			panic(err)
		}
		turn.at = eighthTime(time.Duration(seconds) * time.Second)
	}
	return turn
}

// eighthDocument returns a Word document. **words** at the start of a paragraph are bold, line breaks are
// breaks.
func eighthDocument(paragraphs []string) []byte {
	var body strings.Builder
	run := func(properties, text string) {
		for i, line := range strings.Split(text, "\n") {
			if i > 0 {
				body.WriteString("<w:r><w:br/></w:r>")
			}
			body.WriteString("<w:r>" + properties + `<w:t xml:space="preserve">` +
				html.EscapeString(line) + "</w:t></w:r>")
		}
	}
	for _, p := range paragraphs {
		body.WriteString("<w:p>")
		if rest, ok := strings.CutPrefix(p, "**"); ok {
			bold, after, _ := strings.Cut(rest, "**")
			run("<w:rPr><w:b/></w:rPr>", bold)
			p = after
		}
		run("", p)
		body.WriteString("</w:p>")
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, part := range []struct{ name, text string }{
		{"[Content_Types].xml", `<?xml version="1.0" encoding="UTF-8"?><Types ` +
			`xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
			`<Default Extension="xml" ContentType="application/xml"/>` +
			`<Override PartName="/word/document.xml" ` +
			`ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>` +
			`</Types>`},
		{"word/document.xml", `<?xml version="1.0" encoding="UTF-8"?>` +
			`<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>` +
			body.String() + `</w:body></w:document>`},
	} {
		w, err := z.Create(part.name)
		if err != nil {
			panic(err)
		}
		if _, err := w.Write([]byte(part.text)); err != nil {
			panic(err)
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return out.Bytes()
}
