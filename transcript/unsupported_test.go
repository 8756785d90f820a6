package transcript_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

func TestRejectsOtherFiles(t *testing.T) {
	t.Parallel()
	zeros := strings.Repeat("\x00", 200)
	manyCues := "WEBVTT\n\n" + strings.Repeat("0:1 --> 0:2\nhi\n\n", 500_000)
	manySpeakers := "WEBVTT\n\n"
	for i := range 1001 {
		manySpeakers += fmt.Sprintf("0:%d --> 0:%d\n<v Name%d>hi\n\n", i, i+1, i)
	}
	const (
		xml  = `<?xml version="1.0"?><notes><text start="1">hi</text></notes>`
		talk = "<talk>\n<turn by=\"Dana\"><said>Who files them?</said></turn>\n<turn by=\"Omar\"><said>I " +
			"do.</said>" +
			"</turn>\n</talk>"
		page = "\n<!DOCTYPE html><html><body><script>x</script></body></html>"
		cues = "1\n00:01,000 --> 00:02,000\n\n2\n00:03,000 --> 00:04,000\n"
	)
	for name, c := range map[string]struct{ data, reason string }{
		"nothing":                        {"", "empty"},
		"white space":                    {" \n\t\r\n", "empty"},
		"a byte-order mark alone":        {"\xEF\xBB\xBF\n", "empty"},
		"a UTF-16 byte-order mark alone": {"\xFF\xFE\n\x00", "empty"},
		"a damaged PDF":                  {"%PDF-1.7\n%\xE2\xE3\xCF\xD3" + zeros, "PDF that is damaged"},
		"a PDF that was cut off":         {"%PDF-1.4\n1 0 obj\n", "PDF that is damaged"},
		"a scan":                         {pdfOf("0 0 9 9 re f", ""), "it is a scan"},
		"a PDF with a password":          {pdfOf("BT (hi) Tj ET", "/Encrypt 9 0 R"), "password"},
		"a PDF of unknown glyphs":        {pdfOf("BT /G 9 Tf (hi) Tj ET", ""), "which letters"},
		"a PNG":                          {"\x89PNG\r\n\x1a\n" + zeros, "picture"},
		"a JPEG":                         {"\xFF\xD8\xFF\xE0\x00\x10JFIF" + zeros, "picture"},
		"a WebP":                         {"RIFF\x24\x00\x00\x00WEBPVP8 " + zeros, "picture"},
		"a HEIC":                         {"\x00\x00\x00\x18ftypheic" + zeros, "picture"},
		"an MP4":                         {"\x00\x00\x00\x18ftypmp42" + zeros, "video"},
		"a WebM":                         {"\x1A\x45\xDF\xA3\x01" + zeros, "video"},
		"an M4A":                         {"\x00\x00\x00\x18ftypM4A " + zeros, "recording"},
		"an MP3":                         {"ID3\x04\x00\x00" + zeros, "recording"},
		"a WAV":                          {"RIFF\x24\x00\x00\x00WAVEfmt " + zeros, "recording"},
		"an Ogg":                         {"OggS\x00\x02" + zeros, "recording"},
		"a gzip":                         {"\x1F\x8B\x08\x00" + zeros, "archive"},
		"an old Word document":           {"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1" + zeros, "old Office"},
		"a program in Go": {
			"package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(\"hi\")\n}\n", "source code",
		},
		"a program in JavaScript": {
			"const a = 1;\nfunction go() {\n  return a;\n}\ngo();\n", "source code",
		},
		"a page to sign in": {
			"<!doctype html><html><body><form><p>Sign in</p><input type=\"password\"></form></body></html>",
			"password",
		},
		"a page of pictures": {"<html><body><p><img src=\"a.png\"></p></body></html>", "pictures without text"},
		"a Word document of pictures": {
			string(docxOf("<w:p><w:r><w:drawing><a/></w:drawing></w:r></w:p>")), "pictures without text",
		},
		"a mail": {
			"Return-Path: <dana@example.org>\nMIME-Version: 1.0\nContent-Type: text/plain\n\nHere it is.\n", "e-mail",
		},
		"RTF without words":         {`{\rtf1\ansi{\fonttbl\f0 Helvetica;}\par}`, "without text"},
		"a web page without words":  {page, "without text"},
		"XML":                       {xml, "XML"},
		"XML with a document type":  {"<!DOCTYPE talk [\n<!ENTITY a \"b\">\n]>\n" + talk, "XML"},
		"XML with a namespace":      {"<t:talk xmlns:t=\"urn:talks\">" + talk + "</t:talk>", "XML"},
		"XML without a declaration": {talk, "XML"},
		"XML with pages' letters":   {strings.ReplaceAll(talk, "talk", "hearing"), "XML"},
		"a list of turns in XML":    {strings.TrimSuffix(strings.TrimPrefix(talk, "<talk>"), "</talk>"), "XML"},
		"XML that was cut off":      {"<?xml version=\"1.0\"?>\n" + talk[:60], "XML"},
		"a feed":                    {`<rss version="2.0"><channel><title>a</title></channel></rss>`, "feed"},
		"a feed of Atom":            {`<feed xmlns="http://www.w3.org/2005/Atom"><a><b>hi</b></a></feed>`, "feed"},
		"OPML": {"<?xml version=\"1.0\"?><opml><body><outline " +
			"text=\"a\"/></body></opml>", "OPML"},
		"GPX": {`<gpx version="1.1"><trk><name>a</name></trk></gpx>`, "GPX"},
		"Word as XML": {
			"<?xml version=\"1.0\"?>\n<?mso-application progid=\"Word.Document\"?>\n" +
				`<w:wordDocument xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml"><w:p>hi</w:p>`, "Office",
		},
		"a project of QDA": {
			"<?xml version=\"1.0\"?><Project xmlns=\"urn:QDA-XML:project:1.0\"><Users/></Project>", "qualitative",
		},
		"JSON of another shape":            {`{"a": [1, 2, {"name": "Dana", "text": "hello"}]}`, "JSON"},
		"JSON without words":               {`[1, 2, 3]`, "JSON"},
		"JSON that was cut off":            {`{"segments": [{"start": 0, "end": 1, "text": "hel`, "cut off"},
		"bytes":                            {"hello" + strings.Repeat("\x00\x01\x02\x03\xff\xfe", 200), "binary"},
		"control characters":               {strings.Repeat("a\x01\x02\x03", 200), "binary"},
		"times without words":              {"00:00:01\n00:00:05\n00:01:10\n", "list of times without words"},
		"cues without words":               {cues, "list of times"},
		"a CSV of numbers":                 {"1,2,3\n4,5,6\n7,8,9\n", "words"},
		"a CSV with a head":                {"id,price,count\n4,5.20,6\n7,8.10,9\n", "table"},
		"a CSV of words":                   {"name;city;job\nDana;Bonn;baker\nSam;Kiel;nurse\n", "table"},
		"captions without words":           {"WEBVTT\n\nNOTE nothing\n\n00:01.000 --> 00:02.000\n\n", "no words"},
		"a signature alone":                {"WEBVTT", "no words"},
		"more than 10 MB":                  {strings.Repeat("Dana: hello there.\n", 600_000), "10 MB"},
		"more cues than any conversation":  {manyCues, "200,000"},
		"more speakers than names":         {manySpeakers, "1,000 speakers"},
		"more lines than any conversation": {strings.Repeat("a\n", 5_000_000), "200,000"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := transcript.Parse([]byte(c.data))
			var format *transcript.FormatError
			require.True(t, errors.As(err, &format), "%v", err)
			require.Contains(t, format.Reason, c.reason)
			require.True(t, strings.HasSuffix(format.Reason, "."), "a sentence: %q", format.Reason)
		})
	}
}

