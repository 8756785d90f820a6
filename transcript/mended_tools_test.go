package transcript_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

// Each file is read with these turns, and without a doubt.
func TestExportsOfMoreTools(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]struct {
		text  string
		turns []string
	}{
		"Speechmatics": {
			"SPEAKER: S1\nWho files them?\n\nSPEAKER: S2\nI do.\n\nSPEAKER: S1\nWhere?\n\nSPEAKER: S2\nIn a box.\n",
			[]string{"S1: Who files them?", "S2: I do.", "S1: Where?", "S2: In a box."},
		},
		"pyannote-whisper": {
			"0.50 1.90 SPEAKER_00 Who files them?\n2.00 3.50 SPEAKER_01 I do.\n3.80 4.90 SPEAKER_00 Where?\n",
			[]string{"SPEAKER_00 (500ms): Who files them?", "SPEAKER_01 (2s): I do.", "SPEAKER_00 (3.8s): Where?"},
		},
		"KakaoTalk on a computer": {
			"--------------- 2024년 5월 3일 금요일 ---------------\n[김민수] [오전 11:59] 누가 해요?\n[박지영] [오후 12:01] 제가요.\n" +
				"두 번째 줄.\n--------------- 2024년 5월 4일 토요일 ---------------\n[김민수] [오전 9:00] 네.\n[이현우] [오전 9:01] 저도요.\n" +
				"[박지영] [오전 9:02] 네.\n",
			[]string{
				"김민수 (0s): 누가 해요?", "박지영 (2m0s): 제가요. 두 번째 줄.", "김민수 (21h1m0s): 네.", "이현우 (21h2m0s): 저도요.",
				"박지영 (21h3m0s): 네.",
			},
		},
		"DiscordChatExporter": {
			"[28-Dec-19 12:42 AM] dana#8306\nWho files them?\n\nAnd where?\n\n[28-Dec-19 12:43 AM] omar.h\nI do.\n\n" +
				"{Reactions}\nthumbsup\n\n[28-Dec-19 12:43 AM] omar.h\nIn a box.\n\n[28-Dec-19 12:45 AM] dana#8306\n" +
				"I see.\n",
			[]string{
				"dana#8306 (0s): Who files them? And where?", "omar.h (1m0s): I do.", ": thumbsup",
				"omar.h (1m0s): In a box.", "dana#8306 (3m0s): I see.",
			},
		},
		"copied from Slack": {
			"Dana Weber\n  9:30 AM\nWho files them?\nAnd where?\nOmar Haddad\n  9:31 AM\nI do.\nDana Weber\n" +
				"  9:31 AM\nSince when?\nAnd why?\nIs it a rule?\n",
			[]string{
				"Dana Weber (0s): Who files them? And where?", "Omar Haddad (1m0s): I do.",
				"Dana Weber (1m0s): Since when? And why? Is it a rule?",
			},
		},
		"IRC without events": {
			"[09:30] <dana.w> Who files them?\n[09:30] <omar-h> I do.\n[09:30] <dana.w> And who else?\n" +
				"[09:31] <noor> Me.\n[09:31] <omar-h> True.\n[09:31] <dana.w> I see.\n[09:31] <omar-h> Yes.\n",
			[]string{
				"dana.w (0s): Who files them?", "omar-h (0s): I do.", "dana.w (0s): And who else?", "noor (1m0s): Me.",
				"omar-h (1m0s): True.", "dana.w (1m0s): I see.", "omar-h (1m0s): Yes.",
			},
		},
		"WhatsApp in Arabic": {
			"\u200f3\u200f/5\u200f/2024، 9:30 ص - ليلى: من يحفظها؟\n\u200f3\u200f/5\u200f/2024، 9:31 ص - سامي: " +
				"أنا.\n\u200f3\u200f/5\u200f/2024، 1:31 م - ليلى: أين؟\n\u200f3\u200f/5\u200f/2024، 1:32 م - سامي: " +
				"هنا.\n",
			[]string{"ليلى (0s): من يحفظها؟", "سامي (1m0s): أنا.", "ليلى (4h1m0s): أين؟", "سامي (4h2m0s): هنا."},
		},
		"Webex with one speaker": {
			"WEBVTT\n\n1 \"Dana Weber\" (1063281152)\n00:00:04.000 --> 00:00:06.000\nWelcome.\n\n" +
				"2 \"Dana Weber\" (1063281152)\n00:00:06.000 --> 00:00:08.000\nWe begin.\n",
			[]string{"Dana Weber (4s): Welcome.", "Dana Weber (6s): We begin."},
		},
		"chat of Zoom on a phone": {
			"08:02:35 Host:\tWho files them?\n08:03:12 Participant1:\tI do.\n08:03:16 Host:\tWhere?\n",
			[]string{"Host (8h2m35s): Who files them?", "Participant1 (8h3m12s): I do.", "Host (8h3m16s): Where?"},
		},
		"reactions in Zoom": {
			"2026-03-16 17:11:56 From Dana Weber to Everyone:\n\tWho files them?\n\tOmar Haddad, Dana Weber:👍\n" +
				"2026-03-16 17:12:00 From Omar Haddad to Everyone:\n\tI do.\n\tDana Weber:❤️\n",
			[]string{"Dana Weber (0s): Who files them?", "Omar Haddad (4s): I do."},
		},
		"Express Scribe": {
			"Speaker A:\tWho files them?\n\nSpeaker B:\tI do.\n\nIn a box, below the desk, where nobody looks.\n\n" +
				"Speaker A:\tSince when?\n\nSpeaker B:\tSince March.\n\nSpeaker A:\tAnd before?\n\n" +
				"Speaker B:\tNobody did.\n\nSpeaker A:\tI see.\n\nSpeaker B:\tYes.\n\nSpeaker A:\tThanks.\n\n" +
				"Speaker B:\tBye.\n",
			[]string{
				"Speaker A: Who files them?", "Speaker B: I do. In a box, below the desk, where nobody looks.",
				"Speaker A: Since when?", "Speaker B: Since March.", "Speaker A: And before?", "Speaker B: Nobody did.",
				"Speaker A: I see.", "Speaker B: Yes.", "Speaker A: Thanks.", "Speaker B: Bye.",
			},
		},
		"captions copied from Meet": {
			"Dana Weber\nWho files them?\nOmar Haddad\nI do.\nIn a box.\nDana Weber\nWhere?\nOmar Haddad\nHere.\n",
			[]string{"Dana Weber: Who files them?", "Omar Haddad: I do. In a box.", "Dana Weber: Where?",
				"Omar Haddad: Here."},
		},
		"heads within lines": {
			"[00:00:02] Dana: Who files them?\n[00:00:05] Omar: I do. [00:00:08] Dana: Where?\n" +
				"[00:00:10] Omar: Here.\n[00:00:12] Dana: Since [00:00:13] March?\n[00:00:15] Omar: Yes.\n",
			[]string{
				"Dana (2s): Who files them?", "Omar (5s): I do.", "Dana (8s): Where?", "Omar (10s): Here.",
				"Dana (12s): Since [00:00:13] March?", "Omar (15s): Yes.",
			},
		},
		"toggles of Notion": {
			"# Discovery call\n\n- **Moderator**\n    \n    Who files them?\n    \n- **P1**\n    \n    I do.\n    \n" +
				"- **Moderator**\n    \n    Where?\n    \n- **P1**\n    \n    In a box.\n    \n    Below the desk.\n" +
				"    \n- **Moderator**\n    \n    I see.\n    \n- **P1**\n    \n    Yes.\n",
			[]string{
				"Moderator: Who files them?", "P1: I do.", "Moderator: Where?", "P1: In a box. Below the desk.",
				"Moderator: I see.", "P1: Yes.",
			},
		},
		"focus group of MAXQDA": {
			"#Jonas\nWho files them?\n\n#Aylin\nI do.\nIn a box.\n\n#Jonas\nWhere?\n\n#Matthias\nHere.\n\n" +
				"#Jonas\nSince when?\n\n#Aylin\nMarch.\n\n#Matthias\nMay.\n\n#Aylin\nNo.\n\n#Matthias\nYes.\n",
			[]string{
				"Jonas: Who files them?", "Aylin: I do. In a box.", "Jonas: Where?", "Matthias: Here.",
				"Jonas: Since when?", "Aylin: March.", "Matthias: May.", "Aylin: No.", "Matthias: Yes.",
			},
		},
		"names before dashes with no-break spaces": {
			"Moderator -\u00a0Who files them?\nP1 -\u00a0I do.\nModerator\u00a0–\u00a0Where?\nP1 - In a box.\n" +
				"Moderator\u00a0- I see.\nP1 -\u00a0Yes.\n",
			[]string{
				"Moderator: Who files them?", "P1: I do.", "Moderator: Where?", "P1: In a box.", "Moderator: I see.",
				"P1: Yes.",
			},
		},
		"panel of Teams, copied": {
			"Dana Weber\n0:02\nDana Weber 2 seconds\nWho files them?\nOmar Haddad\n0:06\nOmar Haddad 6 seconds\n" +
				"I do.\nDana Weber\n1:08\nDana Weber 1 minute 8 seconds\nWhere?\n",
			[]string{"Dana Weber (2s): Who files them?", "Omar Haddad (6s): I do.", "Dana Weber (1m8s): Where?"},
		},
		"times before names in bold": {
			"0:00:12.9 **Dana Weber** Who files them?\n\n\n0:00:27.3 **Omar Haddad** I do.\n\n\n" +
				"0:00:28.1 **Dana Weber** Where?\n\n\n0:00:38.0 **Omar Haddad** In a box.\n",
			[]string{
				"Dana Weber (12.9s): Who files them?", "Omar Haddad (27.3s): I do.", "Dana Weber (28.1s): Where?",
				"Omar Haddad (38s): In a box.",
			},
		},
		"a word for people once in brackets": {
			"[NURSE] Who files them?\n\n[PATIENT] I do.\n\n[NURSE] Where?\n\n[DAUGHTER] In a box.\n\n" +
				"[PATIENT] Yes.\n\n[NURSE] I see.\n\n[PATIENT] Do you?\n",
			[]string{
				"NURSE: Who files them?", "PATIENT: I do.", "NURSE: Where?", "DAUGHTER: In a box.", "PATIENT: Yes.",
				"NURSE: I see.", "PATIENT: Do you?",
			},
		},
		"names and wide spaces": {
			"佐藤\u3000誰が保管しますか。\n田中\u3000私です。\n佐藤\u3000どこに。\n田中\u3000箱に。\n佐藤\u3000なるほど。\n田中\u3000はい。\n",
			[]string{"佐藤: 誰が保管しますか。", "田中: 私です。", "佐藤: どこに。", "田中: 箱に。", "佐藤: なるほど。", "田中: はい。"},
		},
		"names of a play": {
			"DANA. Who files them?\nOMAR. I do.\nDANA. Where?\nOMAR. In a box.\nDANA. Since when?\nNOOR. March.\n" +
				"DANA. I see.\nOMAR. Yes.\nNOOR. No.\nDANA. No?\nOMAR. May.\nNOOR. March.\n",
			[]string{
				"DANA: Who files them?", "OMAR: I do.", "DANA: Where?", "OMAR: In a box.", "DANA: Since when?",
				"NOOR: March.", "DANA: I see.", "OMAR: Yes.", "NOOR: No.", "DANA: No?", "OMAR: May.", "NOOR: March.",
			},
		},
		"names in italics before dashes": {
			"_Chiara_ – Who files them?\n\n_Teresa_ – I do.\n\n_Chiara_ – Where?\n\n_Teresa_ – In a box.\n\n" +
				"_Chiara_ – I see.\n\n_Teresa_ – Yes.\n",
			[]string{
				"Chiara: Who files them?", "Teresa: I do.", "Chiara: Where?", "Teresa: In a box.", "Chiara: I see.",
				"Teresa: Yes.",
			},
		},
		"initials once before a dash": {
			"EM — Who files them?\nBL — I do.\nEM — Where?\nBL — In a box.\nEM — And you?\nMD — Here.\nBL — No.\n" +
				"EM — I see.\n",
			[]string{
				"EM: Who files them?", "BL: I do.", "EM: Where?", "BL: In a box.", "EM: And you?", "MD: Here.", "BL: No.",
				"EM: I see.",
			},
		},
		"first names copied from Discord": {
			"Bettina — Today at 9:32 AM\nWho files them?\nHenryk — Today at 9:32 AM\nI do.\n" +
				"Bettina — Today at 9:32 AM\nWhere?\nHenryk — Today at 9:33 AM\nIn a box.\n",
			[]string{
				"Bettina (0s): Who files them?", "Henryk (0s): I do.", "Bettina (0s): Where?", "Henryk (1m0s): In a box.",
			},
		},
		"a number once in WhatsApp": {
			"12.11.24, 09:32 - Jonas Albrecht: Who files them?\n12.11.24, 09:33 - Praxis: I do.\n" +
				"12.11.24, 09:34 - +49 171 5550123: Good morning!\n12.11.24, 09:35 - Jonas Albrecht: Where?\n" +
				"12.11.24, 09:36 - Praxis: In a box.\n",
			[]string{
				"Jonas Albrecht (0s): Who files them?", "Praxis (1m0s): I do.", "+49 171 5550123 (2m0s): Good morning!",
				"Jonas Albrecht (3m0s): Where?", "Praxis (4m0s): In a box.",
			},
		},
		"closing lines of Meet in German": {
			"00:00:00\n\nDana Weber: Who files them?\nOmar Haddad: I do.\nDana Weber: Where?\n" +
				"Omar Haddad: In a box.\n\nDie Besprechung wurde nach 00:11:02 beendet 👋\n\n" +
				"Dieses Transkript wurde von einem Computer erstellt.\n",
			[]string{
				"Dana Weber (0s): Who files them?", "Omar Haddad (0s): I do.", "Dana Weber (0s): Where?",
				"Omar Haddad (0s): In a box.",
			},
		},
		"closing lines of Meet in French": {
			"00:00:00\n\nDana Weber: Who files them?\nOmar Haddad: I do.\nDana Weber: Where?\n" +
				"Omar Haddad: In a box.\n\nRéunion terminée après 00:11:02 👋\n\n" +
				"Cette transcription modifiable a été générée par ordinateur.\n",
			[]string{
				"Dana Weber (0s): Who files them?", "Omar Haddad (0s): I do.", "Dana Weber (0s): Where?",
				"Omar Haddad (0s): In a box.",
			},
		},
		"people once above their words in bold": {
			"__Nurse__\n\nWho files them?\n\n__Patient__\n\nI do.\n\n__Nurse__\n\nWhere?\n\n__Daughter__\n\n" +
				"In a box.\n\n__Nurse__\n\nI see.\n\n__Patient__\n\nYes.\n\n__Nurse__\n\nThanks.\n\n__Patient__\n\n" +
				"Bye.\n",
			[]string{
				"Nurse: Who files them?", "Patient: I do.", "Nurse: Where?", "Daughter: In a box.", "Nurse: I see.",
				"Patient: Yes.", "Nurse: Thanks.", "Patient: Bye.",
			},
		},
		"oTranscribe without spaces": {
			`{"text": "<p><span class=\"timestamp\" data-timestamp=\"3.12\">0:03</span>DW: Who files them?</p>` +
				`<p><span class=\"timestamp\" data-timestamp=\"7.7\">0:07</span>OH: I do.</p><p>` +
				`<span class=\"timestamp\" data-timestamp=\"9.1\">0:09</span>DW: Where?</p><p>` +
				`<span class=\"timestamp\" data-timestamp=\"12\">0:12</span>OH: In a box.</p>", "media": "a.mp3"}`,
			[]string{"DW (3s): Who files them?", "OH (7s): I do.", "DW (9s): Where?", "OH (12s): In a box."},
		},
		"insanely-fast-whisper": {
			`{"speakers": [{"speaker": "SPEAKER_00", "text": " Who files them?", "timestamp": [0.4, 2.3]}, ` +
				`{"speaker": "SPEAKER_01", "text": " I do.", "timestamp": [4.3, 5.1]}], ` +
				`"chunks": [{"text": " Who files them?", "timestamp": [0.4, 2.3]}, {"text": " I do.", ` +
				`"timestamp": [4.3, 5.1]}], "text": " Who files them? I do."}`,
			[]string{"SPEAKER_00 (400ms): Who files them?", "SPEAKER_01 (4.3s): I do."},
		},
		"pyannoteAI": {
			`{"jobId": "p1", "status": "succeeded", "output": {"turnLevelTranscription": [{"start": 0.4, ` +
				`"end": 4.4, "text": "Who files them?", "speaker": "SPEAKER_00"}, {"start": 5, "end": 5.9, ` +
				`"text": "I do.", "speaker": "SPEAKER_01"}]}}`,
			[]string{"SPEAKER_00 (400ms): Who files them?", "SPEAKER_01 (5s): I do."},
		},
		"a conversation in one paragraph": {
			strings.Repeat("Interviewer:\u00a0 Who files them, and where do they keep the old ones?Interviewee "+
				":\u00a0 I do. We keep them in a box.", 5) + " Excel: too slow.",
			append(slices.Repeat([]string{
				"Interviewer: Who files them, and where do they keep the old ones?",
				"Interviewee: I do. We keep them in a box.",
			}, 4), "Interviewer: Who files them, and where do they keep the old ones?",
				"Interviewee: I do. We keep them in a box. Excel: too slow."),
		},
		"a time every few turns": {
			"00:02 Enq. : Who files them?\n\nMme K. : I do.\n\nEnq. : Where?\n\n00:25 Mme K. : In a box.\n" +
				"Or two.\n\nEnq. : Since when?\n\nMme K. : March.\n\n00:40 Enq. : I see.\n\nMme K. : Yes.\n",
			[]string{
				"Enq. (2s): Who files them?", "Mme K. (2s): I do.", "Enq. (2s): Where?",
				"Mme K. (25s): In a box. Or two.", "Enq. (25s): Since when?", "Mme K. (25s): March.",
				"Enq. (40s): I see.", "Mme K. (40s): Yes.",
			},
		},
		"numbers behind a role": {
			"Facilitator: Who files them?\nTester #4: I do.\nFacilitator: Where?\nTester #4: In a box.\n" +
				"Facilitator: I see.\nTester #4: Yes.\n",
			[]string{
				"Facilitator: Who files them?", "Tester #4: I do.", "Facilitator: Where?", "Tester #4: In a box.",
				"Facilitator: I see.", "Tester #4: Yes.",
			},
		},
		"long initials": {
			"P.R-C.: Who files them?\n\nT.v.d.M.: I do.\n\nJ.D.B.: No.\n\nP.R-C.: Where?\n\nT.v.d.M.: In a box.\n\n" +
				"J.D.B.: Yes.\n\nP.R-C.: I see.\n\nT.v.d.M.: True.\n\nJ.D.B.: So.\n",
			[]string{
				"P.R-C.: Who files them?", "T.v.d.M.: I do.", "J.D.B.: No.", "P.R-C.: Where?", "T.v.d.M.: In a box.",
				"J.D.B.: Yes.", "P.R-C.: I see.", "T.v.d.M.: True.", "J.D.B.: So.",
			},
		},
		"wide brackets in a label": {
			"司会：誰が保管しますか。\n参加者 （女性・34）：私です。\n司会：どこに。\n参加者 （女性・34）：箱に。\n司会：なるほど。\n" +
				"参加者 （女性・34）：はい。\n",
			[]string{
				"司会: 誰が保管しますか。", "参加者 （女性・34）: 私です。", "司会: どこに。", "参加者 （女性・34）: 箱に。", "司会: なるほど。",
				"参加者 （女性・34）: はい。",
			},
		},
		"paragraphs behind tabs": {
			"Dana Weber\tWho files them?\nWitness\tI do.\n\tIn a box.\n\tBelow the desk.\nDana Weber\tWhere?\n" +
				"Witness\tHere.\nDana Weber\tI see.\nWitness\tYes.\nDana Weber\tThanks.\nWitness\tBye.\n",
			[]string{
				"Dana Weber: Who files them?", "Witness: I do. In a box. Below the desk.", "Dana Weber: Where?",
				"Witness: Here.", "Dana Weber: I see.", "Witness: Yes.", "Dana Weber: Thanks.", "Witness: Bye.",
			},
		},
		"the name of a device": {
			"iPad von Dr. Aydın: Who files them?\nSvea: I do.\niPad von Dr. Aydın: Where?\nSvea: In a box.\n" +
				"iPad von Dr. Aydın: I see.\nSvea: Yes.\n",
			[]string{
				"iPad von Dr. Aydın: Who files them?", "Svea: I do.", "iPad von Dr. Aydın: Where?", "Svea: In a box.",
				"iPad von Dr. Aydın: I see.", "Svea: Yes.",
			},
		},
		"transcription of Word in Italian": {
			"File audio\n\nutente3.mp3\n\nTrascrizione\n\n00:00:02 Ilaria\n\nWho files them?\n\n00:00:08 Utente\n\n" +
				"I do.\n\n00:00:11 Ilaria\n\nWhere?\n\n00:00:18 Utente\n\nIn a box.\n\n00:00:20 Ilaria\n\nI see.\n\n" +
				"00:00:22\n\nYes.\n",
			[]string{
				": utente3.mp3", "Ilaria (2s): Who files them?", "Utente (8s): I do.", "Ilaria (11s): Where?",
				"Utente (18s): In a box.", "Ilaria (20s): I see.", ": Yes.",
			},
		},
		"Read AI's JSON": {
			`{"session_id": "01H", "transcript": {"speakers": [{"name": "Dana"}, {"name": "Omar"}], ` +
				`"speaker_blocks": [{"speaker": {"name": "Dana"}, "start_time": 1700000002400, ` +
				`"end_time": 1700000010900, "words": "Who files them?"}, {"speaker": {"name": "Omar"}, ` +
				`"start_time": 1700000011700, "end_time": 1700000013900, "words": "I do."}]}}`,
			[]string{"Dana (0s): Who files them?", "Omar (9.3s): I do."},
		},
		"a conversation that was wrapped": {
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
		"a time now and then in noScribe": {
			"[00:00:00] S00: Who files them?\n\nS01: I do.\n\nS00: Where?\n\nS02: Sorry, a courier.\n\n" +
				"S01: In a box.\n\n[00:00:40] S00: Since when?\n\nS01: March.\n\nS00: I see.\n\nS01: Yes.\n\n" +
				"S00: Thanks.\n",
			[]string{
				"S00 (0s): Who files them?", "S01 (0s): I do.", "S00 (0s): Where?", "S02 (0s): Sorry, a courier.",
				"S01 (0s): In a box.", "S00 (40s): Since when?", "S01 (0s): March.", "S00 (0s): I see.", "S01 (0s): Yes.",
				"S00 (0s): Thanks.", // times that nobody knows are zero
			},
		},
		"WhatsApp with no-break spaces in a. m.": {
			"12/7/2024, 2:03\u00a0p.\u00a0m. - Begoña: Who files them?\n12/7/2024, 2:04\u00a0p.\u00a0m. - Fermín: I " +
				"do.\n12/7/2024, 2:05\u00a0p.\u00a0m. - Begoña: Where?\n12/7/2024, 2:06\u00a0p.\u00a0m. - Fermín: In a " +
				"box.\n",
			[]string{
				"Begoña (0s): Who files them?", "Fermín (1m0s): I do.", "Begoña (2m0s): Where?",
				"Fermín (3m0s): In a box.",
			},
		},
		"times directly before wide brackets": {
			"00:00:00【A】誰が保管しますか。\n00:00:07【B】私です。\n00:00:08【A】どこに。\n00:00:12【B】箱に。\n",
			[]string{"A (0s): 誰が保管しますか。", "B (7s): 私です。", "A (8s): どこに。", "B (12s): 箱に。"},
		},
		"names behind a mark of Japanese typists": {
			"●インタビュアー\n誰が保管しますか。\n\n●松本様\n私です。\n\n●インタビュアー\nどこに。\n\n●松本様\n箱に。\n\n●インタビュアー\n" +
				"なるほど。\n\n●松本様\nはい。\n",
			[]string{
				"インタビュアー: 誰が保管しますか。", "松本様: 私です。", "インタビュアー: どこに。", "松本様: 箱に。", "インタビュアー: なるほど。", "松本様: はい。",
			},
		},
		"a name at the end of a page": {
			"Dana Weber\nWho files them?\n\nOmar Haddad\nI do.\n\nDana Weber\nWhere?\n\nOmar Haddad\n\n\n" +
				"In a box.\n\nDana Weber\nSince when?\n\nOmar Haddad\nMarch.\n",
			[]string{
				"Dana Weber: Who files them?", "Omar Haddad: I do.", "Dana Weber: Where?", "Omar Haddad: In a box.",
				"Dana Weber: Since when?", "Omar Haddad: March.",
			},
		},
		"numbers of speakers": {
			"#1: Who files them?\n#2: I do.\n#1: Where?\n#3: Here.\n#2: Yes.\n#3: In a box.\n",
			[]string{"#1: Who files them?", "#2: I do.", "#1: Where?", "#3: Here.", "#2: Yes.", "#3: In a box."},
		},
		"a telephone in Meet": {
			"Dana Weber\nWho files them?\n\nOmar Haddad\nI do.\n\n+44 7700 900118\nHi all, sorry.\n\nDana Weber\n" +
				"Where?\n\nOmar Haddad\nHere.\n",
			[]string{
				"Dana Weber: Who files them?", "Omar Haddad: I do.", "+44 7700 900118: Hi all, sorry.",
				"Dana Weber: Where?", "Omar Haddad: Here.",
			},
		},
		"closing lines of Sonix": {
			"Dana: [00:00:01] Who files them?\n\nOmar: [00:00:03] I do.\n\nDana: [00:00:05] Where?\n\n" +
				"Omar: [00:00:07] Here.\n\nSonix is the world’s most advanced automated transcription platform. Fast " +
				"and affordable.\n\nAutomatically convert your m4a files to text (txt file) and SubRip Subtitle (srt " +
				"file) in minutes.\n",
			[]string{"Dana (1s): Who files them?", "Omar (3s): I do.", "Dana (5s): Where?", "Omar (7s): Here."},
		},
		"noScribe": {
			"WEBVTT noScribe\n\n00:01.000 --> 00:02.000\n<v S00>S00: Who files them?\n\n00:03.000 --> 00:04.000\n" +
				"<v S01>S01: I do.\n",
			[]string{"S00 (1s): Who files them?", "S01 (3s): I do."},
		},
		"times in braces": {
			"{00:04} Dana Weber: Who files them?\n\n{00:09} Omar Haddad: I do.\n\n{00:12} Dana Weber: Where?\n",
			[]string{"Dana Weber (4s): Who files them?", "Omar Haddad (9s): I do.", "Dana Weber (12s): Where?"},
		},
		"times with primes": {
			"0'04\" Dana : Who files them?\n\n0'09\" Omar : I do.\n\n1h02'12\" Dana : Where?\n\n" +
				"1h02'15\" Omar : Here.\n",
			[]string{
				"Dana (4s): Who files them?", "Omar (9s): I do.", "Dana (1h2m12s): Where?", "Omar (1h2m15s): Here.",
			},
		},
		"a legend": {
			"P. = question, R. = answer, Otra. = another nurse\n\nP. Who files them?\nR. I do.\nP. Where?\n" +
				"Otra. Here!\nR. In a box.\nP. I see.\nR. Yes.\n",
			[]string{
				": P. = question, R. = answer, Otra. = another nurse", "P: Who files them?", "R: I do.", "P: Where?",
				"Otra: Here!", "R: In a box.", "P: I see.", "R: Yes.",
			},
		},
		"names in full-width brackets": {
			"【聞き手】どこですか。\n【田中さん】ここです。\n【聞き手】はい。\n【田中さん】はい、箱です。\n【お母様】三回も。\n【聞き手】ええ。\n【田中さん】ね。\n",
			[]string{
				"聞き手: どこですか。", "田中さん: ここです。", "聞き手: はい。", "田中さん: はい、箱です。", "お母様: 三回も。",
				"聞き手: ええ。", "田中さん: ね。",
			},
		},
		"a page without html": {
			"<!doctype html><meta charset=utf-8><title>Call</title>\n<dl>\n<dt>Dana</dt>\n<dd>Who files them?</dd>\n" +
				"<dt>Omar</dt>\n<dd>I do.</dd>\n<dt>Dana</dt>\n<dd>Where?</dd>\n<dt>Omar</dt>\n<dd>Here.</dd>\n</dl>\n",
			[]string{"Dana: Who files them?", "Omar: I do.", "Dana: Where?", "Omar: Here."},
		},
		"spaces without width": {
			"\u200bDana Weber:\u200b Who files them?\n\n\u200bOmar Haddad:\u200b I do.\n\n" +
				"\u200bDana Weber:\u200b Where?\n\n\u200bOmar Haddad:\u200b Here.\n",
			[]string{"Dana Weber: Who files them?", "Omar Haddad: I do.", "Dana Weber: Where?", "Omar Haddad: Here."},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := transcript.Parse([]byte(file.text))
			require.NoError(t, err)
			require.Equal(t, file.turns, turnsWithTimes(got, strings.Contains(strings.Join(file.turns, "\n"), "s): ")))
		})
	}
}

