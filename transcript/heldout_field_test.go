package transcript_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

// The fifth and the sixth held-out set imitate the files that researchers have: exports of tools, documents
// of typists, chats, and tables, with title pages, notes of what could not be heard, and lists and times in
// speech.

// A fieldFile is a conversation to be written.
type fieldFile struct {
	turns    []said
	language string
	random   *rand.Rand
}

// A fieldStyle writes a conversation in one way.
type fieldStyle struct {
	name    string
	kinds   string // of the labels, see fieldLabels
	times   corpusTimes
	render  func(f fieldFile) []byte
	speaker func(label string, index int) string // what the style keeps of a label; nil if it keeps all
	lists   bool                                 // turns may have lists with lines of their own
}

var fieldLanguages = []string{
	"en", "de", "fr", "es", "it", "pt", "nl", "pl", "tr", "ru", "ja", "zh", "ko", "ar",
}

// fieldPeople are the names of the people of a language, the interviewer first.
var fieldPeople = map[string][]string{
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

// fieldRoles are the roles that typists of a language write.
var fieldRoles = map[string][]string{
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

// fieldNumbered are the words with which services of a language number speakers.
var fieldNumbered = map[string]string{
	"en": "Speaker", "de": "Sprecher", "fr": "Intervenant", "es": "Hablante", "it": "Parlante", "pt": "Falante",
	"nl": "Spreker", "pl": "Mówca", "tr": "Konuşmacı", "ru": "Спикер", "ja": "話者", "zh": "说话人", "ko": "참석자",
	"ar": "المتحدث",
}

// fieldLabels are the labels of a kind; what is missing here depends on the language.
var fieldLabels = map[string][][]string{
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

// labelsOf draws the labels of a kind for a conversation.
func labelsOf(kind, language string, random *rand.Rand) []string {
	switch kind {
	case "people":
		return fieldPeople[language]
	case "firsts":
		var firsts []string
		for _, name := range fieldPeople[language] {
			first, _, _ := strings.Cut(strings.TrimPrefix(name, "Dr. "), " ")
			firsts = append(firsts, first)
		}
		return firsts
	case "roles":
		return fieldRoles[language]
	case "numbered":
		var numbered []string
		for i := range 4 {
			numbered = append(numbered, fmt.Sprintf("%s %d", fieldNumbered[language], i+1))
		}
		return numbered
	}
	sets := fieldLabels[kind]
	return sets[random.IntN(len(sets))]
}

// A fieldSentences are the sentences of a language.
type fieldSentences struct{ questions, answers, lists, shorts []string }

func readFieldSentences(t testing.TB) map[string]fieldSentences {
	t.Helper()
	sentences := map[string]fieldSentences{}
	for _, language := range fieldLanguages {
		data, err := os.ReadFile(filepath.Join("testdata", "sentences", "desk", language+".txt"))
		require.NoError(t, err)
		var s fieldSentences
		for line := range strings.Lines(string(data)) {
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
		sentences[language] = s
	}
	return sentences
}

// fieldConversation draws a conversation: an interviewer, somebody who answers, and up to four others, who
// say little.
func fieldConversation(random *rand.Rand, s fieldSentences, labels []string, lists bool) []said {
	questions, answers, shorts := shuffled(random, s.questions), shuffled(random, s.answers),
		shuffled(random, s.shorts)
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
			if lists && random.IntN(3) == 0 {
				parts = append(parts, s.lists[0])
			}
		}
		text := strings.Join(parts, " ")
		length := time.Duration(heldOutWords(text)+2) * 370 * ms
		turns = append(turns, said{labels[speaker], at.Truncate(10 * ms), (at + length).Truncate(10 * ms), text})
		at += length + time.Duration(200+random.IntN(2000))*ms
	}
	return turns
}

// drawField draws a file of a style.
func drawField(set uint64, style fieldStyle, number int, sentences map[string]fieldSentences) fieldFile {
	seed := fnv.New64a()
	_, _ = fmt.Fprintf(seed, "%s/%d", style.name, number) // a hash returns no error
	random := rand.New(rand.NewPCG(seed.Sum64(), set))
	language := fieldLanguages[random.IntN(len(fieldLanguages))]
	if number == 0 {
		language = "en"
	}
	kinds := strings.Fields(style.kinds)
	labels := labelsOf(kinds[number%len(kinds)], language, random)
	turns := fieldConversation(random, sentences[language], labels, style.lists)
	return fieldFile{turns, language, random}
}

// measureField reads the files of a set, and logs those that are not read right.
func measureField(t *testing.T, set uint64, styles []fieldStyle, files int) (map[corpusReading]int, int) {
	t.Helper()
	sentences := readFieldSentences(t)
	counts := map[corpusReading]int{}
	total := 0
	for _, style := range styles {
		for number := range files {
			f := drawField(set, style, number, sentences)
			reading, problem := readField(style, f)
			counts[reading]++
			total++
			if reading != readRight {
				t.Logf("%s: %s, %q, %s: %s", reading, style.name, f.turns[0].speaker, f.language, problem)
			}
		}
	}
	t.Logf("%d files in %d styles: %s", total, len(styles), heldOutFigures(counts))
	return counts, total
}

func readField(style fieldStyle, f fieldFile) (corpusReading, string) {
	got, err := transcript.Parse(style.render(f))
	if err != nil {
		return readRefused, err.Error()
	}
	problem := compareExport(exportStyle{times: style.times, speaker: style.speaker}, f.turns, got)
	switch {
	case problem == "":
		return readRight, ""
	case len(got.Warnings) > 0:
		return readWarned, fmt.Sprintf("%s %v", problem, got.Warnings)
	}
	return readSilently, problem
}

// fieldTurns writes the turns one after the other, between a head and a foot.
func fieldTurns(head, foot string, turn func(i int, s said) string) func(fieldFile) []byte {
	return func(f fieldFile) []byte { return eachExportTurn(head, foot, turn)(f.turns) }
}

// plainField writes a file by its turns alone.
func plainField(render func([]said) []byte) func(fieldFile) []byte {
	return func(f fieldFile) []byte { return render(f.turns) }
}

// fieldFiles is how many files a style has.
const fieldFiles = 4

func TestFifthSetIsReadRightOrRefused(t *testing.T) {
	t.Parallel()
	counts, total := measureField(t, 5, fifthSet(), fieldFiles)
	require.LessOrEqual(t, counts[readSilently]*100, total, "silently wrong")
}
