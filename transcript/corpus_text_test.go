package transcript_test

import (
	"fmt"
	"strings"
	"time"
)

// oneLine puts a text on one line, for layouts that have a line per turn.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// labelLayouts are texts without times.
var labelLayouts = []corpusLayout{
	{"name", untimed, eachCorpusTurn("", func(_ int, s said) string {
		return s.speaker + ": " + s.text + "\n"
	}), nil, ""},
	{"name, blank lines", untimed, eachCorpusTurn("", func(_ int, s said) string {
		return s.speaker + ": " + s.text + "\n\n"
	}), nil, ""},
	{"name and colon above", untimed, eachCorpusTurn("", func(_ int, s said) string {
		return s.speaker + ":\n" + s.text + "\n\n"
	}), nil, ""},
	{"name above", untimed, eachCorpusTurn("", func(_ int, s said) string {
		return s.speaker + "\n" + s.text + "\n\n"
	}), nil, ""},
	{"name, dash", untimed, eachCorpusTurn("", func(_ int, s said) string {
		return s.speaker + " - " + s.text + "\n\n"
	}), nil, ""},
	{"name, long dash", untimed, eachCorpusTurn("", func(_ int, s said) string {
		return s.speaker + " — " + s.text + "\n"
	}), nil, ""},
	{"name, tab", untimed, eachCorpusTurn("", func(_ int, s said) string {
		return s.speaker + "\t" + oneLine(s.text) + "\n"
	}), nil, ""},
	{"square brackets", untimed, eachCorpusTurn("", func(_ int, s said) string {
		return "[" + s.speaker + "] " + s.text + "\n"
	}), nil, ""},
	{"square brackets, colon", untimed, eachCorpusTurn("", func(_ int, s said) string {
		return "[" + s.speaker + "]: " + s.text + "\n"
	}), nil, ""},
	{"brackets above", untimed, eachCorpusTurn("", func(_ int, s said) string {
		return "(" + s.speaker + ")\n" + s.text + "\n\n"
	}), nil, ""},
	{"numbered lines", untimed, eachCorpusTurn("", func(i int, s said) string {
		return fmt.Sprintf("%d. %s: %s\n", i+1, s.speaker, oneLine(s.text))
	}), nil, ""},
	{"numbered lines, three digits", untimed, eachCorpusTurn("", func(i int, s said) string {
		return fmt.Sprintf("%03d  %s: %s\n", i+1, s.speaker, oneLine(s.text))
	}), nil, ""},
	{"bullets", untimed, eachCorpusTurn("", func(_ int, s said) string {
		return "- " + s.speaker + ": " + oneLine(s.text) + "\n"
	}), nil, ""},
	{"bold", untimed, eachCorpusTurn("# Interview\n\n", func(_ int, s said) string {
		return "**" + s.speaker + ":** " + s.text + "\n\n"
	}), nil, ""},
	{"bold, colon outside", untimed, eachCorpusTurn("", func(_ int, s said) string {
		return "**" + s.speaker + "**: " + s.text + "\n\n"
	}), nil, ""},
	{"bold above", untimed, eachCorpusTurn("", func(_ int, s said) string {
		return "**" + s.speaker + "**\n" + s.text + "\n\n"
	}), nil, ""},
	{"bold paragraph above", untimed, eachCorpusTurn("# Interview\n\n", func(_ int, s said) string {
		return "**" + s.speaker + "**\n\n" + s.text + "\n\n"
	}), nil, ""},
	{"heading above", untimed, eachCorpusTurn("# Interview\n\n", func(_ int, s said) string {
		return "### " + s.speaker + "\n\n" + s.text + "\n\n"
	}), nil, ""},
	{"Markdown table", untimed, eachCorpusTurn("| Speaker | Text |\n| --- | --- |\n",
		func(_ int, s said) string {
			return "| " + s.speaker + " | " + oneLine(s.text) + " |\n"
		}), nil, ""},
	{"after a short line", untimed, eachCorpusTurn("Interview with a bakery\n\n", func(_ int, s said) string {
		return s.speaker + ": " + s.text + "\n\n"
	}), nil, "Interview with a bakery"},
	{"Otter after a short line", timed, eachCorpusTurn("Hello there\n\n", func(_ int, s said) string {
		return fmt.Sprintf("%s  %s\n%s\n\n", s.speaker, short(s.start), s.text)
	}), nil, "Hello there"},
}

