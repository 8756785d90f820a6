package transcript_test

import (
	"fmt"
	"strings"
	"time"
)

// timeStyles are texts with a time and a name for each turn, of no tool in particular.
var timeStyles = styles{
	bakery: []style{
		{"Otter after a short line", "", lines, timed, between("Hello there\n\n", "", func(_ int, s said) string {
			return fmt.Sprintf("%s  %s\n%s\n\n", s.speaker, short(s.start), s.text)
		}), nil},
		{"[time] name", "", lines, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%s] %s: %s\n", clockS(s.start), s.speaker, s.text)
		}), nil},
		{"time name", "", lines, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s %s: %s\n", clockS(s.start), s.speaker, s.text)
		}), nil},
		{"time tab name tab", "", lines, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s\t%s\t%s\n", clockS(s.start), s.speaker, oneLine(s.text))
		}), nil},
		{"time - name", "", lines, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s - %s\n%s\n\n", clockS(s.start), s.speaker, s.text)
		}), nil},
		{"time above", "", lines, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s\n%s: %s\n\n", clockS(s.start), s.speaker, s.text)
		}), nil},
		{"[time] name above", "", lines, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%s] %s\n%s\n\n", clockS(s.start), s.speaker, s.text)
		}), nil},
		{"name [time] above", "", lines, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s [%s]\n%s\n\n", s.speaker, clockS(s.start), s.text)
		}), nil},
		{"name: [time]", "", lines, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s: [%s] %s\n\n", s.speaker, clockS(s.start), s.text)
		}), nil},
		{"range above", "", lines, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%s - %s] %s: %s\n", clockS(s.start), clockS(s.end), s.speaker, s.text)
		}), nil},
		{"name and time above", "", lines, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s\n%s\n%s\n\n", s.speaker, clockS(s.start), s.text)
		}), nil},
		{"frames", "", lines, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s:%02d - %s:%02d\n%s\n%s\n\n",
				clockS(s.start), s.start.Milliseconds()%1000*25/1000, clockS(s.end), 3, s.speaker, s.text)
		}), nil},
		{"[frames] name", "", lines, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%s:%02d] %s: %s\n", clockS(s.start),
				s.start.Milliseconds()%1000*25/1000, s.speaker, s.text)
		}), nil},
		{"seconds", "", lines, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%.2fs - %.2fs %s: %s\n", s.start.Seconds(), s.end.Seconds(), s.speaker, s.text)
		}), nil},
		{"[seconds -> seconds]", "", lines, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%.2fs -> %.2fs] %s: %s\n", s.start.Seconds(), s.end.Seconds(), s.speaker, s.text)
		}), nil},
		{"AM/PM", "", lines, clockTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s %s: %s\n", afternoon(s.start), s.speaker, s.text)
		}), nil},
		{"[AM/PM]", "", lines, clockTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%s] %s: %s\n\n", afternoon(s.start), s.speaker, s.text)
		}), nil},
		{"name, AM/PM above", "", lines, clockTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s  %s\n%s\n\n", s.speaker, afternoon(s.start), s.text)
		}), nil},
		{"ISO", "", lines, clockTimed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s %s: %s\n", stampAt(s.start, time.RFC3339), s.speaker, s.text)
		}), nil},
		{"[ISO]", "", lines, clockTimed, between("", "", func(_ int, s said) string {
			at := stampAt(s.start, "2006-01-02 15:04:05")
			return fmt.Sprintf("[%s] %s: %s\n", at, s.speaker, s.text)
		}), nil},
	},
	stories: []style{
		{"times at the end in brackets", "letters firsts roles", oneLiners, endTimed, between("", "",
			func(_ int, s said) string {
				return fmt.Sprintf("%s: %s [%s]\n\n", s.speaker, s.text, clockS(s.end))
			}), nil},
		{"time in the label", "firsts numbered roles", oneLiners, timed,
			between("", "", func(_ int, s said) string {
				return fmt.Sprintf("%s %s: %s\n", s.speaker, mmss(s.start), s.text)
			}), nil},
		{"time and bars", "letters firsts", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s | %s | %s\n", mmss(s.start), s.speaker, s.text)
		}), nil},
		{"[time] letter", "letters", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%s] %s: %s\n", clockS(s.start), s.speaker, s.text)
		}), nil},
		{"name (time) on one line", "numbered people", oneLiners, timed,
			between("", "", func(_ int, s said) string {
				return fmt.Sprintf("%s (%s) %s\n\n", s.speaker, mmss(s.start), s.text)
			}), nil},
		{"minutes and seconds in words", "people", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%dm%02ds] %s: %s\n", int(s.start.Minutes()),
				int(s.start.Seconds())%60, s.speaker, s.text)
		}), nil},
	},
	ward: []style{
		{"semicolons with times", "people firsts", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s; %s; %s\n", s.speaker, clockS(s.start), s.text)
		}), nil},
		{"commas with times", "firsts roles", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s, %s: %s\n\n", s.speaker, mmss(s.start), s.text)
		}), nil},
		{"at signs with times", "firsts people", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s @ %s: %s\n\n", s.speaker, mmss(s.start), s.text)
		}), nil},
		{"slashes with times", "firsts people", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s / %s / %s\n\n", s.speaker, mmss(s.start), s.text)
		}), nil},
		{"long dashes with times", "firsts people", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s — %s — %s\n\n", s.speaker, mmss(s.start), s.text)
		}), nil},
		{"times every few turns", "people roles", oneLiners, untimed, between("", "", func(i int, s said) string {
			mark := ""
			if i%7 == 6 {
				mark = fmt.Sprintf("[%s]\n\n", clockS(s.start))
			}
			return mark + s.speaker + ": " + s.text + "\n\n"
		}), nil},
		{"times in words before names", "firsts people", oneLiners, timed,
			between("", "", func(_ int, s said) string {
				m, sec := int(s.start.Minutes()), int(s.start.Seconds())%60
				return fmt.Sprintf("%s (%dm%02ds): %s\n\n", s.speaker, m, sec, s.text)
			}), nil},
		{"seconds in brackets", "numbered firsts", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%.1fs - %.1fs] %s: %s\n", s.start.Seconds(), s.end.Seconds(), s.speaker, s.text)
		}), nil},
		{"numbered segments", "people numbered", oneLiners, timed, between("", "", func(i int, s said) string {
			return fmt.Sprintf("%d\n%s\n%s\n%s\n\n", i+1, clockS(s.start), s.speaker, s.text)
		}), nil},
	},
	wardRare: []style{
		{"times after names and dots", "people", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s ...... %s\n%s\n\n", s.speaker, mmss(s.start), s.text)
		}), nil},
		{"times in curly brackets", "people", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("{%s} %s: %s\n", clockS(s.start), s.speaker, s.text)
		}), nil},
		{"times with h and min", "people", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%dh%02dm%02ds - %s: %s\n\n", int(s.start.Hours()), int(s.start.Minutes())%60,
				int(s.start.Seconds())%60, s.speaker, s.text)
		}), nil},
		{"times in points", "firsts", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%s %s: %s\n", strings.ReplaceAll(clockS(s.start), ":", "."), s.speaker, s.text)
		}), nil},
		{"milliseconds", "numbered", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("[%d ms] %s: %s\n", s.start.Milliseconds(), s.speaker, s.text)
		}), nil},
		{"seconds and bars", "numbered", oneLiners, timed, between("", "", func(_ int, s said) string {
			return fmt.Sprintf("%.2f|%.2f|%s|%s\n", s.start.Seconds(), s.end.Seconds(), s.speaker, s.text)
		}), nil},
	},
	clinic: []style{
		{"marks of minutes", "roles codes", oneLiners, untimed, between("", "", func(i int, s said) string {
			mark := ""
			if i%5 == 4 {
				mark = "(" + mmss(s.start) + ")\n\n"
			}
			return mark + s.speaker + ": " + s.text + "\n\n"
		}), nil},
	},
}
