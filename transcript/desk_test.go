package transcript_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// Interviews about the work at a front desk, in fourteen languages, with lists and times in speech, and notes
// of what could not be heard. Their styles imitate the files that researchers have: exports of tools,
// documents of typists, chats and tables, with title pages.
var desk = deck{
	styles: func(s styles) []style { return s.desk }, seed: 5, each: 4, english: true, apart: true,
	folder: "desk", languages: deskLanguages, labels: deskLabelsOf, talk: deskTalk,
}

var deskLanguages = []string{
	"en", "de", "fr", "es", "it", "pt", "nl", "pl", "tr", "ru", "ja", "zh", "ko", "ar",
}

// deskPeople are the names of the people of a language, the interviewer first.
var deskPeople = map[string][]string{
	"en": {"Maya Chen", "Devon Clarke", "Ruth O'Leary", "Tunde Bakare", "Beth Ann Price", "Al Young"},
	"de": {"Katharina Lindner", "Jürgen Groß", "Sabine von Ahn", "Emre Yıldız", "Uwe Maas", "Dr. Ines Böhm"},
	"fr": {"Camille Dubois", "Jean-Marc Lefèvre", "Aïcha Diallo", "Loïc Le Gall", "Zoé Blanc", "Guy Petit"},
	"es": {"Lucía Fernández", "Íñigo de la Torre", "Paz Moreno", "José María Gil", "Sol Vega", "Ana Ruiz"},
	"it": {"Giulia Bianchi", "Niccolò D'Angelo", "Chiara De Luca", "Ivo Serra", "Rosa Neri", "Ugo Sala"},
	"pt": {"Beatriz Souza", "João dos Santos", "Conceição Lima", "Rui Paz", "Inês Sá", "Zé Carlos Melo"},
	"nl": {"Femke van den Berg", "Sjoerd de Wit", "Anouk Bakker", "Joost 't Hart", "Mies Vos", "Bas Kok"},
	"pl": {"Agnieszka Zając", "Łukasz Wójcik", "Żaneta Kot", "Piotr Małek", "Ewa Lis", "Jan Sęk"},
	"tr": {"Elif Şahin", "Oğuz Çelik", "İpek Uçar", "Can Güneş", "Sıla Ak", "Ümit Er"},
	"ru": {"Анна Соколова", "Пётр Ильин", "Юлия Щукина", "Олег Ёлкин", "Ия Ким", "Лев Гай"},
	"ja": {"山田花子", "佐々木健", "林さん", "高橋", "小川美咲", "森"},
	"zh": {"刘洋", "欧阳娜娜", "张伟", "吴迪", "陈静", "何老师"},
	"ko": {"이수진", "박준영", "최은서", "남궁민", "한가을", "정 부장"},
	"ar": {"ليلى حداد", "عمر الخطيب", "سارة منصور", "يوسف", "هدى", "د. كريم"},
}

// deskRoles are the roles that typists of a language write.
var deskRoles = map[string][]string{
	"en": {"Interviewer", "Participant", "Observer", "Note taker"},
	"de": {"Interviewerin", "Befragter", "Beobachterin", "Protokoll"},
	"fr": {"Enquêtrice", "Enquêté", "Observateur", "Traductrice"},
	"es": {"Entrevistadora", "Entrevistado", "Observador", "Traductora"},
	"it": {"Intervistatrice", "Intervistato", "Osservatore", "Interprete"},
	"pt": {"Entrevistador", "Entrevistada", "Observador", "Tradutora"},
	"nl": {"Interviewer", "Respondent", "Observator", "Tolk"},
	"pl": {"Badaczka", "Respondent", "Obserwator", "Tłumaczka"},
	"tr": {"Görüşmeci", "Katılımcı", "Gözlemci", "Tercüman"},
	"ru": {"Интервьюер", "Респондент", "Наблюдатель", "Переводчик"},
	"ja": {"インタビュアー", "参加者", "記録係", "通訳"},
	"zh": {"主持人", "受访者", "观察员", "翻译"},
	"ko": {"진행자", "참가자", "관찰자", "통역"},
	"ar": {"المحاور", "المشارك", "المراقب", "المترجم"},
}

// deskNumbered are the words with which services of a language number speakers.
var deskNumbered = map[string]string{
	"en": "Speaker", "de": "Sprecher", "fr": "Intervenant", "es": "Hablante", "it": "Parlante", "pt": "Falante",
	"nl": "Spreker", "pl": "Mówca", "tr": "Konuşmacı", "ru": "Спикер", "ja": "話者", "zh": "说话人", "ko": "참석자",
	"ar": "المتحدث",
}

