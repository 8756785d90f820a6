package transcript_test

import (
	"fmt"
	"strings"
	"time"
)

// eighthTranscribers returns the styles of services and programs for transcription, and of programs for
// analysis.
func eighthTranscribers() []eighthStyle {
	two := []string{"Speaker 1", "Speaker 2"}
	return []eighthStyle{
		{"rev", "en-clinic en-panel es-tienda", nil, time.Second,
			typedTurns("", "", func(_ int, s eighthTurn) string {
				return fmt.Sprintf("%s (%s):\n%s\n\n", s.speaker, s.at.mmss(), s.text)
			})},
		{"rev, with times of paragraphs", "en-clinic en-invoices de-werkstatt", nil, time.Second, revParagraphs},
		{"rev, with inaudible marks", "en-clinic en-panel en-founder", nil, time.Second, revInaudible},
		{"trint", "en-invoices fr-boulangerie en-founder", nil, time.Second,
			typedTurns("Interview 7\n\n", "", func(_ int, s eighthTurn) string {
				return fmt.Sprintf("[%s] %s\n%s\n\n", s.at.hms(), s.speaker, s.text)
			})},
		{"descript", "en-clinic en-panel pt-entregas", nil, time.Second,
			typedTurns("", "", func(_ int, s eighthTurn) string {
				return fmt.Sprintf("[%s] %s: %s\n\n", s.at.hms(), s.speaker, s.text)
			})},
		{"descript, markdown", "en-invoices en-founder nl-fietsen", nil, time.Second,
			typedTurns("# Interview 7\n\n", "", func(_ int, s eighthTurn) string {
				return fmt.Sprintf("**%s:** [%s] %s\n\n", s.speaker, s.at.hms(), s.text)
			})},
		{"happy scribe", "en-clinic fr-boulangerie es-tienda", nil, time.Second,
			typedTurns("", "", func(_ int, s eighthTurn) string {
				return fmt.Sprintf("[%s.12] - %s\n%s\n\n", s.at.hms(), s.speaker, s.text)
			})},
		{"sonix", "en-invoices de-werkstatt it-agriturismo", nil, time.Second,
			typedTurns("Interview 7.mp3\n\n", "", func(_ int, s eighthTurn) string {
				return fmt.Sprintf("%s: [%s] %s\n\n", s.speaker, s.at.hms(), s.text)
			})},
		{"sonix, no speakers found", "en-clinic de-werkstatt", nil, time.Second,
			func(f *eighthFile) {
				for _, s := range f.turns {
					f.raw("[%s] %s\n\n", s.at.hms(), s.text)
					s.speaker = ""
					f.said(s)
				}
			}},
		{"temi", "en-clinic en-invoices en-founder", two, time.Second,
			typedTurns("", "", func(_ int, s eighthTurn) string {
				return fmt.Sprintf("%s: %s\t%s\n\n", s.speaker, s.at.mmss(), s.text)
			})},
		{"scribie", "en-clinic en-panel en-invoices", []string{"S1", "S2", "S3", "S4"}, time.Second,
			typedTurns("Interview 7.mp3\n\nSpeakers: S1, S2\n\n", "", func(_ int, s eighthTurn) string {
				return fmt.Sprintf("%s.2 %s: %s\n\n", s.at.hms()[1:], s.speaker, s.text)
			})},
		{"gotranscript", "en-clinic en-founder es-tienda", nil, time.Second,
			typedTurns("[music]\n\n", "[00:31:12] [END OF AUDIO]\n", func(_ int, s eighthTurn) string {
				return fmt.Sprintf("[%s] %s: %s\n\n", s.at.hms(), s.speaker, s.text)
			})},
		{"gotranscript, unlabelled times each half minute", "en-clinic en-invoices de-werkstatt",
			nil, 0, marksInside},
		{"captioners' arrows", "en-clinic en-panel", nil, 0,
			typedTurns("", "", func(_ int, s eighthTurn) string {
				return fmt.Sprintf(">> %s: %s\n", strings.ToUpper(s.speaker), s.text)
			})},
		{"wreally", "en-invoices it-agriturismo", nil, 0, timesAtEnds},
		{"whisper, console", "en-clinic ja-ryokan ru-salon", nil, time.Millisecond, whisperConsole},
		{"whisper with diarization", "en-clinic es-tienda zh-huadian", []string{"SPEAKER_00", "SPEAKER_01"},
			time.Millisecond,
			typedTurns("", "", func(_ int, s eighthTurn) string {
				return fmt.Sprintf("[%s --> %s] [%s] %s\n", s.at.ms("."), s.end.ms("."), s.speaker, s.text)
			})},
		{"whisperx, text", "en-founder de-werkstatt pl-apteka", []string{"SPEAKER_00", "SPEAKER_01"}, 0,
			typedTurns("", "", func(_ int, s eighthTurn) string {
				return fmt.Sprintf("[%s]: %s\n", s.speaker, s.text)
			})},
		{"seconds and labels", "en-clinic pt-entregas", []string{"SPEAKER_00", "SPEAKER_01"}, 10 * time.Millisecond,
			typedTurns("", "", func(_ int, s eighthTurn) string {
				return fmt.Sprintf("%ss - %ss %s: %s\n", s.at.seconds(), s.end.seconds(), s.speaker, s.text)
			})},
		{"pyannote's lines", "en-invoices sv-skola", []string{"SPEAKER_00", "SPEAKER_01"}, 10 * time.Millisecond,
			typedTurns("", "", func(_ int, s eighthTurn) string {
				return fmt.Sprintf("%s (%s - %s): %s\n\n", s.speaker, s.at.seconds(), s.end.seconds(), s.text)
			})},
		{"noscribe", "de-werkstatt en-clinic", []string{"S00", "S01"}, 0,
			typedTurns("Transcribed with noScribe vers. 0.5\nAudio source: interview7.m4a\n\n", "",
				func(_ int, s eighthTurn) string { return fmt.Sprintf("%s: %s\n", s.speaker, s.text) })},
		{"macwhisper", "en-clinic fr-boulangerie en-founder", two, time.Second,
			typedTurns("", "", func(_ int, s eighthTurn) string {
				return fmt.Sprintf("%s\n%s\n%s\n\n", s.at.mmss(), s.speaker, s.text)
			})},
		{"otranscribe", "en-clinic nl-fietsen de-werkstatt", []string{"I", "R"}, time.Second,
			typedTurns("", "", func(_ int, s eighthTurn) string {
				return fmt.Sprintf("%s %s: %s\n\n", s.at.mmss(), s.speaker, s.text)
			})},
		{"otranscribe, markdown", "en-invoices fr-boulangerie", []string{"Q", "A"}, time.Second,
			typedTurns("", "", func(_ int, s eighthTurn) string {
				return fmt.Sprintf("[%s](#%d) **%s:** %s\n\n", s.at.mmss(),
					int(time.Duration(s.at).Seconds()), s.speaker, s.text)
			})},
		{"f4", "de-werkstatt en-clinic nl-fietsen", []string{"I", "B"}, 0, f4Ends},
		{"f4, times in front", "de-werkstatt en-invoices", []string{"I", "B"}, time.Second,
			typedTurns("", "", func(_ int, s eighthTurn) string {
				return fmt.Sprintf("#%s-1# %s: %s\n\n", s.at.hms(), s.speaker, s.text)
			})},
		{"nvivo, columns", "en-clinic en-panel es-tienda", nil, time.Second,
			framed("Timespan\tContent\tSpeaker\n", "", func(_ int, s eighthTurn) string {
				return fmt.Sprintf("%s.1 - %s.0\t%s\t%s\n", s.at.mss(), s.end.mss(), s.text, s.speaker)
			})},
		{"atlas.ti", "en-founder de-werkstatt", nil, 0, func(f *eighthFile) {
			for _, s := range f.turns {
				f.raw("%s: %s #%s#\n\n", s.speaker, s.text, s.end.hms())
				s.at = anyTime
				f.want = append(f.want, s)
			}
		}},
		{"elan, tab-delimited", "en-clinic nl-fietsen tr-kafe", nil, time.Millisecond,
			framed("", "", func(_ int, s eighthTurn) string {
				return fmt.Sprintf("%s\t\t%s\t%s\t%s\t%s\n", s.speaker, s.at.ms("."), s.end.ms("."),
					(s.end - s.at).ms("."), s.text)
			})},
		{"inqscribe", "en-clinic en-panel it-agriturismo", nil, time.Second,
			typedTurns("", "", func(_ int, s eighthTurn) string {
				return fmt.Sprintf("[%s.05] %s: %s\n\n", s.at.hms(), s.speaker, s.text)
			})},
		{"express scribe", "en-invoices en-clinic pl-apteka", []string{"INTERVIEWER", "RESPONDENT"}, 0,
			typedTurns("", "", func(_ int, s eighthTurn) string {
				return fmt.Sprintf("%s:\t%s\r\n\r\n", s.speaker, s.text)
			})},
		{"youtube, copied", "en-clinic ja-ryokan fr-boulangerie", nil, time.Second,
			func(f *eighthFile) {
				for _, s := range f.turns {
					f.raw("%s\n%s\n", s.at.mss(), s.text)
					s.speaker = ""
					f.said(s)
				}
			}},
		{"youtube, copied with spoken times", "en-invoices de-werkstatt", nil, time.Second, youTubeSpoken},
		{"amberscript", "en-clinic nl-fietsen", two, time.Second,
			typedTurns("", "", func(_ int, s eighthTurn) string {
				return fmt.Sprintf("%s %s\n%s\n\n", s.at.hms(), s.speaker, s.text)
			})},
		{"transkriptor", "en-clinic tr-kafe pt-entregas", []string{"SPK_1", "SPK_2"}, time.Second,
			typedTurns("", "", func(_ int, s eighthTurn) string {
				return fmt.Sprintf("%s - %s %s\n%s\n\n", s.at.hms(), s.end.hms(), s.speaker, s.text)
			})},
		{"turboscribe", "en-founder ru-salon es-tienda", two, time.Second,
			typedTurns("", "", func(_ int, s eighthTurn) string {
				return fmt.Sprintf("[%s] (%s - %s)\n%s\n\n", s.speaker, s.at.mss(), s.end.mss(), s.text)
			})},
		{"clova note", "ko-hakwon ja-ryokan", []string{"참석자 1", "참석자 2"}, time.Second,
			typedTurns("인터뷰 7\n2024.03.05 화 오전 10:02 · 31분 12초\n연구원\n\n", "\nclovanote.naver.com\n",
				func(_ int, s eighthTurn) string {
					return fmt.Sprintf("%s %s\n%s\n\n", s.speaker, s.at.mmss(), s.text)
				})},
		{"iflyrec", "zh-huadian", []string{"说话人1", "说话人2"}, time.Second,
			typedTurns("访谈7\n2024年03月05日 10:02\n\n", "", func(_ int, s eighthTurn) string {
				return fmt.Sprintf("%s %s\n%s\n\n", s.speaker, s.at.mmss(), s.text)
			})},
	}
}