// afternoon formats a time of day as 10:02:15 AM.
func afternoon(d time.Duration) string { return corpusBase.Add(d).Format("3:04:05 PM") }

// clockLayouts are texts with times.
var clockLayouts = []corpusLayout{
	{"[time] name", timed, eachCorpusTurn("", func(_ int, s said) string {
		return fmt.Sprintf("[%s] %s: %s\n", clockS(s.start), s.speaker, s.text)
	}), nil, ""},
	{"time name", timed, eachCorpusTurn("", func(_ int, s said) string {
		return fmt.Sprintf("%s %s: %s\n", clockS(s.start), s.speaker, s.text)
	}), nil, ""},
	{"time tab name tab", timed, eachCorpusTurn("", func(_ int, s said) string {
		return fmt.Sprintf("%s\t%s\t%s\n", clockS(s.start), s.speaker, oneLine(s.text))
	}), nil, ""},
	{"time - name", timed, eachCorpusTurn("", func(_ int, s said) string {
		return fmt.Sprintf("%s - %s\n%s\n\n", clockS(s.start), s.speaker, s.text)
	}), nil, ""},
	{"time above", timed, eachCorpusTurn("", func(_ int, s said) string {
		return fmt.Sprintf("%s\n%s: %s\n\n", clockS(s.start), s.speaker, s.text)
	}), nil, ""},
	{"[time] name above", timed, eachCorpusTurn("", func(_ int, s said) string {
		return fmt.Sprintf("[%s] %s\n%s\n\n", clockS(s.start), s.speaker, s.text)
	}), nil, ""},
	{"name [time] above", timed, eachCorpusTurn("", func(_ int, s said) string {
		return fmt.Sprintf("%s [%s]\n%s\n\n", s.speaker, clockS(s.start), s.text)
	}), nil, ""},
	{"name: [time]", timed, eachCorpusTurn("", func(_ int, s said) string {
		return fmt.Sprintf("%s: [%s] %s\n\n", s.speaker, clockS(s.start), s.text)
	}), nil, ""},
	{"range above", timed, eachCorpusTurn("", func(_ int, s said) string {
		return fmt.Sprintf("[%s - %s] %s: %s\n", clockS(s.start), clockS(s.end), s.speaker, s.text)
	}), nil, ""},
	{"name and time above", timed, eachCorpusTurn("", func(_ int, s said) string {
		return fmt.Sprintf("%s\n%s\n%s\n\n", s.speaker, clockS(s.start), s.text)
	}), nil, ""},
	{"Otter", timed, eachCorpusTurn("", func(_ int, s said) string {
		return fmt.Sprintf("%s  %s\n%s\n\n", s.speaker, short(s.start), s.text)
	}), nil, ""},
	{"Otter with its title", timed, eachCorpusTurn(otterTitle, func(_ int, s said) string {
		return fmt.Sprintf("%s  %s\n%s\n\n", s.speaker, short(s.start), s.text)
	}), nil, ""},
	{"Rev", timed, eachCorpusTurn(revTitle, func(_ int, s said) string {
		return fmt.Sprintf("%s (%s):\n%s\n\n", s.speaker, clockS(s.start), s.text)
	}), nil, ""},
	{"Rev on one line", timed, eachCorpusTurn("", func(_ int, s said) string {
		return fmt.Sprintf("%s (%s): %s\n\n", s.speaker, clockS(s.start), s.text)
	}), nil, ""},
	{"Fireflies", timed, eachCorpusTurn("", func(_ int, s said) string {
		return fmt.Sprintf("%s - %s\n%s\n\n", s.speaker, short(s.start), s.text)
	}), nil, ""},
	{"f4 at the start", timed, eachCorpusTurn("", func(_ int, s said) string {
		return fmt.Sprintf("#%s-%d# %s: %s\n", clockS(s.start), s.start.Milliseconds()/100%10, s.speaker, s.text)
	}), nil, ""},
	{"f4 at the end", endTimed, eachCorpusTurn("", func(_ int, s said) string {
		return fmt.Sprintf("%s: %s #%s-%d#\n", s.speaker, s.text, clockS(s.end), s.end.Milliseconds()/100%10)
	}), nil, ""},
	{"frames", timed, eachCorpusTurn("", func(_ int, s said) string {
		return fmt.Sprintf("%s:%02d - %s:%02d\n%s\n%s\n\n",
			clockS(s.start), s.start.Milliseconds()%1000*25/1000, clockS(s.end), 3, s.speaker, s.text)
	}), nil, ""},
	{"[frames] name", timed, eachCorpusTurn("", func(_ int, s said) string {
		return fmt.Sprintf("[%s:%02d] %s: %s\n", clockS(s.start),
			s.start.Milliseconds()%1000*25/1000, s.speaker, s.text)
	}), nil, ""},
	{"seconds", timed, eachCorpusTurn("", func(_ int, s said) string {
		return fmt.Sprintf("%.2fs - %.2fs %s: %s\n", s.start.Seconds(), s.end.Seconds(), s.speaker, s.text)
	}), nil, ""},
	{"[seconds -> seconds]", timed, eachCorpusTurn("", func(_ int, s said) string {
		return fmt.Sprintf("[%.2fs -> %.2fs] %s: %s\n", s.start.Seconds(), s.end.Seconds(), s.speaker, s.text)
	}), nil, ""},
	{"AM/PM", clockTimed, eachCorpusTurn("", func(_ int, s said) string {
		return fmt.Sprintf("%s %s: %s\n", afternoon(s.start), s.speaker, s.text)
	}), nil, ""},
	{"[AM/PM]", clockTimed, eachCorpusTurn("", func(_ int, s said) string {
		return fmt.Sprintf("[%s] %s: %s\n\n", afternoon(s.start), s.speaker, s.text)
	}), nil, ""},
	{"name, AM/PM above", clockTimed, eachCorpusTurn("", func(_ int, s said) string {
		return fmt.Sprintf("%s  %s\n%s\n\n", s.speaker, afternoon(s.start), s.text)
	}), nil, ""},
	{"ISO", clockTimed, eachCorpusTurn("", func(_ int, s said) string {
		return fmt.Sprintf("%s %s: %s\n", corpusBase.Add(s.start).Format(time.RFC3339), s.speaker, s.text)
	}), nil, ""},
	{"[ISO]", clockTimed, eachCorpusTurn("", func(_ int, s said) string {
		at := corpusBase.Add(s.start).Format("2006-01-02 15:04:05")
		return fmt.Sprintf("[%s] %s: %s\n", at, s.speaker, s.text)
	}), nil, ""},
}