// deskLabels are the labels of a kind; what is missing here depends on the language.
var deskLabels = map[string][][]string{
	"codes": {
		{"I", "R", "O", "T"},
		{"I", "B", "I2", "B2"},
		{"INT", "P07", "P08", "OBS"},
		{"IV", "TN1", "TN2", "TN3"},
		{"M", "F1", "F2", "M1"},
		{"R", "P", "N", "D"},
	},
	"machine": {
		{"SPEAKER_00", "SPEAKER_01", "SPEAKER_02", "SPEAKER_03"},
		{"S1", "S2", "S3", "S4"},
		{"spk_0", "spk_1", "spk_2", "spk_3"},
	},
	"guests": {
		{"Maya Chen (she/her)", "Devon Clarke (they/them)", "Lena Fischer | Contoso", "Omar"},
		{"Maya @ Contoso", "P-114", "iPhone von Anna", "Tunde (Observer)"},
		{"maya.chen@contoso.example", "+49 170 1234567", "Devon's iPad", "Tunde 🌿"},
		{"Chen, Maya (Contoso, UX)", "Clarke, Devon (Guest)", "Fischer, Lena", "Bakare, Tunde"},
		{"Dr. Maya Chen, PhD", "Mr Clarke", "Prof. O'Leary", "Ms. Price"},
	},
	"titled": {
		{"Frau Prof. Lindner", "Herr Dr. Groß", "Frau von Ahn", "Herr Maas"},
		{"Mme Dubois", "M. Lefèvre", "Mme Diallo", "Dr Blanc"},
		{"Ms Chen", "Mr Clarke", "Dr O'Leary", "Rev. Price"},
	},
	"focus": {
		{"Moderator", "P1 (F, 34)", "P2 (M, 41)", "P3 (F, 28)"},
		{"M", "P1 (m/52)", "P2 (w/37)", "P3 (w/61)"},
	},
	"capitals": {
		{"CHEN", "CLARKE", "O'LEARY", "BAKARE"},
		{"MAYA CHEN", "DEVON CLARKE", "RUTH O'LEARY", "TUNDE BAKARE"},
		{"INTERVIEWER", "RESPONDENT", "RESPONDENT 2", "OBSERVER"},
	},
	"court": {{"Q", "A", "MR. CLARKE", "THE COURT"}},
	"two":   {{"Me", "Them"}, {"You", "Maya"}},
}

// deskLabelsOf draws the labels of a kind for a conversation.
func deskLabelsOf(kind, language string, random *rand.Rand) []string {
	switch kind {
	case "people":
		return deskPeople[language]
	case "firsts":
		var firsts []string
		for _, name := range deskPeople[language] {
			first, _, _ := strings.Cut(strings.TrimPrefix(name, "Dr. "), " ")
			firsts = append(firsts, first)
		}
		return firsts
	case "roles":
		return deskRoles[language]
	case "numbered":
		var numbered []string
		for i := range 4 {
			numbered = append(numbered, fmt.Sprintf("%s %d", deskNumbered[language], i+1))
		}
		return numbered
	}
	return oneOf(deskLabels)(kind, language, random)
}

// deskTalk draws a conversation: an interviewer, somebody who answers, and up to four others, who
// say little.
func deskTalk(random *rand.Rand, s sentences, labels []string, shape turnShape) []said {
	questions, answers := shuffled(random, s.questions), shuffled(random, s.answers)
	shorts := shuffled(random, s.shorts)
	at := time.Duration(random.IntN(9000)) * ms
	if random.IntN(5) == 0 {
		at += 55 * time.Minute
	}
	others := 1 + random.IntN(len(labels)-1)
	var turns []said
	for i := range 10 + 2*random.IntN(14) {
		speaker := i % 2
		if speaker == 1 && others > 1 && random.IntN(3) == 0 && i > 3 {
			speaker = 1 + random.IntN(others)
		}
		var parts []string
		switch {
		case speaker == 0 && random.IntN(4) == 0:
			parts = append(parts, shorts())
		case speaker == 0:
			parts = append(parts, questions())
		case random.IntN(4) == 0:
			parts = append(parts, shorts())
		default:
			for range 1 + random.IntN(5) {
				parts = append(parts, answers())
			}
			if shape == lines && random.IntN(3) == 0 {
				parts = append(parts, s.lists[0])
			}
		}
		text := strings.Join(parts, " ")
		length := time.Duration(wordsIn(text)+2) * 370 * ms
		turns = append(turns, said{speaker: labels[speaker], start: at.Truncate(10 * ms),
			end: (at + length).Truncate(10 * ms), text: text})
		at += length + time.Duration(200+random.IntN(2000))*ms
	}
	return turns
}
