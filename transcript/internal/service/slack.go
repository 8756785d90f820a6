package service

import (
	"cmp"
	"strings"

	"research/transcript/internal/clock"
	"research/transcript/internal/turn"
)

// slackSpeech are the subtypes of Slack's messages that people or their programs write. The others are
// notices: who joined, left, or named the channel (https://docs.slack.dev/reference/events/message).
var slackSpeech = map[string]bool{
	"": true, "bot_message": true, "thread_broadcast": true, "me_message": true, "file_comment": true,
	"file_share": true, "reply_broadcast": true,
}

// slackUpload is in the notices of files in older exports. In newer ones, such messages have what people
// write.
const slackUpload = " uploaded a file: <"

// slackEntities are the only characters that Slack escapes.
var slackEntities = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")

// readSlack reads the messages of a Slack export. Wall-clock times become offsets from the first message.
func readSlack(doc Document) (list turn.List, language string, ok bool) {
	type message struct {
		Type     string    `json:"type"`
		Subtype  looseText `json:"subtype"`
		Text     *string   `json:"text"`
		TS       scalar    `json:"ts"`
		User     string    `json:"user"`
		Username looseText `json:"username"` // of a bot
		Profile  looseName `json:"user_profile"`
	}
	messages := doc.list
	if messages == nil {
		messages = doc.members["messages"]
	}
	if !isList(messages) {
		return turn.List{}, "", false
	}
	first := 0.0
	list.Dated = true
	ok = Each(messages, func(m message) bool {
		at, known := m.TS.number()
		if m.Type != "message" || m.Text == nil || !known {
			return false
		}
		if !slackSpeech[m.Subtype.text] ||
			m.Subtype.text == "file_share" && strings.Contains(*m.Text, slackUpload) {
			list.Drop(*m.Text)
			return true
		}
		if len(list.Turns) == 0 {
			first = at
		}
		t := turn.Turn{
			Speaker: cmp.Or(m.Profile.text, m.User, m.Username.text), Text: slackEntities.Replace(*m.Text),
		}
		t.Start, t.Timed = clock.FromChatSeconds(at - first)
		list.Add(t)
		return !list.Exceeded
	})
	return list, "", ok && len(list.Turns) > 0 || list.Exceeded
}
