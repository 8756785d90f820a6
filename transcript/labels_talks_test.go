package transcript_test

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"
)

// labelTalks returns the styles of people who type.
func labelTalks() []talkStyle {
	ir, qa := []string{"I", "R"}, []string{"Q", "A"}
	roles := []string{"INTERVIEWER", "P07"}
	return []talkStyle{
		{"questions and answers", "en-clinic en-founder en-invoices", qa, 0, labelled("", "", ": ")},
		{"capitals and a number", "en-clinic en-invoices en-founder", roles, 0, labelled("", "", ": ")},
		{"german letters", "de-werkstatt en-clinic", []string{"I.", "B."}, 0,
			func(f *file) {
				for _, s := range f.turns {
					f.raw("%s: %s\n\n", s.speaker, s.text)
					f.said(s, strings.TrimSuffix(s.speaker, "."))
				}
			}},
		{"fields before", "en-clinic de-werkstatt it-agriturismo", ir, 0,
			labelled("Interview 7\nDate: 3 March 2024\nTime: "+
				"10:00 – 10:45\nLocation: Elmroad practice, back office\nInterviewer: Priya\n"+
				"Respondent: receptionist, f, 34\nRecording: interview7.m4a\n\n", "", ": ")},
		{"german fields before", "de-werkstatt nl-fietsen", []string{"I", "B"}, 0, labelled("Interview 4\n"+
			"Datum: 05.03.2024\nOrt: Werkstatt, Bremen\nDauer: 38:12 min\nInterviewerin: K. von Holt (I)\n"+
			"Befragter: B4 (B)\nTranskriptionsregeln: nach Dresing & Pehl\n\n", "", ": ")},
		{"french fields before", "fr-boulangerie", []string{"Enq.", "Boul."}, 0,
			labelled("ENTRETIEN N° 3\nDate : 5 mars 2024"+
				"\nLieu : fournil\nDurée : 42 min\nEnquêtrice : É. Marchand\n\n", "", " : ")},
		{"spanish fields before", "es-tienda", []string{"E", "P3"}, 0,
			labelled("Entrevista 3\nFecha: 5 de marzo de 2024\nLugar:"+
				" tienda\nDuración: 25 min\nEntrevistadora: Lucía\n\n", "", ": ")},
		{"consent before", "en-clinic en-founder en-invoices", []string{"Researcher", "Participant"}, 0, labelled(
			"CONSENT\n\nThe participant was informed that the conversation is recorded, that taking part is "+
				"voluntary, and that quotes are used without names. The participant agreed.\n\nTRANSCRIPT\n\n",
			"\nEND OF TRANSCRIPT\n", ": ")},
		{"participants before", "en-panel", []string{"MOD", "P1", "P2", "P3"}, 0,
			labelled("Focus group, 5 March\n\nParticipants"+
				":\nMOD = moderator\nP1 = teacher, 34\nP2 = driver, 41\nP3 = nurse, 29\n\n", "", ": ")},
		{"participants in a list with names", "en-panel en-invoices", nil, 0, labelled(
			"Present:\n- Aisha (teacher)\n- Ben (driver)\n- Chloe (nurse)\n\n", "", ": ")},
		{"bold names", "en-clinic fr-boulangerie en-panel", nil, 0,
			amidAsides("", "", func(_ int, s said) string {
				return fmt.Sprintf("**%s:** %s\n\n", s.speaker, s.text)
			})},
		{"bold names in bullets", "en-invoices es-tienda", nil, 0,
			amidAsides("# Call notes\n\n", "", func(_ int, s said) string {
				return fmt.Sprintf("- **%s**: %s\n",
					s.speaker, s.text)
			})},
		{"bold questions", "en-clinic de-werkstatt", nil, 0, boldQuestions},
		{"names with roles", "en-clinic en-founder", []string{"Priya (UX researcher)", "Tom (receptionist)"}, 0,
			shortNames},
		{"names with pronouns", "en-invoices en-panel", nil, 0, func(f *file) {
			for i := range f.turns {
				f.turns[i].speaker += " (she/her)"
			}
			shortNames(f)
		}},
		{"particles", "en-clinic de-werkstatt", []string{"Anna von der Leyen-Müller", "Jean-Luc d'Ormesson"}, 0,
			labelled("", "", ": ")},
		{"names that are words", "en-clinic en-invoices en-founder", []string{"Will", "Grace"}, 0,
			labelled("", "", ": ")},
		{"names that begin sentences", "en-clinic en-invoices", []string{"Mark", "May"}, 0, nameFirst},
		{"initials with a key", "en-invoices en-founder", []string{"M", "J"}, 0,
			labelled("M = Maya (interviewer)\nJ = Jorge\n\n", "", ": ")},
		{"two initials", "en-clinic en-founder", []string{"PR", "TO"}, 0, labelled("", "", ": ")},
		{"abbreviated roles", "en-clinic es-tienda", []string{"INT", "RES"}, 0, labelled("", "", ":\t")},
		{"tabs", "en-clinic nl-fietsen en-panel", nil, 0, labelled("", "", "\t")},
		{"dashes", "en-invoices it-agriturismo", nil, 0, labelled("", "", " – ")},
		{"french colons", "fr-boulangerie en-clinic", nil, 0, labelled("", "", "\u00a0: ")},
		{"wide colons", "ja-ryokan zh-huadian", nil, 0, labelled("", "", "：")},
		{"japanese quotes", "ja-ryokan", nil, 0,
			amidAsides("", "", func(_ int, s said) string {
				return fmt.Sprintf("%s「%s」\n", s.speaker, s.text)
			})},
		{"dialogue dashes", "pl-apteka fr-boulangerie es-tienda", nil, 0, dialogueDashes},
		{"names above", "en-clinic en-panel ru-salon", nil, 0,
			amidAsides("", "", func(_ int, s said) string {
				return fmt.Sprintf("%s\n%s\n\n", s.speaker, s.text)
			})},
		{"names above with colons", "en-invoices tr-kafe", nil, 0,
			amidAsides("", "", func(_ int, s said) string {
				return fmt.Sprintf("%s:\n%s\n\n", s.speaker, s.text)
			})},
		{"brackets around names", "en-founder en-panel", nil, 0,
			amidAsides("", "", func(_ int, s said) string {
				return fmt.Sprintf("[%s]: %s\n", s.speaker, s.text)
			})},
		{"pictures before names", "en-clinic en-invoices", []string{"Priya", "Tom"}, 0,
			amidAsides("", "", func(i int, s said) string {
				return fmt.Sprintf("%s %s: %s\n\n", []string{"🎤", "👤"}[i%2], s.speaker, s.text)
			})},
		{"times in parentheses", "en-clinic en-founder de-werkstatt", ir, time.Second,
			amidAsides("", "", func(_ int, s said) string {
				return fmt.Sprintf("(%s) %s: %s\n\n", mmss(s.start), s.speaker, s.text)
			})},
		{"times every few turns", "en-clinic en-invoices es-tienda", ir, 0, timesBetween},
		{"times inside turns", "en-clinic en-founder de-werkstatt", nil, 0, marksInside},
		{"numbered turns", "en-clinic de-werkstatt", []string{"I", "B"}, 0,
			amidAsides("", "", func(i int, s said) string {
				return fmt.Sprintf("%d\t%s: %s\n", i+1, s.speaker, s.text)
			})},
		{"wrapped lines", "en-clinic en-invoices en-panel", nil, 0, wrappedLines("")},
		{"hanging indents", "en-clinic es-tienda en-founder", []string{"INT", "TOM"}, 0, wrappedLines("       ")},
		{"paragraphs in turns", "en-clinic en-invoices de-werkstatt", nil, 0, twoParagraphs},
		{"lists in turns", "en-clinic en-founder", nil, 0, listsInTurns},
		{"pages", "en-clinic en-invoices de-werkstatt", ir, 0, pagesOfTurns},
		{"mixed case", "en-clinic en-invoices", []string{"Interviewer", "Participant"}, 0, mixedCase},
		{"misspelt once", "en-clinic en-founder de-werkstatt",
			[]string{"Interviewer", "Participant"}, 0, misspeltOnce},
		{"notes of observers", "en-clinic en-invoices en-founder", roles, 0, observerNotes},
		{"sections", "en-clinic en-invoices en-founder", []string{"Moderator", "P3"}, 0, sections},
		{"asides in brackets", "en-clinic en-panel nl-fietsen", nil, 0, bracketLines},
		{"end of the recording", "en-clinic es-tienda", nil, 0, labelled("[Start of recording]\n\n",
			"[End of recording]\n", ": ")},
		{"takeaways after", "en-clinic en-founder", []string{"Interviewer", "Participant"}, 0, labelled("",
			"---\n\nKey takeaways:\n- Paper beats software\n- Nobody knows the passwords\n\nNext steps: send the "+
				"voucher, book P8\n", ": ")},
		{"notes in speech", "en-invoices en-clinic", ir, 0, notesInSpeech},
		{"depositions", "en-clinic en-invoices", []string{"MS. RAMAN", "THE WITNESS"}, 0, labelled("", "", ":  ")},
		{"questions in numbers", "en-clinic en-founder", nil, 0, numberedQuestions},
		{"one line a turn, trailing spaces", "en-panel pt-entregas", nil, 0,
			amidAsides("", "", func(_ int, s said) string {
				return fmt.Sprintf("%s: %s   \n", s.speaker, s.text)
			})},
		{"utf-16", "en-clinic de-werkstatt ru-salon", nil, 0, inEncoding(func(s string) []byte {
			data := []byte{0xff, 0xfe}
			for _, u := range utf16.Encode([]rune(s)) {
				data = append(data, byte(u), byte(u>>8))
			}
			return data
		})},
		{"windows-1252", "de-werkstatt fr-boulangerie nl-fietsen", nil, 0, inEncoding(func(s string) []byte {
			data, err := charmap.Windows1252.NewEncoder().Bytes([]byte(s))
			if err != nil {
				panic(err)
			}
			return data
		})},
		{"windows-1251", "ru-salon", nil, 0, inEncoding(func(s string) []byte {
			data, err := charmap.Windows1251.NewEncoder().Bytes([]byte(s))
			if err != nil {
				panic(err)
			}
			return data
		})},
		{"word document", "en-clinic en-panel de-werkstatt", nil, 0, func(f *file) {
			paragraphs := []string{}
			for _, s := range f.turns {
				paragraphs = append(paragraphs, fmt.Sprintf("**%s:** %s", s.speaker, s.text))
				f.said(s)
			}
			f.data = markedDocx(paragraphs...)
		}},
	}
}

