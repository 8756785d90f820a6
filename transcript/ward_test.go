package transcript_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// A deck draws conversations from the sentences of languages. A style has always the same conversations.
type deck struct {
	styles    func(styles) []style
	seed      uint64
	each      int // files of a style
	folder    string
	languages []string
	english   bool // the first file of a style is in English
	apart     bool // each file is drawn for itself, and not after the one before
	labels    func(kind, language string, random *rand.Rand) []string
	talk      func(random *rand.Rand, s sentences, labels []string, shape turnShape) []said
}

// sentences are those of a language.
type sentences struct{ questions, answers, lists, shorts []string }

func (d deck) files(t testing.TB) []*file {
	t.Helper()
	of := map[string]sentences{}
	for _, language := range d.languages {
		of[language] = readSentences(t, d.folder, language)
	}
	var files []*file
	for _, s := range stylesOf(d.styles) {
		random := d.random(s.name)
		kinds := strings.Fields(s.kinds)
		for i := range d.each {
			if d.apart {
				random = d.random(fmt.Sprintf("%s/%d", s.name, i))
			}
			language := d.languages[random.IntN(len(d.languages))]
			if d.english && i == 0 {
				language = "en"
			}
			labels := d.labels(kinds[i%len(kinds)], language, random)
			turns := d.talk(random, of[language], labels, s.shape)
			for k := range turns {
				turns[k].language = language
			}
			files = append(files, s.write(fmt.Sprintf("%q, %s", labels[:2], language), turns).titled())
		}
	}
	return files
}

func (d deck) random(name string) *rand.Rand {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(name)) // a hash returns no error
	return rand.New(rand.NewPCG(hash.Sum64(), d.seed))
}

func readSentences(t testing.TB, folder, language string) sentences {
	t.Helper()
	var s sentences
	for _, line := range readLines(t, "sentences", folder, language+".txt") {
		kind, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		text = strings.ReplaceAll(text, `\n`, "\n")
		switch kind {
		case "q":
			s.questions = append(s.questions, text)
		case "a":
			s.answers = append(s.answers, text)
		case "l":
			s.lists = append(s.lists, text)
		case "s":
			s.shorts = append(s.shorts, text)
		}
	}
	return s
}

// oneOf draws the labels of a kind from those of several conversations.
func oneOf(kinds map[string][][]string) func(kind, language string, random *rand.Rand) []string {
	return func(kind, _ string, random *rand.Rand) []string {
		return kinds[kind][random.IntN(len(kinds[kind]))]
	}
}

// shuffled returns a function that returns the sentences in random order, and then in another one.
func shuffled(random *rand.Rand, list []string) func() string {
	var order []int
	return func() string {
		if len(order) == 0 {
			order = random.Perm(len(list))
		}
		next := list[order[0]]
		order = order[1:]
		return next
	}
}

// wordsIn estimates the number of words, also in scripts without spaces.
func wordsIn(text string) int { return max(len(strings.Fields(text)), len(text)/6) }

// Interviews about the work on a ward, in ten languages. Those of the clinic have the same sentences, and
// people with other names; rare styles are ways to write that few people have.
var (
	ward = deck{
		styles: func(s styles) []style { return s.ward }, seed: 3, each: 4, english: true,
		folder: "ward", languages: wardLanguages, labels: oneOf(wardLabels), talk: wardTalk,
	}
	wardRare = deck{
		styles: func(s styles) []style { return s.wardRare }, seed: 4, each: 4, english: true,
		folder: "ward", languages: wardLanguages, labels: oneOf(wardLabels), talk: wardTalk,
	}
	clinic = deck{
		styles: func(s styles) []style { return s.clinic }, seed: 6, each: 3, apart: true,
		folder: "ward", languages: wardLanguages, labels: oneOf(clinicLabels), talk: wardTalk,
	}
)

var wardLanguages = []string{"en", "de", "fr", "es", "pl", "sv", "tr", "uk", "zh", "ko"}

