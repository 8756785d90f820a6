package transcript_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

// Not everything before a colon is a speaker.
func TestDistinguishesSpeakersFromRemarks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, speakers string }{
		{"two people", "Dana: Hi\nSam: Hello\n", "Dana, Sam"},
		{"one line alone", "Problem: we have no time.", ""},
		{"a note between turns", "Dana: Hi\nSam: Hello\nNote: he laughs.\nDana: So?\n", "Dana, Sam"},
		{
			"addresses and clocks",
			"Dana: See https://example.org: there.\nSam: At 10:30: yes.\nhttp://example.org is ours.\n" +
				"Dana: OK\n",
			"Dana, Sam",
		},
		{
			"a colon in speech",
			"Dana: One rule: no meetings.\nSam: He said: never.\nThen came the crisis: nobody bought.\n" +
				"Dana: Oh.\n",
			"Dana, Sam",
		},
		{
			"a list of remarks",
			"Background: runs a bakery.\nPain: the rota.\nPricing: twenty a month.\n" +
				"Next steps: call again.\n",
			"",
		},
		{"steps", "Step 1: open the door.\nStep 2: go in.\nStep 3: close it.\n", ""},
		{
			"interviewer and respondent",
			"I: How do you plan?\nR: Badly. I use: paper.\nI: Why?\nR: No time.\n",
			"I, R",
		},
		{"questions and answers", "Q: How do you plan?\nA: Badly.\nQ: Why?\nA: No time.\n", "Q, A"},
		{
			"a question alone",
			"Question: how do we plan?\n\nWe plan badly, for many reasons, and have done so for years.\n",
			"",
		},
		{"numbered speakers", "SPEAKER_00: hi\nSPEAKER_01: hello\nSPEAKER_00: so\n", "SPEAKER_00, SPEAKER_01"},
		{"brackets", "[Speaker 1]: hi\n[Speaker 2]: hello\n[Speaker 1]: so\n", "Speaker 1, Speaker 2"},
		{"small letters that recur", strings.Repeat("dana: hi there\nsam: hello\n", 3), "dana, sam"},
		{
			"companies and pronouns",
			"Dana Weber | Lumen (she/her): Hi\nSam O'Neill-Díaz, MD: Hello\n" +
				"Dana Weber | Lumen (she/her): So\n",
			"Dana Weber | Lumen (she/her), Sam O'Neill-Díaz, MD",
		},
		{"family name first", "Weber, Dana: Hi\nOkafor, Sam: Hello\nWeber, Dana: So\n", "Weber, Dana, Okafor, Sam"},
		{
			"a guest who speaks once",
			"Dana: Hi\n\nSam: Hello\n\nDana: So\n\nSam: Yes\n\nMaría López: May I?\n\nDana: Do.\n",
			"Dana, Sam, María López",
		},
		{
			"a name that is a word",
			"Will: I will go.\nMark: mark my words.\nWill: will do.\nMark: good.\nWill: fine.\n" +
				"Mark: yes.\n",
			"Will, Mark",
		},
		{
			"French spaces",
			"Anne : Bonjour.\nÉric : Le problème : personne ne lit.\nAnne : Pourquoi ?\n",
			"Anne, Éric",
		},
		{"full-width colons", "主持人：你好，今天我们谈谈。\n张伟：好的。最大的问题是：没有人看。\n主持人：为什么？\n", "主持人, 张伟"},
		{"Arabic", "دانا: مرحبا، كيف حالك؟\nسامي: بخير. المشكلة هي: لا أحد.\nدانا: لماذا؟\n", "دانا, سامي"},
		{
			"prose",
			"The rota is late.\n\nShe said it plainly: nobody reads it.\n\n" +
				"What would she pay? Answer: twenty.\n",
			"",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := transcript.Parse([]byte(c.text))
			require.NoError(t, err)
			checkInvariants(t, got)
			require.Equal(t, c.speakers, strings.Join(got.Speakers(), ", "))
		})
	}
}

