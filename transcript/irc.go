package transcript

import (
	"slices"
	"strings"
	"unicode"

	"research/transcript/internal/clock"
	"research/transcript/internal/plain"
	"research/transcript/internal/speaker"
	"research/transcript/internal/turn"
)

// An ircKind is what a line of a log of IRC is.
type ircKind int

const (
	ircNothing ircKind = iota
	ircMessage         // "<dana> words"
	ircAction          // "* dana waves"
	ircEvent           // "*** Joins: dana", which nobody says
	ircTabs            // "dana⇥words", a message if the log has events in the same form
	ircRule            // "--- Day changed", without a time
)

// An ircLine is a line of a log.
type ircLine struct {
	kind       ircKind
	at         clock.Time
	nick, said string
}

// detectIRC reads the logs of programs for IRC: each line has a time of day, and a nickname in brackets or
// what happened. Nicknames have letters, marks and brackets that names have not, so that their place decides.
func detectIRC(text string) (parse func() turn.List, ok bool) {
	if parse, ok := detectIRCAs(text, true); ok {
		return parse, true
	}
	return detectIRCAs(text, false)
}

// detectIRCAs does this for a log with times, or without.
func detectIRCAs(text string, timed bool) (parse func() turn.List, ok bool) {
	counts, names, lines := map[ircKind]int{}, newTally(), 0
	tabs, dated := false, false
	for line := range strings.SplitSeq(text, "\n") {
		if plain.IsBlank(line) {
			continue
		}
		l := readIRCLine(line, timed)
		lines++
		counts[l.kind]++
		dated = dated || l.at.DateKind != clock.NoDate
		tabs = tabs || l.kind == ircEvent && strings.HasPrefix(l.said, "\t")
		if l.kind == ircMessage || l.kind == ircTabs {
			names.addAnyLabel(l.nick)
		}
	}
	messages := counts[ircMessage]
	if tabs {
		messages += counts[ircTabs]
	}
	events := counts[ircAction] + counts[ircEvent]
	isLog := (messages+events+counts[ircRule])*10 >= lines*8 &&
		(events > 0 || dated || !timed && counts[ircRule] > 0)
	if messages < 3 || sumRecurring(names.labels)*2 < messages || !isLog {
		return nil, false
	}
	return func() turn.List { return parseIRC(text, tabs, timed) }, true
}

// parseIRC reads a log. Lines without a time continue the message above.
func parseIRC(text string, tabs, timed bool) turn.List {
	_, dates := clock.Count(text)
	day := clock.Wall{Dates: dates}
	var list turn.List
	for line := range strings.SplitSeq(text, "\n") {
		l := readIRCLine(line, timed)
		switch {
		case plain.IsBlank(line):
		case l.kind == ircEvent, l.kind == ircRule:
			list.Drop(line)
		case l.kind == ircNothing || l.kind == ircTabs && !tabs:
			continueLast(&list, line)
		default:
			list.Add(turn.Turn{Speaker: l.nick, Start: day.Elapsed(l.at), Timed: timed, Text: l.said})
		}
	}
	return list
}

// continueLast adds a line to the last turn.
func continueLast(l *turn.List, line string) {
	if n := len(l.Turns); n > 0 {
		l.Turns[n-1].Text += "\n" + line
		return
	}
	l.AddText(line)
}

// readIRCLine reads a line of a log.
func readIRCLine(line string, timed bool) ircLine {
	if plain.HasAnyPrefix(line, "***", "===", "---") {
		return ircLine{kind: ircRule}
	}
	at, rest, ok := ircTime(line)
	switch {
	case !timed && !ok:
		rest = line
	case ok != timed:
		return ircLine{}
	}
	l := ircLine{at: at}
	rest = barsAsTabs(rest)
	rest, tabbed := strings.CutPrefix(rest, "\t")
	rest = strings.TrimLeft(rest, " \t")
	first, said, _ := cutField(rest)
	switch {
	case strings.HasPrefix(rest, "<") && !isIRCArrow(first):
		nick, said, ok := strings.Cut(rest[1:], ">")
		if l.nick = trimNick(nick); ok && isNick(l.nick) && (said == "" || said[0] == ' ' || said[0] == '\t') {
			l.kind, l.said = ircMessage, strings.TrimLeft(said, " \t")
		}
		if l.tellsOfItself() {
			l.kind = ircEvent
		}
	case first == "*" && !isIRCEvent(said):
		l.nick, l.said, _ = cutField(said)
		l.kind = ircAction
	case isIRCArrow(first), first == "*", plain.HasAnyPrefix(first, "***", "==="), isNotice(first):
		l.kind = ircEvent
		if tabbed && isIRCArrow(first) {
			l.said = "\t"
		}
	case tabbed:
		nick, said, ok := strings.Cut(rest, "\t")
		if l.nick = trimNick(nick); ok && isNick(l.nick) {
			l.kind, l.said = ircTabs, said
		}
	}
	return l
}