// labelled returns a style's write for lines such as "Dana: …".
func labelled(head, foot, after string) func(*file) {
	return amidAsides(head, foot, func(_ int, s said) string {
		return s.speaker + after + s.text + "\n\n"
	})
}

// shortNames are right with or without what is in parentheses.
func shortNames(f *file) {
	for _, s := range f.turns {
		f.raw("%s: %s\n\n", s.speaker, s.text)
		short, _, _ := strings.Cut(s.speaker, " (")
		f.said(s, short)
	}
}

func boldQuestions(f *file) {
	for i, s := range f.turns {
		if i%2 == 0 {
			f.raw("**%s**\n\n", s.text)
		} else {
			f.raw("%s\n\n", s.text)
		}
		s.speaker = ""
		f.said(s)
	}
}

// nameFirst has speech that begins with the name of the other one.
func nameFirst(f *file) {
	for i, s := range f.turns {
		other := "Mark"
		if s.speaker == "Mark" {
			other = "May"
		}
		if i%4 == 2 {
			s.text = other + ", " + s.text
		}
		f.raw("%s: %s\n\n", s.speaker, s.text)
		f.said(s)
	}
}

func dialogueDashes(f *file) {
	for _, s := range f.turns {
		f.raw("– %s\n", s.text)
		s.speaker = ""
		f.said(s)
	}
}

