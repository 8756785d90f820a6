package transcript_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

func TestChatsHaveTheirTurns(t *testing.T) {
	t.Parallel()
	requireTurns(t, []example{
		{
			"Zoom in Japanese",
			"18:00:27 開始 武井 優弥 終了 皆様 : 数学。\n18:00:32 開始 Arisa Kurihara 終了 皆様 : 知らない。\n",
			[]string{"武井 優弥 (0s): 数学。", "Arisa Kurihara (5s): 知らない。"},
		},
		{
			"Zoom with tabs",
			"10:02:15\t From  Dana Weber : What do you do here?\n" +
				"10:02:20\t From  Jörg Ahn : I run the desk.\n10:02:31\t From  Dana Weber : And then?\n",
			[]string{
				"Dana Weber (0s): What do you do here?", "Jörg Ahn (5s): I run the desk.", "Dana Weber (16s): And then?",
			},
		},
		{
			"names that WhatsApp marks",
			"[14/03/2024, 10:02:15] Dana Weber: What do you do here?\n" +
				"[14/03/2024, 10:03:15] ~\u202fJörg: I run the desk.\n[14/03/2024, 10:04:15] Dana Weber: And then?\n" +
				"[14/03/2024, 10:05:15] ~\u202fJörg: Nothing.\n",
			[]string{
				"Dana Weber (0s): What do you do here?", "Jörg (1m0s): I run the desk.",
				"Dana Weber (2m0s): And then?", "Jörg (3m0s): Nothing.",
			},
		},
		{
			"names of a dated chat that occur once",
			"[19/05/2024, 10:15:22] dana: Hello\n[19/05/2024, 10:15:30] dana: Who is here?\n" +
				"\u200e[19/05/2024, 10:16:31] ben: \u200eimage\n[19/05/2024, 10:20:12] carla: Me\nlist: bread\n" +
				"[19/05/2024, 10:20:45] ben: Me too\n",
			[]string{
				"dana (0s): Hello", "dana (8s): Who is here?", " (1m9s): image", "carla (4m50s): Me list: bread",
				"ben (5m23s): Me too",
			},
		},
		{
			"halves of days before times",
			"[이수진] [오전 11:58] 뭐 하세요?\n[박준영] [오후 12:03] 일해요.\n[이수진] [오후 1:10] 그다음은요?\n" +
				"[박준영] [오후 1:12] 없어요.\n",
			[]string{
				"이수진 (0s): 뭐 하세요?", "박준영 (5m0s): 일해요.", "이수진 (1h12m0s): 그다음은요?", "박준영 (1h14m0s): 없어요.",
			},
		},
		{
			"JSON with users",
			`[{"Timestamp":"1445569799000","User":"dana","Message":"Who files them?"},` +
				`{"Timestamp":"1445569802000","User":"omar","Message":"I do."}]`,
			[]string{"dana (0s): Who files them?", "omar (3s): I do."},
		},
		{
			"KakaoTalk on a computer",
			"--------------- 2024년 5월 3일 금요일 ---------------\n[김민수] [오전 11:59] 누가 해요?\n[박지영] [오후 12:01] 제가요.\n" +
				"두 번째 줄.\n--------------- 2024년 5월 4일 토요일 ---------------\n[김민수] [오전 9:00] 네.\n[이현우] [오전 9:01] 저도요.\n" +
				"[박지영] [오전 9:02] 네.\n",
			[]string{
				"김민수 (0s): 누가 해요?", "박지영 (2m0s): 제가요. 두 번째 줄.", "김민수 (21h1m0s): 네.", "이현우 (21h2m0s): 저도요.",
				"박지영 (21h3m0s): 네.",
			},
		},
		{
			"DiscordChatExporter",
			"[28-Dec-19 12:42 AM] dana#8306\nWho files them?\n\nAnd where?\n\n[28-Dec-19 12:43 AM] omar.h\nI do.\n\n" +
				"{Reactions}\nthumbsup\n\n[28-Dec-19 12:43 AM] omar.h\nIn a box.\n\n[28-Dec-19 12:45 AM] dana#8306\n" +
				"I see.\n",
			[]string{
				"dana#8306 (0s): Who files them? And where?", "omar.h (1m0s): I do.", ": thumbsup",
				"omar.h (1m0s): In a box.", "dana#8306 (3m0s): I see.",
			},
		},
		{
			"copied from Slack",
			"Dana Weber\n  9:30 AM\nWho files them?\nAnd where?\nOmar Haddad\n  9:31 AM\nI do.\nDana Weber\n" +
				"  9:31 AM\nSince when?\nAnd why?\nIs it a rule?\n",
			[]string{
				"Dana Weber (0s): Who files them? And where?", "Omar Haddad (1m0s): I do.",
				"Dana Weber (1m0s): Since when? And why? Is it a rule?",
			},
		},
		{
			"IRC without events",
			"[09:30] <dana.w> Who files them?\n[09:30] <omar-h> I do.\n[09:30] <dana.w> And who else?\n" +
				"[09:31] <noor> Me.\n[09:31] <omar-h> True.\n[09:31] <dana.w> I see.\n[09:31] <omar-h> Yes.\n",
			[]string{
				"dana.w (0s): Who files them?", "omar-h (0s): I do.", "dana.w (0s): And who else?", "noor (1m0s): Me.",
				"omar-h (1m0s): True.", "dana.w (1m0s): I see.", "omar-h (1m0s): Yes.",
			},
		},
		{
			"WhatsApp in Arabic",
			"\u200f3\u200f/5\u200f/2024، 9:30 ص - ليلى: من يحفظها؟\n\u200f3\u200f/5\u200f/2024، 9:31 ص - سامي: " +
				"أنا.\n\u200f3\u200f/5\u200f/2024، 1:31 م - ليلى: أين؟\n\u200f3\u200f/5\u200f/2024، 1:32 م - سامي: " +
				"هنا.\n",
			[]string{"ليلى (0s): من يحفظها؟", "سامي (1m0s): أنا.", "ليلى (4h1m0s): أين؟", "سامي (4h2m0s): هنا."},
		},
		{
			"chat of Zoom on a phone",
			"08:02:35 Host:\tWho files them?\n08:03:12 Participant1:\tI do.\n08:03:16 Host:\tWhere?\n",
			[]string{"Host (8h2m35s): Who files them?", "Participant1 (8h3m12s): I do.", "Host (8h3m16s): Where?"},
		},
		{
			"reactions in Zoom",
			"2026-03-16 17:11:56 From Dana Weber to Everyone:\n\tWho files them?\n\tOmar Haddad, Dana Weber:👍\n" +
				"2026-03-16 17:12:00 From Omar Haddad to Everyone:\n\tI do.\n\tDana Weber:❤️\n",
			[]string{"Dana Weber (0s): Who files them?", "Omar Haddad (4s): I do."},
		},
		{
			"messages of Zoom to one person",
			"10:31:02 Host:\tWho files them?\n10:31:40 Guest 4 to Host(Direct Message):\tI do.\n" +
				"10:32:11 Ana (she/her) to Host (Privately):\tSo do I.\n10:33:05 Jan an " +
				"Host(Direktnachricht):\tUnd ich.\n" +
				"10:34:00 Rita Sol (tx):\tWhere?\n",
			[]string{
				"Host (10h31m2s): Who files them?", "Guest 4 (10h31m40s): I do.", "Ana (she/her) (10h32m11s): So do I.",
				"Jan (10h33m5s): Und ich.", "Rita Sol (tx) (10h34m0s): Where?",
			},
		},
		{
			"reactions and replies beside a recording of Zoom",
			"00:01:10\tDana:\tWho files the blue forms now?\n00:01:15\tNoor:\tReacted to \"Who files the blue " +
				"f...\" with 👍\n" +
				"00:01:20\tOmar:\tReplying to \"Who files the blue f...\"\n\nI do.\n" +
				"00:01:25\tPia | desk:\tRemoved a 👍 reaction from \"Who files the blue f...\"\n" +
				"00:01:30\tLeo:\tReacted to “I do.” with “🎉”\n00:01:35\tDana:\tReplying to \"I do.\"\n\nGood " +
				"\"work\".\n" +
				"00:01:40\tMarc:\tA réagi à \"Who files the blue f...\" avec ❤️\n" +
				"00:01:45\tOmar:\tRéponse à \"Good \"work\".\"\n\nThanks.\n00:01:50\tKim:\tHat mit 😂 auf „I do.“ " +
				"reagiert\n",
			[]string{
				"Dana (1m10s): Who files the blue forms now?", "Omar (1m20s): I do.", "Dana (1m35s): Good \"work\".",
				"Omar (1m45s): Thanks.",
			},
		},
		{
			"reactions and replies in Zoom",
			"10:02:15 From Dana Weber to Everyone:\n\tWho files them?\n10:02:16 From Noor to Everyone:\n" +
				"\tReacted to Who files them? with \"👍\"\n10:02:20 From Omar Haddad to Dana Weber(Direct Message):\n" +
				"\tReplying to \"Who files them?\"\n\t\n\tI do.\n10:02:25 From Dana Weber to Everyone:\n" +
				"\tI \"file\" some, too.\n",
			[]string{
				"Dana Weber (0s): Who files them?", "Omar Haddad (5s): I do.",
				"Dana Weber (10s): I \"file\" some, too.",
			},
		},
		{
			"a chat of years in JSON",
			`{"messages":[{"sender_name":"Omar","timestamp_ms":1500000000000,"content":"In a box."},` +
				`{"sender_name":"Dana","timestamp_ms":1400000000000,"content":"Who files them?"},` +
				`{"sender_name":"Omar","timestamp_ms":1300000000000,"content":"I am here."}]}`,
			[]string{
				"Omar (0s): I am here.", "Dana (27777h46m40s): Who files them?", "Omar (55555h33m20s): In a box.",
			},
		},
		{
			"a chat of years in Slack",
			`[{"type":"message","user":"dana","text":"Who files them?","ts":"1500000000.000"},` +
				`{"type":"message","user":"omar","text":"I do.","ts":"1600000000.000"}]`,
			[]string{"dana (0s): Who files them?", "omar (27777h46m40s): I do."},
		},
		{
			"a chat of years in WhatsApp",
			"[05/03/2015, 10:00:00] Dana: Who files them?\n[05/03/2015, 10:01:00] Omar: I do.\n" +
				"[13/04/2018, 10:00:00] Dana: Still?\n[14/04/2021, 10:00:00] Omar: Yes.\n",
			[]string{
				"Dana (0s): Who files them?", "Omar (1m0s): I do.", "Dana (27240h0m0s): Still?",
				"Omar (53568h0m0s): Yes.",
			},
		},
		{
			"first names copied from Discord",
			"Bettina — Today at 9:32 AM\nWho files them?\nHenryk — Today at 9:32 AM\nI do.\n" +
				"Bettina — Today at 9:32 AM\nWhere?\nHenryk — Today at 9:33 AM\nIn a box.\n",
			[]string{
				"Bettina (0s): Who files them?", "Henryk (0s): I do.", "Bettina (0s): Where?", "Henryk (1m0s): In a box.",
			},
		},
		{
			"a number once in WhatsApp",
			"12.11.24, 09:32 - Jonas Albrecht: Who files them?\n12.11.24, 09:33 - Praxis: I do.\n" +
				"12.11.24, 09:34 - +49 171 5550123: Good morning!\n12.11.24, 09:35 - Jonas Albrecht: Where?\n" +
				"12.11.24, 09:36 - Praxis: In a box.\n",
			[]string{
				"Jonas Albrecht (0s): Who files them?", "Praxis (1m0s): I do.", "+49 171 5550123 (2m0s): Good morning!",
				"Jonas Albrecht (3m0s): Where?", "Praxis (4m0s): In a box.",
			},
		},
		{
			"WhatsApp with no-break spaces in a. m.",
			"12/7/2024, 2:03\u00a0p.\u00a0m. - Begoña: Who files them?\n12/7/2024, 2:04\u00a0p.\u00a0m. - Fermín: I " +
				"do.\n12/7/2024, 2:05\u00a0p.\u00a0m. - Begoña: Where?\n12/7/2024, 2:06\u00a0p.\u00a0m. - Fermín: In a " +
				"box.\n",
			[]string{
				"Begoña (0s): Who files them?", "Fermín (1m0s): I do.", "Begoña (2m0s): Where?",
				"Fermín (3m0s): In a box.",
			},
		},
	})
}

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

