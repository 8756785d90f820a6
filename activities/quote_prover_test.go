package activities_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/activities"
	"research/activities/extract/quote"
	"research/db"
	"research/db/dbtest"
)

// proverImport stores an interview of lines such as "Name: text". Ann interviews.
func proverImport(t *testing.T, d *dbtest.DB, n dbtest.Tenant, lines ...string) uuid.UUID {
	t.Helper()
	id := dbtest.Value[uuid.UUID](t, d, `
		insert into imports (project_id, title, format, size_bytes, sha256, language)
		values ($1, 'Dana', 'text', 1, '00', 'en') returning id`, n.Project)
	var texts []string
	for _, line := range lines {
		_, text, _ := strings.Cut(line, ": ")
		texts = append(texts, text)
	}
	body, at := strings.Join(texts, "\n"), 0
	d.Exec(t, `insert into private.transcripts (import_id, body) values ($1, convert_to($2, 'UTF8'))`, id, body)
	for i, line := range lines {
		speaker, text, _ := strings.Cut(line, ": ")
		d.Exec(t, `
			insert into utterances (import_id, ordinal, workspace_id, project_id, speaker, text, byte_start, byte_end)
			values ($1, $2, $3, $4, $5, $6, $7, $8)`,
			id, i, n.Workspace, n.Project, speaker, text, at, at+len(text))
		at += len(text) + 1
	}
	d.Exec(t, `
		insert into import_speakers (import_id, speaker, project_id, display_name, role)
		select distinct import_id, speaker, project_id, speaker,
			case speaker when 'Ann' then 'interviewer' else 'participant' end::speaker_role
		from utterances where import_id = $1 and speaker <> ''`, id)
	return id
}

func TestQuotesAreProvenOneByOne(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	n := d.Tenant(t)
	id := proverImport(t, d, n,
		"Ann: Do you lose half of your receipts?",
		"Ben: We lose half of our receipts every month.",
		"Ann: You pay for them yourself.",
		"Cleo: You pay for them yourself. I never would.",
		": Ben looks tired and checks his phone.",
		"Ben: No way.",
		"Ben: We don't file the receipts in time.",
	)
	prover := activities.NewQuoteProver(d.Store)
	for name, c := range map[string]struct {
		claimed    activities.ClaimedQuote
		reason     quote.RejectReason
		said, from string
	}{
		"as said": {
			activities.ClaimedQuote{Quote: "we lose half of our receipts every month"}, "",
			"We lose half of our receipts every month", "Ben",
		},
		"repaired": {
			activities.ClaimedQuote{Quote: "We lose half of the receipts every month."}, "",
			"We lose half of our receipts every month.", "Ben",
		},
		"the participant who repeats the interviewer": {
			activities.ClaimedQuote{Quote: "You pay for them yourself."}, "", "You pay for them yourself.", "Cleo",
		},
		"negated": {
			activities.ClaimedQuote{Quote: "We never lose half of our receipts every month"},
			quote.RejectMeaningDiffers, "", "",
		},
		"without its negation": {
			activities.ClaimedQuote{Quote: "file the receipts in time"}, quote.RejectMeaningDiffers,
			"don't file the receipts in time", "Ben",
		},
		"invented": {
			activities.ClaimedQuote{Quote: "Our accountant finds all the receipts"}, quote.RejectNotFound, "", "",
		},
		"too short": {activities.ClaimedQuote{Quote: "way"}, quote.RejectTooShort, "", ""},
		"short, at its place": {
			activities.ClaimedQuote{Quote: "No way.", Turns: []int{5}}, "", "No way.", "Ben",
		},
		"of the interviewer": {
			activities.ClaimedQuote{Quote: "Do you lose half of your receipts?"}, activities.RejectInterviewer,
			"Do you lose half of your receipts?", "Ann",
		},
		"a note": {
			activities.ClaimedQuote{Quote: "Ben looks tired and checks his phone"}, activities.RejectNote,
			"Ben looks tired and checks his phone", "",
		},
		"of somebody else": {
			activities.ClaimedQuote{Quote: "We lose half of our receipts every month", Speakers: []string{"Cleo"}},
			activities.RejectOtherSpeaker, "We lose half of our receipts every month", "Ben",
		},
	} {
		c.claimed.ImportID = id
		proof, err := prover.Prove(t.Context(), c.claimed)
		require.NoError(t, err, name)
		require.Equal(t, c.reason, proof.Reason, name)
		require.Equal(t, c.said, proof.Quote, name)
		require.Equal(t, c.from, proof.Speaker, name)
		require.LessOrEqual(t, len(proof.Nearest), 3, name)
		for _, near := range proof.Nearest {
			require.Contains(t, []string{"Ben", "Cleo"}, near.Speaker, name)
		}
		if name == "negated" {
			require.Equal(t, "We lose half of our receipts every month.", proof.Nearest[0].Quote, name)
		}
	}
	_, err := prover.Prove(t.Context(), activities.ClaimedQuote{ImportID: uuid.New(), Quote: "Nothing is here"})
	require.ErrorIs(t, err, db.ErrNotFound)

	d.Exec(t, `update private.transcripts set body = convert_to('Gone.', 'UTF8') where import_id = $1`, id)
	d.Exec(t, `delete from utterances where import_id = $1`, id)
	proof, err := prover.Prove(t.Context(), activities.ClaimedQuote{ImportID: id, Quote: "half of our receipts"})
	require.NoError(t, err)
	require.NotEmpty(t, proof.Reason, "the transcript is another one now")
}