// ass formats 0:01:02.03, as SubStation Alpha has it.
func ass(d time.Duration) string { return clockMS(d, ".")[1:11] }

const assHead = "[Script Info]\nTitle: Interview\nScriptType: v4.00+\n\n[V4+ Styles]\n" +
	"Format: Name, Fontname, Fontsize\nStyle: Default,Arial,20\n\n[Events]\n" +
	"Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"

// captionLayouts are subtitles.
var captionLayouts = []corpusLayout{
	{"VTT", timed, eachCorpusTurn("WEBVTT\n\n", func(i int, s said) string {
		return fmt.Sprintf("%d\n%s\n%s: %s\n\n", i+1, s.times(" --> ", "."), s.speaker, s.text)
	}), nil, ""},
	{"VTT, voices", timed, eachCorpusTurn("WEBVTT\n\n", func(_ int, s said) string {
		return fmt.Sprintf("%s\n<v %s>%s</v>\n\n", s.times(" --> ", "."), s.speaker, vttEscape.Replace(s.text))
	}), nil, ""},
	{"VTT, names as ids", timed, eachCorpusTurn("WEBVTT\n\n", func(_ int, s said) string {
		return fmt.Sprintf("%s\n%s\n%s\n\n", s.speaker, s.times(" --> ", "."), s.text)
	}), nil, ""},
	{"VTT, numbered names as ids", timed, eachCorpusTurn("WEBVTT\n\n", func(i int, s said) string {
		return fmt.Sprintf("%d \"%s\" (123456)\n%s\n%s\n\n", i+1, s.speaker, s.times(" --> ", "."), s.text)
	}), nil, ""},
	{"VTT, brackets", timed, eachCorpusTurn("WEBVTT\n\n", func(_ int, s said) string {
		return fmt.Sprintf("%s\n(%s)\n%s\n\n", s.times(" --> ", "."), s.speaker, s.text)
	}), nil, ""},
	{"SRT", timed, eachCorpusTurn("", func(i int, s said) string {
		return fmt.Sprintf("%d\n%s\n%s: %s\n\n", i+1, s.times(" --> ", ","), s.speaker, s.text)
	}), nil, ""},
	{"SRT, square brackets", timed, eachCorpusTurn("", func(i int, s said) string {
		return fmt.Sprintf("%d\n%s\n[%s] %s\n\n", i+1, s.times(" --> ", ","), s.speaker, s.text)
	}), nil, ""},
	{"SRT, name above", timed, eachCorpusTurn("", func(i int, s said) string {
		return fmt.Sprintf("%d\n%s\n%s:\n%s\n\n", i+1, s.times(" --> ", ","), s.speaker, s.text)
	}), nil, ""},
	{"SBV", timed, eachCorpusTurn("", func(_ int, s said) string {
		return fmt.Sprintf("%s,%s\n%s: %s\n\n",
			clockMS(s.start, ".")[1:], clockMS(s.end, ".")[1:], s.speaker, s.text)
	}), nil, ""},
	{"ASS", timed, eachCorpusTurn(assHead, func(_ int, s said) string {
		return fmt.Sprintf("Dialogue: 0,%s,%s,Default,%s,0,0,0,,%s\n", ass(s.start), ass(s.end),
			strings.ReplaceAll(s.speaker, ",", ";"), strings.ReplaceAll(s.text, "\n", `\N`))
	}), func(label string, _ int) string { return strings.ReplaceAll(label, ",", ";") }, ""},
	{"Teams cues in text", timed, eachCorpusTurn("", func(_ int, s said) string {
		return fmt.Sprintf("%s --> %s\n%s\n%s\n\n", unpadded(s.start), unpadded(s.end), s.speaker, s.text)
	}), nil, ""},
}

