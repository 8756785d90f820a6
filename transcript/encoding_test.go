package transcript_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"

	"research/transcript"
)

// Conversations in the encodings of old programs.
var legacyFiles = []struct {
	language  string
	text      string
	encodings map[string]encoding.Encoding
}{
	{
		language: "de",
		text: "Dana: Was ist für euch das Schwierigste an der Woche?\n" +
			"Jörg: Der Dienstplan, weil ihn keiner liest und die Größe der Bäckerei täglich wächst.\n" +
			"Dana: Und dann?\n" +
			"Jörg: Dann ärgern wir uns.\n",
		encodings: map[string]encoding.Encoding{
			"Windows-1252": charmap.Windows1252,
			"Macintosh":    charmap.Macintosh,
			"ISO 8859-15":  charmap.ISO8859_15,
			"DOS 850":      charmap.CodePage850,
		},
	},
	{
		language: "en",
		text: "Dana: What did Jörg say about the rota and why is it late?\n" +
			"Sam: He said it is late because nobody reads it at all.\n",
		encodings: map[string]encoding.Encoding{
			"Windows-1252": charmap.Windows1252,
		},
	},
	{
		language: "en",
		text: "Dana: He said “it’s late” – and nobody reads it…\n" +
			"Sam: That’s what I heard of it.\n" +
			"Dana: It costs 400 €.\n",
		encodings: map[string]encoding.Encoding{
			"Windows-1252": charmap.Windows1252,
		},
	},
	{
		language: "fr",
		text: "Anne : Quel est le problème le plus difficile à résoudre ?\n" +
			"Éric : Le planning, parce que personne ne le lit, et ça coûte cher à la boulangerie. Voilà " +
			"ce qui s'est passé cet été.\n",
		encodings: map[string]encoding.Encoding{
			"Windows-1252": charmap.Windows1252,
			"Macintosh":    charmap.Macintosh,
			"ISO 8859-1":   charmap.ISO8859_1,
		},
	},
	{
		language: "es",
		text: "Ana: ¿Qué es lo más difícil de la semana?\n" +
			"Íñigo: El turno, porque nadie lo lee. Mañana será peor, ¿no? Está en español.\n",
		encodings: map[string]encoding.Encoding{
			"Windows-1252": charmap.Windows1252,
			"Macintosh":    charmap.Macintosh,
		},
	},
	{
		language: "pt",
		text: "Ana: Qual é a parte mais difícil da semana?\n" +
			"João: A escala, porque ninguém a lê. Não há solução, e a situação é péssima para nós.\n",
		encodings: map[string]encoding.Encoding{
			"Windows-1252": charmap.Windows1252,
		},
	},
	{
		language: "sv",
		text: "Åsa: Vad är svårast på veckan?\n" +
			"Björn: Schemat, för att ingen läser det. Det är så här: vi får göra om allt på måndag.\n",
		encodings: map[string]encoding.Encoding{
			"Windows-1252": charmap.Windows1252,
		},
	},
	{
		language: "pl",
		text: "Ania: Co jest najtrudniejsze w tygodniu?\n" +
			"Łukasz: Grafik, bo nikt go nie czyta. Piszę go dwa razy, a potem się złoszczę, że wszyscy " +
			"się spóźniają.\n",
		encodings: map[string]encoding.Encoding{
			"Windows-1250": charmap.Windows1250,
			"ISO 8859-2":   charmap.ISO8859_2,
		},
	},
	{
		language: "cs",
		text: "Jana: Co je na týdnu nejtěžší?\n" +
			"Řehoř: Rozpis, protože ho nikdo nečte. Píšu ho dvakrát a pak se zlobím, že všichni chodí " +
			"pozdě. Příště to bude lepší.\n",
		encodings: map[string]encoding.Encoding{
			"Windows-1250": charmap.Windows1250,
			"ISO 8859-2":   charmap.ISO8859_2,
		},
	},
	{
		language: "hu",
		text: "Anna: Mi a legnehezebb a hétben?\n" +
			"Győző: A beosztás, mert senki sem olvassa. Kétszer írom meg, és az nem jó, hogy mindenki " +
			"késik. Jövő héten jobb lesz, úgy gondolom.\n",
		encodings: map[string]encoding.Encoding{
			"Windows-1250": charmap.Windows1250,
		},
	},
	{
		language: "tr",
		text: "Ayşe: Haftanın en zor kısmı nedir?\n" +
			"Oğuz: Vardiya listesi, çünkü kimse okumuyor. İki kez yazıyorum ve sonra herkes geç kalıyor. " +
			"Bu çok sinir bozucu bir şey ama o da var.\n",
		encodings: map[string]encoding.Encoding{
			"Windows-1254": charmap.Windows1254,
		},
	},
	{
		language: "ru",
		text: "Анна: Что самое трудное на неделе?\n" +
			"Иван: График, потому что никто его не читает. Пишу его дважды, а потом все опаздывают. Это " +
			"очень неприятно.\n",
		encodings: map[string]encoding.Encoding{
			"Windows-1251": charmap.Windows1251,
			"KOI8-R":       charmap.KOI8R,
			"DOS 866":      charmap.CodePage866,
			"ISO 8859-5":   charmap.ISO8859_5,
			"Macintosh":    charmap.MacintoshCyrillic,
		},
	},
	{
		language: "uk",
		text: "Анна: Що найважче на тижні?\n" +
			"Іван: Графік, бо його ніхто не читає. Пишу його двічі, а потім усі запізнюються. Це дуже " +
			"неприємно.\n",
		encodings: map[string]encoding.Encoding{
			"Windows-1251": charmap.Windows1251,
		},
	},
	{
		language: "el",
		text: "Άννα: Τι είναι το πιο δύσκολο της εβδομάδας;\n" +
			"Νίκος: Το πρόγραμμα, γιατί δεν το διαβάζει κανείς. Το γράφω δύο φορές και μετά όλοι " +
			"αργούν.\n",
		encodings: map[string]encoding.Encoding{
			"Windows-1253": charmap.Windows1253,
			"ISO 8859-7":   charmap.ISO8859_7,
		},
	},
	{
		language: "he",
		text: "דנה: מה הכי קשה בשבוע?\n" +
			"יוסי: לוח המשמרות, כי אף אחד לא קורא אותו. אני כותב אותו פעמיים ואז כולם מאחרים.\n",
		encodings: map[string]encoding.Encoding{
			"Windows-1255": charmap.Windows1255,
		},
	},
	{
		language: "ar",
		text: "دانا: ما هو أصعب شيء في الأسبوع؟\n" +
			"سامي: جدول المناوبات، لأن لا أحد يقرأه. أكتبه مرتين ثم يتأخر الجميع.\n",
		encodings: map[string]encoding.Encoding{
			"Windows-1256": charmap.Windows1256,
		},
	},
	{
		language: "th",
		text: "ดานา: อะไรยากที่สุดในสัปดาห์\n" +
			"แซม: ตารางเวร เพราะไม่มีใครอ่าน\n",
		encodings: map[string]encoding.Encoding{
			"Windows-874": charmap.Windows874,
		},
	},
	{
		language: "ja",
		text: "田中: 一週間でいちばん大変なことは何ですか。\n" +
			"鈴木: シフト表です。誰も読まないので、二回書きます。それでもみんな遅れます。\n",
		encodings: map[string]encoding.Encoding{
			"Shift JIS":   japanese.ShiftJIS,
			"EUC-JP":      japanese.EUCJP,
			"ISO 2022-JP": japanese.ISO2022JP,
			"UTF-16LE":    unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM),
			"UTF-16BE":    unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM),
		},
	},
	{
		language: "zh",
		text: "主持人: 一周中最难的是什么？\n" +
			"张伟: 排班表，因为没有人看。我写两遍，然后大家还是迟到。\n",
		encodings: map[string]encoding.Encoding{
			"GBK":      simplifiedchinese.GBK,
			"GB 18030": simplifiedchinese.GB18030,
		},
	},
	{
		language: "zh",
		text: "主持人: 一週中最難的是什麼？\n" +
			"張偉: 排班表，因為沒有人看。我寫兩遍，然後大家還是遲到。\n",
		encodings: map[string]encoding.Encoding{
			"Big 5": traditionalchinese.Big5,
		},
	},
	{
		language: "ko",
		text: "사회자: 일주일 중 가장 어려운 것은 무엇입니까?\n" +
			"김철수: 근무표입니다. 아무도 읽지 않아서 두 번 씁니다. 그래도 모두 늦습니다.\n",
		encodings: map[string]encoding.Encoding{
			"EUC-KR": korean.EUCKR,
		},
	},
	{
		language: "en",
		text: "Dana: What is the hardest part of the week?\n" +
			"Sam: The rota, it is late and nobody has the time to read it.\n",
		encodings: map[string]encoding.Encoding{
			"UTF-32LE":           utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM),
			"UTF-32BE":           utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM),
			"UTF-32LE with mark": utf32.UTF32(utf32.LittleEndian, utf32.UseBOM),
			"UTF-32BE with mark": utf32.UTF32(utf32.BigEndian, utf32.UseBOM),
		},
	},
}

func TestReadsLegacyEncodings(t *testing.T) {
	t.Parallel()
	for _, sample := range legacyFiles {
		for name, e := range sample.encodings {
			for _, times := range []int{1, 25} {
				t.Run(sample.language+" in "+name, func(t *testing.T) {
					t.Parallel()
					text := strings.Repeat(sample.text, times)
					want, err := transcript.Parse([]byte(text))
					require.NoError(t, err)
					require.Equal(t, sample.language, want.Language)
					require.Len(t, want.Speakers(), 2)
					data, err := e.NewEncoder().Bytes([]byte(text))
					require.NoError(t, err)
					got, err := transcript.Parse(data)
					require.NoError(t, err)
					require.Equal(t, want, got)
				})
			}
		}
	}
}

func TestReadsUTF8WithErrors(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("Jörg: Die Größe zählt für uns.\nÄnne: Natürlich, schön.\n", 3)
	got, err := transcript.Parse([]byte(text + "Jörg: Abgeschnitten \xC3"))
	require.NoError(t, err)
	checkInvariants(t, got)
	require.Equal(t, []string{"Jörg", "Änne"}, got.Speakers())
	require.Equal(t, "Abgeschnitten \uFFFD", got.Utterances[len(got.Utterances)-1].Text)
}
