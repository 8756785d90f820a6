package transcript_test

import (
	"fmt"
	"strings"
)

const germanTranscript = "Transkript" //nolint:misspell // German

// titlePage writes what typists write before an interview.
func titlePage(f fieldFile) string {
	switch f.language {
	case "de":
		return germanTranscript + " Interview 12\n\nDatum: 05.03.2024\nOrt: Videokonferenz\nDauer: 42 Minuten\n" +
			"Interviewerin: " + f.turns[0].speaker +
			"\n\nDie Teilnahme war freiwillig, das Einverständnis liegt vor.\n\n"
	case "fr":
		return "Entretien n° 12\n\nDate : 5 mars 2024\nLieu : visioconférence\nDurée : 42 minutes\n\n" +
			"La personne a donné son accord pour l'enregistrement.\n\n"
	case "es":
		return "Entrevista 12\n\nFecha: 5 de marzo de 2024\nLugar: Zoom\nDuración: 42 minutos\n\n" +
			"La persona dio su consentimiento.\n\n"
	}
	return "Interview 12\n\nDate: March 5, 2024\nLocation: Zoom\nDuration: 42 minutes\n" +
		"Transcribed by: K. Adams\n\nThe participant has agreed to be recorded.\n\n"
}

// afterTitlePage writes a title page and the turns.
func afterTitlePage(foot string, turn func(i int, s said) string) func(fieldFile) []byte {
	return func(f fieldFile) []byte {
		return eachExportTurn(titlePage(f), foot, turn)(f.turns)
	}
}

