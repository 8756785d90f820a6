package transcript

import (
	"regexp"
	"strings"

	"research/transcript/internal/clock"
	"research/transcript/internal/lexicon"
	"research/transcript/internal/plain"
	"research/transcript/internal/turn"
)

// zoomChatWords are the words before the sender and the recipient.
var zoomChatWords = lexicon.Pairs("zoom-chat")

// zoomDirect are the remarks behind the recipient of a message that is not for everyone, and zoomRecipients
// the words before a recipient.
var (
	zoomDirect     = lexicon.Words("zoom-direct")
	zoomRecipients = lexicon.List("zoom-recipients")
)

// zoomChatHeader reads Zoom's saved chat: "10:02:15 From Dana Weber to Everyone:", with the words on the
// lines below, or "10:02:15 From Dana Weber : words".
func zoomChatHeader(line string) (turnHeader, bool) {
	_, _, rest := clock.ParseDate(line)
	at, rest, ok := clock.ParseTimestamp(rest)
	if !ok {
		return turnHeader{}, false
	}
	rest = strings.TrimLeft(rest, " \t")
	to := ""
	for _, words := range zoomChatWords {
		if after, found := strings.CutPrefix(rest, words[0]+" "); found {
			rest, to = after, words[1]
		}
	}
	if to == "" {
		return turnHeader{}, false
	}
	head := rest[:min(len(rest), plain.MaxLabel)]
	size := 1
	end := strings.Index(head, " : ")
	if end >= 0 {
		size = 3
	} else if end = strings.LastIndex(strings.TrimRight(head, " \t"), ":"); end < 0 ||
		!plain.IsBlank(rest[end+1:]) {
		return turnHeader{}, false
	}
	name := strings.TrimSpace(rest[:end])
	for _, to := range []string{" " + to + " ", " To "} {
		if i := strings.LastIndex(name, to); i > 0 {
			name = strings.TrimSpace(name[:i])
		}
	}
	return turnHeader{Stamp: clock.Stamp{Start: at, Rest: rest[end+size:]}, speaker: name, believed: true},
		name != ""
}

// zoomTabHeader reads the chat of a recording: "00:10:02⇥Dana Weber:⇥words", or with a space behind the time
// as phones save it. Its times count from the start.
func zoomTabHeader(line string) (turnHeader, bool) {
	at, rest, ok := clock.ParseTimestamp(line)
	if !ok || !plain.HasAnyPrefix(rest, "\t", " ") || rest[0] == ' ' && !strings.Contains(rest, ":\t") {
		return turnHeader{}, false
	}
	name, said, _ := strings.Cut(rest[1:], "\t")
	name, ok = strings.CutSuffix(strings.TrimSpace(name), ":")
	name = cutZoomRecipient(strings.TrimSpace(name))
	h := turnHeader{Stamp: clock.Stamp{Start: at, Rest: said}, speaker: name, believed: true}
	return h, ok && h.speaker != "" && len(name) <= plain.MaxLabel
}

// cutZoomRecipient returns the sender of a message: "Dana" of "Dana to Omar(Direct Message)". Zoom writes the
// remark in the language of the program, without a space before it; a name may also end with brackets.
func cutZoomRecipient(name string) string {
	open := strings.LastIndexByte(name, '(')
	if open <= 0 || !strings.HasSuffix(name, ")") {
		return name
	}
	remark := strings.ToLower(strings.TrimSpace(name[open+1 : len(name)-1]))
	if name[open-1] == ' ' && !zoomDirect[remark] {
		return name
	}
	for _, word := range zoomRecipients {
		if i := strings.LastIndex(name[:open], " "+word+" "); i > 0 {
			return strings.TrimSpace(name[:i])
		}
	}
	return name
}

// detectZoomChat detects the chat by its headers.
func detectZoomChat(text string) (parse func() turn.List, ok bool) {
	tabs := findHeaders(text, zoomTabHeader)
	if _, lines := plain.CountBlocks(text); tabs.count > 1 && tabs.count*4 >= lines && tabs.fit(text, lines) {
		return func() turn.List {
			list := parseHeaders(text, zoomTabHeader)
			dropZoomRemarks(&list)
			return list
		}, true
	}
	chat := findHeaders(text, zoomChatHeader)
	if chat.count < 2 || !chat.fit(text, plain.CountParagraphs(text)) {
		return nil, false
	}
	return func() turn.List { return parseZoomChat(text) }, true
}

// reactionLine is a line of Zoom's chat that nobody typed: who reacted to the message above, and how.
var reactionLine = regexp.MustCompile(`(?m)^\t[^\t\n]{1,400}:[\p{So}\p{Sk}\p{Cf}\x{FE0F}]+$`)

// parseZoomChat reads the chat. Wall-clock times become offsets from the first message.
func parseZoomChat(text string) turn.List {
	list := parseHeaders(reactionLine.ReplaceAllString(text, ""), zoomChatHeader)
	dropZoomRemarks(&list)
	var day clock.Wall
	for i := range list.Turns {
		if t := &list.Turns[i]; t.Timed {
			t.Start = day.Elapsed(clock.Time{At: t.Start, Wall: true})
		}
	}
	return list
}
