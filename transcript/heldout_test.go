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
)

// The held-out sets are styles that were written before anyone tried to read them, each set in one go. They
// measure how the package reads what nobody has seen; docs/formats.md has the figures of the first attempt.
// Their conversations are drawn from sentences in ten languages, always the same for a style.

// heldOutSentences are the sentences of a language: questions, answers and short ones.
type heldOutSentences struct{ questions, answers, shorts []string }

var heldOutLanguages = []string{"en", "de", "fr", "es", "pl", "sv", "tr", "uk", "zh", "ko"}

// heldOutLabels are the labels of the held-out sets by their kind, the interviewer first.
var heldOutLabels = map[string][][]string{
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

func readHeldOutSentences(t testing.TB) map[string]heldOutSentences {
	t.Helper()
	sentences := map[string]heldOutSentences{}
	for _, language := range heldOutLanguages {
		data, err := os.ReadFile(filepath.Join("testdata", "sentences", "ward", language+".txt"))
		require.NoError(t, err)
		var s heldOutSentences
		for line := range strings.Lines(string(data)) {
			kind, text, _ := strings.Cut(strings.TrimSpace(line), " ")
			switch kind {
			case "q":
				s.questions = append(s.questions, text)
			case "a":
				s.answers = append(s.answers, text)
			case "s":
				s.shorts = append(s.shorts, text)
			}
		}
		sentences[language] = s
	}
	return sentences
}

// heldOutConversation draws a conversation. The third and the fourth speaker say little, or nothing.
func heldOutConversation(random *rand.Rand, s heldOutSentences, labels []string, shape turnShape) []said {
	questions, answers, shorts := shuffled(random, s.questions), shuffled(random, s.answers), shuffled(random,
		s.shorts)
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
		var sentences []string
		switch {
		case speaker == 0:
			if random.IntN(3) == 0 {
				sentences = append(sentences, shorts())
			}
			sentences = append(sentences, questions())
		case random.IntN(4) == 0:
			sentences = append(sentences, shorts())
		default:
			for range 1 + random.IntN(4) {
				sentences = append(sentences, answers())
			}
		}
		text := strings.Join(sentences, separator)
		if shape == capitals {
			text = strings.ToUpper(text)
		}
		length := time.Duration(heldOutWords(text)+2) * 380 * ms
		turns = append(turns, said{labels[speaker], at.Truncate(10 * ms), (at + length).Truncate(10 * ms), text})
		at += length + time.Duration(300+random.IntN(2500))*ms
	}
	return turns
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

// heldOutWords estimates the number of words, also in scripts without spaces.
func heldOutWords(text string) int { return max(len(strings.Fields(text)), len(text)/6) }

// heldOutFiles is how many files a style has.
const heldOutFiles = 4

// measureHeldOut reads the files of a set, and logs those that are not read right.
func measureHeldOut(t *testing.T, set uint64, styles []exportStyle) (counts map[corpusReading]int,
	total int) {
	t.Helper()
	sentences := readHeldOutSentences(t)
	counts = map[corpusReading]int{}
	for _, style := range styles {
		seed := fnv.New64a()
		_, err := seed.Write([]byte(style.name))
		require.NoError(t, err)
		random := rand.New(rand.NewPCG(seed.Sum64(), set))
		kinds := strings.Fields(style.kinds)
		for i := range heldOutFiles {
			language := heldOutLanguages[random.IntN(len(heldOutLanguages))]
			if i == 0 {
				language = "en"
			}
			sets := heldOutLabels[kinds[i%len(kinds)]]
			labels := sets[random.IntN(len(sets))]
			turns := heldOutConversation(random, sentences[language], labels, style.shape)
			reading, problem := readExport(style, turns)
			counts[reading]++
			total++
			if reading != readRight {
				t.Logf("%s: %s, %v, %s: %s", reading, style.name, labels[:2], language, problem)
			}
		}
	}
	t.Logf("%d files in %d styles: %s", total, len(styles), heldOutFigures(counts))
	return counts, total
}

func heldOutFigures(counts map[corpusReading]int) string {
	return fmt.Sprintf("%d right, %d refused, %d wrong with a warning, %d silently wrong",
		counts[readRight], counts[readRefused], counts[readWarned], counts[readSilently])
}

func TestThirdSetIsReadRightOrRefused(t *testing.T) {
	t.Parallel()
	counts, total := measureHeldOut(t, 3, thirdSet())
	require.LessOrEqual(t, counts[readSilently]*100, total, "silently wrong")
	require.GreaterOrEqual(t, counts[readRight]*100, total*75, "right")
}

func TestFourthSetIsReadRightOrRefused(t *testing.T) {
	t.Parallel()
	counts, total := measureHeldOut(t, 4, fourthSet)
	require.LessOrEqual(t, counts[readSilently]*100, total, "silently wrong")
}

// wrapAt breaks a text into lines of at most width characters; all but the first are indented.
func wrapAt(text string, width int, indent string) string {
	var b strings.Builder
	length := 0
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case length+1+len([]rune(word)) > width:
			b.WriteString("\n" + indent)
			length = 0
		default:
			b.WriteByte(' ')
			length++
		}
		b.WriteString(word)
		length += len([]rune(word))
	}
	return b.String()
}

// minuteMS formats 01:02.345, or 01:02:03.456 from an hour on.
func minuteMS(d time.Duration) string {
	if d >= time.Hour {
		return clockMS(d, ".")
	}
	return clockMS(d, ".")[3:]
}

func nobody(string, int) string { return "" }