func revParagraphs(f *eighthFile) {
	for _, s := range f.turns {
		f.raw("%s (%s):\n", s.speaker, s.at.hms())
		first, second, ok := strings.Cut(s.text, ". ")
		if !ok {
			f.raw("%s\n\n", s.text)
			f.said(s)
			continue
		}
		middle := (s.at + s.end) / 2
		f.raw("%s.\n\n(%s):\n%s\n\n", first, middle.hms(), second)
		f.said(eighthTurn{speaker: s.speaker, at: s.at, text: first + "."})
		f.said(eighthTurn{speaker: s.speaker, at: middle, text: second})
	}
}

func revInaudible(f *eighthFile) {
	for i, s := range f.turns {
		if i == 3 {
			s.text += " And then [inaudible " + s.end.hms() + "] anyway."
		}
		f.raw("%s (%s):\n%s\n\n", s.speaker, s.at.hms(), s.text)
		f.said(s)
		if i == 6 {
			f.loose("[crosstalk " + s.end.hms() + "]\n\n")
		}
	}
}

// marksInside writes a time at each half minute, wherever it falls.
func marksInside(f *eighthFile) {
	mark := 30 * time.Second
	for _, s := range f.turns {
		f.raw("%s: ", s.speaker)
		words := strings.Fields(s.text)
		for i, w := range words {
			at := time.Duration(s.at) + time.Duration(s.end-s.at)*time.Duration(i)/time.Duration(len(words))
			if at > mark && i > 0 {
				f.raw("[%s] ", eighthTime(mark).hms())
				mark += 30 * time.Second
			}
			f.raw("%s ", w)
		}
		f.raw("\n\n")
		s.at = anyTime
		f.want = append(f.want, s)
	}
}

