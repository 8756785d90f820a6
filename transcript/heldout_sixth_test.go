package transcript_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// sixthLabels are the labels of the sixth set by their kind.
var sixthLabels = map[string][][]string{
	"people": {
		{"Hannah Schreiber", "Kofi Mensah", "Ingrid Nygård", "Leo Park"},
		{"Séverine Maçon", "Paul-Henri Roux", "Fatou Sy", "Élie Noël"},
		{"Zofia Wrona", "Marek Gołąb", "Iga Wilk", "Jerzy Mazur"},
		{"Дарина Лисенко", "Остап Гриценко", "Роман Бут", "Ніна Рій"},
		{"陈晓东", "司马燕", "周杰", "孙老师"},
		{"정하늘", "강민재", "윤서", "독고진"},
		{"Rosa Blanco", "Sam Price", "Joy Long", "Mark Hill"},
	},
	"firsts": {{"Hannah", "Kofi", "Ingrid", "Leo"}, {"Joy", "Mark", "Rose", "Frank"}, {"Pat", "Al", "Bo", "Di"}},
	"roles": {
		{"Interviewer", "Patient", "Relative", "Nurse"},
		{"Forscherin", "Teilnehmer 1", "Teilnehmer 2", "Teilnehmer 3"},
		{"Researcher", "Participant 4", "Colleague", "Interpreter"},
	},
	"codes": {{"IP", "IV", "I2", "X"}, {"E", "F", "G", "H"}, {"Int.", "Resp.", "Obs.", "Tr."},
		{"AB", "CD", "EF", "GH"}},
	"numbered": {
		{"Speaker 1", "Speaker 2", "Speaker 3", "Speaker 4"},
		{"Speaker A", "Speaker B", "Speaker C", "Speaker D"},
		{"Talare 1", "Talare 2", "Talare 3", "Talare 4"},
		{"참석자 1", "참석자 2", "참석자 3", "참석자 4"},
		{"发言人1", "发言人2", "发言人3", "发言人4"},
	},
	"capitals": {{"SCHREIBER", "MENSAH", "NYGÅRD", "PARK"},
		{"HANNAH SCHREIBER", "KOFI MENSAH", "MS. NYGÅRD", "LEO PARK"}},
}