// turnsWithTimes lists the turns, with their times if there are any.
func turnsWithTimes(got *transcript.Transcript, timed bool) (turns []string) {
	for _, u := range got.Utterances {
		line := u.Speaker
		if timed && line != "" {
			line += " (" + u.Start.String() + ")"
		}
		turns = append(turns, line+": "+strings.Join(strings.Fields(u.Text), " "))
	}
	return turns
}

// A label that occurs once is believed where nothing else can stand in its place.
func TestLabelsThatOccurOnce(t *testing.T) {
	t.Parallel()
	for name, labels := range map[string][3]string{
		"role in capitals":        {"NURSE", "PATIENT", "SON"},
		"relative":                {"Nurse", "Patient", "Son"},
		"relative in Spanish":     {"Enfermera", "Paciente", "Hijo"},
		"account":                 {"dana_w", "omar_h", "noor_a"},
		"address":                 {"dana@example.org", "omar@example.org", "noor.a@example.org"},
		"surname with a particle": {"Weber", "Haddad", "van den Berg"},
		"title with a hyphen":     {"Frau Weber", "Herr Dr. Haddad", "Frau Dipl.-Ing. Berg"},
		"word for people":         {"Facilitator", "Participant 4", "Note taker"},
		"numbers":                 {"المتحدث 1", "المتحدث 2", "المتحدث 3"},
		"initial in Arabic":       {"أ. هدى", "أم سلمى", "الابن"},
	} {
		var text strings.Builder
		for i := range 8 {
			text.WriteString(labels[i%2] + ": My son and my nurse keep the patient in a box. Mi hijo, no.\n\n")
			if i == 4 {
				text.WriteString(labels[2] + ": I am here.\n\n")
			}
		}
		got, err := transcript.Parse([]byte(text.String()))
		require.NoError(t, err)
		require.Equal(t, labels[:], []string{got.Speakers()[0], got.Speakers()[1], got.Speakers()[2]}, name)
		require.Empty(t, got.Warnings, name)
	}
}