func timesAtEnds(f *eighthFile) {
	for _, s := range f.turns {
		f.raw("%s: %s [%s]\n\n", s.speaker, s.text, s.end.mmss())
		s.at = anyTime
		f.want = append(f.want, s)
	}
}

func f4Ends(f *eighthFile) {
	for _, s := range f.turns {
		f.raw("%s: %s #%s-%d#\n\n", s.speaker, s.text, s.end.hms(), time.Duration(s.end).Milliseconds()/100%10)
		s.at = anyTime
		f.want = append(f.want, s)
	}
}

func whisperConsole(f *eighthFile) {
	for _, s := range f.turns {
		f.raw("[%s --> %s]  %s\n", s.at.ms(".")[3:], s.end.ms(".")[3:], s.text)
		s.speaker = ""
		f.said(s)
	}
}

func youTubeSpoken(f *eighthFile) {
	for _, s := range f.turns {
		sec := int(time.Duration(s.at).Seconds())
		spoken := fmt.Sprintf("%d seconds", sec%60)
		if sec%60 == 1 {
			spoken = "1 second"
		}
		switch {
		case sec >= 120:
			spoken = fmt.Sprintf("%d minutes, %s", sec/60, spoken)
		case sec >= 60:
			spoken = "1 minute, " + spoken
		}
		f.raw("%s\n%s\n%s\n", s.at.mss(), spoken, s.text)
		s.speaker = ""
		f.said(s)
	}
}
