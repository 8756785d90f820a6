package transcript_test

import (
	"testing"
)

func TestRecordsHaveTheirTurns(t *testing.T) {
	t.Parallel()
	requireTurns(t, []example{
		{
			"a deposition with numbers of lines",
			`                  Page 1
 1      Q    When did you
 2 write it down?
 3      A    Never. Excel: that
 4 is for the budget.
 5      Q    And then?

                  Page 2
 1      A    Nothing at
 2 all.
 3      Q    Why?
 4      A    There was
 5 no time.
`,
			[]string{
				"Q: When did you write it down?", "A: Never. Excel: that is for the budget.", "Q: And then?",
				"A: Nothing at all.", "Q: Why?", "A: There was no time.",
			},
		},
	})
}
