package transcript_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"
)

// A ninthTalk is an interview as it was held.
type ninthTalk struct {
	title, date, lang string
	people            []ninthPerson
	turns             []ninthTurn
}

type ninthPerson struct{ name, role string }

// A ninthTurn is a turn of a talk or, as part of what is expected, of a file.
type ninthTurn struct {
	who        int
	speaker    string
	text       string
	start, end time.Duration
}

// A ninthStyle is a way in which a program, or a person, writes down a talk.
type ninthStyle struct {
	name                 string
	weight, files        int
	container            string // "docx", "json", …; "" is text
	times                string // the precision of the times, or "none", "wall", "first", "f4"
	label                string // how people are named
	lang                 string // the only language, or ""
	paragraphs           string // "line": the paragraphs of a turn have their own lines
	offset               time.Duration
	flags                map[string]bool
	header, turn, footer string
	aside                string // a line that nobody says, below the third turn
	word, punct          string // what {words} repeats
}

// A ninthFile is a talk in a style, and what a careful person would enter for it.
type ninthFile struct {
	style  ninthStyle
	talk   ninthTalk
	data   []byte
	want   []ninthTurn
	unsaid string // text that nobody says; it may be left out
}

// ninthSections returns the sections of a file of the ninth set, or of the tenth.
func ninthSections(t *testing.T, file string) []string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split("\n"+string(data), "\n== ")[1:]
}

func ninthTalks(t *testing.T, file string) []ninthTalk {
	t.Helper()
	head := regexp.MustCompile(`lang=(\w+) title="(.*)" date="(.*)"`)
	var talks []ninthTalk
	for _, section := range ninthSections(t, file) {
		lines := strings.Split(strings.TrimSpace(section), "\n")
		m := head.FindStringSubmatch(lines[0])
		talk := ninthTalk{lang: m[1], title: m[2], date: m[3]}
		at := 3200 * time.Millisecond
		for _, line := range lines[1:] {
			who, text := int(line[0]-'A'), line[2:]
			if name, role, ok := strings.Cut(text, "|"); ok && len(talk.people) == who {
				talk.people = append(talk.people, ninthPerson{name, role})
				continue
			}
			length := time.Duration(1000+60*utf8.RuneCountInString(text)) * time.Millisecond
			talk.turns = append(talk.turns, ninthTurn{who: who, text: text, start: at, end: at + length})
			at += length + 440*time.Millisecond
		}
		talks = append(talks, talk)
	}
	return talks
}

func ninthStyles(t *testing.T, file string) []ninthStyle {
	t.Helper()
	var styles []ninthStyle
	for _, section := range ninthSections(t, file) {
		head, body, _ := strings.Cut(section, "\n")
		name, keys, _ := strings.Cut(head, " | ")
		s := ninthStyle{name: name, label: "full", flags: map[string]bool{}}
		for key := range strings.FieldsSeq(keys) {
			key, value, _ := strings.Cut(key, "=")
			switch key {
			case "weight":
				s.weight, _ = strconv.Atoi(value)
			case "files":
				s.files, _ = strconv.Atoi(value)
			case "as":
				s.container = value
			case "times":
				s.times = value
			case "label":
				s.label = value
			case "lang":
				s.lang = value
			case "paras":
				s.paragraphs = value
			case "offset":
				seconds, _ := strconv.Atoi(value)
				s.offset = time.Duration(seconds) * time.Second
			default:
				s.flags[key] = true
			}
		}
		body = "\n" + strings.TrimSuffix(body, "\n")
		body, s.footer, _ = strings.Cut(body+"\n", "\n--end\n")
		body, s.aside, _ = strings.Cut(body, "\n--aside\n")
		body, s.punct, _ = strings.Cut(body, "\n--punct\n")
		body, s.word, _ = strings.Cut(body, "\n--word\n")
		s.header, s.turn, _ = strings.Cut(body, "\n--turn\n")
		s.header = strings.TrimPrefix(s.header, "\n")
		styles = append(styles, s)
	}
	return styles
}

