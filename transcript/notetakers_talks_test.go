package transcript_test

import (
	"fmt"
	"strings"
	"time"
)

// notetakerTalks returns the styles of tools that record meetings.
func notetakerTalks() []talkStyle {
	return []talkStyle{
		{"otter", "en-clinic en-panel fr-boulangerie", nil, time.Second,
			amidAsides("", "Transcribed by https://otter.ai\n", func(_ int, s said) string {
				return fmt.Sprintf("%s  %s  \n%s\n\n", s.speaker, short(s.start), s.text)
			})},
		{"otter, with keywords", "en-invoices en-founder de-werkstatt", nil, time.Second,
			amidAsides("Customer call 12\nTue, Mar 05, 2024 10:02AM • 3:41\n\nSUMMARY KEYWORDS\nexcel, paper, months,"+
				" system, morning\n\nSPEAKERS\n"+"Speaker 1, Speaker 2\n\n", "", func(_ int, s said) string {
				return fmt.Sprintf("%s\n\n%s\n%s\n\n", s.speaker, mmss(s.start), s.text)
			})},
		{"otter, unknown speakers", "en-clinic es-tienda it-agriturismo",
			[]string{"Unknown Speaker", "Speaker 1"}, time.Second,
			amidAsides("", "", func(_ int, s said) string {
				return fmt.Sprintf("%s  %s\n%s\n\n", s.speaker, short(s.start), s.text)
			})},
		{"fathom, copied", "en-clinic en-invoices en-panel", nil, time.Second,
			amidAsides("Discovery call - March 05\nVIEW RECORDING - 31 mins (No highlights): "+
				"https://fathom.video/calls/221272945\n\n---\n\n", "", func(_ int, s said) string {
				return fmt.Sprintf("%s - %s\n  %s\n\n", short(s.start), s.speaker, s.text)
			})},
		{"fathom, with companies and action items", "en-invoices en-clinic nl-fietsen", nil,
			time.Second, fathomItems},
		{"fireflies, document", "en-clinic pt-entregas en-panel", nil, time.Second,
			amidAsides("Customer interview\nMar 05, 2024, 10:02 AM\n31 mins\n\n", "",
				func(_ int, s said) string {
					return fmt.Sprintf("%s - %s\n%s\n\n", s.speaker, mmss(s.start), s.text)
				})},
		{"fireflies, numbered speakers", "en-founder sv-skola ko-hakwon",
			[]string{"Speaker 1", "Speaker 2"}, time.Second, amidAsides("", "", func(_ int, s said) string {
				return fmt.Sprintf("%s\n%s: %s\n\n", mmss(s.start), s.speaker, s.text)
			})},
		{"tl;dv", "en-clinic es-tienda fr-boulangerie", nil, time.Second,
			amidAsides("Customer interview\n\nTranscript\n\n", "", func(_ int, s said) string {
				return fmt.Sprintf("[%s] %s:  %s\n\n", mmss(s.start), s.speaker, s.text)
			})},
		{"tl;dv, notes before", "en-invoices en-panel de-werkstatt", nil, time.Second,
			amidAsides("# Customer interview\n\n*Date: 5 March 2024*\n\n## Notes\n\n### Pain points\n\n"+
				"- Retypes everything ([01:20](https://tldv.io/app/meetings/65e6/?t=80))\n"+
				"- Trusts paper more than software ([02:05](https://tldv.io/app/meetings/65e6/?t=125))\n\n"+
				"## Transcript\n\n", "",
				func(_ int, s said) string {
					return fmt.Sprintf("**%s** [%s](https://tldv.io/app/meetings/65e6/?t=%d)\n%s\n\n",
						s.speaker, mmss(s.start), int(s.start.Seconds()), s.text)
				})},
		{"grain", "en-clinic en-founder it-agriturismo", nil, 0,
			amidAsides("Customer interview\nMarch 5, 2024 · 31 min\n\n", "", func(_ int, s said) string {
				return fmt.Sprintf("%s: %s\n\n", s.speaker, s.text)
			})},
		{"gong", "en-invoices en-clinic fr-boulangerie", nil, time.Second,
			amidAsides("Call with Elmroad\n\nRecorded on Mar 5, 2024 via Zoom, 31m\n\nParticipants\n\nElmroad\n"+
				"  Tom, Receptionist\n\nOurs\n  Priya, Researcher\n\nTranscript\n\n", "",
				func(_ int, s said) string {
					return fmt.Sprintf("%s | %s\n%s\n\n", short(s.start), s.speaker, s.text)
				})},
		{"dovetail", "en-clinic pl-apteka en-panel", nil, time.Second,
			amidAsides("", "", func(_ int, s said) string {
				return fmt.Sprintf("%s\n%s\n%s\n\n", s.speaker, clockS(s.start), s.text)
			})},
		{"condens", "en-invoices tr-kafe de-werkstatt", []string{"Speaker 1", "Speaker 2"}, time.Second,
			amidAsides("", "", func(_ int, s said) string {
				return fmt.Sprintf("%s [%s]\n%s\n\n", s.speaker, clockS(s.start), s.text)
			})},
		{"looppanel", "en-founder en-clinic es-tienda", []string{"Interviewer", "Participant 4"}, time.Second,
			amidAsides("Interview with P4\n", "", func(_ int, s said) string {
				return fmt.Sprintf("%s %s\n%s\n", s.speaker, mmss(s.start), s.text)
			})},
		{"riverside", "en-clinic en-panel pt-entregas", nil, time.Second,
			amidAsides("", "", func(_ int, s said) string {
				return fmt.Sprintf("%s (%s)\n%s\n\n", s.speaker, mmss(s.start), s.text)
			})},
		{"notta", "en-invoices ja-ryokan zh-huadian", []string{"Speaker 1", "Speaker 2"}, time.Second,
			amidAsides("Customer interview\n2024/03/05 10:02\n\n", "", func(_ int, s said) string {
				return fmt.Sprintf("%s  %s\n%s\n\n", s.speaker, mmss(s.start), s.text)
			})},
		{"notion meeting notes", "en-clinic en-founder nl-fietsen", nil, 0,
			amidAsides("# Interview @March 5, 2024 10:02 AM\n\n### Summary\n\n"+
				"The participant still works on paper.\n\n### Action Items\n\n- [ ] Send the consent form\n"+
				"- [ ] Book a second call\n\n### Transcript\n\n", "",
				func(_ int, s said) string { return fmt.Sprintf("**%s:** %s\n\n", s.speaker, s.text) })},
		{"granola", "en-founder en-clinic en-invoices", []string{"Me", "Them"}, 0,
			amidAsides("Meeting Title: Discovery call\nDate: Mar 5\n"+
				"Meeting participants: Priya Raman, Tom O'Brien\n\nTranscript:\n \n", "",
				func(_ int, s said) string { return fmt.Sprintf("%s: %s  \n", s.speaker, s.text) })},
		{"granola, markdown with notes", "en-clinic de-werkstatt it-agriturismo", []string{"Me", "Them"}, 0,
			amidAsides("---\ntitle: Discovery call\ncreated: 2024-03-05T10:02:15Z\nattendees:\n  - Priya Raman\n"+
				"---\n\n# Discovery call\n\n### Workflow\n\n- Paper first\n- Then retyped in the evening\n\n"+
				"### Next steps\n\n- Send prototype link\n\n---\n\n## Transcript\n\n", "",
				func(_ int, s said) string { return fmt.Sprintf("**%s:** %s\n\n", s.speaker, s.text) })},
		{"gemini notes and transcript", "en-clinic en-panel es-tienda", nil, 0, geminiNotes},
		{"meet, document as text", "en-invoices fr-boulangerie en-panel", nil, 0,
			amidAsides("Discovery call (2024-03-05 10:02 GMT) - Transcript\n\nAttendees\n\n"+
				"Maya Lindqvist, Jorge de la Cruz\n\n"+
				"Transcript\n\n", "\n\nMeeting ended after 00:31:12 👋\n\n"+
				"This editable transcript was computer generated and might contain errors. People can also change the "+
				"text after it was created.\n",
				func(_ int, s said) string { return fmt.Sprintf("%s: %s\n", s.speaker, s.text) })},
		{"tactiq", "en-clinic en-founder en-panel", nil, time.Second,
			amidAsides("Discovery call\n\nMeeting started: 05/03/2024, 10:02:15\nDuration: 31 minutes\n"+
				"Participants: Priya Raman, Tom O'Brien\n\nView original transcript at Tactiq\n\nTranscript\n", "",
				func(_ int, s said) string { return fmt.Sprintf("%s %s: %s\n", mmss(s.start), s.speaker, s.text) })},
		{"read.ai", "en-invoices tr-kafe en-clinic", nil, time.Second,
			amidAsides("", "", func(_ int, s said) string {
				return fmt.Sprintf("%s %s - %s\n%s\n\n", s.speaker, mmss(s.start), mmss(s.end), s.text)
			})},
		{"krisp", "en-clinic pl-apteka sv-skola", nil, time.Second,
			amidAsides("Transcript\n\n", "", func(_ int, s said) string {
				return fmt.Sprintf("%s | %s\n%s\n\n", s.speaker, mmss(s.start), s.text)
			})},
		{"fellow", "en-founder en-panel it-agriturismo", nil, time.Second,
			amidAsides("", "", func(_ int, s said) string {
				return fmt.Sprintf("%s (%s): %s\n\n", s.speaker, short(s.start), s.text)
			})},
		{"teams, document as text", "en-clinic en-panel nl-fietsen", nil, time.Second,
			amidAsides("Discovery call-20240305_100215-Meeting Transcript\nMarch 5, 2024, 10:02AM\n31m 42s\n\n"+
				"Priya Raman started transcription\n\n", "\nPriya Raman stopped transcription\n",
				func(_ int, s said) string {
					return fmt.Sprintf("%s   %s\n%s\n\n", s.speaker, short(s.start), s.text)
				})},
		{"teams, document", "en-clinic fr-boulangerie en-panel", nil, time.Second, teamsDocument},
		{"teams, old document", "en-invoices de-werkstatt en-panel", nil, time.Second, teamsOldDocument},
		{"teams, copied from the page", "en-clinic en-panel de-werkstatt", nil, time.Second, teamsPage},
		{"voice recorder of a phone", "en-clinic pt-entregas ko-hakwon",
			[]string{"Speaker 1", "Speaker 2"}, time.Second, amidAsides("", "", func(_ int, s said) string {
				return fmt.Sprintf("%s\n%s\n%s\n\n", s.speaker, mmss(s.start), s.text)
			})},
		{"word, transcribe", "en-founder ru-salon it-agriturismo", []string{"Speaker 1", "Speaker 2"}, time.Second,
			amidAsides("Audio file\nInterview 7.m4a\n\nTranscript\n", "", func(_ int, s said) string {
				return fmt.Sprintf("%s %s\n%s\n", clockS(s.start), s.speaker, s.text)
			})},
		{"airgram", "en-panel es-tienda en-invoices", nil, time.Second,
			amidAsides("Discovery call\nDate: Mar 5, 2024\nDuration: 31 min\n\n", "",
				func(_ int, s said) string {
					return fmt.Sprintf("%s %s\n%s\n\n", s.speaker, mmss(s.start), s.text)
				})},
		{"summary after the transcript", "en-clinic de-werkstatt en-founder", nil, time.Second,
			amidAsides("", "Summary\n\nThe participant works on paper and retypes everything in the evening.\n\n"+
				"Action items\n"+
				"- Send the consent form\n- Book a second call\n", func(_ int, s said) string {
				return fmt.Sprintf("[%s] %s: %s\n\n", mmss(s.start), s.speaker, s.text)
			})},
	}
}

