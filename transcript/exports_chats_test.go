package transcript_test

import (
	"fmt"
	"strings"
	"time"
)

// dayClock formats a time of day as 10:02:15, in exports whose times are not those of the recording.
func dayClock(start time.Duration) string { return corpusBase.Add(start).Format("15:04:05") }

// stampAt formats the instant of a turn in a chat whose times have seconds.
func stampAt(start time.Duration, layout string) string { return corpusBase.Add(start).Format(layout) }

// minuteAt formats the instant of a turn in a chat whose times have no seconds. People type slower than they
// talk.
func minuteAt(start time.Duration, layout string) string {
	return corpusBase.Add(start * chatSlowness).Format(layout)
}

// chatSlowness is how much longer a chat takes than the same conversation.
const chatSlowness = 8

// chatExports are exports of chats, and what people copy out of their windows.
var chatExports = []exportStyle{
	{"WhatsApp on Android in 24 hours", "people firsts", lines, chatTimed, eachExportTurn(
		"05/03/2024, 10:02 - Messages and calls are end-to-end encrypted. No one outside of this chat, not even "+
			"WhatsApp, can read or listen to them. Tap to learn more.\n", "", func(_ int, s said) string {
			return fmt.Sprintf("%s - %s: %s\n", minuteAt(s.start, "02/01/2006, 15:04"), s.speaker, s.text)
		}), nil},
	{"WhatsApp in German", "people firsts", lines, chatTimed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s - %s: %s\n", minuteAt(s.start, "02.01.06, 15:04"), s.speaker, s.text)
	}), nil},
	{"WhatsApp on iOS with marks", "people firsts", lines, clockTimed,
		eachExportTurn("", "", func(_ int, s said) string {
			return fmt.Sprintf("\u200e[%s] %s: %s\n", stampAt(s.start, "02.01.06, 15:04:05"), s.speaker, s.text)
		}), nil},
	{"WhatsApp on iOS in 12 hours", "people", lines, clockTimed,
		eachExportTurn("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%s] %s: %s\n", stampAt(s.start, "1/2/06, 3:04:05\u202fPM"), s.speaker, s.text)
		}), nil},
	{"WhatsApp with odd names", "odd accounts", lines, chatTimed,
		eachExportTurn("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s - %s: %s\n", minuteAt(s.start, "1/2/06, 15:04"), s.speaker, s.text)
		}), nil},
	{"Telegram, copied", "people firsts", lines, chatTimed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s, [%s]\n%s\n\n", s.speaker, minuteAt(s.start, "02.01.2006 15:04"), s.text)
	}), nil},
	{"Telegram on Android", "people", lines, clockTimed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("[%s] %s: %s\n", stampAt(s.start, "02.01.2006 15:04:05"), s.speaker, s.text)
	}), nil},
	{"Telegram JSON", "people", lines, clockTimed, eachServiceTurn(func(s serviceTurn) object {
		return object{"id": s.index, "type": "message", "date": stampAt(s.start, "2006-01-02T15:04:05"),
			"date_unixtime": fmt.Sprint(corpusBase.Add(s.start).Unix()), "from": s.speaker,
			"from_id": "user1", "text": s.text}
	}, func(list []object) any {
		return object{"name": "Dana", "type": "personal_chat", "id": 1, "messages": list}
	}), nil},
	{"Messenger JSON", "people", lines, clockTimed, func(turns []said) []byte {
		var list []object
		for i := len(turns) - 1; i >= 0; i-- {
			s := turns[i]
			list = append(list, object{"sender_name": s.speaker, "timestamp_ms": corpusBase.Add(s.start).UnixMilli(),
				"content": s.text, "type": "Generic"})
		}
		return encodeJSON(object{"participants": []object{{"name": "Dana"}}, "messages": list, "title": "Dana"})
	}, nil},
	{"Discord, exported", "accounts firsts", lines, chatTimed, eachExportTurn(
		strings.Repeat("=", 62)+"\nGuild: Bakery\nChannel: general / interviews\n"+strings.Repeat("=", 62)+"\n\n",
		"\n"+strings.Repeat("=", 62)+"\nExported 20 message(s)\n"+strings.Repeat("=", 62)+"\n",
		func(_ int, s said) string {
			return fmt.Sprintf("[%s] %s\n%s\n\n", minuteAt(s.start, "02/01/2006 15:04"), s.speaker, s.text)
		}), nil},
	{"Discord, copied", "accounts firsts", lines, chatTimed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s — %s\n%s\n", s.speaker, minuteAt(s.start, "02/01/2006 15:04"), s.text)
	}), nil},
	{"Discord, copied today", "accounts firsts", lines, chatTimed,
		eachExportTurn("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s — Today at %s\n%s\n", s.speaker, minuteAt(s.start, "3:04 PM"), s.text)
		}), nil},
	{"Discord JSON", "accounts firsts", lines, clockTimed, eachServiceTurn(func(s serviceTurn) object {
		return object{"id": "1", "type": "Default", "timestamp": stampAt(s.start, "2006-01-02T15:04:05.000+00:00"),
			"content": s.text, "author": object{"id": "1", "name": s.speaker, "nickname": s.speaker}}
	}, func(list []object) any {
		return object{"guild": object{"name": "Bakery"}, "channel": object{"name": "general"}, "messages": list}
	}), nil},
	{"Slack, copied in 24 hours", "people firsts", lines, chatTimed,
		eachExportTurn("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s\n  %s\n%s\n", s.speaker, minuteAt(s.start, "15:04"), s.text)
		}), nil},
	{"Slack on one line in 24 hours", "people accounts", lines, chatTimed, eachExportTurn("", "",
		func(_ int, s said) string {
			return fmt.Sprintf("%s  %s\n%s\n\n", s.speaker, minuteAt(s.start, "15:04"), s.text)
		}), nil},
	{"Slack on one line", "people accounts", lines, chatTimed,
		eachExportTurn("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s  %s\n%s\n\n", s.speaker, minuteAt(s.start, "3:04 PM"), s.text)
		}), nil},
	{"Teams chat in 24 hours", "people", lines, chatTimed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("[%s] %s\n%s\n\n", minuteAt(s.start, "15:04"), s.speaker, s.text)
	}), nil},
	{"Teams chat with days", "people", lines, chatTimed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("[%s] %s\n%s\n\n", minuteAt(s.start, "02/01/2006 15:04"), s.speaker, s.text)
	}), nil},
	{"chat in 24 hours", "people firsts accounts", oneLiners, chatTimed, eachExportTurn("", "",
		func(_ int, s said) string {
			return fmt.Sprintf("%s %s: %s\n", minuteAt(s.start, "15:04"), s.speaker, s.text)
		}), nil},
	{"chat in brackets in 24 hours", "people firsts accounts", oneLiners, chatTimed, eachExportTurn("", "",
		func(_ int, s said) string {
			return fmt.Sprintf("[%s] %s: %s\n", minuteAt(s.start, "15:04"), s.speaker, s.text)
		}), nil},
	{"chat with names and brackets in 24 hours", "people firsts", oneLiners, chatTimed, eachExportTurn("", "",
		func(_ int, s said) string {
			return fmt.Sprintf("%s [%s]: %s\n", s.speaker, minuteAt(s.start, "15:04"), s.text)
		}), nil},
	{"LINE", "people firsts", oneLiners, chatTimed, eachExportTurn("[LINE] Chat history with Dana\n"+
		"Saved on: 2024/03/05 12:00\n\nTue, 03/05/2024\n", "", func(_ int, s said) string {
		return fmt.Sprintf("%s\t%s\t%s\n", minuteAt(s.start, "15:04"), s.speaker, s.text)
	}), nil},
	{"KakaoTalk", "people firsts", oneLiners, chatTimed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("[%s] [%s] %s\n", s.speaker, minuteAt(s.start, "3:04 PM"), s.text)
	}), nil},
	{"IRC", "accounts firsts", oneLiners, chatTimed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("[%s] <%s> %s\n", minuteAt(s.start, "15:04"), s.speaker, s.text)
	}), nil},
	{"IRC without times", "accounts", oneLiners, untimed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("<%s> %s\n", s.speaker, s.text)
	}), nil},
	{"Skype", "people", oneLiners, clockTimed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("[%s] %s: %s\n", stampAt(s.start, "02/01/2006 15:04:05"), s.speaker, s.text)
	}), nil},
	{"iMessage", "people", lines, clockTimed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s\n%s\n%s\n\n", stampAt(s.start, "Jan 02, 2006  3:04:05 PM"), s.speaker, s.text)
	}), nil},
	{"Signal in Markdown", "people", oneLiners, clockTimed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("[%s] %s: %s  \n", stampAt(s.start, "2006-01-02 15:04:05"), s.speaker, s.text)
	}), nil},
	{"help desk", "roles firsts", oneLiners, clockTimed,
		eachExportTurn("Chat started: 2024-03-05 10:02 AM UTC\n\n", "",
			func(_ int, s said) string {
				return fmt.Sprintf("(%s) %s: %s\n", stampAt(s.start, "03:04:05 PM"), s.speaker, s.text)
			}), nil},
	{"help desk with seconds", "roles", oneLiners, timed, eachExportTurn("", "", func(_ int, s said) string {
		at := int(s.start.Seconds())
		return fmt.Sprintf("( %dm %ds ) %s: %s\n", at/60, at%60, s.speaker, s.text)
	}), nil},
	{"Zoom chat in German", "people", lines, clockTimed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s Von %s an Alle:\n\t%s\n", dayClock(s.start), s.speaker,
			strings.ReplaceAll(s.text, "\n", "\n\t"))
	}), nil},
	{"Zoom chat with dates", "people", lines, clockTimed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s From %s to Everyone:\n\t%s\n", stampAt(s.start, "2006-01-02 15:04:05"), s.speaker,
			strings.ReplaceAll(s.text, "\n", "\n\t"))
	}), nil},
	{"Zoom chat to one person", "people", lines, clockTimed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s From %s to Ben Ali(Direct Message):\n\t%s\n", dayClock(s.start), s.speaker,
			strings.ReplaceAll(s.text, "\n", "\n\t"))
	}), nil},
	{"WeChat", "firsts people", lines, clockTimed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s  %s\n%s\n\n", s.speaker, stampAt(s.start, "2006-01-02 15:04:05"), s.text)
	}), nil},
}