// sixthSet are the styles of the sixth set.
var sixthSet = []exportStyle{
	{"Avoma", "people", oneLiners, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s: %s\n%s\n\n", s.speaker, mmss(s.start), s.text)
	}), nil},
	{"MeetGeek", "people", oneLiners, timed,
		eachExportTurn("Meeting Transcript\n\n", "", func(_ int, s said) string {
			return fmt.Sprintf("%s - %s:\n%s\n\n", clockS(s.start), s.speaker, s.text)
		}), nil},
	{"Circleback", "people", oneLiners, timed,
		eachExportTurn("# Weekly sync\n\n", "", func(_ int, s said) string {
			return fmt.Sprintf("**%s** _(%s)_\n%s\n\n", s.speaker, short(s.start), s.text)
		}), nil},
	{"Sembly", "people", oneLiners, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("[%s] %s\n  %s\n\n", clockS(s.start)[1:], s.speaker, s.text)
	}), nil},
	{"TurboScribe", "numbered people", oneLiners, timed,
		eachExportTurn("(Transcribed by TurboScribe. Go Unlimited to remove this message.)\n\n", "",
			func(_ int, s said) string {
				return fmt.Sprintf("[%s] (%s - %s)\n%s\n\n", s.speaker, short(s.start), short(s.end), s.text)
			}), nil},
	{"Temi", "numbered", oneLiners, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s: (%s)\n%s\n\n", s.speaker, mmss(s.start), s.text)
	}), nil},
	{"Verbit", "capitals", oneLiners, untimed, joined("", ":  ", "\n\n"), nil},
	{"3Play", "capitals", oneLiners, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("[%s] %s: %s\n\n", clockMS(s.start, ".")[:11], s.speaker, s.text)
	}), nil},
	{"Good Tape", "numbered", oneLiners, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("[%s]\n%s: %s\n\n", clockS(s.start), s.speaker, s.text)
	}), nil},
	{"CastingWords", "people firsts", oneLiners, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("**%s:** [%s] %s\n\n", s.speaker, mmss(s.start), s.text)
	}), nil},
	{"Resolve", "numbered", oneLiners, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("[%s:12 - %s:05]\n%s\n %s\n\n", clockS(s.start), clockS(s.end), s.speaker, s.text)
	}), nil},
	{"screenplay", "capitals", oneLiners, untimed, eachExportTurn("", "", func(_ int, s said) string {
		return "                    " + s.speaker + "\n" + wrapAt("          "+s.text, 50, "          ") + "\n\n"
	}), nil},
	{"Google Chat, copied", "people", oneLiners, chatTimed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s, %s\n%s\n\n", s.speaker, minuteAt(s.start, "3:04 PM"), s.text)
	}), nil},
	{"Webex chat", "people", oneLiners, chatTimed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s  %s\n%s\n\n", s.speaker, minuteAt(s.start, "1/2/06, 3:04 PM"), s.text)
	}), nil},
	{"LinkedIn messages", "people", oneLiners, clockTimed, func(turns []said) []byte {
		headings := []string{"CONVERSATION ID", "FROM", "TO", "DATE", "SUBJECT", "CONTENT", "FOLDER"}
		return csvOf(',', rowsOf(headings, func(_ int, s said) []string {
			at := stampAt(s.start, "2006-01-02 15:04:05 UTC")
			return []string{"2-abc==", s.speaker, "Somebody Else", at, "", s.text, "INBOX"}
		}))(turns)
	}, nil},
	{"help desk", "firsts roles", oneLiners, clockTimed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("(%s) %s: %s\n", stampAt(s.start, "3:04:05 PM"), s.speaker, s.text)
	}), nil},
	{"Clova Note", "people numbered", oneLiners, timed,
		eachExportTurn("새로운 노트\n2024.03.05 화 오전 10:02 ・ 42분 10초\n정하늘\n\n", "",
			func(_ int, s said) string {
				return fmt.Sprintf("%s %s\n%s\n\n", s.speaker, mmss(s.start), s.text)
			}), nil},
	{"Lark Minutes", "people numbered", oneLiners, timed,
		eachExportTurn("2024年3月5日 上午 10:02|42分钟 10秒\n\n关键词:\n文件、班车、预算\n\n文字记录:\n", "", func(_ int, s said) string {
			return fmt.Sprintf("%s %s\n%s\n\n", s.speaker, mmss(s.start), s.text)
		}), nil},
	{"Tencent Meeting", "people", oneLiners, timed, eachExportTurn("", "", func(_ int, s said) string {
		return fmt.Sprintf("%s(%s): %s\n", s.speaker, clockS(s.start), s.text)
	}), nil},
	{"Word, bold names above indented words", "people roles", oneLiners, untimed, func(turns []said) []byte {
		return wordField("", turns, func(s said) string {
			return `<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>` + vttEscape.Replace(s.speaker) + `</w:t></w:r></w:p>` +
				`<w:p><w:pPr><w:ind w:left="720"/></w:pPr><w:r><w:t xml:space="preserve">` +
				vttEscape.Replace(s.text) + `</w:t></w:r></w:p>`
		})
	}, nil},
	{"Word, times in the right column", "codes firsts", oneLiners, timed, docxTable(rowsOf(nil, func(_ int,
		s said) []string {
		return []string{s.speaker, s.text, mmss(s.start)}
	})), nil},
	{"Word, a column for each speaker", "roles", oneLiners, untimed, func(turns []said) []byte {
		names := speakersOf(turns)
		return docxTable(func(turns []said) [][]string {
			rows := [][]string{names}
			for _, s := range turns {
				row := make([]string, len(names))
				row[indexOf(turns, s.speaker)] = s.text
				rows = append(rows, row)
			}
			return rows
		})(turns)
	}, nil},
	{"Confluence table", "people", oneLiners, timed,
		eachExportTurn("<table><tbody><tr><th>When</th><th>Who</th><th>What</th></tr>\n", "</tbody></table>",
			func(_ int, s said) string {
				return fmt.Sprintf("<tr><td>%s</td><td>%s</td><td>%s</td></tr>\n", clockS(s.start), htmlText(s.speaker),
					htmlText(s.text))
			}), nil},
	{"Condens XLSX", "people roles", oneLiners, timed,
		xlsxOf(rowsOf([]string{"Session", "Timestamp", "Speaker", "Content", "Tags"},
			func(_ int, s said) []string {
				return []string{"Interview 3", clockS(s.start), s.speaker, s.text, "pain"}
			})), nil},
	{"CSV of a chat", "firsts", oneLiners, clockTimed,
		csvOf(',', rowsOf([]string{"created_at", "user", "message"}, func(_ int, s said) []string {
			return []string{stampAt(s.start, "2006-01-02T15:04:05Z"), s.speaker, s.text}
		})), nil},
	{"CSV, turn and tokens", "codes", oneLiners, untimed,
		csvOf(',', rowsOf([]string{"turn_id", "spk", "tokens", "utt"},
			func(i int, s said) []string {
				return []string{strconv.Itoa(i), s.speaker, strconv.Itoa(len(strings.Fields(s.text))), s.text}
			})), nil},
	{"JSON of Riverside", "people", oneLiners, timed, func(turns []said) []byte {
		return document(objectsOf(turns, func(i int, s said) object {
			return object{"id": i, "speaker": s.speaker, "startTime": s.start.Seconds(), "endTime": s.end.Seconds(),
				"text": s.text}
		}))
	}, nil},
	{"JSON of Chorus", "people", oneLiners, timed, func(turns []said) []byte {
		return document(object{"recording": object{"utterances": objectsOf(turns, func(_ int, s said) object {
			return object{"speaker_name": s.speaker, "snippet": s.text, "snippet_time": s.start.Seconds()}
		})}})
	}, nil},
	{"JSON of Avoma", "people", oneLiners, timed, func(turns []said) []byte {
		var speakers []object
		for i, name := range speakersOf(turns) {
			speakers = append(speakers, object{"id": i, "name": name, "email": nil, "is_rep": i == 0})
		}
		return document(object{"speakers": speakers, "transcript": objectsOf(turns, func(_ int, s said) object {
			return object{"speaker_id": indexOf(turns, s.speaker), "transcript": s.text, "start": s.start.Seconds(),
				"end": s.end.Seconds()}
		})})
	}, nil},
	{"SRT, names in round brackets", "firsts people", oneLiners, timed,
		eachCue("", func(i int, c captionCue) string {
			return fmt.Sprintf("%d\n%s\n%s%s\n\n", i+1, srtTimes(c.said), firstOnly(c, "("+c.speaker+") "), c.text)
		}), nil},
	{"VTT, names on a line of their own", "capitals", oneLiners, timed, eachCue("WEBVTT\n\n", func(_ int,
		c captionCue) string {
		return fmt.Sprintf("%s\n%s%s\n\n", vttTimes(c.said), firstOnly(c, c.speaker+":\n"), c.text)
	}), nil},
	{"slashes behind codes", "codes", oneLiners, untimed, joined("", "/ ", "\n\n"), nil},
	{"numbered questions", "firsts", oneLiners, untimed, eachExportTurn("", "", func(i int, s said) string {
		return fmt.Sprintf("%s%d: %s\n\n", []string{"Q", "A"}[i%2], i/2+1, s.text)
	}), func(_ string, n int) string { return []string{"Q", "A"}[min(n, 1)] }},
	{"marks of minutes", "roles codes", oneLiners, untimed, eachExportTurn("", "", func(i int, s said) string {
		mark := ""
		if i%5 == 4 {
			mark = "(" + mmss(s.start) + ")\n\n"
		}
		return mark + s.speaker + ": " + s.text + "\n\n"
	}), nil},
	{"Obsidian quotes", "people firsts", oneLiners, untimed, eachExportTurn("# Interview\n\n", "", func(_ int,
		s said) string {
		return "> [!quote] " + s.speaker + "\n> " + s.text + "\n\n"
	}), nil},
	{"Roam", "firsts people", oneLiners, untimed, joined("- ", ":: ", "\n"), nil},
	{"outline with bold", "people firsts", oneLiners, timed, eachExportTurn("- Transcript\n", "", func(_ int,
		s said) string {
		return fmt.Sprintf("    - [%s] **%s**: %s\n", mmss(s.start), s.speaker, s.text)
	}), nil},
	{"words in German quotes", "firsts", oneLiners, untimed, func(turns []said) []byte {
		for i := range turns {
			turns[i].text = "„" + turns[i].text + "“"
		}
		return joined("", ": ", "\n")(turns)
	}, nil},
	{"names with numbers of paragraphs behind", "codes", oneLiners, untimed, eachExportTurn("", "", func(i int,
		s said) string {
		return fmt.Sprintf("%s: %s [%d]\n\n", s.speaker, s.text, i+1)
	}), nil},
	{"two conversations", "people", oneLiners, untimed, func(turns []said) []byte {
		half := len(turns) / 2
		return []byte("INTERVIEW 1\n\n" + string(joined("", ": ", "\n\n")(turns[:half])) + "INTERVIEW 2\n\n" +
			string(joined("", ": ", "\n\n")(turns[half:])))
	}, nil},
}

func TestSixthSetIsReadRightOrRefused(t *testing.T) {
	t.Parallel()
	sentences := readHeldOutSentences(t)
	counts, total := map[corpusReading]int{}, 0
	for _, style := range sixthSet {
		kinds := strings.Fields(style.kinds)
		for i := range min(3, fieldFiles) {
			seed := fnv.New64a()
			_, _ = fmt.Fprintf(seed, "%s/%d", style.name, i) // a hash returns no error
			random := rand.New(rand.NewPCG(seed.Sum64(), 6))
			language := heldOutLanguages[random.IntN(len(heldOutLanguages))]
			sets := sixthLabels[kinds[i%len(kinds)]]
			turns := heldOutConversation(random, sentences[language], sets[random.IntN(len(sets))], style.shape)
			reading, problem := readExport(style, turns)
			counts[reading]++
			total++
			if reading != readRight {
				t.Logf("%s: %s, %q, %s: %s", reading, style.name, turns[0].speaker, language, problem)
			}
		}
	}
	t.Logf("%d files in %d styles: %s", total, len(sixthSet), heldOutFigures(counts))
	require.LessOrEqual(t, counts[readSilently]*100, total, "silently wrong")
}