// ninthFiles renders each style for some of the talks that suit it.
func ninthFiles(t *testing.T) []ninthFile {
	t.Helper()
	talks := ninthTalks(t, "templates/tool-interviews.txt")
	var files []ninthFile
	for i, s := range ninthStyles(t, "templates/tools.txt") {
		var suitable []ninthTalk
		for _, talk := range talks {
			pair := slices.Contains([]string{"qa", "me", "ib", "code", "pronouns", "firm"}, s.label)
			asian := talk.lang == "ja" || talk.lang == "ru"
			switch {
			case s.lang != "" && s.lang != talk.lang:
			case pair && len(talk.people) > 2:
			case s.container == "pdf" && (asian || talk.lang == "pl"):
			case talk.lang == "ja" && (s.label == "first" || s.label == "initials" || s.label == "surname"):
			default:
				suitable = append(suitable, talk)
			}
		}
		order := rand.New(rand.NewPCG(9, uint64(i))).Perm(len(suitable))
		for _, k := range order[:min(s.files, len(order))] {
			files = append(files, s.render(suitable[k]))
		}
	}
	return files
}

func (s ninthStyle) render(talk ninthTalk) ninthFile {
	f := ninthFile{style: s, talk: talk}
	header, footer := ninthAbout(s.header, talk, s), ninthAbout(s.footer, talk, s)
	if s.container != "json" {
		f.unsaid = header + "\n" + footer + "\n" + s.aside
	}
	var body []string
	n := 0
	for i, turn := range talk.turns {
		turn.start, turn.end = turn.start+s.offset, turn.end+s.offset
		turn.speaker = s.nameOf(talk, turn.who)
		parts := []ninthTurn{turn}
		if s.flags["cues"] {
			parts = ninthCues(turn)
		}
		for _, part := range parts {
			n++
			body = append(body, s.fill(part, n))
			if s.label == "none" {
				part.speaker = ""
			}
			part.text = strings.ReplaceAll(part.text, "¶", " ")
			f.want = append(f.want, part)
		}
		if i == 2 && s.aside != "" {
			body[len(body)-1] += s.aside + "\n"
		}
	}
	between := "\n"
	switch {
	case s.container == "json" && s.flags["glue"]:
		f.data = []byte(header + strings.Join(body, "") + strings.TrimSpace(footer))
		return f
	case s.container == "json":
		between = ",\n"
	}
	text := strings.Join(body, between) + "\n" + footer
	if header != "" {
		text = header + "\n" + text
	}
	f.data = s.contain(text)
	return f
}

func ninthCues(turn ninthTurn) []ninthTurn {
	words := strings.Fields(strings.ReplaceAll(turn.text, "¶", " "))
	const most = 9
	var parts []ninthTurn
	step := (turn.end - turn.start) / time.Duration(len(words)) / time.Millisecond * time.Millisecond
	for from := 0; from < len(words); from += most {
		to := min(from+most, len(words))
		part := turn
		part.text = strings.Join(words[from:to], " ")
		part.start = turn.start + time.Duration(from)*step
		part.end = turn.start + time.Duration(to)*step - time.Millisecond
		parts = append(parts, part)
	}
	return parts
}

