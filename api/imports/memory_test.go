package imports

import (
	"testing"

	"github.com/stretchr/testify/require"

	"research/db"
	"research/transcript"
)

func TestWhatWasDecidedForEarlierFilesHoldsForLabelsOfAFile(t *testing.T) {
	t.Parallel()
	name := "Interviewer"
	inventory := &transcript.Transcript{
		Format: transcript.Text,
		Labels: []transcript.Label{{Label: "Setting"}, {Label: "Dana"}, {Label: "Dana W"}, {Label: "Note"}},
	}
	unlabelled := *inventory
	unlabelled.Unlabelled = &transcript.Unlabelled{In: "Dana"}
	row := func(label, answer, other string) db.ListProjectReadingsRow {
		return db.ListProjectReadingsRow{Format: "text", Label: label, Answer: answer, Other: other}
	}
	type rows = []db.ListProjectReadingsRow
	for what, c := range map[string]struct {
		file       *transcript.Transcript
		earlier    rows
		sent, want transcript.Reading
		remembered []string
	}{
		"labels that the file has": {
			inventory,
			rows{row("Place", "nobody", ""), row("Setting", "nobody", ""), row("Dana", "person", "")},
			transcript.Reading{},
			transcript.Reading{People: []string{"Dana"}, Nobody: []string{"Setting"}},
			[]string{"Setting", "Dana"},
		},
		"another format says nothing": {
			inventory, rows{{Format: "docx", Label: "Setting", Answer: "nobody"}},
			transcript.Reading{}, transcript.Reading{}, nil,
		},
		"the request wins": {
			inventory, rows{row("Setting", "nobody", "")},
			transcript.Reading{People: []string{"Setting"}}, transcript.Reading{People: []string{"Setting"}}, nil,
		},
		"one person of two labels": {
			inventory, rows{row("Dana W", "same", "Dana")},
			transcript.Reading{}, transcript.Reading{Same: map[string]string{"Dana W": "Dana"}}, []string{"Dana W"},
		},
		"one person whose other label is missing": {
			inventory, rows{row("Dana W", "same", "Dana Weber")}, transcript.Reading{}, transcript.Reading{}, nil,
		},
		"one person who is nobody now": {
			inventory, rows{row("Dana W", "same", "Dana")},
			transcript.Reading{Nobody: []string{"Dana"}}, transcript.Reading{Nobody: []string{"Dana"}}, nil,
		},
		"nobody who is a person now": {
			inventory, rows{row("Dana", "nobody", "")},
			transcript.Reading{Same: map[string]string{"Dana W": "Dana"}},
			transcript.Reading{Same: map[string]string{"Dana W": "Dana"}}, nil,
		},
		"two labels of each other": {
			inventory, rows{row("Dana", "same", "Dana W"), row("Dana W", "same", "Dana")},
			transcript.Reading{}, transcript.Reading{Same: map[string]string{"Dana": "Dana W"}}, []string{"Dana"},
		},
		"lines in the turns of a label": {
			&unlabelled, rows{row("Sam", "unlabelled", "Sam"), row("Dana", "unlabelled", name)},
			transcript.Reading{}, transcript.Reading{Unlabelled: &name}, nil,
		},
		"no such lines": {
			inventory, rows{row("Dana", "unlabelled", name)}, transcript.Reading{}, transcript.Reading{}, nil,
		},
	} {
		r := fileReading{Transcript: c.file, decided: c.sent}
		r.remember(c.earlier)
		if len(r.decided.Same) == 0 {
			r.decided.Same = nil
		}
		require.Equal(t, c.want, r.decided, what)
		require.Equal(t, c.remembered, r.remembered, what)
		require.Equal(t, c.want.Unlabelled != nil, r.rememberedUnlabelled, what)
		require.NoError(t, checkDecision(r.decided), what)
	}
}
