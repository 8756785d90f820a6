package transcript_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

func TestChatsOfKakaoTalk(t *testing.T) {
	t.Parallel()
	for name, form := range map[string]string{
		"Android": "2024년 3월 5일 오후 11:1%d, %s : 안녕하세요\n",
		"iPhone":  "2024. 3. 5. 오후 11:1%d, %s : 안녕하세요\n",
	} {
		text := "동네 연구 (3명) 님과 카카오톡 대화\n저장한 날짜 : 2024년 3월 6일 오전 9:00\n\n2024년 3월 5일 오후 11:10\n"
		for i, speaker := range []string{"임동주", "박인애", "임동주", "박인애", "♥"} {
			text += fmt.Sprintf(form, i, speaker)
		}
		text += "2024년 3월 19일 오후 11:20, 박인애님이 퇴장했습니다.\n"
		got, err := transcript.Parse([]byte(text))
		require.NoError(t, err)
		require.Equal(t, []string{"임동주", "박인애", "♥"}, got.Speakers(), name)
		require.NotContains(t, fmt.Sprint(got.Warnings), transcript.WarnTimes, name)
	}
}

// WhatsApp marks what it writes itself, and lets people call themselves what they like.
func TestChatsOfWhatsApp(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{
		"Dana (0s): Who files the receipts?", ".. (8s): I do.", " (12s): image omitted",
		"🦋 (13s): In a box.", "Dana (17s): Which box?", " (20s): box.pdf • \u200e7 pages \u200edocument omitted",
	}, spoken(t, "\u200e[05/03/24 10.02.00] Kitchen: \u200eMessages are end-to-end encrypted.\n"+
		"[05/03/24 10.02.00] Dana: Who files the receipts?\n[05/03/24 10.02.08] ..: I do.\n"+
		"\u200e[05/03/24 10.02.12] ..: \u200eimage omitted\n[05/03/24 10.02.13] 🦋: In a box.\n"+
		"[05/03/24 10.02.17] Dana: Which box? \u200e<This message was edited>\n"+
		"\u200e[05/03/24 10.02.20] ..: box.pdf • \u200e7 pages \u200edocument omitted\n"))

	got, err := transcript.Parse([]byte("13/03/2024, 10:02 - Dana: Who files them?\n" +
		"13/03/2024, 10:05 - Omar: <Media omitted>\n13/03/2024, 10:07 - Omar: I do.\nAs ever.\n" +
		"14/03/2024, 09:00 - Dana: And the box?\n23/03/2024, 12:00 - Omar: It is below the desk.\n" +
		"23/03/2024, 12:01 - Dana: Thanks.\n"))
	require.NoError(t, err)
	require.Len(t, got.Utterances, 6)
	require.Empty(t, got.Utterances[1].Speaker)
	require.Equal(t, "Omar", got.Utterances[2].Speaker)
	require.Equal(t, "I do. As ever.", got.Utterances[2].Text)
	require.NotContains(t, fmt.Sprint(got.Warnings), transcript.WarnTimes)
}

// A name may occur once, and have a word that heads remarks.
func TestNamesInChatsThatOccurOnce(t *testing.T) {
	t.Parallel()
	for _, form := range []string{"[05.03.24, 10:0%d:00] %s: %s\n", "5/3/24, 10:0%d - %s: %s\n"} {
		text := ""
		for i, name := range []string{"Dana", "Omar", "Dana", "Beth Ann Price", "Omar"} {
			text += fmt.Sprintf(form, i, name, "I keep them in a box.")
		}
		got, err := transcript.Parse([]byte(text))
		require.NoError(t, err)
		require.Equal(t, []string{"Dana", "Omar", "Beth Ann Price"}, got.Speakers(), form)
	}
}

func TestZoomsChatInJapanese(t *testing.T) {
	t.Parallel()
	turns := spoken(t, "18:00:27 開始 武井 優弥 終了 皆様 : 数学。\n18:00:32 開始 Arisa Kurihara 終了 皆様 : 知らない。\n")
	require.Equal(t, []string{"武井 優弥 (0s): 数学。", "Arisa Kurihara (5s): 知らない。"}, turns)
}

func TestChatsOfGoogle(t *testing.T) {
	t.Parallel()
	message := `{"creator":{"name":"%s","user_type":"Human"},` +
		`"created_date":"Friday, February 3, 2023 at 1:08:0%d\u202fAM UTC","text":"%s"},`
	require.Equal(t, []string{"Dana Weber (0s): Who files them?", "Omar Haddad (2s): I do."}, spoken(t,
		`{"messages":[`+fmt.Sprintf(message, "Omar Haddad", 1, "Updated room membership.")+
			fmt.Sprintf(message, "Dana Weber", 2, "Who files them?")+
			strings.TrimSuffix(fmt.Sprintf(message, "Omar Haddad", 4, "I do."), ",")+`]}`))
}

func TestChatsInJSONWithUsers(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"dana (0s): Who files them?", "omar (3s): I do."}, spoken(t,
		`[{"Timestamp":"1445569799000","User":"dana","Message":"Who files them?"},`+
			`{"Timestamp":"1445569802000","User":"omar","Message":"I do."}]`))
}