func TestChatsOfGoogle(t *testing.T) {
	t.Parallel()
	message := `{"creator":{"name":"%s","user_type":"Human"},` +
		`"created_date":"Friday, February 3, 2023 at 1:08:0%d\u202fAM UTC","text":"%s"},`
	require.Equal(t, []string{"Dana Weber (0s): Who files them?", "Omar Haddad (2s): I do."}, spoken(t,
		`{"messages":[`+fmt.Sprintf(message, "Omar Haddad", 1, "Updated room membership.")+
			fmt.Sprintf(message, "Dana Weber", 2, "Who files them?")+
			strings.TrimSuffix(fmt.Sprintf(message, "Omar Haddad", 4, "I do."), ",")+`]}`))
}

func TestReadsTheChatOfARecording(t *testing.T) {
	t.Parallel()
	got, err := transcript.Parse([]byte("00:05:41\tDana Weber (ACME):\tIs it \"done\"?\r\n" +
		"00:07:06\tben:\t\"yes\r\n00:07:54\tDana Weber (ACME):\tReplying to \"yes\"\n\n" +
		"Note: not all of it.\r\n00:08:10\tAnaïs:\tok\r\n"))
	require.NoError(t, err)
	require.Equal(t, transcript.ZoomChat, got.Format)
	require.Equal(t, []string{
		`Dana Weber (ACME) (5m41s): Is it "done"?`, `ben (7m6s): "yes`,
		`Dana Weber (ACME) (7m54s): Note: not all of it.`, "Anaïs (8m10s): ok",
	}, turnsOf(got))
}

