package transcript

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// parseText reads plain text and Markdown: `Name: text`, `[00:01:23] Name: text`, `Name (00:03): text`, `**Name:** text`. Lines
// without a label go on with the turn before them; text without any label is a turn a paragraph.
func parseText(text string) []turn {
	all := lines(text)
	names := textNames(all)
	var turns []turn
	open := false // the last turn goes on
	for _, line := range all {
		line = strings.TrimSpace(line)
		if line == "" {
			if len(names) == 0 {
				open = false
			}
			continue
		}
		head, isHead := turnHead(line)
		if isHead && head.speaker != "" && !names[head.speaker] {
			isHead = false
		}
		switch {
		case isHead:
			turns = append(turns, turn{speaker: head.speaker, start: head.at, timed: head.timed, text: head.rest})
			open = true
		case !open:
			turns = append(turns, turn{text: line})
			open = true
		default:
			turns[len(turns)-1].text += "\n" + line
		}
	}
	return turns
}

// A head is what stands before the words of a turn.
type head struct {
	speaker string
	at      time.Duration
	timed   bool
	rest    string
}

// turnHead reads the beginning of a line: a time in brackets, a name, or both.
func turnHead(line string) (head, bool) {
	h := head{rest: line}
	h.at, h.rest, h.timed = leadingTime(line)
	name, rest, ok := markdownLabel(h.rest)
	if !ok {
		name, rest, ok = label(h.rest)
	}
	if !ok {
		return h, h.timed
	}
	h.rest = rest
	if at, left, timed := leadingTime(rest); timed && !h.timed { // **Dana:** [01:44] text
		h.at, h.rest, h.timed = at, left, true
	}
	if bare, at, timed := trailingTime(name); timed { // Dana (01:44): text
		name = bare
		if !h.timed {
			h.at, h.timed = at, true
		}
	}
	h.speaker = name
	return h, name != ""
}

