package transcript_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

// longMeeting renders a meeting of sixty thousand words, about seven hours.
func longMeeting(turn func(i int, at time.Duration, speaker, text string) string) string {
	const text = "so what we do on Monday is that we look at the rota, " +
		"and then we ask who is ill: mostly nobody tells us"
	words := len(strings.Fields(text))
	speakers := []string{"Dana Weber", "Sam Okafor", "María López"}
	var b strings.Builder
	for i := 0; i*words < 60_000; i++ {
		b.WriteString(turn(i, time.Duration(i)*9*time.Second, speakers[i%3], fmt.Sprintf("%s %d", text, i)))
	}
	return b.String()
}

func BenchmarkParse60000Words(b *testing.B) {
	zoom := "WEBVTT\n\n" + longMeeting(func(i int, at time.Duration, speaker, text string) string {
		return fmt.Sprintf("%d\n%s --> %s\n%s: %s\n\n",
			i+1, clockMS(at, "."), clockMS(at+8*time.Second, "."), speaker, text)
	})
	names := longMeeting(func(_ int, _ time.Duration, speaker, text string) string {
		return speaker + ": " + text + "\n"
	})
	otter := longMeeting(func(_ int, at time.Duration, speaker, text string) string {
		return speaker + "  " + short(at) + "\n" + text + "\n\n"
	})
	segments := longMeeting(func(_ int, at time.Duration, speaker, text string) string {
		return fmt.Sprintf(`{"start": %.3f, "end": %.3f, "text": %q, "speaker": %q},`,
			at.Seconds(), at.Seconds()+8, text, speaker)
	})
	paragraphs := longMeeting(func(_ int, at time.Duration, speaker, text string) string {
		return speaker + "   " + short(at) + "\n" + text + "\x00"
	})
	files := map[string][]byte{
		"zoom":       []byte(zoom),
		"names":      []byte(names),
		"otter":      []byte(otter),
		"whisper":    []byte(`{"segments": [` + strings.TrimSuffix(segments, ",") + `]}`),
		"teams-docx": docx(strings.Split(strings.TrimSuffix(paragraphs, "\x00"), "\x00")...),
	}
	wide, err := encodings["UTF-16LE"](zoom)
	require.NoError(b, err)
	files["utf16"] = wide
	for _, name := range []string{"zoom", "utf16", "names", "otter", "whisper", "teams-docx"} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(files[name])))
			b.ReportAllocs()
			for b.Loop() {
				t, err := transcript.Parse(files[name])
				require.NoError(b, err)
				require.Len(b, t.Speakers(), 3)
			}
		})
	}
}