func timesBetween(f *file) {
	for i, s := range f.turns {
		if i > 0 && i%4 == 0 {
			f.raw("[%s]\n\n", clockS(s.start))
		}
		f.raw("%s: %s\n\n", s.speaker, s.text)
		f.saidSometime(s)
	}
}

// wrappedLines wraps turns at 64 columns; lines after the first begin with indent.
func wrappedLines(indent string) func(*file) {
	return func(f *file) {
		for _, s := range f.turns {
			label := s.speaker + ": "
			if indent != "" {
				label = fmt.Sprintf("%-*s", len(indent), s.speaker+":")
			}
			line := label
			for _, w := range strings.Fields(s.text) {
				if len(line)+len(w) > 64 {
					f.raw("%s\n", strings.TrimRight(line, " "))
					line = indent
				}
				line += w + " "
			}
			f.raw("%s\n\n", strings.TrimRight(line, " "))
			f.said(s)
		}
	}
}

func twoParagraphs(f *file) {
	for _, s := range f.turns {
		f.raw("%s: %s\n\n", s.speaker, strings.ReplaceAll(s.text, ". ", ".\n\n"))
		f.said(s)
	}
}

func listsInTurns(f *file) {
	for i, s := range f.turns {
		if i == 5 {
			s.text += "\n- Excel, mostly\n- Slack: for the team\n- Notion: for everything else\n- WhatsApp"
		}
		if i == 9 {
			s.text += "\n1. Call the patient\n2. Write it down: name, date, number\n3. Forget it"
		}
		f.raw("%s: %s\n\n", s.speaker, s.text)
		f.said(s)
	}
}