func fathomItems(f *file) {
	f.aside("Discovery call - March 05\nVIEW RECORDING - 31 mins (No highlights): " +
		"https://fathom.video/calls/2212\n\n---\n\n")
	for i, s := range f.turns {
		f.raw("%s - %s (Elmroad Ltd)\n  %s\n", short(s.start), s.speaker, s.text)
		f.said(s, s.speaker+" (Elmroad Ltd)")
		if i == 5 {
			f.aside("  ACTION ITEM: Send the report by Friday - " +
				"WATCH: https://fathom.video/calls/2212?timestamp=80.1\n")
		}
		f.raw("\n")
	}
}

func geminiNotes(f *file) {
	f.aside("📝 Notes\n\nMar 5, 2024\n\nDiscovery call\n\nInvited Priya Raman Tom O'Brien\n\n" +
		"Attachments Discovery call\n\n" +
		"Meeting records Transcript Recording\n\nSummary\n\nThe participant described a typical day and the " +
		"problems of working on paper.\n\nDetails\n\n* Typical day: The participant starts early and works by " +
		"phone until noon (00:00:40).\n* Portal: A portal exists, but few people use it (00:02:10).\n\n" +
		"Suggested next steps\n\n* Priya Raman will send the consent form.\n\n" +
		"You should review Gemini's notes to make sure they're accurate. Get tips and learn how Gemini takes " +
		"notes\n\n📖 Transcript\n\nMar 5, 2024\n\nDiscovery call - Transcript\n\n")
	for i, s := range f.turns {
		if i%5 == 0 {
			f.raw("%s\n\n", clockS(s.start))
		}
		f.raw("%s: %s\n", s.speaker, s.text)
		f.saidSometime(s)
		if i%5 == 4 {
			f.raw("\n\n")
		}
	}
	f.aside("\n\nTranscription ended after 00:31:12\n\nThis editable transcript was computer generated and " +
		"might contain errors. People can also change the text after it was created.\n")
}

