package transcript

import (
	"html"
	"strings"
)

// parseVTT reads WebVTT (https://www.w3.org/TR/webvtt1/) as Zoom (`Dana: text`), Teams (`<v Dana>text</v>`, also several voices
// a cue or a voice over several lines), Meet and YouTube (rolling captions with `<c>` and times inside) write it.
func parseVTT(text string) ([]turn, error) {
	var turns []turn
	cues := undouble(vttCues(text))
	named := labelNames(cues)
	for _, c := range cues {
		voice, speaker := "", ""
		var said []string
		flush := func() {
			turns = append(turns, turn{speaker: speaker, start: c.start, end: c.end, timed: true, ended: true, text: strings.Join(said, "\n")})
			said = nil
		}
		for _, line := range c.lines {
			for _, p := range voices(line, &voice) {
				name, body := p.speaker, p.text
				if name == "" {
					if label, rest, ok := label(body); ok && named[label] {
						name, body = label, rest
					} else {
						name = speaker
					}
				}
				if name != speaker && len(said) > 0 {
					flush()
				}
				speaker = name
				said = append(said, body)
			}
		}
		if len(said) > 0 {
			flush()
		}
	}
	return turns, nil
}

// vttCues collects the blocks that have a timing line and leaves out NOTE, STYLE and REGION.
func vttCues(text string) []cue {
	var cues []cue
	all := lines(text)
	for i := 0; i < len(all); i++ {
		start, end, ok := cueTimes(all[i])
		if !ok {
			if isBlockComment(all[i]) { // to the blank line; a timing line within it is text
				for i < len(all) && strings.TrimSpace(all[i]) != "" {
					i++
				}
			}
			continue
		}
		c := cue{start: start, end: end}
		for i+1 < len(all) && all[i+1] != "" && !startsCue(all, i+1) { // YouTube's cues hold lines of one space
			i++
			c.lines = append(c.lines, strings.TrimSpace(all[i]))
		}
		if len(c.lines) > 0 {
			for j, line := range c.lines {
				if !strings.Contains(line, "<v") {
					c.lines[j] = strings.TrimSpace(stripTags(line))
				}
			}
			c.lines = dropEmpty(c.lines)
		}
		cues = append(cues, c)
	}
	return cues
}

func isBlockComment(line string) bool {
	for _, word := range []string{"NOTE", "STYLE", "REGION"} {
		if rest, ok := strings.CutPrefix(line, word); ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t') {
			return true
		}
	}
	return false
}

func dropEmpty(in []string) []string {
	out := in[:0]
	for _, s := range in {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}

type voiced struct{ speaker, text string }

// voices cuts a line at its voice spans. voice is the span that is open where the line begins, and then where it ends.
func voices(line string, voice *string) []voiced {
	var out []voiced
	add := func(s string) {
		if s = strings.TrimSpace(stripTags(s)); s != "" {
			out = append(out, voiced{*voice, s})
		}
	}
	said := 0 // where the words begin that are not added yet
	for i := 0; i < len(line); {
		open := strings.IndexByte(line[i:], '<')
		if open < 0 {
			break
		}
		i += open
		tag := line[i:min(len(line), i+maxTagBytes)]
		if strings.HasPrefix(tag, "</v>") {
			add(line[said:i])
			*voice = ""
			i += len("</v>")
			said = i
		} else if name, size, ok := voiceTag(tag); ok {
			add(line[said:i])
			*voice = name
			i += size
			said = i
		} else {
			i++
		}
	}
	add(line[said:])
	return out
}

// maxTagBytes bounds the search for a tag's end, so that a file of "<" is read in linear time. A name in a voice tag is shorter.
const maxTagBytes = 512

// voiceTag reads `<v.loud Dana Ng>` and tells how long it is.
func voiceTag(tag string) (name string, size int, ok bool) {
	inside, found := strings.CutPrefix(tag, "<v")
	end := strings.IndexByte(inside, '>')
	if !found || end < 1 || !strings.ContainsRune(" \t.", rune(inside[0])) {
		return "", 0, false
	}
	name = inside[:end]
	if name[0] == '.' { // classes
		_, name, _ = strings.Cut(name, " ")
	}
	return strings.TrimSpace(html.UnescapeString(name)), len("<v") + end + 1, true
}

// stripTags removes `<c.colour>`, `</i>`, `<00:00:01.200>` and decodes entities. A "<" that begins no tag is text.
func stripTags(s string) string {
	if !strings.ContainsAny(s, "<&") {
		return s
	}
	var b strings.Builder
	for {
		open := strings.IndexByte(s, '<')
		if open < 0 {
			b.WriteString(s)
			break
		}
		b.WriteString(s[:open])
		end := strings.IndexByte(s[open:min(len(s), open+maxTagBytes)], '>')
		if end < 0 || !isTag(s[open+1:open+end]) {
			b.WriteByte('<')
			s = s[open+1:]
			continue
		}
		s = s[open+end+1:]
	}
	return html.UnescapeString(b.String())
}

// isTag accepts what WebVTT and SubRip know; anything else in angle brackets is something that was said.
func isTag(inside string) bool {
	inside = strings.TrimPrefix(inside, "/")
	if _, ok := clock(inside); ok {
		return true
	}
	name, _, _ := strings.Cut(inside, " ")
	name, _, _ = strings.Cut(name, ".")
	switch strings.ToLower(name) {
	case "b", "i", "u", "c", "v", "lang", "ruby", "rt", "font", "s":
		return true
	}
	return false
}
