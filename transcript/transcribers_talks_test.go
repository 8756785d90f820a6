package transcript_test

import (
	"fmt"
	"strings"
	"time"
)

// transcriberTalks returns the styles of services for transcription.
func transcriberTalks() []talkStyle {
	two := []string{"Speaker 1", "Speaker 2"}
	return []talkStyle{
		{"rev", "en-clinic en-panel es-tienda", nil, time.Second,
			amidAsides("", "", func(_ int, s said) string {
				return fmt.Sprintf("%s (%s):\n%s\n\n", s.speaker, mmss(s.start), s.text)
			})},
		{"rev, with times of paragraphs", "en-clinic en-invoices de-werkstatt", nil, time.Second, revParagraphs},
		{"rev, with inaudible marks", "en-clinic en-panel en-founder", nil, time.Second, revInaudible},
		{"trint", "en-invoices fr-boulangerie en-founder", nil, time.Second,
			amidAsides("Interview 7\n\n", "", func(_ int, s said) string {
				return fmt.Sprintf("[%s] %s\n%s\n\n", clockS(s.start), s.speaker, s.text)
			})},
		{"descript", "en-clinic en-panel pt-entregas", nil, time.Second,
			amidAsides("", "", func(_ int, s said) string {
				return fmt.Sprintf("[%s] %s: %s\n\n", clockS(s.start), s.speaker, s.text)
			})},
		{"descript, markdown", "en-invoices en-founder nl-fietsen", nil, time.Second,
			amidAsides("# Interview 7\n\n", "", func(_ int, s said) string {
				return fmt.Sprintf("**%s:** [%s] %s\n\n", s.speaker, clockS(s.start), s.text)
			})},
		{"happy scribe", "en-clinic fr-boulangerie es-tienda", nil, time.Second,
			amidAsides("", "", func(_ int, s said) string {
				return fmt.Sprintf("[%s.12] - %s\n%s\n\n", clockS(s.start), s.speaker, s.text)
			})},
		{"sonix", "en-invoices de-werkstatt it-agriturismo", nil, time.Second,
			amidAsides("Interview 7.mp3\n\n", "", func(_ int, s said) string {
				return fmt.Sprintf("%s: [%s] %s\n\n", s.speaker, clockS(s.start), s.text)
			})},
		{"sonix, no speakers found", "en-clinic de-werkstatt", nil, time.Second,
			func(f *file) {
				for _, s := range f.turns {
					f.raw("[%s] %s\n\n", clockS(s.start), s.text)
					s.speaker = ""
					f.said(s)
				}
			}},
		{"temi", "en-clinic en-invoices en-founder", two, time.Second,
			amidAsides("", "", func(_ int, s said) string {
				return fmt.Sprintf("%s: %s\t%s\n\n", s.speaker, mmss(s.start), s.text)
			})},
		{"scribie", "en-clinic en-panel en-invoices", []string{"S1", "S2", "S3", "S4"}, time.Second,
			amidAsides("Interview 7.mp3\n\nSpeakers: S1, S2\n\n", "", func(_ int, s said) string {
				return fmt.Sprintf("%s.2 %s: %s\n\n", clockS(s.start)[1:], s.speaker, s.text)
			})},
		{"gotranscript", "en-clinic en-founder es-tienda", nil, time.Second,
			amidAsides("[music]\n\n", "[00:31:12] [END OF AUDIO]\n", func(_ int, s said) string {
				return fmt.Sprintf("[%s] %s: %s\n\n", clockS(s.start), s.speaker, s.text)
			})},
		{"gotranscript, unlabelled times each half minute", "en-clinic en-invoices de-werkstatt",
			nil, 0, marksInside},
		{"captioners' arrows", "en-clinic en-panel", nil, 0, func(f *file) {
			for _, s := range f.turns {
				s.speaker = strings.ToUpper(s.speaker)
				f.raw(">> %s: %s\n", s.speaker, s.text)
				f.said(s)
			}
		}},
		{"wreally", "en-invoices it-agriturismo", nil, 0, timesAtEnds},
		{"amberscript", "en-clinic nl-fietsen", two, time.Second,
			amidAsides("", "", func(_ int, s said) string {
				return fmt.Sprintf("%s %s\n%s\n\n", clockS(s.start), s.speaker, s.text)
			})},
		{"transkriptor", "en-clinic tr-kafe pt-entregas", []string{"SPK_1", "SPK_2"}, time.Second,
			amidAsides("", "", func(_ int, s said) string {
				return fmt.Sprintf("%s - %s %s\n%s\n\n", clockS(s.start), clockS(s.end), s.speaker, s.text)
			})},
		{"clova note", "ko-hakwon ja-ryokan", []string{"참석자 1", "참석자 2"}, time.Second,
			amidAsides("인터뷰 7\n2024.03.05 화 오전 10:02 · 31분 12초\n연구원\n\n", "\nclovanote.naver.com\n",
				func(_ int, s said) string {
					return fmt.Sprintf("%s %s\n%s\n\n", s.speaker, mmss(s.start), s.text)
				})},
		{"iflyrec", "zh-huadian", []string{"说话人1", "说话人2"}, time.Second,
			amidAsides("访谈7\n2024年03月05日 10:02\n\n", "", func(_ int, s said) string {
				return fmt.Sprintf("%s %s\n%s\n\n", s.speaker, mmss(s.start), s.text)
			})},
	}
}

func revParagraphs(f *file) {
	for _, s := range f.turns {
		f.raw("%s (%s):\n", s.speaker, clockS(s.start))
		first, second, ok := strings.Cut(s.text, ". ")
		if !ok {
			f.raw("%s\n\n", s.text)
			f.said(s)
			continue
		}
		middle := (s.start + s.end) / 2
		f.raw("%s.\n\n(%s):\n%s\n\n", first, clockS(middle), second)
		f.said(said{speaker: s.speaker, start: s.start, text: first + "."})
		f.said(said{speaker: s.speaker, start: middle, text: second})
	}
}

func revInaudible(f *file) {
	for i, s := range f.turns {
		if i == 3 {
			s.text += " And then [inaudible " + clockS(s.end) + "] anyway."
		}
		f.raw("%s (%s):\n%s\n\n", s.speaker, clockS(s.start), s.text)
		f.said(s)
		if i == 6 {
			f.loose("[crosstalk " + clockS(s.end) + "]\n\n")
		}
	}
}

// marksInside writes a time at each half minute, wherever it falls.
func marksInside(f *file) {
	mark := 30 * time.Second
	for _, s := range f.turns {
		f.raw("%s: ", s.speaker)
		words := strings.Fields(s.text)
		for i, w := range words {
			at := s.start + (s.end-s.start)*time.Duration(i)/time.Duration(len(words))
			if at > mark && i > 0 {
				f.raw("[%s] ", clockS(mark))
				mark += 30 * time.Second
			}
			f.raw("%s ", w)
		}
		f.raw("\n\n")
		f.saidSometime(s)
	}
}

func timesAtEnds(f *file) {
	for _, s := range f.turns {
		f.raw("%s: %s [%s]\n\n", s.speaker, s.text, mmss(s.end))
		f.saidSometime(s)
	}
}