func teamsDocument(f *file) {
	head := []string{"Discovery call-20240305_100215-Meeting Transcript", "March 5, 2024, 10:02AM", "31m 42s"}
	f.aside(strings.Join(head, " ") + " Priya Raman started transcription")
	paragraphs := append(head, "", "Priya Raman started transcription", "")
	for _, s := range f.turns {
		paragraphs = append(paragraphs, fmt.Sprintf("**%s**   %s\n%s", s.speaker, short(s.start), s.text), "")
		f.said(s)
	}
	f.aside("Priya Raman stopped transcription")
	f.data = markedDocx(append(paragraphs, "Priya Raman stopped transcription")...)
}

func teamsOldDocument(f *file) {
	var paragraphs []string
	for _, s := range f.turns {
		d, e := s.start, s.end
		paragraphs = append(paragraphs, fmt.Sprintf("0:%d:%d.%d --> 0:%d:%d.%d\n%s\n%s",
			int(d.Minutes()), int(d.Seconds())%60, d.Milliseconds()%1000/10*10,
			int(e.Minutes()), int(e.Seconds())%60, e.Milliseconds()%1000/10*10, s.speaker, s.text))
		f.said(s)
	}
	f.data = markedDocx(paragraphs...)
}

func teamsPage(f *file) {
	f.aside("Transcript\nMarch 5, 2024, 10:02AM\n")
	for _, s := range f.turns {
		spoken := inWords(s.start, " ")
		f.raw("%s\n%s\n%s\n%s %s\n%s\n", s.speaker, spoken, short(s.start), s.speaker, spoken, s.text)
		f.said(s)
	}
}
