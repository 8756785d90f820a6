package transcript_test

import (
	"fmt"
	"strings"
	"time"
)

// captionTalks returns the styles of captions.
func captionTalks() []talkStyle {
	return []talkStyle{
		{"vtt, zoom", "en-clinic en-panel fr-boulangerie", nil, ms,
			framed("WEBVTT\r\n\r\n", "", func(i int, s said) string {
				return fmt.Sprintf("%d\r\n%s --> %s\r\n%s: %s\r\n\r\n", i+1, clockMS(s.start, "."),
					clockMS(s.end, "."), s.speaker, s.text)
			})},
		{"vtt, teams", "en-clinic en-panel de-werkstatt", nil, ms,
			framed("WEBVTT\n\n", "", func(i int, s said) string {
				return fmt.Sprintf("c0ffee00-1f2e-4a5b-9d3c-0123456789ab/%d-0\n%s --> %s\n<v %s>%s</v>\n\n",
					i+11, clockMS(s.start, "."), clockMS(s.end, "."), s.speaker, s.text)
			})},
		{"vtt, teams with departments", "en-clinic en-founder",
			[]string{"Raman, Priya (UX)", "O'Brien, Tom [Elmroad]"},
			ms, framed("WEBVTT\n\n", "", func(_ int, s said) string {
				return fmt.Sprintf("%s --> %s\n<v %s>%s</v>\n\n", clockMS(s.start, "."), clockMS(s.end, "."), s.speaker,
					s.text)
			})},
		{"vtt, classes and notes", "en-invoices es-tienda", nil, ms,
			framed("WEBVTT - Interview 7\nKind: captions\nLanguage: en\n\nNOTE\nExported 2024-03-05\n"+
				"speaker: two\n\nSTYLE\n::cue(.first) {\n  color: white\n}\n\n", "\nNOTE end\n",
				func(i int, s said) string {
					return fmt.Sprintf("%d\n%s --> %s align:start position:0%%\n<v.first %s>%s\n\n",
						i+1, clockMS(s.start, "."), clockMS(s.end, "."), s.speaker, s.text)
				})},
		{"vtt, grain", "en-clinic en-panel", nil, ms,
			framed("WEBVTT\n\n", "", func(i int, s said) string {
				return fmt.Sprintf("\"%s\" (%d)\n%s --> %s\n%s\n\n", s.speaker, 3301+i*7, clockMS(s.start, "."),
					clockMS(s.end, "."), s.text)
			})},
		{"vtt, captions of two lines", "en-clinic en-founder it-agriturismo", nil,
			ms, twoLineCaptions},
		{"vtt, no speakers", "en-clinic ru-salon", nil, ms,
			func(f *file) {
				f.raw("WEBVTT\n\n")
				for _, s := range f.turns {
					f.raw("%s --> %s\n%s\n\n", clockMS(s.start, ".")[3:], clockMS(s.end, ".")[3:], s.text)
					s.speaker = ""
					f.said(s)
				}
			}},
		{"vtt, youtube rolling", "en-clinic de-werkstatt", nil, ms, rollingCaptions},
		{"srt, labels", "en-clinic en-panel pt-entregas", nil, ms,
			framed("", "", func(i int, s said) string {
				return fmt.Sprintf("%d\n%s --> %s\n%s: %s\n\n", i+1, clockMS(s.start, ","), clockMS(s.end, ","),
					s.speaker, s.text)
			})},
		{"srt, with a byte order mark and CRLF", "en-invoices fr-boulangerie", []string{"Speaker 1", "Speaker 2"},
			ms, framed("\ufeff", "", func(i int, s said) string {
				return fmt.Sprintf("%d\r\n%s --> %s\r\n[%s]: %s\r\n\r\n", i+1, clockMS(s.start, ","),
					clockMS(s.end, ","), s.speaker, s.text)
			})},
		{"srt, names in brackets", "en-founder en-panel tr-kafe", nil, ms,
			framed("", "", func(i int, s said) string {
				return fmt.Sprintf("%d\n%s --> %s\n[%s] %s\n\n", i+1, clockMS(s.start, ","), clockMS(s.end, ","),
					s.speaker, s.text)
			})},
		{"srt, colours", "en-clinic sv-skola", nil, ms,
			framed("", "", func(i int, s said) string {
				return fmt.Sprintf("%d\n%s --> %s\n<font color=\"#ffff00\">%s:</font> <i>%s</i>\n\n",
					i+1, clockMS(s.start, ","), clockMS(s.end, ","), s.speaker, s.text)
			})},
		{"srt, capitals", "en-clinic en-founder", nil, ms,
			func(f *file) {
				for i, s := range f.turns {
					s.speaker = strings.ToUpper(s.speaker)
					f.raw("%d\n%s --> %s\n%s: %s\n\n", i+1, clockMS(s.start, ","), clockMS(s.end, ","), s.speaker, s.text)
					f.said(s)
				}
			}},
		{"srt, names on lines of their own", "en-invoices nl-fietsen", nil, ms,
			framed("", "", func(i int, s said) string {
				return fmt.Sprintf("%d\n%s --> %s\n%s:\n%s\n\n", i+1, clockMS(s.start, ","), clockMS(s.end, ","),
					s.speaker, s.text)
			})},
		{"srt, no speakers", "ja-ryokan en-invoices zh-huadian", nil, ms,
			func(f *file) {
				for i, s := range f.turns {
					f.raw("%d\n%s --> %s\n%s\n\n", i+1, clockMS(s.start, ","), clockMS(s.end, ","), s.text)
					s.speaker = ""
					f.said(s)
				}
			}},
		{"sbv, labels", "en-clinic es-tienda", nil, ms,
			framed("", "", func(_ int, s said) string {
				return fmt.Sprintf("%s,%s\n%s: %s\n\n", clockMS(s.start, ".")[1:], clockMS(s.end, ".")[1:], s.speaker,
					s.text)
			})},
		{"ttml, labels", "en-clinic de-werkstatt", nil, ms,
			framed("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<tt xmlns=\"http://www.w3.org/ns/ttml\" "+
				"xml:lang=\"en\">\n<head><metadata/></head><body><div>\n", "</div></body></tt>\n",
				func(i int, s said) string {
					return fmt.Sprintf("<p xml:id=\"c%d\" begin=\"%s\" end=\"%s\">%s: %s</p>\n",
						i, clockMS(s.start, "."), clockMS(s.end, "."), s.speaker, s.text)
				})},
	}
}