// What is written once as labels are may be one, so that nobody relies on it.
func TestWordsThatMayBeLabels(t *testing.T) {
	t.Parallel()
	turns := func(form string) string {
		return strings.Repeat(fmt.Sprintf(form, "Dana", "Which paper?")+fmt.Sprintf(form, "Omar", "The paper."), 5)
	}
	for name, file := range map[string]struct{ form, label string }{
		"a word":                 {"%s: %s\n\n", "Paper"},
		"a name among lines":     {"%s: %s\nAnd so on.\nAnd on.\n", "Noor"},
		"an item of a list":      {"%s: %s\n\n", "Excel"},
		"a phrase":               {"%s: %s\n\n", "Voice from outside"},
		"a phrase above words":   {"%s\n%s\n\n", "Voice from outside"},
		"a phrase in paragraphs": {"%s\n\n%s\n\n", "Voice from outside"},
		"dashes without blanks":  {"%s – %s\n", "Noor"},
		"bold in Markdown":       {"**%s** %s\n\n", "Noor"},
	} {
		said := "I see."
		if file.label == "Excel" {
			said = "too slow, because the file is so large."
		}
		text := turns(file.form) + fmt.Sprintf(file.form, "Dana", "And?") +
			fmt.Sprintf(file.form, file.label, said) + fmt.Sprintf(file.form, "Dana", "Thanks.")
		got, err := transcript.Parse([]byte(text))
		require.NoError(t, err)
		require.Equal(t, []string{"Dana", "Omar"}, got.Speakers(), name)
		require.Contains(t, got.Warnings, transcript.Warning{Code: transcript.WarnUncertainNames, Count: 1}, name)
	}
}

func TestNamesAtTheStartsOfWordsAreDoubtful(t *testing.T) {
	t.Parallel()
	got, err := transcript.Parse([]byte("speaker,text\nDana Weber,Who files them?\nOmar Haddad,I do.\n" +
		"Dana Weber,Omar Haddad In a box.\nDana Weber,Where?\nOmar Haddad,Here.\n"))
	require.NoError(t, err)
	require.Contains(t, got.Warnings, transcript.Warning{Code: transcript.WarnUncertainNames, Count: 1})
}