func TestReadsLogsOfIRC(t *testing.T) {
	t.Parallel()
	want := []string{
		"dana[m] (0s): good morning", "the-c-in-cat (1m0s): dana[m]: see: the list", "dana[m] (1m30s): waves",
		"the-c-in-cat (2m0s): bye",
	}
	for _, text := range []string{
		"2024-02-26T10:00:00  *** eve <eve!~e@198.51.100.7> has joined #talk\n" +
			"2024-02-26T10:00:00  <dana[m]> good morning\n2024-02-26T10:01:00  <the-c-in-cat> dana[m]: see: the " +
			"list\n2024-02-26T10:01:30  * dana[m] waves\n2024-02-26T10:02:00  <the-c-in-cat> bye\n",
		"[23:59:00] <dana[m]> good morning\n[23:59:10] *** Quits: eve (~e@host) (Ping timeout: 250 seconds)\n" +
			"[00:00:00] <@the-c-in-cat> dana[m]: see: the list\n[00:00:10] -bot- [list] eve opened: a list\n" +
			"[00:00:30] * dana[m] waves\n[00:01:00] <@the-c-in-cat> bye\n",
		"--- Log opened Mon Feb 26 10:00:00 2024\n10:00:00 -!- eve [~e@host] has joined #talk\n" +
			"10:00:00 < dana[m]> good morning\n10:01:00 <+the-c-in-cat> dana[m]: see: the list\n" +
			"10:01:30 * dana[m] waves\n10:01:31 * eve (~e@host) has left\n10:02:00 <+the-c-in-cat> bye\n",
		"[2024-02-26T10:00:00.000Z]\t<dana[m]>\tgood morning\n[2024-02-26T10:01:00Z]\t<the-c-in-cat>\tdana[m]: " +
			"see: the list\n[2024-02-26T10:01:30Z]\t* dana[m] waves\n[2024-02-26T10:02:00Z]\t<the-c-in-cat>\tbye\n",
		"2024-02-26 10:00:00\tdana[m]\tgood morning\n2024-02-26 10:00:01\t-->\teve (~e@host) has joined #talk\n" +
			"2024-02-26 10:01:00\t@the-c-in-cat\tdana[m]: see: the list\n2024-02-26 10:01:30\t *\tdana[m] waves\n" +
			"2024-02-26 10:02:00\t@the-c-in-cat\tbye\n",
	} {
		got, err := transcript.Parse([]byte(text))
		require.NoError(t, err)
		require.Equal(t, want, turnsOf(got), text)
		require.Empty(t, got.Warnings)
	}
}

