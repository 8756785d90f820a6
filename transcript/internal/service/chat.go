package service

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"research/transcript/internal/clock"
	"research/transcript/internal/turn"
)

// A chatMessage is a message of a chat's export: Telegram, Discord, Messenger, or a conversation with a
// model.
type chatMessage struct {
	Text    chatText `json:"text"`
	Content chatText `json:"content"`
	Message chatText `json:"message"`

	From     looseName `json:"from"`
	Sender   looseName `json:"sender"`
	NameOf   looseName `json:"sender_name"`
	Author   looseName `json:"author"`
	Creator  looseName `json:"creator"`
	Role     looseName `json:"role"`
	Username looseName `json:"username"`
	User     looseName `json:"user"`

	Date        scalarOrNone `json:"date"`
	Timestamp   scalarOrNone `json:"timestamp"`
	TimestampMS scalarOrNone `json:"timestamp_ms"`
	CreatedAt   scalarOrNone `json:"created_at"`
	CreatedDate scalarOrNone `json:"created_date"`
	StartTime   scalarOrNone `json:"startTime"`
	Elapsed     scalarOrNone `json:"secondsFromStart"`

	Type looseText `json:"type"`

	// What lists of segments have, and chats do not.
	Speaker json.RawMessage `json:"speaker"`
	Start   json.RawMessage `json:"start"`
	TS      json.RawMessage `json:"ts"`
}

// readChat reads the messages of a chat. Wall-clock times become offsets from the first message. Some exports
// begin with the last message.
func readChat(doc Document) (list turn.List, language string, ok bool) {
	messages := doc.list
	for _, name := range []string{"messages", "conversation"} {
		if messages == nil && isList(doc.members[name]) {
			messages = doc.members[name]
		}
	}
	if !isList(messages) {
		return turn.List{}, "", false
	}
	named := 0
	whole := Each(messages, func(m chatMessage) bool {
		if m.Speaker != nil || m.Start != nil || m.TS != nil {
			return false
		}
		t := turn.Turn{
			Speaker: cmp.Or(m.From.text, m.NameOf.text, m.Sender.text, m.Author.text, m.Creator.text, m.Username.text,
				m.User.text, m.Role.text),
			Text: cmp.Or(m.Text.text, m.Content.text, m.Message.text),
		}
		t.Start, t.Timed = m.at()
		if m.TimestampMS.text != "" {
			t.Speaker, t.Text = repairLatin1(t.Speaker), repairLatin1(t.Text)
		}
		switch {
		case t.Text == googleNotice, m.NameOf.text != "" && messengerNotices[m.Type.text]:
			list.Drop(t.Text)
		case t.Text != "":
			if t.Speaker != "" {
				named++
			}
			list.Add(t)
		}
		return !list.Exceeded
	})
	if list.Exceeded {
		return list, "", true
	}
	if !whole || named < 2 || named*10 < len(list.Turns)*8 {
		return turn.List{}, "", false
	}
	startAtFirst(&list)
	return list, "", true
}

// Google Chat's export has a message of these words for each change of the members, and times in words.
const (
	googleNotice = "Updated room membership."
	googleTime   = "Monday, January 2, 2006 at 3:04:05\u202fPM MST"
)

// messengerNotices are the types of Messenger's messages that say who joined, left or called.
var messengerNotices = map[string]bool{"Subscribe": true, "Unsubscribe": true, "Call": true}

// repairLatin1 returns a text of Messenger's or Instagram's export as it was written. They escape each byte
// of its UTF-8 as a character: "\u00c3\u00a9" for "é".
func repairLatin1(text string) string {
	raw := make([]byte, 0, len(text))
	multiple := false
	for _, r := range text {
		if r > unicode.MaxLatin1 {
			return text
		}
		multiple = multiple || r >= utf8.RuneSelf
		raw = append(raw, byte(r))
	}
	if !multiple || !utf8.Valid(raw) {
		return text
	}
	return string(raw)
}

// minEpochMS is a number of milliseconds since 1970 that would be 30,000 years in seconds.
const minEpochMS = 1e12

// at returns the time of a message: since 1970, or since the first message.
func (m chatMessage) at() (time.Duration, bool) {
	if elapsed, ok := clock.Seconds(m.Elapsed.text); ok {
		return elapsed, true
	}
	if ms, ok := (scalar{m.TimestampMS.text}).number(); ok {
		return time.Duration(ms) * time.Millisecond, true
	}
	if ms, ok := (scalar{m.Timestamp.text}).number(); ok && ms > minEpochMS {
		return time.Duration(ms) * time.Millisecond, true
	}
	text := cmp.Or(m.Date.text, m.Timestamp.text, m.CreatedAt.text, m.StartTime.text, m.CreatedDate.text)
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", googleTime} {
		if at, err := time.Parse(layout, text); err == nil {
			return time.Duration(at.Unix()) * time.Second, true
		}
	}
	return 0, false
}

// startAtFirst orders the turns by their times, and makes these count from the first one.
func startAtFirst(l *turn.List) {
	first, last := -1, -1
	for i, t := range l.Turns {
		if t.Timed {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	if first < 0 {
		return
	}
	if l.Turns[first].Start > l.Turns[last].Start {
		slices.Reverse(l.Turns)
		first = len(l.Turns) - 1 - last
	}
	begin := l.Turns[first].Start
	if begin < clock.Max {
		begin = 0 // they count from the first one already
	}
	l.Dated = begin > 0
	for i := range l.Turns {
		if t := &l.Turns[i]; t.Timed {
			t.Start = min(max(0, t.Start-begin), clock.MaxChat)
		}
	}
}

// A chatText is a text, or a list of texts and objects with one, such as links.
type chatText struct{ text string }

func (v *chatText) UnmarshalJSON(raw []byte) error {
	if raw[0] != '[' {
		var s looseText
		err := s.UnmarshalJSON(raw)
		v.text = s.text
		return err
	}
	var parts []json.RawMessage
	if err := json.Unmarshal(raw, &parts); err != nil {
		return err
	}
	var out strings.Builder
	for _, part := range parts {
		var s looseText
		var object struct {
			Text looseText `json:"text"`
		}
		switch {
		case part[0] == '"' && s.UnmarshalJSON(part) == nil:
			out.WriteString(s.text)
		case part[0] == '{' && json.Unmarshal(part, &object) == nil:
			out.WriteString(object.Text.text)
		}
	}
	v.text = out.String()
	return nil
}
