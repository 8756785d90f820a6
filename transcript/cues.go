package transcript

import (
	"html"
	"strings"
	"time"
	"unicode/utf8"
)

// A cue is a timed piece of a subtitle file; its text still has markup and line breaks.
type cue struct {
	start, end time.Duration
	text       string
}

// A timing reads a line that starts a cue.
type timing func(line string) (start, end time.Duration, ok bool)

// arrow reads "00:00:01.000 --> 00:00:02.000 settings", as WebVTT and SRT write it. A line that was cut after its arrow has
// a start alone.
func arrow(line string) (start, end time.Duration, ok bool) {
	start, rest, ok := clock(strings.TrimSpace(line))
	if !ok {
		return 0, 0, false
	}
	rest, ok = strings.CutPrefix(strings.TrimLeft(rest, " \t"), "-->")
	if !ok {
		return 0, 0, false
	}
	rest = strings.TrimLeft(rest, " \t")
	if rest == "" {
		return start, start, true
	}
	end, rest, ok = clock(rest)
	return start, end, ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t')
}

// readCues walks over the blocks of a subtitle file. It is lenient where files are sloppy: no index, no blank line
// between cues, a blank line within one, an arrow in the text. Blocks for which skip holds, by their first line, are left out.
func readCues(text string, timed timing, skip func(line string) bool) ([]cue, bool) {
	var (
		cues    []cue
		lines   = reader{text: text}
		from    = -1 // where the payload of the last cue starts, -1 before the first
		to      = 0  // where it ends
		last    int  // where its last line starts
		opening = true
		lastIs  = false // its last line opened a block
		index   = -1
	)
	finish := func(timingAt int) {
		if from < 0 {
			return
		}
		// The line right above a timing line is its identifier, if it opens a block or counts on.
		if timingAt >= 0 && to == timingAt && to > last {
			id := strings.TrimSpace(text[last:to])
			n, size := number(id, 9)
			counts := size > 0 && size == len(id)
			if id != "" && (lastIs || counts && n == index+1) {
				to = last
			}
			if counts {
				index = n
			}
		}
		cues[len(cues)-1].text = text[from:max(from, to)]
	}
	for {
		line, start, ok := lines.next()
		if !ok {
			break
		}
		if s, e, ok := timed(line); ok {
			finish(start)
			if len(cues) > maxUtterances {
				return nil, false
			}
			cues = append(cues, cue{start: s, end: e})
			from, to, last, lastIs, opening = lines.pos, lines.pos, lines.pos, false, false
			if index < 0 {
				index = 0
			}
			continue
		}
		if opening && skip(line) {
			finish(-1)
			if len(cues) > 0 {
				// What follows a comment without a timing of its own still belongs to the cue above.
				again := cues[len(cues)-1]
				again.text = ""
				cues = append(cues, again)
				if len(cues) > maxUtterances {
					return nil, false
				}
			}
			for ok && strings.TrimSpace(line) != "" {
				if _, _, isCue := timed(line); isCue {
					lines.pos = start
					break
				}
				line, start, ok = lines.next()
			}
			if from >= 0 {
				from, to, last, lastIs = lines.pos, lines.pos, lines.pos, false
			}
			continue
		}
		wasOpening := opening
		opening = blank(line)
		if from >= 0 {
			if !opening {
				last, lastIs = start, wasOpening
			}
			to = lines.pos
		}
		if opening {
			last, lastIs = lines.pos, false
		}
	}
	finish(-1)
	return cues, true
}

// A segment is what one voice says within a cue.
type segment struct {
	speaker string
	text    string
}

// voices splits a cue's text at its <v Name> tags and removes the markup. Lines in the same voice are one segment.
func voices(text string) []segment {
	var (
		segments []segment
		out      strings.Builder // what the last segment says so far
		piece    strings.Builder // what was read since the last tag
		speaker  string
	)
	flush := func() {
		s := piece.String()
		piece.Reset()
		if blank(s) {
			return
		}
		if n := len(segments); n > 0 && segments[n-1].speaker == speaker {
			out.WriteByte('\n')
		} else {
			if n > 0 {
				segments[n-1].text = out.String()
			}
			segments = append(segments, segment{speaker: speaker})
			out = strings.Builder{}
		}
		out.WriteString(s)
	}
	for text != "" {
		i := strings.IndexAny(text, "<&{")
		if i < 0 {
			piece.WriteString(text)
			break
		}
		piece.WriteString(text[:i])
		text = text[i:]
		if text[0] == '&' {
			s, size := entity(text)
			piece.WriteString(s)
			text = text[size:]
			continue
		}
		name, arg, size := tag(text)
		switch {
		case size == 0:
			piece.WriteByte(text[0])
			size = 1
		case name == "v":
			flush()
			speaker = unescape(arg)
		case name == "/v":
			flush()
			speaker = ""
		}
		text = text[size:]
	}
	flush()
	if n := len(segments); n > 0 {
		segments[n-1].text = out.String()
	}
	return segments
}

// maxTag bounds how far a tag's end is looked for, so that many "<" stay linear.
const maxTag = 400