// barsAsTabs rewrites "  dana | words", as WeeChat shows them, as it saves them.
func barsAsTabs(rest string) string {
	for _, bar := range []string{" | ", " │ "} {
		nick, said, ok := strings.Cut(rest, bar)
		nick = strings.TrimSpace(nick)
		if ok && nick != "" && len(nick) <= plain.MaxWord && !strings.ContainsAny(nick, " \t<") {
			return "\t" + nick + "\t" + said
		}
	}
	return rest
}

// ircTime reads the time before a line, which is one of day, in brackets or not.
func ircTime(line string) (at clock.Time, rest string, ok bool) {
	line, bracketed := strings.CutPrefix(line, "[")
	if line == "" || !plain.IsDigit(line[0]) {
		return clock.Time{}, "", false
	}
	at, rest, ok = clock.Parse(line)
	if !ok || !at.Wall {
		at = clock.Time{Wall: true}
		if at.At, rest, ok = clock.ParseTimeOfDay(line); !ok {
			return clock.Time{}, "", false
		}
	}
	if bracketed {
		rest, ok = strings.CutPrefix(rest, "]")
		return at, rest, ok
	}
	return at, rest, rest != "" && (rest[0] == ' ' || rest[0] == '\t')
}

// cutField divides a line after its first word.
func cutField(s string) (first, rest string, ok bool) {
	i := strings.IndexAny(s, " \t")
	if i < 0 {
		return s, "", false
	}
	return s[:i], strings.TrimLeft(s[i:], " \t"), true
}

// isIRCArrow reports whether a word is the mark before an event: one without letters, which programs let
// people choose.
func isIRCArrow(word string) bool {
	if slices.Contains([]string{"-->", "<--", "--", "->", "<-", "-!-", "ℹ"}, word) {
		return true
	}
	return len(word) > 1 && word != "..." && !plain.HasAnyPrefix(word, "*", "[", "(") &&
		!strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// isNotice reports whether a word is the sender of a notice, such as "-bot-": programs send them.
func isNotice(word string) bool {
	return len(word) > 2 && word[0] == '-' && (word[len(word)-1] == '-' || strings.Contains(word, "-:#"))
}

// isIRCEvent reports whether the words behind an asterisk are an event rather than what somebody does.
func isIRCEvent(said string) bool {
	subject, rest, _ := cutField(said)
	if strings.HasSuffix(subject, ":") || plain.HasAnyPrefix(rest, "(", "[") {
		return true // "Joins: dana (~dana@host)", "dana (~dana@host) has joined"
	}
	if plain.HasAnyPrefix(subject, "Now", "Topic", "Set", "Retrieving", "Disconnected", "Connected", "Mode") {
		return true // "Now talking in #talk"
	}
	return rest == "joins" || rest == "parts" || rest == "quits" || plain.HasAnyPrefix(rest, "has joined",
		"has quit", "has left", "is now known as", "sets mode", "sets topic", "has changed the topic",
		"changed topic",
		"changed the topic", "changes topic", "changes the topic", "was kicked", "has kicked", "joins #", "quit (",
		"quits (", "parts #", "leaves #", "left #", "joined #", "has set ")
}

// tellsOfItself reports whether a message is an event that the program of a log has its sender tell: "<dana>
// dana has joined #talk".
func (l ircLine) tellsOfItself() bool {
	rest, ok := strings.CutPrefix(l.said, l.nick+" ")
	return ok && plain.HasAnyPrefix(rest, "has joined #", "has left #", "has changed the topic")
}

// trimNick removes the marks of rank before a nickname.
func trimNick(nick string) string { return strings.TrimLeft(strings.TrimSpace(nick), "@+%&~! ") }

// isNick reports whether a text can be a nickname, or the name that a bridge to another chat has in its
// place.
func isNick(nick string) bool {
	return nick != "" && len(nick) <= plain.MaxWord && len(strings.Fields(nick)) <= 3 &&
		!speaker.IsNoise(nick) && !strings.ContainsAny(nick, "<>:/=\"")
}
