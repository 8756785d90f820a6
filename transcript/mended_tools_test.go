package transcript_test

import (
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
				"{Reactions}\nthumbsup\n\n[28-Dec-19 12:43 AM] omar.h\nIn a box.\n\n[28-Dec-19 12:45 AM] dana#8306\nI see.\n",
			[]string{
				"dana#8306 (0s): Who files them? And where?", "omar.h (1m0s): I do.", ": thumbsup", "omar.h (1m0s): In a box.",
				"dana#8306 (3m0s): I see.",
			},
		},
		"copied from Slack": {
			"Dana Weber\n  9:30 AM\nWho files them?\nAnd where?\nOmar Haddad\n  9:31 AM\nI do.\nDana Weber\n  9:31 AM\n" +
				"Since when?\nAnd why?\nIs it a rule?\n",
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
			"\u200f3\u200f/5\u200f/2024، 9:30 ص - ليلى: من يحفظها؟\n\u200f3\u200f/5\u200f/2024، 9:31 ص - سامي: أنا.\n" +
				"\u200f3\u200f/5\u200f/2024، 1:31 م - ليلى: أين؟\n\u200f3\u200f/5\u200f/2024، 1:32 م - سامي: هنا.\n",
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
				"Speaker A:\tSince when?\n\nSpeaker B:\tSince March.\n\nSpeaker A:\tAnd before?\n\nSpeaker B:\tNobody did.\n\n" +
				"Speaker A:\tI see.\n\nSpeaker B:\tYes.\n\nSpeaker A:\tThanks.\n\nSpeaker B:\tBye.\n",
			[]string{
				"Speaker A: Who files them?", "Speaker B: I do. In a box, below the desk, where nobody looks.",
				"Speaker A: Since when?", "Speaker B: Since March.", "Speaker A: And before?", "Speaker B: Nobody did.",
				"Speaker A: I see.", "Speaker B: Yes.", "Speaker A: Thanks.", "Speaker B: Bye.",
			},
		},
		"captions copied from Meet": {
			"Dana Weber\nWho files them?\nOmar Haddad\nI do.\nIn a box.\nDana Weber\nWhere?\nOmar Haddad\nHere.\n",
			[]string{"Dana Weber: Who files them?", "Omar Haddad: I do. In a box.", "Dana Weber: Where?", "Omar Haddad: Here."},
		},
		"heads within lines": {
			"[00:00:02] Dana: Who files them?\n[00:00:05] Omar: I do. [00:00:08] Dana: Where?\n[00:00:10] Omar: Here.\n" +
				"[00:00:12] Dana: Since [00:00:13] March?\n[00:00:15] Omar: Yes.\n",
			[]string{
				"Dana (2s): Who files them?", "Omar (5s): I do.", "Dana (8s): Where?", "Omar (10s): Here.",
				"Dana (12s): Since [00:00:13] March?", "Omar (15s): Yes.",
			},
		},
		"numbers of speakers": {
			"#1: Who files them?\n#2: I do.\n#1: Where?\n#3: Here.\n#2: Yes.\n#3: In a box.\n",
			[]string{"#1: Who files them?", "#2: I do.", "#1: Where?", "#3: Here.", "#2: Yes.", "#3: In a box."},
		},
		"spaces without width": {
			"\u200bDana Weber:\u200b Who files them?\n\n\u200bOmar Haddad:\u200b I do.\n\n\u200bDana Weber:\u200b Where?\n\n" +
				"\u200bOmar Haddad:\u200b Here.\n",
			[]string{"Dana Weber: Who files them?", "Omar Haddad: I do.", "Dana Weber: Where?", "Omar Haddad: Here."},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := transcript.Parse([]byte(file.text))
			require.NoError(t, err)
			require.Equal(t, file.turns, turnsWithTimes(got, strings.Contains(file.turns[0], "s): ")))
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

// A word that heads a paragraph once may be a name, so that nobody relies on it.
func TestWordsThatMayBeLabels(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("Dana: Which paper?\n\nOmar: The paper in the box.\n\n", 5) + "Paper: I see.\n\nDana: Thanks.\n"
	got, err := transcript.Parse([]byte(text))
	require.NoError(t, err)
	require.Equal(t, []string{"Dana", "Omar"}, got.Speakers())
	require.Contains(t, got.Warnings, transcript.Warning{Code: transcript.WarnUncertainNames, Count: 1})
}
