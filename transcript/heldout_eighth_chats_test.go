package transcript_test

import (
	"fmt"
	"strings"
	"time"
)

// eighthChats returns the styles of chats. People write one message each forty seconds.
func eighthChats() []eighthStyle {
	return []eighthStyle{
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
func chat(head, line string) func(*eighthFile) {
	return func(f *eighthFile) {
		if head != "" {
			if strings.Contains(head, "%") {
				head = fmt.Sprintf(head, f.turns[0].speaker)
				f.text.WriteString(head)
				f.want = append(f.want, eighthTurn{speaker: f.turns[0].speaker, at: anyTime, aside: true, loose: true,
					text: head})
			} else {
				f.aside(head)
			}
		}
		start := time.Date(2024, 3, 5, 10, 2, 0, 0, time.UTC)
		for i, s := range f.turns {
			at := time.Duration(i) * 40 * time.Second
			if f.grain == time.Minute {
				at = at.Truncate(time.Minute)
			}
			day := start.Add(at)
			text := fmt.Sprintf(line, s.speaker, day.Format("15:04:05"), day.Format("15:04"), s.text,
				day.Format("3:04 PM"))
			f.text.WriteString(text)
			s.at = eighthTime(at)
			f.said(s)
		}
	}
}
