package keyword_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/activities/extract/interviewtest"
	"research/outcome"
)

// A judgedStatement is a hypothesis, and sentences by their stance towards it as a reader judged it.
type judgedStatement struct {
	Language   string                      `json:"language"`
	Hypothesis string                      `json:"hypothesis"`
	Said       map[outcome.Stance][]string `json:"said"`
}

// maxWrongStances is the part of the sentences whose stance may be the opposite, or not neutral where it
// should be.
const maxWrongStances = 0.05

// The held-out half was written together with the other one, before the method. Do not choose cues by it.
func TestProposedStancesAreSeldomWrong(t *testing.T) {
	t.Parallel()
	total := 0
	for _, half := range []string{"development", "held-out"} {
		raw, err := os.ReadFile("testdata/stances-" + half + ".json")
		require.NoError(t, err)
		var statements []judgedStatement
		require.NoError(t, json.Unmarshal(raw, &statements))

		pairs, wrong, proposed, right, judged := 0, []string{}, 0, 0, 0
		for _, s := range statements {
			for want, sentences := range s.Said {
				for _, said := range sentences {
					got := proposeStance(t, s.Language, s.Hypothesis, said)
					pairs++
					if want != outcome.StanceNeutral {
						judged++
					}
					switch got {
					case outcome.StanceNeutral:
						if want != got {
							t.Logf("missed: %s, %s: %s", s.Language, want, said)
						}
						continue
					case want:
						right++
					default:
						wrong = append(wrong, string(got)+", not "+string(want)+": "+said)
					}
					proposed++
				}
			}
		}
		total += pairs
		t.Logf("%s: %d pairs, %d wrong (%.1f %%), precision %.1f %% (%d of %d), recall %.1f %% (%d of %d)", half,
			pairs, len(wrong), percent(len(wrong), pairs), percent(right, proposed), right, proposed,
			percent(right, judged), right, judged)
		require.LessOrEqual(t, float64(len(wrong)), maxWrongStances*float64(pairs), strings.Join(wrong, "\n"))
	}
	require.GreaterOrEqual(t, total, 300)
}

func percent(part, whole int) float64 { return 100 * float64(part) / float64(max(whole, 1)) }

// proposeStance returns the stance of the only sentence of an interview, neutral if it is not found.
func proposeStance(t *testing.T, language, hypothesis, said string) outcome.Stance {
	t.Helper()
	tr := interviewtest.New("Ann: …", "Ben: "+said, "Ann: …")
	tr.Language = language
	for _, f := range findKeywords(t, tr, hypothesis) {
		return f.Stance
	}
	return outcome.StanceNeutral
}