func TestLabelledTextsHaveTheirTurns(t *testing.T) {
	t.Parallel()
	requireTurns(t, []example{
		{
			"Japanese quotes",
			"調査員「予約は。」\n山田「電話です。」\n調査員「そうですか。」\n山田「ええ。」\n調査員「なぜ。」\n山田「さあ。」\n",
			[]string{"調査員: 予約は。", "山田: 電話です。", "調査員: そうですか。", "山田: ええ。", "調査員: なぜ。", "山田: さあ。"},
		},
		{
			"hanging indents",
			`I         What do you do here?
B         There are three things.
          Excel: that is for the budget.
          Jira: that is for others.
I         And then?
B         Nothing.
          Nothing at all.
`,
			[]string{
				"I: What do you do here?",
				"B: There are three things. Excel: that is for the budget. Jira: that is for others.",
				"I: And then?", "B: Nothing. Nothing at all.",
			},
		},
		{
			"numbers before each fifth line",
			`     I: What do you do here,
     and why is it so?
     B: I run the desk. It
     is the front desk, and
5    has been since 2016.
     I: And then?
     B: Nothing. I wait and
     wait for the file, and
     then I call them at
10   home.
     I: Why?
     B: Nobody wrote it down,
     so that I must ask.
     They answer when they
15   like.
`,
			[]string{
				"I: What do you do here, and why is it so?",
				"B: I run the desk. It is the front desk, and has been since 2016.", "I: And then?",
				"B: Nothing. I wait and wait for the file, and then I call them at home.", "I: Why?",
				"B: Nobody wrote it down, so that I must ask. They answer when they like.",
			},
		},
		{
			"names that begin with a picture",
			"🌻 Ana: What do you do here?\n\nBen K.: I run the desk.\n\n🌻 Ana: And then?\n\n" +
				"Ben K.: Nothing.\n\n🌻 Ana: Why?\n\nBen K.: No time.\n",
			[]string{
				"Ana: What do you do here?", "Ben K.: I run the desk.", "Ana: And then?", "Ben K.: Nothing.", "Ana: Why?",
				"Ben K.: No time.",
			},
		},
		{
			"degrees, and surnames that are words",
			"Maya Chen, PhD - 00:03\nWhat do you do?\n\nBeth Price - 00:07\nI run the desk.\n\n" +
				"Maya Chen, PhD - 00:12\nAnd then?\n\nBeth Price - 00:15\nNothing.\n",
			[]string{
				"Maya Chen, PhD (3s): What do you do?", "Beth Price (7s): I run the desk.",
				"Maya Chen, PhD (12s): And then?", "Beth Price (15s): Nothing.",
			},
		},
		{
			"names before dashes with no-break spaces",
			"Moderator -\u00a0Who files them?\nP1 -\u00a0I do.\nModerator\u00a0–\u00a0Where?\nP1 - In a box.\n" +
				"Moderator\u00a0- I see.\nP1 -\u00a0Yes.\n",
			[]string{
				"Moderator: Who files them?", "P1: I do.", "Moderator: Where?", "P1: In a box.", "Moderator: I see.",
				"P1: Yes.",
			},
		},
		{
			"a word for people once in brackets",
			"[NURSE] Who files them?\n\n[PATIENT] I do.\n\n[NURSE] Where?\n\n[DAUGHTER] In a box.\n\n" +
				"[PATIENT] Yes.\n\n[NURSE] I see.\n\n[PATIENT] Do you?\n",
			[]string{
				"NURSE: Who files them?", "PATIENT: I do.", "NURSE: Where?", "DAUGHTER: In a box.", "PATIENT: Yes.",
				"NURSE: I see.", "PATIENT: Do you?",
			},
		},
		{
			"names and wide spaces",
			"佐藤\u3000誰が保管しますか。\n田中\u3000私です。\n佐藤\u3000どこに。\n田中\u3000箱に。\n佐藤\u3000なるほど。\n田中\u3000はい。\n",
			[]string{"佐藤: 誰が保管しますか。", "田中: 私です。", "佐藤: どこに。", "田中: 箱に。", "佐藤: なるほど。", "田中: はい。"},
		},
		{
			"names of a play",
			"DANA. Who files them?\nOMAR. I do.\nDANA. Where?\nOMAR. In a box.\nDANA. Since when?\nNOOR. March.\n" +
				"DANA. I see.\nOMAR. Yes.\nNOOR. No.\nDANA. No?\nOMAR. May.\nNOOR. March.\n",
			[]string{
				"DANA: Who files them?", "OMAR: I do.", "DANA: Where?", "OMAR: In a box.", "DANA: Since when?",
				"NOOR: March.", "DANA: I see.", "OMAR: Yes.", "NOOR: No.", "DANA: No?", "OMAR: May.", "NOOR: March.",
			},
		},
		{
			"initials once before a dash",
			"EM — Who files them?\nBL — I do.\nEM — Where?\nBL — In a box.\nEM — And you?\nMD — Here.\nBL — No.\n" +
				"EM — I see.\n",
			[]string{
				"EM: Who files them?", "BL: I do.", "EM: Where?", "BL: In a box.", "EM: And you?", "MD: Here.", "BL: No.",
				"EM: I see.",
			},
		},
		{
			"a conversation in one paragraph",
			strings.Repeat("Interviewer:\u00a0 Who files them, and where do they keep the old ones?Interviewee "+
				":\u00a0 I do. We keep them in a box.", 5) + " Excel: too slow.",
			append(slices.Repeat([]string{
				"Interviewer: Who files them, and where do they keep the old ones?",
				"Interviewee: I do. We keep them in a box.",
			}, 4), "Interviewer: Who files them, and where do they keep the old ones?",
				"Interviewee: I do. We keep them in a box. Excel: too slow."),
		},
		{
			"numbers behind a role",
			"Facilitator: Who files them?\nTester #4: I do.\nFacilitator: Where?\nTester #4: In a box.\n" +
				"Facilitator: I see.\nTester #4: Yes.\n",
			[]string{
				"Facilitator: Who files them?", "Tester #4: I do.", "Facilitator: Where?", "Tester #4: In a box.",
				"Facilitator: I see.", "Tester #4: Yes.",
			},
		},
		{
			"long initials",
			"P.R-C.: Who files them?\n\nT.v.d.M.: I do.\n\nJ.D.B.: No.\n\nP.R-C.: Where?\n\nT.v.d.M.: In a box.\n\n" +
				"J.D.B.: Yes.\n\nP.R-C.: I see.\n\nT.v.d.M.: True.\n\nJ.D.B.: So.\n",
			[]string{
				"P.R-C.: Who files them?", "T.v.d.M.: I do.", "J.D.B.: No.", "P.R-C.: Where?", "T.v.d.M.: In a box.",
				"J.D.B.: Yes.", "P.R-C.: I see.", "T.v.d.M.: True.", "J.D.B.: So.",
			},
		},
		{
			"wide brackets in a label",
			"司会：誰が保管しますか。\n参加者 （女性・34）：私です。\n司会：どこに。\n参加者 （女性・34）：箱に。\n司会：なるほど。\n" +
				"参加者 （女性・34）：はい。\n",
			[]string{
				"司会: 誰が保管しますか。", "参加者 （女性・34）: 私です。", "司会: どこに。", "参加者 （女性・34）: 箱に。", "司会: なるほど。",
				"参加者 （女性・34）: はい。",
			},
		},
		{
			"paragraphs behind tabs",
			"Dana Weber\tWho files them?\nWitness\tI do.\n\tIn a box.\n\tBelow the desk.\nDana Weber\tWhere?\n" +
				"Witness\tHere.\nDana Weber\tI see.\nWitness\tYes.\nDana Weber\tThanks.\nWitness\tBye.\n",
			[]string{
				"Dana Weber: Who files them?", "Witness: I do. In a box. Below the desk.", "Dana Weber: Where?",
				"Witness: Here.", "Dana Weber: I see.", "Witness: Yes.", "Dana Weber: Thanks.", "Witness: Bye.",
			},
		},
		{
			"the name of a device",
			"iPad von Dr. Aydın: Who files them?\nSvea: I do.\niPad von Dr. Aydın: Where?\nSvea: In a box.\n" +
				"iPad von Dr. Aydın: I see.\nSvea: Yes.\n",
			[]string{
				"iPad von Dr. Aydın: Who files them?", "Svea: I do.", "iPad von Dr. Aydın: Where?", "Svea: In a box.",
				"iPad von Dr. Aydın: I see.", "Svea: Yes.",
			},
		},
		{
			"a conversation that was wrapped",
			"Cole: Who files them, if I may ask?\nDelgado: I do, since my brother left. Cole: And where?\n" +
				"Delgado: In a box. Cole: Since when\ndo you do that? Delgado: March. Cole: And before? Delgado:\n" +
				"Nobody did. Cole: I see. Delgado: Yes, it was a mess then,\nand still is. Cole: Thanks. Delgado: Bye.\n",
			[]string{
				"Cole: Who files them, if I may ask?", "Delgado: I do, since my brother left.", "Cole: And where?",
				"Delgado: In a box.", "Cole: Since when do you do that?", "Delgado: March.", "Cole: And before?",
				"Delgado: Nobody did.", "Cole: I see.", "Delgado: Yes, it was a mess then, and still is.",
				"Cole: Thanks.", "Delgado: Bye.",
			},
		},
		{
			"names behind a mark of Japanese typists",
			"●インタビュアー\n誰が保管しますか。\n\n●松本様\n私です。\n\n●インタビュアー\nどこに。\n\n●松本様\n箱に。\n\n●インタビュアー\n" +
				"なるほど。\n\n●松本様\nはい。\n",
			[]string{
				"インタビュアー: 誰が保管しますか。", "松本様: 私です。", "インタビュアー: どこに。", "松本様: 箱に。", "インタビュアー: なるほど。", "松本様: はい。",
			},
		},
		{
			"a name at the end of a page",
			"Dana Weber\nWho files them?\n\nOmar Haddad\nI do.\n\nDana Weber\nWhere?\n\nOmar Haddad\n\n\n" +
				"In a box.\n\nDana Weber\nSince when?\n\nOmar Haddad\nMarch.\n",
			[]string{
				"Dana Weber: Who files them?", "Omar Haddad: I do.", "Dana Weber: Where?", "Omar Haddad: In a box.",
				"Dana Weber: Since when?", "Omar Haddad: March.",
			},
		},
		{
			"numbers of speakers",
			"#1: Who files them?\n#2: I do.\n#1: Where?\n#3: Here.\n#2: Yes.\n#3: In a box.\n",
			[]string{"#1: Who files them?", "#2: I do.", "#1: Where?", "#3: Here.", "#2: Yes.", "#3: In a box."},
		},
		{
			"a legend",
			"P. = question, R. = answer, Otra. = another nurse\n\nP. Who files them?\nR. I do.\nP. Where?\n" +
				"Otra. Here!\nR. In a box.\nP. I see.\nR. Yes.\n",
			[]string{
				": P. = question, R. = answer, Otra. = another nurse", "P: Who files them?", "R: I do.", "P: Where?",
				"Otra: Here!", "R: In a box.", "P: I see.", "R: Yes.",
			},
		},
		{
			"names in full-width brackets",
			"【聞き手】どこですか。\n【田中さん】ここです。\n【聞き手】はい。\n【田中さん】はい、箱です。\n【お母様】三回も。\n【聞き手】ええ。\n【田中さん】ね。\n",
			[]string{
				"聞き手: どこですか。", "田中さん: ここです。", "聞き手: はい。", "田中さん: はい、箱です。", "お母様: 三回も。",
				"聞き手: ええ。", "田中さん: ね。",
			},
		},
		{
			"spaces without width",
			"\u200bDana Weber:\u200b Who files them?\n\n\u200bOmar Haddad:\u200b I do.\n\n" +
				"\u200bDana Weber:\u200b Where?\n\n\u200bOmar Haddad:\u200b Here.\n",
			[]string{"Dana Weber: Who files them?", "Omar Haddad: I do.", "Dana Weber: Where?", "Omar Haddad: Here."},
		},
	})
}