func ninthAbout(template string, talk ninthTalk, s ninthStyle) string {
	fields := map[string][]string{
		"en": {"Date", "Duration: 38 minutes", "Location: Zoom"},
		"de": {"Datum", "Dauer: 38 Minuten", "Ort: Büro, 2. Stock"},
		"fr": {"Date", "Durée : 38 minutes", "Lieu : à domicile"},
		"es": {"Fecha", "Duración: 38 minutos", "Lugar: Madrid"},
		"pt": {"Data", "Duração: 38 minutos", "Local: posto de saúde"},
		"it": {"Data", "Durata: 38 minuti", "Luogo: Milano"},
		"nl": {"Datum", "Duur: 38 minuten", "Plaats: Utrecht"},
		"pl": {"Data", "Czas trwania: 38 minut", "Miejsce: szkoła"},
		"sv": {"Datum", "Längd: 38 minuter", "Plats: hemma"},
		"ja": {"日付", "時間: 38分", "場所: オンライン"},
		"ru": {"Дата", "Длительность: 38 минут", "Место: Москва"},
		"da": {"Dato", "Varighed: 38 minutter", "Sted: Aarhus"},
		"fi": {"Päivämäärä", "Kesto: 38 minuuttia", "Paikka: Turku"},
		"cs": {"Datum", "Délka: 38 minut", "Místo: Brno"},
		"tr": {"Tarih", "Süre: 38 dakika", "Yer: İzmir"},
		"ko": {"날짜", "시간: 38분", "장소: 서울"},
		"zh": {"日期", "时长：38分钟", "地点：成都"},
		"uk": {"Дата", "Тривалість: 38 хвилин", "Місце: Львів"},
	}[talk.lang]
	var block, legend []string
	for i, p := range talk.people {
		block = append(block, p.role+": "+p.name)
		legend = append(legend, s.nameOf(talk, i)+" = "+p.name)
	}
	block = append(block, fields[0]+": "+talk.date, fields[1], fields[2])
	all, _ := json.Marshal(ninthWholeText(talk))
	languages := map[string]string{"en": "English", "de": "German", "fr": "French", "es": "Spanish"}
	language := languages[talk.lang]
	if language == "" {
		language = "Dutch"
	}
	return strings.NewReplacer(
		"{title}", talk.title, "{date}", talk.date, "{lang}", talk.lang, "{Language}", language,
		"{A}", talk.people[0].name, "{B}", talk.people[1].name,
		"{block}", strings.Join(block, "\n"), "{legend}", strings.Join(legend, "\n"), "{all}", string(all),
	).Replace(template)
}

func ninthWholeText(talk ninthTalk) string {
	var texts []string
	for _, turn := range talk.turns {
		texts = append(texts, strings.ReplaceAll(turn.text, "¶", " "))
	}
	return strings.Join(texts, " ")
}

func (s ninthStyle) nameOf(talk ninthTalk, who int) string {
	p := talk.people[who]
	words := strings.Fields(p.name)
	first, last := words[0], words[len(words)-1]
	if strings.HasSuffix(first, ".") || first == "Herr" {
		first = p.name
	}
	switch s.label {
	case "first":
		return first
	case "surname":
		if len(words) == 1 {
			return p.name
		}
		return last + ", " + strings.Join(words[:len(words)-1], " ")
	case "role":
		return p.role
	case "caps":
		return strings.ToUpper(p.role)
	case "initials":
		initials := ""
		for _, w := range words {
			if r, _ := utf8.DecodeRuneInString(w); unicode.IsUpper(r) {
				initials += string(r)
			}
		}
		return initials
	case "pronouns":
		return []string{p.name + " (she/her)", p.name + " | Acme"}[who]
	case "firm":
		return []string{p.name, p.name + " (Pivot Interiors)"}[who]
	case "me":
		return []string{"Me", "Them"}[who]
	case "qa":
		return []string{"Q", "A"}[who]
	case "ib":
		if talk.lang == "en" {
			return []string{"I", "R"}[who]
		}
		return []string{"I", "B"}[who]
	case "code":
		return []string{"INT", "P04"}[who]
	case "described":
		return []string{"Moderator", "P1 (female, 34)", "P2 (male, 51)"}[who]
	case "num":
		return fmt.Sprint("Speaker ", who+1)
	case "zero":
		return fmt.Sprint("Speaker ", who)
	case "num0":
		return fmt.Sprintf("SPEAKER_%02d", who)
	case "s0":
		return fmt.Sprintf("S%02d", who)
	case "letter":
		return "Speaker " + string(rune('A'+who))
	case "abc":
		return string(rune('A' + who))
	case "digit":
		return strconv.Itoa(who)
	case "digit1":
		return strconv.Itoa(who + 1)
	case "spk":
		return fmt.Sprint("spk_", who)
	case "speaker0":
		return fmt.Sprint("speaker_", who)
	case "s1":
		return fmt.Sprint("S", who+1)
	}
	return p.name
}

