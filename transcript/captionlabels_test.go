package transcript_test

import "testing"

func TestChevronsWithinTurns(t *testing.T) {
	t.Parallel()
	requireTurns(t, []example{
		{
			"of a text",
			"DM: Who files them? >> I do. >> And where?\n\nOM: In a box. >> DM: I see.\n\nDM: Since " +
				"when?\n\nOM: Since May.\n",
			[]string{
				"DM: Who files them?", ": I do.", ": And where?", "OM: In a box.", "DM: I see.", "DM: Since when?",
				"OM: Since May.",
			},
		},
		{
			"of captions",
			"WEBVTT\n\n00:01.000 --> 00:03.000\n<v Dana>Who files them? >> I do.\n\n00:04.000 --> " +
				"00:05.000\n<v Dana>Where?\n",
			[]string{"Dana (1s): Who files them?", ": I do.", "Dana (4s): Where?"},
		},
		{"arrows in speech", "Dana: Press File >> Save.\n\nOmar: I do.\n\nDana: Then 3 >> 2.\n\nOmar: " +
			"Yes.\n", []string{
			"Dana: Press File >> Save.", "Omar: I do.", "Dana: Then 3 >> 2.", "Omar: Yes.",
		}},
	})
}

func TestLabelsOfCaptionsOnAnyLine(t *testing.T) {
	t.Parallel()
	requireTurns(t, []example{
		{
			"two labels in a cue",
			"1\n00:00:01,000 --> 00:00:03,000\nWOMAN 1: Who files them?\nWOMAN 2: I do.\n\n" +
				"2\n00:00:04,000 --> 00:00:06,000\nIs the box open?\nOMAR: Not yet.\n\n" +
				"3\n00:00:07,000 --> 00:00:09,000\nWOMAN 1: Then open it.\n",
			[]string{
				"WOMAN 1 (1s): Who files them?", "WOMAN 2 (1s): I do.", " (4s): Is the box open?", "OMAR (4s): Not yet.",
				"WOMAN 1 (7s): Then open it.",
			},
		},
		{
			"labels and times with cues of their own",
			"WEBVTT\n\n00:01.000 --> 00:01.500\n<v S04>Erzählerin:\n\n00:01.500 --> 00:02.000\n<v S04>[00:00:01]\n\n" +
				"00:02.000 --> 00:03.000\n<v S04>Wer macht das?\n\n00:03.000 --> 00:03.500\n<v S01>Gast:\n\n" +
				"00:03.500 --> 00:05.000\n<v S01>Ich.\n",
			[]string{"Erzählerin (2s): Wer macht das?", "Gast (3.5s): Ich."},
		},
		{
			"blank lines between all lines",
			"WEBVTT\n\n1\n\n00:00:01.000 --> 00:00:02.000\n\nDana: Who files them,\n\nand where?\n\n2\n\n" +
				"00:00:03.000 --> 00:00:04.000\n\nOmar: I do.\n\n3\n\n00:00:05.000 --> 00:00:06.000\n\nDana: I " +
				"see.\n\n4\n\n" +
				"00:00:07.000 --> 00:00:08.000\n\nOmar: Yes.\n",
			[]string{
				"Dana (1s): Who files them, and where?", "Omar (3s): I do.", "Dana (5s): I see.", "Omar (7s): Yes.",
			},
		},
	})
}