// minuteOf formats the minute that stands for a second, in chats whose times have no seconds.
func minuteOf(start time.Duration) string {
	return corpusBase.Add(start.Truncate(time.Second) * 60).Format("3:04 PM")
}

// chatLayouts are exports of chats.
var chatLayouts = []corpusLayout{
	{"WhatsApp on iOS", clockTimed, eachCorpusTurn("", func(_ int, s said) string {
		return fmt.Sprintf("[%s] %s: %s\n",
			corpusBase.Add(s.start).Format("02/01/2006, 15:04:05"), s.speaker, s.text)
	}), nil, ""},
	{"WhatsApp on Android", minuteTimed, eachCorpusTurn("", func(_ int, s said) string {
		at := corpusBase.Add(s.start.Truncate(time.Second) * 60).Format("1/2/06, 3:04 PM")
		return fmt.Sprintf("%s - %s: %s\n", at, s.speaker, s.text)
	}), nil, ""},
	{"Slack", minuteTimed, eachCorpusTurn("", func(_ int, s said) string {
		return fmt.Sprintf("%s  [%s]\n%s\n\n", s.speaker, minuteOf(s.start), s.text)
	}), nil, ""},
	{"Slack without brackets", minuteTimed, eachCorpusTurn("", func(_ int, s said) string {
		return fmt.Sprintf("%s\n  %s\n%s\n\n", s.speaker, minuteOf(s.start), s.text)
	}), nil, ""},
	{"Zoom chat", clockTimed, eachCorpusTurn("", func(_ int, s said) string {
		at := corpusBase.Add(s.start).Format("15:04:05")
		return fmt.Sprintf("%s From %s to Everyone:\n\t%s\n", at, s.speaker,
			strings.ReplaceAll(s.text, "\n", "\n\t"))
	}), nil, ""},
	{"Zoom chat on one line", clockTimed, eachCorpusTurn("", func(_ int, s said) string {
		at := corpusBase.Add(s.start).Format("15:04:05")
		return fmt.Sprintf("%s\t From  %s : %s\n", at, s.speaker, s.text)
	}), nil, ""},
	{"Teams chat", minuteTimed, eachCorpusTurn("", func(_ int, s said) string {
		return fmt.Sprintf("[%s] %s\n%s\n\n", minuteOf(s.start), s.speaker, s.text)
	}), nil, ""},
}