// fifthTyped is what people and models write.
var fifthTyped = []fieldStyle{
	{"title page and codes", "codes roles firsts", untimed, afterTitlePage("", func(_ int, s said) string {
		return s.speaker + ": " + s.text + "\n\n"
	}), nil, false},
	{"title page and times", "codes people", timed, afterTitlePage("", func(_ int, s said) string {
		return fmt.Sprintf("[%s] %s: %s\n\n", clockS(s.start), s.speaker, s.text)
	}), nil, false},
	{"codes and tabs", "codes firsts", untimed, fieldTurns("", "", func(_ int, s said) string {
		return s.speaker + ":\t" + s.text + "\n"
	}), nil, false},
	{"hanging indents", "codes firsts roles", untimed, fieldTurns("", "", func(_ int, s said) string {
		head := fmt.Sprintf("%-16s", s.speaker+":")
		return wrapAt(head+s.text, 60, strings.Repeat(" ", 16)) + "\n\n"
	}), nil, false},
	{"hanging indents without colons", "codes capitals", untimed, fieldTurns("", "", func(_ int, s said) string {
		return fmt.Sprintf("%-16s%s\n", s.speaker, wrapAt(s.text, 60, strings.Repeat(" ", 16)))
	}), nil, false},
	{"wrapped lines", "codes people", untimed, afterTitlePage("", func(_ int, s said) string {
		return wrapAt(s.speaker+": "+s.text, 72, "") + "\n\n"
	}), nil, false},
	{"numbers of lines", "codes firsts", untimed, func(f fieldFile) []byte {
		var b strings.Builder
		n := 0
		for _, s := range f.turns {
			for line := range strings.SplitSeq(wrapAt(s.speaker+": "+s.text, 64, ""), "\n") {
				n++
				fmt.Fprintf(&b, "%d\t%s\n", n, line)
			}
		}
		return []byte(b.String())
	}, nil, false},
	{"numbers of lines every five", "codes", untimed, func(f fieldFile) []byte {
		var b strings.Builder
		n := 0
		for _, s := range f.turns {
			for line := range strings.SplitSeq(wrapAt(s.speaker+": "+s.text, 64, ""), "\n") {
				n++
				if n%5 == 0 {
					fmt.Fprintf(&b, "%-5d%s\n", n, line)
				} else {
					b.WriteString("     " + line + "\n")
				}
			}
		}
		return []byte(b.String())
	}, nil, false},
	{"numbered paragraphs of MAXQDA", "codes people", untimed, fieldTurns("", "", func(i int, s said) string {
		return fmt.Sprintf("%d   %s: %s\n", i+1, s.speaker, s.text)
	}), nil, false},
	{"f4, rich text", "codes", endTimed, plainField(rtfTurns(func(s said) string {
		return rtfText(fmt.Sprintf("%s: %s #%s-%d#", s.speaker, s.text, clockS(s.end),
			s.end.Milliseconds()%1000/100)) + "\\par\n"
	})), nil, false},
	{"easytranscript", "codes firsts", endTimed, afterTitlePage("", func(_ int, s said) string {
		return fmt.Sprintf("%s: %s #%s-%d#\n", s.speaker, s.text, clockS(s.end), s.end.Milliseconds()%1000/100)
	}), nil, false},
	{"focus group", "focus", untimed, fieldTurns("Focus group 3, 5 March 2024, 18:00-19:30\n"+
		"Present: moderator, six participants\n\n", "", func(_ int, s said) string {
		return s.speaker + ": " + s.text + "\n\n"
	}), nil, false},
	{"names with ages in brackets", "firsts", untimed, fieldTurns("", "", func(i int, s said) string {
		return fmt.Sprintf("%s [34]: %s\n", s.speaker, s.text)
	}), func(label string, _ int) string { return label + " [34]" }, false},
	{"magazine", "firsts", untimed, fieldTurns("# “Nobody wrote anything down”\n\n*A conversation about front "+
		"desks. It has been edited for length.*\n\n", "", func(i int, s said) string {
		if i%2 == 0 {
			return "**Q: " + s.text + "**\n\n"
		}
		return "A: " + s.text + "\n\n"
	}), func(_ string, index int) string {
		if index == 0 {
			return "Q"
		}
		return "A"
	}, false},
	{"bold questions", "firsts", untimed, fieldTurns("# A conversation\n\n", "", func(i int, s said) string {
		if i%2 == 0 {
			return "**" + s.text + "**\n\n"
		}
		return s.text + "\n\n"
	}), nobody, false},
	{"bold letters", "court", untimed, fieldTurns("", "", func(_ int, s said) string {
		return "**" + s.speaker + ":** " + s.text + "\n\n"
	}), nil, false},
	{"cleaned by a model", "roles people", untimed, func(f fieldFile) []byte {
		var b strings.Builder
		b.WriteString("Here's the cleaned-up transcript:\n\n---\n\n# User Interview Transcript\n\n" +
			"**Date:** March 5, 2024  \n**Participants:** " + strings.Join(speakersOf(f.turns), ", ") + "\n\n---\n\n")
		for _, s := range f.turns {
			b.WriteString("**" + s.speaker + ":** " + s.text + "\n\n")
		}
		return []byte(b.String())
	}, nil, false},
	{"cleaned by a model, with sections", "roles people", untimed, fieldTurns("", "", func(i int,
		s said) string {
		section := ""
		if i%8 == 0 {
			parts := []string{"Introduction", "Daily work", "Tools", "Wishes", "Closing"}
			section = fmt.Sprintf("### Part %d: %s\n\n", i/8+1, parts[i/8%5])
		}
		return section + "**" + s.speaker + "**: " + s.text + "\n\n"
	}), nil, false},
	{"headings of speakers", "people firsts numbered", untimed, fieldTurns("# Interview\n\n", "", func(_ int,
		s said) string {
		return "## " + s.speaker + "\n\n" + s.text + "\n\n"
	}), nil, false},
	{"bold names above", "people roles", untimed, fieldTurns("", "", func(_ int, s said) string {
		return "**" + s.speaker + "**\n\n" + s.text + "\n\n"
	}), nil, false},
	{"Markdown table", "people codes", untimed, fieldTurns("| Speaker | What was said |\n|---|---|\n", "",
		func(_ int, s said) string { return "| " + s.speaker + " | " + s.text + " |\n" }), nil, false},
	{"Markdown quotes", "firsts", untimed, fieldTurns("", "", func(_ int, s said) string {
		return "> **" + s.speaker + "**: " + s.text + "\n\n"
	}), nil, false},
	{"podcast", "capitals", untimed, fieldTurns("[MUSIC]\n\n", "\n[MUSIC]\n", func(_ int, s said) string {
		return s.speaker + ": " + s.text + "\n\n"
	}), nil, false},
	{"oTranscribe", "codes firsts", timed, fieldTurns("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s %s: %s\n", mmss(s.start), s.speaker, s.text)
	}), nil, false},
	{"oTranscribe Markdown", "codes firsts", timed, fieldTurns("", "", func(_ int, s said) string {
		return fmt.Sprintf("*%s* **%s:** %s\n\n", mmss(s.start), s.speaker, s.text)
	}), nil, false},
	{"oTranscribe file", "codes firsts", timed, func(f fieldFile) []byte {
		var b strings.Builder
		for _, s := range f.turns {
			fmt.Fprintf(&b, `<p><span class="timestamp" data-timestamp="%.6f">%s</span>&nbsp;%s: %s<br></p>`,
				s.start.Seconds(), short(s.start), htmlText(s.speaker), htmlText(s.text))
		}
		return encodeJSON(object{"text": b.String(), "media": "interview12.mp3", "media-time": 2530.11})
	}, nil, false},
	{"InqScribe", "codes firsts", timed, fieldTurns("", "", func(_ int, s said) string {
		return fmt.Sprintf("[%s] %s: %s\n\n", clockMS(s.start, ".")[:11], s.speaker, s.text)
	}), nil, false},
	{"NVivo", "people codes", timed, fieldTurns("Timespan\tContent\tSpeaker\n", "", func(_ int, s said) string {
		return fmt.Sprintf("%s - %s\t%s\t%s\n", tenths(s.start), tenths(s.end), s.text, s.speaker)
	}), nil, false},
	{"GoTranscript", "roles people", timed, fieldTurns("", "\n[silence]\n\n[00:59:10] [END OF AUDIO]\n", func(
		_ int, s said) string {
		return fmt.Sprintf("[%s]\n\n%s: %s\n\n", clockS(s.start), s.speaker, s.text)
	}), nil, false},
	{"Scribie", "numbered people", timed, fieldTurns("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s %s: %s\n\n", clockMS(s.start, ".")[1:10], s.speaker, s.text)
	}), nil, false},
	{"TranscribeMe", "machine", timed, fieldTurns("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s: %s %s\n\n", s.speaker, mmss(s.start), s.text)
	}), nil, false},
	{"overlaps and pauses", "codes firsts", untimed, func(f fieldFile) []byte {
		for i := range f.turns {
			f.turns[i].text = "(.) //" + f.turns[i].text + "// (2.0) ((lacht))"
		}
		return joined("", ": ", "\n")(f.turns)
	}, nil, false},
	{"GAT with numbers", "codes firsts", untimed, fieldTurns("", "", func(i int, s said) string {
		return fmt.Sprintf("%02d   %-6s %s\n", i+1, s.speaker+":", s.text)
	}), nil, false},
	{"monologue", "people", untimed, fieldTurns("", "", func(i int, s said) string { return s.text + "\n\n" }),
		nobody, false},
	{"dashes without names", "people", untimed, fieldTurns("", "", func(_ int, s said) string {
		return "– " + s.text + "\n"
	}), nobody, false},
}

