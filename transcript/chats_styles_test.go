package transcript_test

import (
	"fmt"
	"strings"
	"time"
)

// chatStyles are exports of chats, and what people copy out of their windows.
var chatStyles = styles{
	bakery: []style{
		{"WhatsApp on iOS", "", lines, clockTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%s] %s: %s\n",
				stampAt(s.start, "02/01/2006, 15:04:05"), s.speaker, s.text)
		}), nil},
		{"WhatsApp on Android", "", lines, minuteTimed, between("", "", func(_ int, s said) string {
			at := meetingDay.Add(s.start.Truncate(time.Second) * 60).Format("1/2/06, 3:04 PM")
			return fmt.Sprintf("%s - %s: %s\n", at, s.speaker, s.text)
		}), nil},
		{"Slack", "", lines, minuteTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s  [%s]\n%s\n\n", s.speaker, minuteOf(s.start), s.text)
		}), nil},
		{"Slack without brackets", "", lines, minuteTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s\n  %s\n%s\n\n", s.speaker, minuteOf(s.start), s.text)
		}), nil},
		{"Zoom chat", "", lines, clockTimed, between("", "", func(_ int, s said) string {
			at := stampAt(s.start, "15:04:05")
			return fmt.Sprintf("%s From %s to Everyone:\n\t%s\n", at, s.speaker,
				strings.ReplaceAll(s.text, "\n", "\n\t"))
		}), nil},
		{"Zoom chat on one line", "", lines, clockTimed, between("", "", func(_ int, s said) string {
			at := stampAt(s.start, "15:04:05")
			return fmt.Sprintf("%s\t From  %s : %s\n", at, s.speaker, s.text)
		}), nil},
		{"Teams chat", "", lines, minuteTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%s] %s\n%s\n\n", minuteOf(s.start), s.speaker, s.text)
		}), nil},
	},
	stories: []style{
		{"WhatsApp on Android in 24 hours", "people firsts", lines, chatTimed, between(
			"05/03/2024, 10:02 - Messages and calls are end-to-end encrypted. No one outside of this chat, not even "+
				"WhatsApp, can read or listen to them. Tap to learn more.\n", "", func(_ int, s said) string {
				return fmt.Sprintf("%s - %s: %s\n", minuteAt(s.start, "02/01/2006, 15:04"), s.speaker, s.text)
			}), nil},
		{"WhatsApp in German", "people firsts", lines, chatTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s - %s: %s\n", minuteAt(s.start, "02.01.06, 15:04"), s.speaker, s.text)
		}), nil},
		{"WhatsApp on iOS with marks", "people firsts", lines, clockTimed,
			between("", "", func(_ int, s said) string {
				return fmt.Sprintf("\u200e[%s] %s: %s\n", stampAt(s.start, "02.01.06, 15:04:05"), s.speaker, s.text)
			}), nil},
		{"WhatsApp on iOS in 12 hours", "people", lines, clockTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%s] %s: %s\n", stampAt(s.start, "1/2/06, 3:04:05\u202fPM"), s.speaker, s.text)
		}), nil},
		{"WhatsApp with odd names", "odd accounts", lines, chatTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s - %s: %s\n", minuteAt(s.start, "1/2/06, 15:04"), s.speaker, s.text)
		}), nil},
		{"Telegram, copied", "people firsts", lines, chatTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s, [%s]\n%s\n\n", s.speaker, minuteAt(s.start, "02.01.2006 15:04"), s.text)
		}), nil},
		{"Telegram on Android", "people", lines, clockTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%s] %s: %s\n", stampAt(s.start, "02.01.2006 15:04:05"), s.speaker, s.text)
		}), nil},
		{"Telegram JSON", "people", lines, clockTimed, eachServiceTurn(func(s serviceTurn) object {
			return object{"id": s.index, "type": "message", "date": stampAt(s.start, "2006-01-02T15:04:05"),
				"date_unixtime": fmt.Sprint(meetingDay.Add(s.start).Unix()), "from": s.speaker,
				"from_id": "user1", "text": s.text}
		}, func(list []object) any {
			return object{"name": "Dana", "type": "personal_chat", "id": 1, "messages": list}
		}), nil},
		{"Messenger JSON", "people", lines, clockTimed, func(turns []said) []byte {
			var list []object
			for i := len(turns) - 1; i >= 0; i-- {
				s := turns[i]
				list = append(list, object{"sender_name": s.speaker, "timestamp_ms": meetingDay.Add(s.start).UnixMilli(),
					"content": s.text, "type": "Generic"})
			}
			return encodeJSON(object{"participants": []object{{"name": "Dana"}}, "messages": list, "title": "Dana"})
		}, nil},
		{"Discord, exported", "accounts firsts", lines, chatTimed, between(
			strings.Repeat("=", 62)+"\nGuild: Bakery\nChannel: general / interviews\n"+strings.Repeat("=", 62)+"\n\n",
			"\n"+strings.Repeat("=", 62)+"\nExported 20 message(s)\n"+strings.Repeat("=", 62)+"\n",
			func(_ int, s said) string {
				return fmt.Sprintf("[%s] %s\n%s\n\n", minuteAt(s.start, "02/01/2006 15:04"), s.speaker, s.text)
			}), nil},
		{"Discord, copied", "accounts firsts", lines, chatTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s — %s\n%s\n", s.speaker, minuteAt(s.start, "02/01/2006 15:04"), s.text)
		}), nil},
		{"Discord, copied today", "accounts firsts", lines, chatTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s — Today at %s\n%s\n", s.speaker, minuteAt(s.start, "3:04 PM"), s.text)
		}), nil},
		{"Discord JSON", "accounts firsts", lines, clockTimed, eachServiceTurn(func(s serviceTurn) object {
			return object{"id": "1", "type": "Default", "timestamp": stampAt(s.start, "2006-01-02T15:04:05.000+00:00"),
				"content": s.text, "author": object{"id": "1", "name": s.speaker, "nickname": s.speaker}}
		}, func(list []object) any {
			return object{"guild": object{"name": "Bakery"}, "channel": object{"name": "general"}, "messages": list}
		}), nil},
		{"Slack, copied in 24 hours", "people firsts", lines, chatTimed,
			between("", "", func(_ int, s said) string {
				return fmt.Sprintf("%s\n  %s\n%s\n", s.speaker, minuteAt(s.start, "15:04"), s.text)
			}), nil},
		{"Slack on one line in 24 hours", "people accounts", lines, chatTimed, between("", "",
			func(_ int, s said) string {
				return fmt.Sprintf("%s  %s\n%s\n\n", s.speaker, minuteAt(s.start, "15:04"), s.text)
			}), nil},
		{"Slack on one line", "people accounts", lines, chatTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s  %s\n%s\n\n", s.speaker, minuteAt(s.start, "3:04 PM"), s.text)
		}), nil},
		{"Teams chat in 24 hours", "people", lines, chatTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%s] %s\n%s\n\n", minuteAt(s.start, "15:04"), s.speaker, s.text)
		}), nil},
		{"Teams chat with days", "people", lines, chatTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%s] %s\n%s\n\n", minuteAt(s.start, "02/01/2006 15:04"), s.speaker, s.text)
		}), nil},
		{"chat in 24 hours", "people firsts accounts", oneLiners, chatTimed, between("", "",
			func(_ int, s said) string {
				return fmt.Sprintf("%s %s: %s\n", minuteAt(s.start, "15:04"), s.speaker, s.text)
			}), nil},
		{"chat in brackets in 24 hours", "people firsts accounts", oneLiners, chatTimed, between("", "",
			func(_ int, s said) string {
				return fmt.Sprintf("[%s] %s: %s\n", minuteAt(s.start, "15:04"), s.speaker, s.text)
			}), nil},
		{"chat with names and brackets in 24 hours", "people firsts", oneLiners, chatTimed, between("", "",
			func(_ int, s said) string {
				return fmt.Sprintf("%s [%s]: %s\n", s.speaker, minuteAt(s.start, "15:04"), s.text)
			}), nil},
		{"LINE", "people firsts", oneLiners, chatTimed, between("[LINE] Chat history with Dana\n"+
			"Saved on: 2024/03/05 12:00\n\nTue, 03/05/2024\n", "", func(_ int, s said) string {
			return fmt.Sprintf("%s\t%s\t%s\n", minuteAt(s.start, "15:04"), s.speaker, s.text)
		}), nil},
		{"KakaoTalk", "people firsts", oneLiners, chatTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%s] [%s] %s\n", s.speaker, minuteAt(s.start, "3:04 PM"), s.text)
		}), nil},
		{"IRC", "accounts firsts", oneLiners, chatTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%s] <%s> %s\n", minuteAt(s.start, "15:04"), s.speaker, s.text)
		}), nil},
		{"IRC without times", "accounts", oneLiners, untimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("<%s> %s\n", s.speaker, s.text)
		}), nil},
		{"Skype", "people", oneLiners, clockTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%s] %s: %s\n", stampAt(s.start, "02/01/2006 15:04:05"), s.speaker, s.text)
		}), nil},
		{"iMessage", "people", lines, clockTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s\n%s\n%s\n\n", stampAt(s.start, "Jan 02, 2006  3:04:05 PM"), s.speaker, s.text)
		}), nil},
		{"Signal in Markdown", "people", oneLiners, clockTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%s] %s: %s  \n", stampAt(s.start, "2006-01-02 15:04:05"), s.speaker, s.text)
		}), nil},
		{"help desk", "roles firsts", oneLiners, clockTimed, between("Chat started: 2024-03-05 10:02 AM UTC\n\n",
			"",
			func(_ int, s said) string {
				return fmt.Sprintf("(%s) %s: %s\n", stampAt(s.start, "03:04:05 PM"), s.speaker, s.text)
			}), nil},
		{"help desk with seconds", "roles", oneLiners, timed, between("", "", func(_ int, s said) string {
			at := int(s.start.Seconds())
			return fmt.Sprintf("( %dm %ds ) %s: %s\n", at/60, at%60, s.speaker, s.text)
		}), nil},
		{"Zoom chat in German", "people", lines, clockTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s Von %s an Alle:\n\t%s\n", dayClock(s.start), s.speaker,
				strings.ReplaceAll(s.text, "\n", "\n\t"))
		}), nil},
		{"Zoom chat with dates", "people", lines, clockTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s From %s to Everyone:\n\t%s\n", stampAt(s.start, "2006-01-02 15:04:05"), s.speaker,
				strings.ReplaceAll(s.text, "\n", "\n\t"))
		}), nil},
		{"Zoom chat to one person", "people", lines, clockTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s From %s to Ben Ali(Direct Message):\n\t%s\n", dayClock(s.start), s.speaker,
				strings.ReplaceAll(s.text, "\n", "\n\t"))
		}), nil},
		{"WeChat", "firsts people", lines, clockTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s  %s\n%s\n\n", s.speaker, stampAt(s.start, "2006-01-02 15:04:05"), s.text)
		}), nil},
	},
	ward: []style{
		{"Intercom", "people", oneLiners, chatTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s | %s: %s\n", minuteAt(s.start, "03:04 PM"), s.speaker, s.text)
		}), nil},
		{"WeChat, copied", "people accounts", oneLiners, clockTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s %s\n%s\n\n", s.speaker, stampAt(s.start, "2006-01-02 15:04:05"), s.text)
		}), nil},
		{"QQ", "accounts people", oneLiners, clockTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s %s\n%s\n\n", stampAt(s.start, "2006-01-02 15:04:05"), s.speaker, s.text)
		}), nil},
		{"Viber", "people", oneLiners, clockTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%s] %s: %s\n", stampAt(s.start, "02.01.2006 15:04:05"), s.speaker, s.text)
		}), nil},
		{"WhatsApp in Swedish", "people firsts", lines, chatTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s - %s: %s\n", minuteAt(s.start, "2006-01-02 15:04"), s.speaker, s.text)
		}), nil},
		{"Teams chat with names and dates", "people guests", oneLiners, chatTimed, between("", "",
			func(_ int, s said) string {
				return fmt.Sprintf("%s   %s\n%s\n\n", s.speaker, minuteAt(s.start, "1/2/2006 3:04 PM"), s.text)
			}), nil},
		{"Mattermost", "accounts", oneLiners, chatTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s %s\n%s\n\n", s.speaker, minuteAt(s.start, "3:04 PM"), s.text)
		}), nil},
		{"log of a bot", "accounts firsts", oneLiners, clockTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s | %s | %s\n", stampAt(s.start, "2006-01-02T15:04:05Z"), s.speaker, s.text)
		}), nil},
		{"angle brackets with times", "accounts", oneLiners, dayTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("(%s) <%s> %s\n", stampAt(s.start, "15:04:05"), s.speaker, s.text)
		}), nil},
	},
	wardRare: []style{
		{"Discord with roles", "accounts", oneLiners, chatTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s [MOD] — %s\n%s\n\n", s.speaker, minuteAt(s.start, "01/02/2006 3:04 PM"), s.text)
		}), func(label string, _ int) string { return label + " [MOD]" }},
		{"chat with dates in words", "people", oneLiners, chatTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%s] %s: %s\n", minuteAt(s.start, "Jan 2, 2006, 3:04 PM"), s.speaker, s.text)
		}), nil},
	},
	clinic: []style{
		{"Google Chat, copied", "people", oneLiners, chatTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s, %s\n%s\n\n", s.speaker, minuteAt(s.start, "3:04 PM"), s.text)
		}), nil},
		{"Webex chat", "people", oneLiners, chatTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s  %s\n%s\n\n", s.speaker, minuteAt(s.start, "1/2/06, 3:04 PM"), s.text)
		}), nil},
		{"help desk", "firsts roles", oneLiners, clockTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("(%s) %s: %s\n", stampAt(s.start, "3:04:05 PM"), s.speaker, s.text)
		}), nil},
	},
	desk: []style{
		{"WhatsApp on iOS", "people firsts", lines, clockTimed,
			between("[05.03.24, 10:01:12] Maya: \u200eMessages and calls are end-to-end encrypted. "+
				"Only people in this chat can read, listen to, or share them.\n", "",
				func(_ int, s said) string {
					return fmt.Sprintf("[%s] %s: %s\n", stampAt(s.start, "02.01.06, 15:04:05"), s.speaker, s.text)
				}), nil},
		{"WhatsApp on Android in Spanish", "people", lines, chatTimed, func(turns []said) []byte {
			return between(minuteAt(turns[0].start, "2/1/06, 15:04")+
				" - Los mensajes y las llamadas están cifrados de extremo a extremo.\n", "", func(_ int, s said) string {
				return fmt.Sprintf("%s - %s: %s\n", minuteAt(s.start, "2/1/06, 15:04"), s.speaker, s.text)
			})(turns)
		}, nil},
		{"WhatsApp with phone numbers", "guests", lines, chatTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s - %s: %s\n", minuteAt(s.start, "1/2/06, 3:04\u202fPM"), s.speaker, s.text)
		}), nil},
		{"Telegram, copied", "people firsts", lines, chatTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s, [%s]\n%s\n\n", s.speaker, minuteAt(s.start, "Jan 2, 2006 at 15:04"), s.text)
		}), nil},
		{"Signal", "people firsts", oneLiners, chatTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%s] %s: %s\n", minuteAt(s.start, "2006-01-02 15:04"), s.speaker, s.text)
		}), nil},
		{"Slack, copied", "people firsts", oneLiners, chatTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s\n  %s\n%s\n", s.speaker, minuteAt(s.start, "3:04 PM"), s.text)
		}), nil},
		{"Slack, copied in Firefox", "people firsts", oneLiners, chatTimed,
			between("", "", func(_ int, s said) string {
				return fmt.Sprintf("%s  [%s]\n%s\n\n", s.speaker, minuteAt(s.start, "3:04 PM"), s.text)
			}), nil},
		{"Discord, copied", "firsts people", oneLiners, chatTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s — %s\n%s\n", s.speaker, minuteAt(s.start, "02.01.2006 15:04"), s.text)
		}), nil},
		{"Teams chat, copied", "people", oneLiners, chatTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s\n%s\n%s\n\n", s.speaker, minuteAt(s.start, "02/01/2006 15:04"), s.text)
		}), nil},
		{"WeChat, copied", "people", oneLiners, untimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s:\n%s\n\n", s.speaker, s.text)
		}), nil},
		{"KakaoTalk", "people", oneLiners, chatTimed, between("박준영 님과 카카오톡 대화\n저장한 날짜 : 2024-03-05 12:00:00\n\n"+
			"--------------- 2024년 3월 5일 화요일 ---------------\n", "", func(_ int, s said) string {
			at := meetingDay.Add(s.start * chatSlowness)
			half := "오전"
			if at.Hour() >= 12 {
				half = "오후"
			}
			return fmt.Sprintf("[%s] [%s %s] %s\n", s.speaker, half, at.Format("3:04"), s.text)
		}), nil},
		{"Zoom chat with tabs", "people guests", oneLiners, clockTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s\t From  %s : %s\r\n", dayClock(s.start), s.speaker, s.text)
		}), nil},
		{"Zoom chat to everyone", "people guests", oneLiners, clockTimed,
			between("", "", func(_ int, s said) string {
				return fmt.Sprintf("%s From %s to Everyone:\r\n\t%s\r\n", dayClock(s.start), s.speaker, s.text)
			}), nil},
	},
}