// twoLineCaptions splits each turn into captions of two lines; the first one has the name.
func twoLineCaptions(f *file) {
	f.raw("WEBVTT\n\n")
	n := 0
	for _, s := range f.turns {
		words := strings.Fields(s.text)
		label := s.speaker + ": "
		for len(words) > 0 {
			k := min(12, len(words))
			at := s.end - (s.end-s.start)*time.Duration(len(words))/time.Duration(len(strings.Fields(s.text)))
			end := s.end - (s.end-s.start)*time.Duration(len(words)-k)/time.Duration(len(strings.Fields(s.text)))
			half := (k + 1) / 2
			n++
			f.raw("%d\n%s --> %s\n%s%s\n", n, clockMS(at, "."), clockMS(end, "."), label,
				strings.Join(words[:half], " "))
			if half < k {
				f.raw("%s\n", strings.Join(words[half:k], " "))
			}
			f.raw("\n")
			f.said(said{speaker: s.speaker, start: at, text: strings.Join(words[:k], " ")})
			label, words = "", words[k:]
		}
	}
}

// rollingCaptions repeats each line in the next caption, with times of words.
func rollingCaptions(f *file) {
	f.raw("WEBVTT\nKind: captions\nLanguage: en\n\n")
	before := " "
	for _, s := range f.turns {
		words := strings.Fields(s.text)
		middle := (s.start + s.end) / 2
		timed := words[0]
		for i, w := range words[1:] {
			at := s.start + (s.end-s.start)*time.Duration(i+1)/time.Duration(len(words))
			timed += fmt.Sprintf("<%s><c> %s</c>", clockMS(at, "."), w)
		}
		f.raw("%s --> %s align:start position:0%%\n%s\n%s\n\n", clockMS(s.start, "."), clockMS(middle, "."), before,
			timed)
		f.raw("%s --> %s align:start position:0%%\n%s\n \n\n", clockMS(middle, "."),
			clockMS(middle+10*ms, "."), s.text)
		before = s.text
		s.speaker = ""
		f.said(s)
	}
}