func TestASpaceBeforeTheColonOnly(t *testing.T) {
	t.Parallel()
	turns := spoken(t, strings.Repeat("I: Who files them?\nN :Nobody does.\nI : Why?\nN : There is a box.\n", 3))
	require.Equal(t,
		[]string{"I: Who files them?", "N: Nobody does.", "I: Why?", "N: There is a box."}, turns[:4])
}

func TestNumbersOfTurnsInBrackets(t *testing.T) {
	t.Parallel()
	names := [2]string{"Moderator", "Participant 1"}
	requireVoices(t, twoVoices("[T%03[2]d] %[1]s: %[3]s\n", names, 8), names)
}

func TestNumberedNamesAboveWordsWithoutBlankLines(t *testing.T) {
	t.Parallel()
	names := [2]string{"Sprecher 1", "Sprecher 2"}
	requireVoices(t, twoVoices("%[1]s\r\n%[3]s\r\nThat was that.\r\n", names, 8), names)
}

func TestNumberedQuestionsHaveOneVoice(t *testing.T) {
	t.Parallel()
	var words, letters strings.Builder
	for i := range 5 {
		fmt.Fprintf(&words, "Question %d: How do you file them?\n\nAnswer: In a box.\n\nMostly.\n\n", i+1)
		fmt.Fprintf(&letters, "Q%d: How do you file them?\nA%d: In a box.\n", i+1, i+1)
	}
	for text, names := range map[string][]string{
		words.String(): {"Question", "Answer"}, letters.String(): {"Q", "A"},
	} {
		got, err := transcript.Parse([]byte(text))
		require.NoError(t, err)
		require.Equal(t, names, got.Speakers())
		require.Equal(t, "How do you file them?", got.Utterances[2].Text)
	}
}