// wardLabels are the labels of the ward by their kind, the interviewer first.
var wardLabels = map[string][][]string{
	"people": {
		{"Priya Raman", "Tom Hendriks", "Ewa Nowak", "Luis Ortega"},
		{"Anne-Sophie Laurent", "Björn Åkesson", "Chinedu Eze", "Mei-Ling Wu"},
		{"김민수", "박지영", "이서연", "최준호"},
		{"王小明", "李丽", "陈伟", "赵敏"},
		{"Олена Ковальчук", "Тарас Шевчук", "Ірина Бондар", "Юрій Мельник"},
		{"Ayşe Yılmaz", "Mehmet Öz", "Can Demir", "Gül Şahin"},
	},
	"firsts": {
		{"Priya", "Tom", "Ewa", "Luis"},
		{"Grace", "Art", "Hope", "Bill"},
		{"Max", "Eva", "Jo", "Ty"},
	},
	"roles": {
		{"Researcher", "User", "Observer", "Translator"},
		{"Moderator", "P1", "P2", "P3"},
		{"Interviewer 1", "Respondent", "Interviewer 2", "Respondent 2"},
		{"Forscherin", "Befragter", "Beobachter", "Übersetzerin"},
		{"Facilitator", "Nurse", "Doctor", "Driver"},
	},
	"numbered": {
		{"Speaker 1", "Speaker 2", "Speaker 3", "Speaker 4"},
		{"Speaker A", "Speaker B", "Speaker C", "Speaker D"},
		{"Sprecher 1", "Sprecher 2", "Sprecher 3", "Sprecher 4"},
		{"Locuteur 1", "Locuteur 2", "Locuteur 3", "Locuteur 4"},
		{"发言人 1", "发言人 2", "发言人 3", "发言人 4"},
		{"Participant 07", "Participant 12", "Participant 19", "Participant 23"},
	},
	"letters": {
		{"I", "P", "O", "T"},
		{"I", "B1", "B2", "B3"},
		{"JM", "KL", "RT", "VB"},
	},
	"guests": {
		{"Priya Raman (Acme)", "Tom Hendriks (external)", "Ewa Nowak (she/her)", "Luis Ortega (CEO)"},
		{"Raman, Priya", "Hendriks, Tom", "Nowak, Ewa", "Ortega, Luis"},
		{"Priya R.", "Tom H.", "Ewa N.", "Luis O."},
	},
	"capitals": {
		{"THE PRESIDENT", "MRS. KELLY", "MR. O’DONNELL", "SENATOR WU"},
		{"RAMAN", "HENDRIKS", "NOWAK", "ORTEGA"},
	},
	"initials":  {{"PR", "TH", "EN", "LO"}},
	"accounts":  {{"priya_r", "tom.h", "ewa92", "luis"}},
	"questions": {{"Q", "A", "MR. KELLY", "THE COURT"}},
}

// clinicLabels are the labels of the clinic by their kind.
var clinicLabels = map[string][][]string{
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

// wardTalk draws a conversation. The third and the fourth speaker say little, or nothing.
func wardTalk(random *rand.Rand, s sentences, labels []string, shape turnShape) []said {
	questions, answers := shuffled(random, s.questions), shuffled(random, s.answers)
	shorts := shuffled(random, s.shorts)
	separator := map[turnShape]string{oneLiners: " ", lines: "\n", capitals: "\n", paragraphs: "\n\n"}[shape]
	at := time.Duration(random.IntN(40)) * time.Second
	if random.IntN(4) == 0 {
		at += 57 * time.Minute
	}
	var turns []said
	others := 2 + random.IntN(len(labels)-1)
	for i := range 14 + 2*random.IntN(12) {
		speaker := i % 2
		if speaker == 1 && i > 4 && random.IntN(3) == 0 {
			speaker = 1 + random.IntN(min(others, len(labels))-1)
		}
		var parts []string
		switch {
		case speaker == 0:
			if random.IntN(3) == 0 {
				parts = append(parts, shorts())
			}
			parts = append(parts, questions())
		case random.IntN(4) == 0:
			parts = append(parts, shorts())
		default:
			for range 1 + random.IntN(4) {
				parts = append(parts, answers())
			}
		}
		text := strings.Join(parts, separator)
		if shape == capitals {
			text = strings.ToUpper(text)
		}
		length := time.Duration(wordsIn(text)+2) * 380 * ms
		turns = append(turns, said{speaker: labels[speaker], start: at.Truncate(10 * ms),
			end: (at + length).Truncate(10 * ms), text: text})
		at += length + time.Duration(300+random.IntN(2500))*ms
	}
	return turns
}