// tenths formats 1:02.3, as NVivo does.
func tenths(d interface{ Milliseconds() int64 }) string {
	ms := d.Milliseconds()
	if ms >= 3600000 {
		return fmt.Sprintf("%d:%02d:%02d.%d", ms/3600000, ms/60000%60, ms/1000%60, ms%1000/100)
	}
	return fmt.Sprintf("%d:%02d.%d", ms/60000, ms/1000%60, ms%1000/100)
}

// fifthRecords are the records of courts, parliaments and linguists.
var fifthRecords = []fieldStyle{
	{"deposition", "court", untimed, func(f fieldFile) []byte {
		return deposition(f, "     ", 52, 1)
	}, nil, false},
	{"deposition without pages", "court", untimed, func(f fieldFile) []byte {
		var b strings.Builder
		for _, s := range f.turns {
			head := s.speaker + ":  "
			if len(s.speaker) == 1 {
				head = s.speaker + ".  "
			}
			b.WriteString(wrapAt("     "+head+s.text, 56, "") + "\n")
		}
		return []byte(b.String())
	}, nil, false},
	{"questions and answers with stops", "court", untimed, fieldTurns("", "", func(_ int, s said) string {
		if len(s.speaker) == 1 {
			return s.speaker + ". " + s.text + "\n"
		}
		return s.speaker + ": " + s.text + "\n"
	}), nil, false},
	{"inquiry", "titled capitals", untimed, fieldTurns("Tuesday, 5 March 2024\n(10.02 am)\n\n", "", func(_ int,
		s said) string {
		return strings.ToUpper(s.speaker) + ": " + s.text + "\n"
	}), func(label string, _ int) string { return strings.ToUpper(label) }, false},
	{"titled people", "titled", untimed, afterTitlePage("", func(_ int, s said) string {
		return s.speaker + ": " + s.text + "\n\n"
	}), nil, false},
	{"CHAT", "machine", timed, func(f fieldFile) []byte {
		var b strings.Builder
		b.WriteString("@UTF8\n@Begin\n@Languages:\teng\n@Participants:\tMAY Maya Interviewer, DEV Devon " +
			"Participant\n@ID:\teng|interview|MAY|||||Interviewer|||\n@ID:\teng|interview|DEV|||||Participant|||\n" +
			"@Media:\tinterview12, audio\n@Comment:\trecorded in the kitchen\n")
		for i, s := range f.turns {
			fmt.Fprintf(&b, "*%s:\t%s \x15%d_%d\x15\n", chatCode(i, f.turns), wrapAt(s.text, 70, "\t"),
				s.start.Milliseconds(), s.end.Milliseconds())
			if i%3 == 0 {
				b.WriteString("%com:\tlooks at the door\n")
			}
		}
		return append([]byte(b.String()), "@End\n"...)
	}, func(_ string, index int) string { return []string{"MAY", "DEV", "RUT", "TUN"}[index] }, false},
	{"ELAN, a row per annotation", "codes firsts", timed, fieldTurns("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s\t\t%s\t%.3f\t%s\t%.3f\t%s\t%.3f\t%s\n", s.speaker, clockMS(s.start, "."),
			s.start.Seconds(), clockMS(s.end, "."), s.end.Seconds(), clockMS(s.end-s.start, "."),
			(s.end - s.start).Seconds(), s.text)
	}), nil, false},
	{"ELAN, a column per tier", "codes firsts people", timed, func(f fieldFile) []byte {
		names := speakersOf(f.turns)
		var b strings.Builder
		b.WriteString("Begin Time - hh:mm:ss.ms\tEnd Time - hh:mm:ss.ms\tDuration - hh:mm:ss.ms\t" +
			strings.Join(names, "\t") + "\n")
		for _, s := range f.turns {
			cells := make([]string, len(names))
			cells[indexOf(f.turns, s.speaker)] = s.text
			fmt.Fprintf(&b, "%s\t%s\t%s\t%s\n", clockMS(s.start, "."), clockMS(s.end, "."),
				clockMS(s.end-s.start, "."), strings.Join(cells, "\t"))
		}
		return []byte(b.String())
	}, nil, false},
	{"ELAN, traditional", "codes firsts", untimed, fieldTurns("", "", func(_ int, s said) string {
		return fmt.Sprintf("%-8s%s\n\n", s.speaker, s.text)
	}), nil, false},
	{"Praat TextGrid", "firsts", timed, func(f fieldFile) []byte {
		names := speakersOf(f.turns)
		last := f.turns[len(f.turns)-1].end.Seconds()
		var b strings.Builder
		fmt.Fprintf(&b, "File type = \"ooTextFile\"\nObject class = \"TextGrid\"\n\nxmin = 0 \nxmax = %g \n"+
			"tiers? <exists> \nsize = %d \nitem []: \n", last, len(names))
		for n, name := range names {
			fmt.Fprintf(&b, "    item [%d]:\n        class = \"IntervalTier\" \n        name = %q \n"+
				"        xmin = 0 \n        xmax = %g \n", n+1, name, last)
			var spoken []said
			for _, s := range f.turns {
				if s.speaker == name {
					spoken = append(spoken, s)
				}
			}
			fmt.Fprintf(&b, "        intervals: size = %d \n", len(spoken))
			for i, s := range spoken {
				fmt.Fprintf(&b, "        intervals [%d]:\n            xmin = %g \n            xmax = %g \n"+
					"            text = \"%s\" \n", i+1, s.start.Seconds(), s.end.Seconds(),
					strings.ReplaceAll(s.text, `"`, `""`))
			}
		}
		return []byte(b.String())
	}, nil, false},
	{"EXMARaLDA, score", "codes firsts", untimed, fieldTurns("", "", func(i int, s said) string {
		return fmt.Sprintf("[%d]\n%s [v]\t%s\n\n", i+1, s.speaker, s.text)
	}), func(label string, _ int) string { return label + " [v]" }, false},
	{"ELAN file", "firsts", timed, func(f fieldFile) []byte {
		var slots, tiers strings.Builder
		for i, s := range f.turns {
			fmt.Fprintf(&slots, `<TIME_SLOT TIME_SLOT_ID="ts%d" TIME_VALUE="%d"/>`+
				`<TIME_SLOT TIME_SLOT_ID="ts%d" TIME_VALUE="%d"/>`,
				2*i, s.start.Milliseconds(), 2*i+1, s.end.Milliseconds())
		}
		for _, name := range speakersOf(f.turns) {
			fmt.Fprintf(&tiers, `<TIER LINGUISTIC_TYPE_REF="default-lt" TIER_ID="%s">`, htmlText(name))
			for i, s := range f.turns {
				if s.speaker == name {
					fmt.Fprintf(&tiers, `<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a%d" TIME_SLOT_REF1="ts%d"`+
						` TIME_SLOT_REF2="ts%d"><ANNOTATION_VALUE>%s</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>`,
						i, 2*i, 2*i+1, vttEscape.Replace(s.text))
				}
			}
			tiers.WriteString("</TIER>\n")
		}
		return []byte(`<?xml version="1.0" encoding="UTF-8"?>
<ANNOTATION_DOCUMENT AUTHOR="" DATE="2024-03-05T10:02:15+01:00" FORMAT="3.0" VERSION="3.0">
<HEADER MEDIA_FILE="" TIME_UNITS="milliseconds"/><TIME_ORDER>` +
			slots.String() + "</TIME_ORDER>\n" + tiers.String() +
			`<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="default-lt" TIME_ALIGNABLE="true"/></ANNOTATION_DOCUMENT>`)
	}, nil, false},
}

func chatCode(i int, turns []said) string {
	return []string{"MAY", "DEV", "RUT", "TUN"}[indexOf(turns, turns[i].speaker)]
}

// deposition writes questions and answers on pages of 25 numbered lines.
func deposition(f fieldFile, indent string, width, page int) []byte {
	var b strings.Builder
	line := 0
	for _, s := range f.turns {
		head := indent + s.speaker + "    "
		if len(s.speaker) > 1 {
			head = indent + indent + s.speaker + ":  "
		}
		for row := range strings.SplitSeq(head+wrapAt(s.text, width, ""), "\n") {
			if line%25 == 0 {
				fmt.Fprintf(&b, "\n%60s\n", fmt.Sprintf("Page %d", page))
				page++
			}
			fmt.Fprintf(&b, "%2d %s\n", line%25+1, row)
			line++
		}
	}
	return []byte(b.String())
}