// pagesOfTurns has a header and a number at each page of six turns.
func pagesOfTurns(f *file) {
	for i, s := range f.turns {
		if i > 0 && i%4 == 0 {
			f.loose(fmt.Sprintf("\nPage %d of 4\n\fInterview 7 – confidential\n\n", i/4))
		}
		f.raw("%s: %s\n\n", s.speaker, s.text)
		f.said(s)
	}
}

func mixedCase(f *file) {
	for i, s := range f.turns {
		label := []string{s.speaker, strings.ToUpper(s.speaker), strings.ToLower(s.speaker)}[i/2%3]
		f.raw("%s: %s\n\n", label, s.text)
		f.said(s)
	}
}

func misspeltOnce(f *file) {
	for i, s := range f.turns {
		label := s.speaker
		if i == 6 {
			label = "Interviewwer"
		}
		f.raw("%s: %s\n\n", label, s.text)
		f.said(s, label)
	}
}

func observerNotes(f *file) {
	for i, s := range f.turns {
		f.raw("%s: %s\n\n", s.speaker, s.text)
		f.said(s)
		switch i {
		case 3:
			f.loose("(Participant opens the drawer and shows a folder.)\n\n")
		case 7:
			f.aside("Observer note: P07 looks at the screen and sighs.\n\n")
		}
	}
}

func sections(f *file) {
	for i, s := range f.turns {
		switch i {
		case 0:
			f.aside("WARM-UP\n\n")
		case 4:
			f.aside("TASK 1: Find the portal\n\n")
		case 8:
			f.aside("TASK 2: Reset the password\n\n")
		}
		f.raw("%s: %s\n\n", s.speaker, s.text)
		f.said(s)
	}
}

func bracketLines(f *file) {
	for i, s := range f.turns {
		f.raw("%s: %s\n\n", s.speaker, s.text)
		f.said(s)
		if i%4 == 1 {
			f.loose([]string{"[laughter]", "[crosstalk]", "(phone rings)", "[pause]"}[i/4%4] + "\n\n")
		}
	}
}

func notesInSpeech(f *file) {
	for i, s := range f.turns {
		if i == 3 {
			s.text += "\nNote: I was alone that day.\nBut: it still took an hour."
		}
		if i == 7 {
			s.text = "Ratio 3:1, I'd say. Example: 30 calls, 10 letters. " + s.text
		}
		f.raw("%s: %s\n\n", s.speaker, s.text)
		f.said(s)
	}
}

func numberedQuestions(f *file) {
	for i, s := range f.turns {
		letter := []string{"Q", "A"}[i%2]
		s.speaker = fmt.Sprint(letter, i/2+1)
		f.raw("%s: %s\n", s.speaker, s.text)
		f.said(s, letter)
	}
}

// inEncoding returns a style's write for labelled lines in another encoding.
func inEncoding(to func(string) []byte) func(*file) {
	return func(f *file) {
		for i := range f.turns {
			// Windows-1252 has no dotless i.
			f.turns[i].speaker = strings.ReplaceAll(f.turns[i].speaker, "ı", "i")
			f.turns[i].text = strings.ReplaceAll(f.turns[i].text, "ı", "i")
		}
		labelled("", "", ": ")(f)
		f.data = to(f.text.String())
	}
}
