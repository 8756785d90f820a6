package transcript

import (
	"strings"

	"research/transcript/internal/boilerplate"
	"research/transcript/internal/clock"
	"research/transcript/internal/plain"
	"research/transcript/internal/speaker"
	"research/transcript/internal/turn"
)

// A chatLine is the beginning of a message in a chat whose messages all have their date: "[05/03/2024,
// 10:02:15] Dana: words", "05/03/2024, 10:02 - Dana: words" and "2024년 3월 5일 오전 10:02, Dana : words".
type chatLine struct {
	at     clock.Match
	name   string // "" if the line has none
	said   string
	whole  string // the name and what is said
	notice bool   // the chat program says it
}

// readChatLine reads the beginning of a message. It returns false for any other line, also for the head of a
// day.
func readChatLine(line string) (c chatLine, ok bool) {
	flagged := hasNoticeMark(line)
	line = trimMarkedDate(strings.TrimLeft(line, plain.DirectionMarks+" \t"))
	if line == "" || line[0] != '[' && line[0] != '(' && !plain.IsDigit(line[0]) {
		return chatLine{}, false
	}
	c.at = clock.Find(line)
	if c.at.Place != clock.AtStart && c.at.Place != clock.Bracketed || c.at.Start.DateKind == clock.NoDate {
		return chatLine{}, false
	}
	c.said = strings.TrimLeft(line[c.at.To:], " \t")
	c.said, _ = plain.CutDash(c.said)
	c.whole = c.said
	if hasNoticeMark(c.said) {
		c.notice = true
	} else if name, said, ok := cutChatName(c.said); ok {
		c.name, c.said = name, said
		c.notice = hasNoticeMark(said) || isPlaceholder(said) || flagged && isAttachment(said)
	}
	return c, c.said != "" || c.name != ""
}

// trimMarkedDate removes the marks of direction within a date, where WhatsApp has them in Arabic and Persian.
func trimMarkedDate(line string) string {
	end := strings.IndexAny(line[:min(len(line), plain.MaxLabel)], "-–]")
	if end < 0 {
		return line
	}
	return plain.WithoutMarks(line[:end]) + line[end:]
}

// cutChatName reads "Dana: words". The name need not look like one: people call themselves "..", or an emoji.
func cutChatName(line string) (name, said string, ok bool) {
	head := line[:min(len(line), plain.MaxLabel)]
	i := strings.IndexByte(head, ':')
	for i > 0 && i+1 < len(line) && line[i+1] != ' ' && line[i+1] != '\t' {
		next := strings.IndexByte(head[i+1:], ':')
		if next < 0 {
			return "", line, false
		}
		i += 1 + next
	}
	if i <= 0 {
		return "", line, false
	}
	name = strings.TrimSpace(plain.WithoutMarks(line[:i]))
	if plain := speaker.TrimOrnaments(name); plain != "" {
		name = plain
	}
	return name, strings.TrimLeft(line[i+1:], " \t"), name != ""
}

// noticeMarks stand before what WhatsApp itself writes into a chat, in the place of words: "Dana: \u200eimage
// omitted". People's words have none, even from right to left.
const noticeMarks = "\u200e\u200f"

func hasNoticeMark(said string) bool { return strings.IndexAny(said, noticeMarks) == 0 }

// isAttachment reads "minutes.pdf • \u200e7 pages \u200edocument omitted", but not a caption before what was
// attached.
func isAttachment(said string) bool {
	return strings.ContainsAny(said, noticeMarks) && !strings.Contains(said, editedMark)
}

// isPlaceholder reads "<Media omitted>", which Android has in the language of the phone, and "null", which it
// has for what can be seen once.
func isPlaceholder(said string) bool {
	if strings.TrimSpace(said) == "null" {
		return true
	}
	inner, ok := strings.CutPrefix(strings.TrimSpace(said), "<")
	inner, closed := strings.CutSuffix(inner, ">")
	return ok && closed && strings.Contains(inner, " ") && !strings.ContainsAny(inner, "<>")
}

// detectDatedChat detects a chat if most of its dated lines have a name behind the date, or are notices.
func detectDatedChat(text string) (parse func() turn.List, ok bool) {
	names, believed := map[string]int{}, map[string]bool{}
	lines, named, notices := 0, 0, 0
	for line := range strings.SplitSeq(text, "\n") {
		c, ok := readChatLine(line)
		switch {
		case !ok:
			continue
		case c.notice:
			notices++
		case c.name != "":
			if !speaker.HeadsRemark(c.name) {
				named++
			}
			if names[c.name] > 0 || len(names) < plain.MaxLabels {
				names[c.name]++
				believed[c.name] = names[c.name] > 1 || c.at.Place == clock.Bracketed || isChatName(c.name)
			}
		}
		lines++
	}
	if notices*4 > lines*3 {
		notices = 0 // the marks are before all words, so that they say nothing
	}
	if named < 4 || (named+notices)*2 < lines || len(names) < 2 {
		return nil, false
	}
	return func() turn.List { return parseDatedChat(text, believed) }, true
}

// isChatName reports whether what stands before a colon once may be a name rather than what the program says.
func isChatName(name string) bool {
	words := strings.Fields(name)
	if len(words) > 1 && speaker.ShapeOf(name) == speaker.FullName || speaker.IsPhone(name) {
		return true // also "Beth Ann Price"
	}
	return len(words) <= 2 && !speaker.HeadsRemark(name) && !speaker.SentenceOpeners[strings.ToLower(words[0])]
}

// parseDatedChat reads the messages of the people with the names.
func parseDatedChat(text string, names map[string]bool) turn.List {
	return parseChat(text, func(line string) (chatLine, bool) {
		c, ok := readChatLine(line)
		if ok && c.name != "" && !c.notice && !names[c.name] {
			c.name, c.said = "", c.whole
		}
		return c, ok
	})
}

// parseChat reads messages by their first lines, each until the next one. Their times count from the first
// one.
func parseChat(text string, read func(line string) (chatLine, bool)) turn.List {
	var (
		list    turn.List
		lines   = plain.Lines{Text: text}
		_, date = clock.Count(text)
		clock   = clock.Wall{Dates: date}
		current turn.Turn
		begun   bool
		from    int
	)
	end := func(to int) {
		if !begun {
			boilerplate.AddPreamble(&list, text[from:to])
			return
		}
		said, _, _ := strings.Cut(text[from:to], editedMark)
		current.Text = plain.TrimMarks(said)
		list.Add(current)
	}
	for {
		line, start, ok := lines.Next()
		if !ok {
			break
		}
		c, ok := read(line)
		if !ok || c.notice && !c.at.Start.Wall && !begun {
			continue
		}
		end(start)
		current, begun = turn.Turn{Start: clock.Elapsed(c.at.Start), Timed: c.at.Start.Wall}, true
		if c.notice {
			list.Drop(c.name)
		} else {
			current.Speaker = c.name
		}
		from = start + len(line) - len(c.said)
	}
	end(len(text))
	return list
}

// editedMark is before WhatsApp's remarks at the end of a message, that it was edited or has an attachment.
const editedMark = " \u200e<"

// dropSystemLine removes the first line if it is WhatsApp's notice of encryption, which stands behind the
// name of the chat and a mark of direction.
func dropSystemLine(text string) string {
	const mark = ": \u200e"
	trimmed := strings.TrimLeft(text, plain.DirectionMarks+"\n ")
	line, rest, ok := strings.Cut(trimmed, "\n")
	_, before, _ := strings.Cut(line, "] ")
	if !ok || !strings.HasPrefix(line, "[") || !strings.Contains(before, mark) {
		return text
	}
	return rest
}
