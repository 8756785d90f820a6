package transcript

import (
	"regexp"
	"strings"

	"research/transcript/internal/boilerplate"
	"research/transcript/internal/clock"
	"research/transcript/internal/plain"
	"research/transcript/internal/turn"
)

// detectChatHeads detects a chat whose messages have a line with the time and the name above them, or the
// name and the time in brackets before them.
func detectChatHeads(text string) (parse func() turn.List, ok bool) {
	for _, form := range []struct {
		newReader func() func(line string) (chatLine, bool)
		alone     bool // nothing else is on the line
	}{{newChatHeadReader, true}, {newKakaoReader, false}} {
		read := form.newReader()
		names, heads, afterBlank := newTally(), 0, 0
		above := ""
		for line := range strings.SplitSeq(text, "\n") {
			if c, ok := read(line); ok && !c.notice {
				heads++
				names.addAnyLabel(c.name)
				if plain.IsBlank(above) {
					afterBlank++
				}
			}
			above = line
		}
		if heads < 3 || sumRecurring(names.labels)*2 < heads || form.alone && afterBlank*10 < heads*8 {
			continue
		}
		return func() turn.List { return parseChat(text, form.newReader()) }, true
	}
	return nil, false
}

func newChatHeadReader() func(line string) (chatLine, bool) { return readChatHead }

// readChatHead reads the line above a message in an export of Discord: "[28-Dec-19 12:42 AM] dana#8306" and
// "[2024-03-05T10:02:54+00:00] dana (id=1489)". Lines such as "{Attachments}" head what nobody said.
func readChatHead(line string) (c chatLine, ok bool) {
	line = strings.TrimRight(line, " \t\r")
	isRule := len(line) > 20 && strings.Trim(line, "=") == ""
	if exportMarks[line] || isRule || boilerplate.IsMessageCount(line) {
		return chatLine{name: line, notice: true}, true
	}
	if line == "" || line[0] != '[' {
		return chatLine{}, false
	}
	c.at = clock.Find(line)
	if c.at.Place != clock.Bracketed || c.at.Start.DateKind == clock.NoDate {
		return chatLine{}, false
	}
	name := strings.TrimSpace(line[c.at.To:])
	if i := strings.Index(name, " (id="); i > 0 && strings.HasSuffix(name, ")") {
		name = name[:i]
	}
	c.name = strings.TrimSpace(strings.TrimSuffix(name, "(pinned)"))
	isName := c.name != "" && len(c.name) <= plain.MaxWord && !strings.Contains(c.name, ": ")
	return c, isName
}

// exportMarks are the lines of DiscordChatExporter above what is not said in a message. It also has rules,
// and says at the end how many messages there are.
var exportMarks = map[string]bool{
	"{Attachments}": true, "{Embed}": true, "{Reactions}": true, "{Stickers}": true,
}

// kakaoNotice is what KakaoTalk writes between the messages: who joined, left, was invited or sent away, and
// what was deleted.
var kakaoNotice = regexp.MustCompile(`^[^\[\n].{0,200}님(?:이|을|께서|과).{0,200}(?:들어왔|들어오셨|나갔|나가셨|초대했|초대하였|` +
	`내보냈|입장했|입장하였|퇴장했|퇴장하였)습니다\.?\s*$|` +
	`^(?:채팅방 관리자가 메시지를 가렸습니다|삭제된 메시지입니다|메시지가 삭제되었습니다|운영정책을 위반한 메시지로 .{0,80})\.?\s*$|` +
	`^.{1,80} (?:joined|left|has joined|has left) (?:this chatroom|the chatroom|the chat|this chat|the ` +
	`group)\.?\s*$|` +
	`^.{1,80} (?:invited .{1,120}|was removed from (?:this|the) chat(?:room)?)\.\s*$`)

// newKakaoReader returns a function that reads the lines of a chat as KakaoTalk saves it on a computer:
// "[Dana] [오전 9:30] words", below lines with the day: "------- 2024년 5월 3일 금요일 -------".
func newKakaoReader() func(line string) (chatLine, bool) {
	var day clock.Time
	return func(line string) (c chatLine, ok bool) {
		if inner := strings.Trim(line, "- \t\r"); strings.HasPrefix(line, "---") && inner != "" {
			if date, _, ok := clock.ParseUnitDate(inner); ok {
				day = clock.Time{Date: date, DateKind: clock.YearFirst}
				return chatLine{notice: true}, true
			}
		}
		if kakaoNotice.MatchString(line) {
			return chatLine{name: line, notice: true}, true
		}
		name, rest, closed := strings.Cut(strings.TrimPrefix(line, "["), "] [")
		if !closed || line == "" || line[0] != '[' || len(name) > plain.MaxLabel {
			return chatLine{}, false
		}
		at, rest, ok := clock.Parse(rest)
		rest, closed = strings.CutPrefix(rest, "] ")
		if !ok || !closed || !at.Wall {
			return chatLine{}, false
		}
		at.Date, at.DateKind = day.Date, day.DateKind
		return chatLine{at: clock.Match{Start: at}, name: strings.TrimSpace(name), said: rest}, true
	}
}