// chatTalks returns the styles of chats. People write one message each forty seconds.
func chatTalks() []talkStyle {
	return []talkStyle{
		{"whatsapp, iphone", "en-invoices es-tienda it-agriturismo", nil, time.Second, chat(
			"[05/03/2024, 10:02:00] %[1]s: \u200eMessages and calls are end-to-end encrypted.\n",
			"[05/03/2024, %[2]s] %[1]s: %[4]s\n")},
		{"whatsapp, android", "en-clinic pt-entregas de-werkstatt", nil, time.Minute, chat(
			"05/03/2024, 10:02 - Messages and calls are end-to-end encrypted. No one outside of this chat can read "+
				"them.\n",
			"05/03/2024, %[3]s - %[1]s: %[4]s\n")},
		{"telegram, copied", "en-founder ru-salon", []string{"Sofia K.", "Светлана"}, time.Second, chat(
			"", "%[1]s, [05.03.2024 %[2]s]\n%[4]s\n\n")},
		{"zoom chat, saved", "en-clinic en-panel", nil, time.Second,
			chat("", "%[2]s\t From %[1]s to Everyone : %[4]s\n")},
		{"slack, copied", "en-clinic en-panel en-invoices", nil, time.Minute,
			chat("", "%[1]s\n  %[5]s\n%[4]s\n\n")},
		{"linkedin messages", "en-founder en-invoices", []string{"Sofia Kern", "Rahul Verma"}, time.Minute, chat(
			"TUESDAY\n", "%[1]s sent the following message at %[5]s\nView %[1]s’s profile\n%[1]s  %[5]s\n%[4]s\n\n")},
		{"discord, copied", "en-invoices en-clinic", []string{"maya", "jorge_dlc"}, time.Minute, chat(
			"", "%[1]s — 03/05/2024 %[5]s\n%[4]s\n")},
		{"signal, exported", "en-clinic nl-fietsen", nil, time.Minute,
			chat("", "[2024-03-05 %[3]s] %[1]s: %[4]s\n")},
		{"chat of a help desk", "en-invoices en-clinic", []string{"Agent Maya", "Visitor 5512"}, time.Second, chat(
			"Chat started: 5 March 2024, 10:02\n\n", "(%[2]s) %[1]s: %[4]s\n")},
	}
}

// chat writes messages at times of day: the name, the time with and without seconds, the message, and the
// time in twelve hours.
func chat(head, line string) func(*file) {
	return func(f *file) {
		if head != "" {
			if strings.Contains(head, "%") {
				head = fmt.Sprintf(head, f.turns[0].speaker)
				f.loose(head)
			} else {
				f.aside(head)
			}
		}
		for i, s := range f.turns {
			at := time.Duration(i) * 40 * time.Second
			if f.grain == time.Minute {
				at = at.Truncate(time.Minute)
			}
			day := meetingDay.Add(at)
			text := fmt.Sprintf(line, s.speaker, day.Format("15:04:05"), day.Format("15:04"), s.text,
				day.Format("3:04 PM"))
			f.text.WriteString(text)
			s.start = at
			f.said(s)
		}
	}
}