func TestAcceptsTextThatResemblesOtherFiles(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"a picture's letters":  "BM: the first question is about bread.\nSam: yes, bread and rolls.\n",
		"an archive's letters": "PK: the first question is about bread.\nSam: yes.\nPK: and rolls?\n",
		"brackets":             "[laughs] that was the first week we were open.\n\n{pause} and then the second.",
		"commas": "We sell bread, rolls, and cake, mostly.\n" +
			"We bake at four, at five, and at six.\n" +
			"We rest, finally, on Monday, all day.",
		"few words":              "Yes.",
		"a fragment of a page":   "<p><b>Dana:</b> Who files them?</p>\n<p><b>Omar:</b> I do.</p>",
		"names in brackets":      "<dana> Who files them?\n<omar> I do.\n<dana> Where?\n<omar> In a box.\n",
		"a text in an element":   "<interview-7>\nDana: Who files them?\n\nOmar: I do.\n</interview-7>\n",
		"a comment above a page": "<!-- saved -->\n<div><p>Dana: Who files them?</p><p>Omar: I do.</p></div>",
		"talk of code": "Dana: So you write return; and then?\nSam: else nothing happens;\nDana: import what?\n" +
			"Sam: from the library.\n",
		"a name in a mail": "From: Dana\nTo: Sam\n\nDana: How do you plan?\n\nSam: On paper.\n",
		"many numbers":     "Dana: 10 20 30\nSam: 2024 2025 2026\nDana: yes\nSam: no\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := transcript.Parse([]byte(text))
			require.NoError(t, err)
			checkInvariants(t, got)
		})
	}
}

// pdfOf returns a PDF of one page.
func pdfOf(content, trailer string) string {
	return "%PDF-1.4\n1 0 obj <</Pages 2 0 R>> endobj 2 0 obj <</Kids[3 0 R]>> endobj\n" +
		"3 0 obj <</Contents 4 0 R/Resources<</Font<</F<</BaseFont/Courier>>/G<</Subtype/Type0>>>>>>>> endobj\n" +
		"4 0 obj <<>> stream\n" + content + "\nendstream endobj\ntrailer <</Root 1 0 R" + trailer + ">>\n"
}