func TestMarksOfEventsInLogsOfIRC(t *testing.T) {
	t.Parallel()
	requireTurns(t, []example{
		{
			"marks of WeeChat",
			"2020-03-05 10:00:01\t⇒\teve (~e@host) has joined #desk\n2020-03-05 10:00:02\tℹ\tTopic for #desk " +
				"is filing\n" +
				"2020-03-05 10:01:00\tdana\tWho files them?\n2020-03-05 10:01:02\t=!=\tError: no such nick\n" +
				"2020-03-05 10:01:10\t@omar\tI do.\n2020-03-05 10:01:20\t◢\teve is away\n2020-03-05 " +
				"10:01:30\tdana\tWhere?\n" +
				"2020-03-05 10:01:40\t@omar\tIn a box.\n",
			[]string{"dana (0s): Who files them?", "omar (10s): I do.", "dana (30s): Where?", "omar (40s): In a box."},
		},
		{
			"bars of WeeChat",
			"10:00:01   --> | eve (~e@host) has joined #desk\n10:01:00  dana | Who files them?\n10:01:10 " +
				"@omar | I do.\n" +
				"10:01:11    -- | Mode #desk [+o dana] by ChanServ\n10:01:20  dana | Where?\n10:01:30 @omar | In " +
				"a box.\n",
			[]string{"dana (0s): Who files them?", "omar (10s): I do.", "dana (20s): Where?", "omar (30s): In a box."},
		},
		{
			"asterisks",
			"[10:00:01] *** eve joins #desk\n[10:00:05] <dana> Who files them?\n[10:00:06] * Now talking in #desk\n" +
				"[10:00:07] * eve joins\n[10:00:07] * omar changed topic to 'boxes'\n[10:00:08] * dana waves\n" +
				"[10:00:09] -ChanServ- welcome\n[10:00:15] <omar> I do.\n[10:00:20] <omar> Here.\n" +
				"[10:00:30] * dana quit (bye)\n",
			[]string{"dana (0s): Who files them?", "dana (3s): waves", "omar (10s): I do.", "omar (15s): Here."},
		},
		{
			"without times",
			"--> eve (~e@host) has joined #desk\n<dana> Who files them?\n<omar> I do.\n* dana waves\n" +
				"-!- mode/#desk [+o dana] by ChanServ\n*** omar sets mode: +v eve\n<dana> Where?\n<omar> In a box.\n" +
				"<-- eve (~e@host) has quit (Quit: bye)\n",
			[]string{"dana: Who files them?", "omar: I do.", "dana: waves", "dana: Where?", "omar: In a box."},
		},
		{
			"events that people tell",
			"14:58:06 <scribot> scribot has joined #desk\n14:58:17 <dana> Who files them?\n14:58:20 <omar> I do.\n" +
				"14:58:22 <omar> omar has changed the topic to: boxes\n14:58:30 <dana> Where?\n14:58:40 <omar> " +
				"In a box.\n",
			[]string{"dana (0s): Who files them?", "omar (3s): I do.", "dana (13s): Where?", "omar (23s): In a box."},
		},
	})
}

