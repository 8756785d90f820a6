package imports

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"research/transcript"
)

// proposedTitle returns the title of an import that is uploaded without one: the title that the file has
// above its interview, or its name in words.
func proposedTitle(form uploadForm, parsed *transcript.Transcript) string {
	if title := writtenTitle(form.data, parsed.Speakers()); title != "" {
		return title
	}
	name := readableTitle(form.filename)
	first := firstTitle(headLines(form.data, parsed), parsed)
	if first != "" && (name == "" || hasTitleLine(parsed.Format)) {
		return first
	}
	if name == "" {
		return titleOf(form.filename)
	}
	return name
}

// hasTitleLine reports whether the first line of files of a format is a title.
func hasTitleLine(format transcript.Format) bool {
	switch format {
	case transcript.Otter, transcript.MeetDocx, transcript.TeamsDocx, transcript.Fireflies:
		return true
	}
	return false
}

// titleLine reads lines that say that they are a title: a heading of Markdown, a field, or what is behind
// WEBVTT.
var titleLine = regexp.MustCompile(`^(?:#|WEBVTT +[-–—]?|` +
	`(?i)[*_#]*(?:title|titel|titre|título|titulo|titolo|topic|meeting title|session)[*_]* ?[:：][*_]*)\s+(.+)$`)

// writtenTitle returns what a line at the beginning of a text says is its title. A heading that is a speaker
// alone begins a turn.
func writtenTitle(data []byte, speakers []string) string {
	for _, line := range titleLines(data) {
		if title := cleanTitle(line); isTitle(title) && !slices.Contains(speakers, line) {
			return title
		}
	}
	return ""
}

// titleLines returns what lines at the beginning of a text say are titles, with the dates in them.
func titleLines(data []byte) (titles []string) {
	head := data[:min(len(data), maxHeadBytes)]
	for range utf8.UTFMax - 1 {
		if len(head) == len(data) || utf8.Valid(head) {
			break
		}
		head = head[:len(head)-1] // a part of a letter
	}
	if !utf8.Valid(head) {
		return nil // a document, or in an encoding of which the text is not known here
	}
	for i, line := range strings.Split(strings.TrimPrefix(string(head), "\ufeff"), "\n") {
		if i == maxTitleLine || strings.Contains(line, "-->") {
			break
		}
		match := titleLine.FindStringSubmatch(strings.TrimSpace(line))
		if match != nil && len(match[1]) <= maxHeadLine {
			titles = append(titles, strings.Trim(match[1], "*_\"'# "))
		}
	}
	return titles
}

// maxTitleLine is how many lines are looked at for a title.
const maxTitleLine = 12

// firstTitle returns the first line above an interview, if it may be a title and not a field, a time or a
// name.
func firstTitle(lines []string, parsed *transcript.Transcript) string {
	for i, line := range lines {
		if i == maxTitleLine {
			return ""
		}
		title := cleanTitle(line)
		switch {
		case !isTitle(title):
			continue // a date, or "Transcript"
		case strings.ContainsAny(title, ":：[]{}<>|") || clockTime.MatchString(title),
			strings.HasSuffix(title, ".") || strings.Contains(title, "://"):
			return ""
		case !hasTitleLine(parsed.Format) && slices.Contains(parsed.Speakers(), title):
			return ""
		}
		return title
	}
	return ""
}

var (
	clockTime = regexp.MustCompile(`\d:\d\d`)

	// ofTools is what programs add to the names of files.
	ofTools = regexp.MustCompile(`(?i)^GMT\d{8}(?:-\d{6})?|\.(?:transcript|cc|[a-z]{2}-[A-Z]{2})$|` +
		`[_ .-]+otter[_. -]ai$|\(\d+\)$| - copy$|` +
		`\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b|(?:^|[ _T-])\d\d[.:-]\d\d[.:-]\d\d(?:$|[ _-])`)
	// ofTranscripts are words that say only that a file is a transcript.
	ofTranscripts = regexp.MustCompile(
		`(?i)[_ -]*(?:recording|transcript|transkript|transcripci[oó]n|transcri[çc][ãa]o)(?:$|[_ -]+|\.)`)
	separators = regexp.MustCompile(`[_\s]+`)
	edges      = regexp.MustCompile(`^[\s,;.·–—-]+|[\s,;·–—-]+$`)
)

// readableTitle returns the name of a file as a title: without its date and what programs add, with spaces
// between the words. It is empty if no words are left.
func readableTitle(filename string) string {
	name := strings.TrimSuffix(filename, filepath.Ext(filename))
	title := ofTools.ReplaceAllString(name, " ")
	title = withoutDates(ofTranscripts.ReplaceAllString(title, " "))
	if !strings.Contains(strings.TrimSpace(title), " ") {
		title = strings.ReplaceAll(title, "-", " ")
	}
	words := strings.Fields(separators.ReplaceAllString(title, " "))
	title = cleanTitle(strings.Join(slices.DeleteFunc(words, isID), " "))
	if !isTitle(title) {
		return ""
	}
	return title
}

// cleanTitle returns a title without dates and what they leave at its ends.
func cleanTitle(title string) string {
	title = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(title, ""))
	title = strings.Join(strings.Fields(withoutDates(title)), " ")
	title = strings.ReplaceAll(strings.ReplaceAll(title, "()", ""), "[]", "")
	return edges.ReplaceAllString(title, "")
}

func withoutDates(text string) string {
	for _, form := range dateForms {
		text = form.ReplaceAllString(text, "${before} ${after}")
	}
	return text
}

// genericTitles say nothing about an interview.
var genericTitles = regexp.MustCompile(`(?i)^(?:transcript|transcription|transkript|transcripci[oó]n|` +
	`transcri[çc][ãa]o|trascrizione|meeting transcript|meeting notes|untitled(?: document)?|unbenannt|` +
	`document ?\d*|dokument ?\d*|audio ?\d*|video ?\d*|recording ?\d*|output|download|file ?\d*|kind|` +
	`language)$`)

// isTitle reports whether a text says what an interview is.
func isTitle(title string) bool {
	return strings.ContainsFunc(title, unicode.IsLetter) && !genericTitles.MatchString(title)
}

// Lengths of words that are ids.
const (
	minNumber = 6
	minHex    = 8
)

// isID reports whether a word of the name of a file is a number or a hash that a program gave.
func isID(word string) bool {
	word = strings.Trim(word, "TZ") // of a time in ISO 8601
	isHex := strings.Trim(strings.ToLower(word), "0123456789abcdef") == ""
	isNumber := strings.Trim(word, "0123456789") == ""
	return isNumber && len(word) >= minNumber ||
		isHex && len(word) >= minHex && strings.ContainsAny(word, "0123456789")
}
