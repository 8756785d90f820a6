package transcript_test

import "testing"

func TestTiersWithoutHeadings(t *testing.T) {
	t.Parallel()
	requireTurns(t, []example{{
		"one tier below the other",
		"@dw1967f-text\t00:00:01.000\t00:00:02.000\twho files them " +
			"now\n@dw1967f-text\t00:00:05.000\t00:00:06.000\tand where\n" +
			"@oh1970m-text\t00:00:03.000\t00:00:04.000\twe file " +
			"them\n@oh1970m-text\t00:00:07.000\t00:00:08.000\tin a box\n",
		[]string{
			"dw1967f (1s): who files them now", "oh1970m (3s): we file them", "dw1967f (5s): and where",
			"oh1970m (7s): in a box",
		},
	}})
}

func TestTimesWithDots(t *testing.T) {
	t.Parallel()
	turns := []string{
		"Dana (3s): Who files them?", "Omar (9s): I do.", "Dana (1m15s): Where?", "Omar (1m20s): In a box.",
	}
	requireTurns(t, []example{
		{
			"hours",
			"[00.00.03]\nDana: Who files them?\n[00.00.09]\nOmar: I do.\n[00.01.15]\nDana: " +
				"Where?\n[00.01.20]\nOmar: In a box.\n",
			turns,
		},
		{
			"minutes",
			"[00.03] Dana: Who files them?\n[00.09] Omar: I do.\n[01.15] Dana: Where?\n[01.20] Omar: In a " +
				"box.\n", turns,
		},
		{
			"milliseconds in braces",
			"{00:00:03,000} Dana: Who files them?\n{00:00:09,000} Omar: I do.\n{00:01:15,000} Dana: Where?\n" +
				"{00:01:20,000} Omar: In a box.\n",
			turns,
		},
	})
}

func TestNoticesOfKakaoTalk(t *testing.T) {
	t.Parallel()
	requireTurns(t, []example{{
		"joined, left and hidden",
		"--------------- 2024년 5월 3일 금요일 ---------------\n[김민수] [오전 9:00] 누가 해요?\n이현우님이 들어왔습니다.\n" +
			"[박지영] [오전 9:01] 제가요.\n김민수님이 최다인님을 초대했습니다.\n채팅방 관리자가 메시지를 가렸습니다.\n" +
			"[김민수] [오전 9:02] 네.\n이현우님이 나갔습니다.\n[박지영] [오전 9:03] 좋아요.\n",
		[]string{"김민수 (0s): 누가 해요?", "박지영 (1m0s): 제가요.", "김민수 (2m0s): 네.", "박지영 (3m0s): 좋아요."},
	}})
}