func TestTimesOfRecordingsBesideBracketsAreNoneOfDay(t *testing.T) {
	t.Parallel()
	text := "[00:00:03] <Dana> Why here?\n[00:00:09] <Ben> By chance.\n[00:00:15] <Dana> And then?\n"
	for _, end := range []string{"", "---\n"} {
		require.Equal(t, []string{
			"Dana (3s): Why here?", "Ben (9s): By chance.", "Dana (15s): And then?", "Ben (20s): Hm.",
		}, spoken(t, text+end+"[00:00:20] <Ben> Hm.\n"))
	}
}

func TestMarksOfDirectionAroundPhoneNumbers(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 8 {
		fmt.Fprintf(&text, "[13/09/22, 14:0%d:22] \u202a+51 900 000 000\u202c: Is anybody there?\n"+
			"[13/09/22, 14:0%d:42] ~ Dana: \u200eI am.\n", i, i)
	}
	got, err := transcript.Parse([]byte(text.String()))
	require.NoError(t, err)
	require.Equal(t, []string{"+51 900 000 000", "Dana"}, got.Speakers())
	require.Equal(t, "I am.", got.Utterances[1].Text)
}

func TestSlacksNoticesAreNotMessages(t *testing.T) {
	t.Parallel()
	const message = `{"type":"message","subtype":%q,"user":"U1DANA","text":%q,"ts":"17303040%02d.000100"},`
	got, err := transcript.Parse([]byte(`[` +
		fmt.Sprintf(message, "channel_join", "<@U1DANA> has joined the channel", 0) +
		fmt.Sprintf(message, "channel_purpose", "<@U1DANA> set the channel purpose: filing", 1) +
		fmt.Sprintf(message, "", "boxes &gt; drawers &amp; &lt;desks&gt;", 2) +
		fmt.Sprintf(message, "file_share", "<@U1DANA> uploaded a file: <https://a.example|box>", 3) +
		fmt.Sprintf(message, "thread_broadcast", "and shelves", 4) +
		`{"type":"message","subtype":"bot_message","username":"filer","text":"I filed it.",` +
		`"ts":"1730504009.000100"}]`))
	require.NoError(t, err)
	require.Equal(t, "boxes > drawers & <desks>\nand shelves\nI filed it.", got.Text)
	require.Equal(t, []string{"U1DANA", "filer"}, got.Speakers())
}

func TestMessengersBytesAreUTF8(t *testing.T) {
	t.Parallel()
	const message = `{"sender_name":"Zo\u00c3\u00ab","timestamp_ms":%d,"content":"%s","type":"%s"},`
	text := `{"participants":[],"messages":[`
	for i, content := range []string{
		"Sur l'\u00c3\u00a9tag\u00c3\u00a8re \u00f0\u009f\u0093\u00a6", "caf\u00e9", "Où ? 📦", "Oui.",
	} {
		text += fmt.Sprintf(message, 1730500000000-i*400000000, content, "Generic")
	}
	text += fmt.Sprintf(message, 1700000000000, "Zo\u00c3\u00ab added Omar to the group.", "Subscribe")
	got, err := transcript.Parse([]byte(text[:len(text)-1] + `]}`))
	require.NoError(t, err)
	require.Equal(t, []string{"Zoë"}, got.Speakers())
	require.Equal(t, "Oui.\nOù ? 📦\ncafé\nSur l'étagère 📦", got.Text)
	require.NotContains(t, fmt.Sprint(got.Warnings), transcript.WarnTimes)
}