// fill writes a turn into the style's template.
func (s ninthStyle) fill(turn ninthTurn, n int) string {
	between := " "
	if s.paragraphs == "line" {
		between = "\n"
	}
	text := strings.ReplaceAll(turn.text, "¶", between)
	if s.flags["bold"] && turn.who == 0 {
		text = "**" + text + "**"
	}
	words := ""
	if s.word != "" {
		words = s.fillWords(turn)
	}
	pairs := append(ninthTimes("", turn.start), ninthTimes(">", turn.end)...)
	quoted, _ := json.Marshal(text)
	lower, _ := json.Marshal(strings.ToLower(text))
	pairs = append(pairs,
		"{n}", strconv.Itoa(n), "{n4}", fmt.Sprintf("%04d", n), "{name}", turn.speaker, "{words}", words, "{text}",
		text, "{csv name}", ninthCSV(turn.speaker), "{csv}", ninthCSV(text), "{json}", string(quoted),
		"{jsonlower}", string(lower), "{jsontext}", string(quoted[1:len(quoted)-1]), "{lang}", "en",
	)
	return strings.NewReplacer(pairs...).Replace(s.turn)
}

func (s ninthStyle) fillWords(turn ninthTurn) string {
	words := strings.Fields(strings.ReplaceAll(turn.text, "¶", " "))
	step := (turn.end - turn.start) / time.Duration(len(words)) / time.Millisecond * time.Millisecond
	var items []string
	for i, word := range words {
		part := turn
		part.start = turn.start + time.Duration(i)*step
		part.end = part.start + step - time.Millisecond
		one := ninthStyle{turn: s.word}
		mark := ""
		if s.punct != "" {
			bare := strings.TrimRightFunc(word, unicode.IsPunct)
			if bare != "" {
				word, mark = bare, word[len(bare):]
			}
		}
		part.text = word
		items = append(items, one.fill(part, i))
		if mark != "" {
			part.text = mark
			items = append(items, ninthStyle{turn: s.punct}.fill(part, i))
		}
	}
	return strings.Join(items, ",\n")
}

func ninthCSV(field string) string { return `"` + strings.ReplaceAll(field, `"`, `""`) + `"` }

// ninthTimes returns the names of a time's forms and the forms.
func ninthTimes(suffix string, at time.Duration) []string {
	ms := at.Milliseconds()
	h, m, s, rest := ms/3600000, ms/60000%60, ms/1000%60, ms%1000
	short := fmt.Sprintf("%d:%02d", m, s)
	padded := fmt.Sprintf("%02d:%02d", m, s)
	if h > 0 {
		short = fmt.Sprintf("%d:%02d:%02d", h, m, s)
		padded = short
	}
	hours := fmt.Sprintf("%02d:%02d:%02d", h, m, s)
	wall := time.Date(2026, 3, 4, 10, 2, 11, 0, time.UTC).Add(at).Format("15:04:05")
	forms := []string{
		"m:ss", short, "mm:ss", padded, "hh:mm:ss", hours, "wall", wall,
		"vtt", fmt.Sprintf("%s.%03d", hours, rest), "srt", fmt.Sprintf("%s,%03d", hours, rest),
		"vttshort", fmt.Sprintf("%s.%03d", padded, rest), "mm:ss.ms", fmt.Sprintf("%s.%03d", padded, rest),
		"m:ss.t", fmt.Sprintf("%s.%d", short, rest/100), "f4", fmt.Sprintf("%s-%d", hours, rest/100),
		"tc", fmt.Sprintf("%s:%02d", hours, rest/40), "ms", strconv.FormatInt(ms, 10),
		"s", fmt.Sprintf("%d.%03d", ms/1000, rest), "spoken", fmt.Sprintf("%d minutes %d seconds", m, s),
	}
	for i := 0; i < len(forms); i += 2 {
		forms[i] = "{" + forms[i] + suffix + "}"
	}
	return forms
}