// leadingTime reads `[00:01:23]`, `(1:23)` or `00:01:23` before other text.
func leadingTime(s string) (time.Duration, string, bool) {
	inner := strings.TrimPrefix(s, `\`)
	if inner == "" {
		return 0, s, false
	}
	closing := map[byte]string{'[': "]", '(': ")"}[inner[0]]
	if closing != "" {
		stamp, rest, found := strings.Cut(inner[1:], closing)
		if !found {
			return 0, s, false
		}
		at, ok := clock(strings.TrimSuffix(strings.TrimSpace(stamp), `\`))
		if !ok {
			return 0, s, false
		}
		return at, strings.TrimLeft(rest, " \t-–:"), true
	}
	stamp, rest, _ := strings.Cut(inner, " ")
	at, ok := clock(stamp)
	if !ok {
		return 0, s, false
	}
	return at, strings.TrimLeft(rest, " \t-–"), true
}

// trailingTime reads the time at the end of a name: `Dana (00:01:23)`, `Dana [1:23]`, `Dana 1:23`.
func trailingTime(name string) (string, time.Duration, bool) {
	i := strings.LastIndexAny(name, " \t")
	if i < 0 {
		return name, 0, false
	}
	at, ok := clock(strings.Trim(name[i+1:], "()[]"))
	if !ok {
		return name, 0, false
	}
	return strings.TrimSpace(name[:i]), at, true
}

// markdownLabel reads `**Name:** text`, `**Name**: text` and `__Name:__ text`.
func markdownLabel(line string) (name, rest string, ok bool) {
	for _, mark := range []string{"**", "__"} {
		after, found := strings.CutPrefix(line, mark)
		if !found {
			continue
		}
		inside, rest, found := strings.Cut(after, mark)
		if !found {
			return "", "", false
		}
		name, inner := strings.CutSuffix(strings.TrimSpace(inside), ":")
		rest, outer := strings.CutPrefix(rest, ":")
		if !inner && !outer || !nameShaped(name) {
			return "", "", false
		}
		return strings.TrimSpace(name), strings.TrimSpace(rest), true
	}
	return "", "", false
}

// label reads `Name: text`. Whether the name is one is judged over the whole file, by textNames and labelNames.
func label(line string) (name, rest string, ok bool) {
	i := strings.IndexAny(line, ":：")
	if i <= 0 || i > 4*maxSpeakerRunes {
		return "", "", false
	}
	// A time at the end of the name holds colons of its own: Dana (00:01:23): text.
	if open := strings.LastIndexAny(line[:i], "(["); open > 0 {
		if shut := strings.IndexAny(line[i:], ")]"); shut > 0 {
			if _, isClock := clock(line[open+1 : i+shut]); isClock {
				after := i + shut + 1
				if after < len(line) && line[after] == ':' {
					i = after
				}
			}
		}
	}
	name = strings.TrimSpace(line[:i])
	_, size := utf8.DecodeRuneInString(line[i:])
	rest = line[i+size:]
	if rest != "" && size == 1 && !strings.HasPrefix(rest, " ") && !strings.HasPrefix(rest, "\t") {
		return "", "", false // http://…, 10:30
	}
	bare, _, _ := trailingTime(name)
	if !nameShaped(bare) {
		return "", "", false
	}
	return name, strings.TrimSpace(rest), true
}

// nameShaped accepts what can be a name: a few words, the first one capitalised or in a script without capitals, no sentence.
func nameShaped(name string) bool {
	name = strings.TrimSpace(name)
	if name == "" || utf8.RuneCountInString(name) > 60 || strings.ContainsAny(name, "\"?!;{}<>=\\/*#") {
		return false
	}
	first, _ := utf8.DecodeRuneInString(name)
	if !unicode.IsLetter(first) && !unicode.IsDigit(first) && first != '@' || unicode.IsLower(first) && !strings.HasPrefix(strings.ToLower(name), "speaker") {
		return false
	}
	if !strings.ContainsFunc(name, unicode.IsLetter) {
		return false
	}
	words := strings.Fields(name)
	if len(words) > 6 {
		return false
	}
	return !strings.HasSuffix(name, ".") || utf8.RuneCountInString(words[len(words)-1]) <= 4 // Dana N., Jr.
}

// notNames stand before a colon in notes and speech without being anybody's name.
var notNames = map[string]bool{
	"note": true, "notes": true, "todo": true, "date": true, "time": true, "duration": true, "attendees": true, "participants": true,
	"subject": true, "title": true, "topic": true, "location": true, "agenda": true, "summary": true, "action items": true,
	"question": true, "answer": true, "example": true, "warning": true, "ps": true, "p.s.": true, "re": true, "fwd": true, "http": true,
	"https": true, "language": true, "kind": true, "transcript": true, "recording": true, "meeting": true, "chapter": true, "file": true,
	"hinweis": true, "datum": true, "teilnehmer": true, "dauer": true, "fecha": true, "nota": true, "participantes": true, "remarque": true,
}

// roleNames speak only once in a short interview and are believed at once.
var roleNames = map[string]bool{
	"interviewer": true, "interviewee": true, "moderator": true, "host": true, "guest": true, "participant": true, "respondent": true,
	"customer": true, "user": true, "researcher": true, "q": true, "a": true,
}

// textNames judges the labels of a text: a name begins lines more than once, or the text consists of labelled lines alone.
func textNames(all []string) map[string]bool {
	counts := map[string]int{}
	bold := map[string]bool{}
	full, labelled := 0, 0
	for _, line := range all {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		full++
		h, ok := turnHead(line)
		if !ok || h.speaker == "" {
			continue
		}
		labelled++
		counts[h.speaker]++
		if _, _, isBold := markdownLabel(line); isBold || h.timed {
			bold[h.speaker] = true
		}
	}
	mostlyLabelled := labelled*3 >= full*2
	names := map[string]bool{}
	for name, n := range counts {
		if notNames[strings.ToLower(name)] {
			continue
		}
		if n >= 2 || bold[name] || isRole(name) || mostlyLabelled && len(strings.Fields(name)) <= 3 {
			names[name] = true
		}
	}
	return names
}

func isRole(name string) bool {
	lower := strings.ToLower(name)
	return roleNames[lower] || strings.HasPrefix(lower, "speaker ")
}

// labelNames judges the labels within cues: in captions a name stands before most turns or comes back.
func labelNames(cues []cue) map[string]bool {
	var all []string
	for _, c := range cues {
		for _, line := range c.lines {
			if !strings.Contains(line, "<v") {
				all = append(all, line)
			}
		}
	}
	return textNames(all)
}
