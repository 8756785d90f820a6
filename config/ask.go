package config

import "time"

// Ask bounds the answers to questions about interviews.
type Ask struct {
	Passages           int // that a quick answer reads
	Timeout            time.Duration
	MaxTokensPerAnswer int64 // 0 means no limit
	Limit              int   // questions of one user within an hour; 0 means no limit
}

func readAsk(r *reader) Ask {
	r.group = "Questions"
	return Ask{
		Passages: r.number("ASK_PASSAGES", 40, 1, 200,
			"Passages of about 250 words that a model reads for a quick answer."),
		Timeout: r.duration("ASK_TIMEOUT", 10*time.Minute, time.Second, 24*time.Hour,
			"The timeout of an answer, from the question on; waiting for turns and workers counts."),
		MaxTokensPerAnswer: int64(r.number("MAX_TOKENS_PER_ANSWER", 500_000, 0, 1<<40,
			"Tokens that one answer, or one run that proposes themes, may use; a quick answer takes about "+
				"20,000, and reading everything about 15,000 for an hour of interview. `0`: no limit.")),
		Limit: r.number("ASK_LIMIT", 100, 0, 1_000_000,
			"Questions of one user within an hour; having themes proposed counts as one. Above it, a question is "+
				"answered with 429. `0`: no limit."),
	}
}
