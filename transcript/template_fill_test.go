package transcript_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// cuesOfTurn divides a turn into cues of at most nine words.
func cuesOfTurn(turn interviewTurn) []interviewTurn {
	words := strings.Fields(strings.ReplaceAll(turn.text, "¶", " "))
	const most = 9
	var parts []interviewTurn
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

// about writes what stands around the turns.
func (s template) about(text string, talk interview) string {
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
	all, _ := json.Marshal(talk.text())
	languages := map[string]string{"en": "English", "de": "German", "fr": "French", "es": "Spanish"}
	language := languages[talk.lang]
	if language == "" {
		language = "Dutch"
	}
	return strings.NewReplacer(
		"{title}", talk.title, "{date}", talk.date, "{lang}", talk.lang, "{Language}", language,
		"{A}", talk.people[0].name, "{B}", talk.people[1].name,
		"{block}", strings.Join(block, "\n"), "{legend}", strings.Join(legend, "\n"), "{all}", string(all),
	).Replace(text)
}

// text returns all words of an interview.
func (talk interview) text() string {
	var texts []string
	for _, turn := range talk.turns {
		texts = append(texts, strings.ReplaceAll(turn.text, "¶", " "))
	}
	return strings.Join(texts, " ")
}

// nameOf returns the label of a person.
func (s template) nameOf(talk interview, who int) string {
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

// fill writes a turn into the template.
func (s template) fill(turn interviewTurn, n int) string {
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
	pairs := append(formsOf("", turn.start), formsOf(">", turn.end)...)
	quoted, _ := json.Marshal(text)
	lower, _ := json.Marshal(strings.ToLower(text))
	pairs = append(pairs,
		"{n}", strconv.Itoa(n), "{n4}", fmt.Sprintf("%04d", n), "{name}", turn.speaker, "{words}", words, "{text}",
		text, "{csv name}", csvCell(turn.speaker), "{csv}", csvCell(text), "{json}", string(quoted),
		"{jsonlower}", string(lower), "{jsontext}", string(quoted[1:len(quoted)-1]), "{lang}", "en",
	)
	return strings.NewReplacer(pairs...).Replace(s.turn)
}

// fillWords writes the words of a turn into the template of words.
func (s template) fillWords(turn interviewTurn) string {
	words := strings.Fields(strings.ReplaceAll(turn.text, "¶", " "))
	step := (turn.end - turn.start) / time.Duration(len(words)) / time.Millisecond * time.Millisecond
	var items []string
	for i, word := range words {
		part := turn
		part.start = turn.start + time.Duration(i)*step
		part.end = part.start + step - time.Millisecond
		mark := ""
		if s.punct != "" {
			bare := strings.TrimRightFunc(word, unicode.IsPunct)
			if bare != "" {
				word, mark = bare, word[len(bare):]
			}
		}
		part.text = word
		items = append(items, template{turn: s.word}.fill(part, i))
		if mark != "" {
			part.text = mark
			items = append(items, template{turn: s.punct}.fill(part, i))
		}
	}
	return strings.Join(items, ",\n")
}

// formsOf returns the names of a time's forms and the forms.
func formsOf(suffix string, at time.Duration) []string {
	m, s, rest := int(at.Minutes())%60, int(at.Seconds())%60, at.Milliseconds()%1000
	padded := fmt.Sprintf("%02d:%02d", m, s)
	if at >= time.Hour {
		padded = short(at)
	}
	hours := clockS(at)
	wall := time.Date(2026, 3, 4, 10, 2, 11, 0, time.UTC).Add(at).Format(time.TimeOnly)
	forms := []string{
		"m:ss", short(at), "mm:ss", padded, "hh:mm:ss", hours, "wall", wall,
		"vtt", clockMS(at, "."), "srt", clockMS(at, ","),
		"vttshort", fmt.Sprintf("%s.%03d", padded, rest), "mm:ss.ms", fmt.Sprintf("%s.%03d", padded, rest),
		"m:ss.t", tenths(at), "f4", fmt.Sprintf("%s-%d", hours, rest/100),
		"tc", fmt.Sprintf("%s:%02d", hours, rest/40), "ms", strconv.FormatInt(at.Milliseconds(), 10),
		"s", fmt.Sprintf("%d.%03d", at.Milliseconds()/1000, rest),
		"spoken", fmt.Sprintf("%d minutes %d seconds", m, s),
	}
	for i := 0; i < len(forms); i += 2 {
		forms[i] = "{" + forms[i] + suffix + "}"
	}
	return forms
}

var bracketNotes = regexp.MustCompile(`[\[(（][^\d\[\](),（）]{1,18}[\])）]`)

// bareWords returns the words of a text without punctuation. A sign of Japanese is a word.
func bareWords(text string) []string {
	text = bracketNotes.ReplaceAllString(text, " ")
	var b strings.Builder
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
			b.WriteString(" " + string(r) + " ")
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(unicode.ToLower(r))
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		case strings.ContainsRune("-–—", r):
			b.WriteByte(' ')
		}
	}
	return strings.Fields(b.String())
}