// tag reads a piece of markup that WebVTT or SRT define at the start of s, and its size; 0 for anything else in angle
// brackets, which is text.
func tag(s string) (name, arg string, size int) {
	if s[0] == '{' {
		// SubStation's overrides, as in {\an8}, which some SRT files carry.
		if len(s) > 1 && s[1] == '\\' {
			if end := strings.IndexByte(s[:min(len(s), maxTag)], '}'); end > 0 {
				return "{", "", end + 1
			}
		}
		return "", "", 0
	}
	end := strings.IndexByte(s[:min(len(s), maxTag)], '>')
	if end < 0 {
		return "", "", 0
	}
	inner := s[1:end]
	if _, rest, ok := clock(inner); ok && rest == "" {
		return "time", "", end + 1
	}
	name = inner
	if i := strings.IndexAny(inner, " .\t\n"); i >= 0 {
		name = inner[:i]
	}
	if i := strings.IndexAny(inner, " \t\n"); i >= 0 {
		arg = strings.TrimSpace(inner[i:])
	}
	switch strings.ToLower(name) {
	case "v", "c", "i", "b", "u", "s", "ruby", "rt", "lang", "font", "/v", "/c", "/i", "/b", "/u", "/s", "/ruby", "/rt", "/lang", "/font":
		return strings.ToLower(name), arg, end + 1
	}
	return "", "", 0
}

// entity reads a character reference at the start of s; where there is none, it gives the ampersand itself.
func entity(s string) (text string, size int) {
	end := strings.IndexByte(s[:min(len(s), 32)], ';')
	if end < 2 {
		return "&", 1
	}
	out := html.UnescapeString(s[:end+1])
	if out == s[:end+1] || !utf8.ValidString(out) {
		return "&", 1
	}
	return out, end + 1
}

// unescape resolves the character references in s.
func unescape(s string) string {
	if !strings.Contains(s, "&") {
		return s
	}
	var out strings.Builder
	for s != "" {
		i := strings.IndexByte(s, '&')
		if i < 0 {
			i = len(s)
		}
		out.WriteString(s[:i])
		if s = s[i:]; s != "" {
			text, size := entity(s)
			out.WriteString(text)
			s = s[size:]
		}
	}
	return out.String()
}

// speak turns cues into turns: by <v> tags where the file has them, else by labels ("Dana: …") after rolling captions were
// unrolled.
func speak(cues []cue) turns {
	var ts turns
	for _, c := range cues {
		if hasVoice(c.text) {
			return speakVoices(cues)
		}
	}
	karaoke := false
	for i, c := range cues {
		karaoke = karaoke || hasKaraoke(c.text)
		var plain string
		for _, s := range voices(c.text) {
			plain += s.text // without voices there is one segment at most
		}
		cues[i].text = plain
	}
	cues = unroll(cues, karaoke)
	names := newTally()
	for _, c := range cues {
		names.see(c.text)
	}
	known := names.accept()
	// A file that labels nearly each cue says by a missing label that the speaker is not known; one that labels some of
	// them does so where the speaker changes.
	carry := known.share < 0.7
	speaker := ""
	for _, c := range cues {
		if !carry {
			speaker = ""
		}
		for _, s := range splitCue(c.text, known, speaker) {
			speaker = s.speaker
			ts.add(turn{speaker: s.speaker, start: c.start, end: c.end, timed: true, ended: c.end > c.start, text: s.text})
		}
	}
	return ts
}

func speakVoices(cues []cue) turns {
	var ts turns
	for _, c := range cues {
		for _, s := range voices(c.text) {
			ts.add(turn{speaker: s.speaker, start: c.start, end: c.end, timed: true, ended: c.end > c.start, text: s.text})
		}
	}
	return ts
}

func hasVoice(s string) bool {
	for {
		i := strings.Index(s, "<v")
		if i < 0 {
			return false
		}
		s = s[i:]
		if name, arg, size := tag(s); size > 0 && name == "v" && arg != "" {
			return true
		}
		s = s[2:]
	}
}

func hasKaraoke(s string) bool {
	for {
		i := strings.IndexByte(s, '<')
		if i < 0 {
			return false
		}
		s = s[i:]
		if name, _, size := tag(s); size > 0 && name == "time" {
			return true
		}
		s = s[1:]
	}
}

// splitCue cuts a cue where a line starts with a known name, a dash for each line, or the chevrons with which live
// captioners mark a new speaker. Lines before the first mark belong to the speaker before.
func splitCue(text string, known names, speaker string) []segment {
	var segments []segment
	dashed := dialogue(text)
	from, lines := 0, reader{text: text}
	cut := func(to int) {
		if !blank(text[from:to]) {
			segments = append(segments, segment{speaker, text[from:to]})
		}
	}
	for {
		line, start, ok := lines.next()
		if !ok {
			break
		}
		mark := leadIn(line)
		changed := strings.HasPrefix(strings.TrimSpace(line), ">>")
		name, rest, labelled := label(line[mark:])
		switch {
		case labelled && known.has(name):
			cut(start)
			speaker, from = name, start+len(line)-len(rest)
		case changed || dashed:
			cut(start)
			speaker, from = "", start+mark
		}
	}
	cut(len(text))
	return segments
}

// leadIn is the size of the dash or the chevrons at the start of a line.
func leadIn(line string) int {
	rest := strings.TrimLeft(line, " \t")
	if strings.HasPrefix(rest, ">>") {
		rest = strings.TrimLeft(rest, ">")
	} else if after, ok := cutDash(rest); ok {
		rest = after
	}
	return len(line) - len(strings.TrimLeft(rest, " \t"))
}

func cutDash(s string) (string, bool) {
	for _, dash := range []string{"- ", "– ", "— "} {
		if rest, ok := strings.CutPrefix(s, dash); ok {
			return rest, true
		}
	}
	return s, false
}

// dialogue holds for a cue of several lines that all start with a dash: one voice each.
func dialogue(text string) bool {
	n, lines := 0, reader{text: text}
	for {
		line, _, ok := lines.next()
		if !ok {
			return n > 1
		}
		if blank(line) {
			continue
		}
		if _, ok := cutDash(strings.TrimLeft(line, " \t")); !ok {
			return false
		}
		n++
	}
}
