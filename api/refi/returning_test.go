package refi_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

// changed returns an export with parts of its description replaced.
func changed(t *testing.T, export []byte, oldnew ...string) []byte {
	t.Helper()
	var parts []string
	for name, data := range entries(t, export) {
		text := string(data)
		if name == "project.qde" {
			for i := 0; i < len(oldnew); i += 2 {
				require.Contains(t, text, oldnew[i])
			}
			text = strings.NewReplacer(oldnew...).Replace(text)
		}
		parts = append(parts, name, text)
	}
	return zipped(t, parts...)
}

func TestNewCodingsOfKnownQuotesAreCounted(t *testing.T) {
	t.Parallel()
	e := setup(t)
	i := e.upload(t, e.Project, "Lea", "Interviewer: How?\nLea: On paper, in the office.\n")
	paper := e.theme(t, e.Project, "Paper", nil)
	e.theme(t, e.Project, "Office", nil)
	e.quote(t, e.Project, i, "On paper", paper)
	export := e.export(t, e.Viewer, e.Project)
	office := regexp.MustCompile(`<Code guid="([^"]+)" name="Office"`).
		FindStringSubmatch(string(entries(t, export)["project.qde"]))[1]
	more := changed(t, export, "</PlainTextSelection>", `<Coding guid="`+guid("more")+
		`"><CodeRef targetGUID="`+office+`"/></Coding></PlainTextSelection>`)
	r := e.load(t, e.Project, more)
	require.Equal(t, []int{0, 0, 0, 1}, []int{r.Imported, r.Themes, r.Quotes, r.Codings})
	require.Equal(t, []string{"Lea: On paper = Office, Paper"}, e.coded(t, e.Project))
	require.Zero(t, e.load(t, e.Project, more).Codings, "the second time, they are known")
}

func TestWhatIsRejectedHereStaysSo(t *testing.T) {
	t.Parallel()
	e := setup(t)
	i := e.upload(t, e.Project, "Lea", "Interviewer: How?\nLea: On paper, in the office.\n")
	paper := e.theme(t, e.Project, "Paper", nil)
	gone := e.quote(t, e.Project, i, "On paper", paper)
	taken := e.quote(t, e.Project, i, "in the office", paper)
	export := e.export(t, e.Viewer, e.Project)
	e.Exec(t, `update evidence set review = 'rejected' where id = $1`, gone)
	e.Exec(t, `update evidence_themes set review = 'rejected' where evidence_id = $1`, taken)
	r := e.load(t, e.Project, export)
	require.Zero(t, r.Codings)
	require.Equal(t, 3, r.SkippedCount, "two codings, and the cases")
	require.Equal(t, "On paper: The quote was rejected here.", r.Skipped[0].Name+": "+r.Skipped[0].Reason)
	require.Equal(t, "in the office: The quote was taken from the theme “Paper” here.",
		r.Skipped[1].Name+": "+r.Skipped[1].Reason)
}

func TestOnlyAcceptedIsExported(t *testing.T) {
	t.Parallel()
	e := setup(t)
	i := e.upload(t, e.Project, "Lea", "Interviewer: How?\nLea: On paper, in the office.\n")
	theme := e.theme(t, e.Project, "Paper", nil)
	e.Exec(t, `update evidence set origin = 'ai', review = 'suggested' where id = $1`,
		e.quote(t, e.Project, i, "in the office", theme))
	e.Exec(t, `update evidence_themes set origin = 'ai', review = 'suggested' where evidence_id = $1`,
		e.quote(t, e.Project, i, "On paper", theme))
	export := e.export(t, e.Viewer, e.Project)
	require.Equal(t, []string{"On paper"}, readAs(t, export))
	require.NotContains(t, string(entries(t, export)["project.qde"]), "<Coding ")
}

func TestHypothesesComeWithWhatWouldRefuteThem(t *testing.T) {
	t.Parallel()
	e := setup(t)
	e.Exec(t, `insert into hypotheses (project_id, statement, falsified_if, status)
		values ($1, 'They pay', E'Nobody\nbuys it', 'parked')`, e.Project)
	export := e.export(t, e.Viewer, e.Project)
	other := e.project(t, "Other")
	r := e.load(t, other, export)
	require.Equal(t, "They pay|Nobody\nbuys it|untested", dbtest.Value[string](t, e.DB,
		`select statement || '|' || falsified_if || '|' || status from hypotheses where project_id = $1`, other))
	require.Contains(t, strings.Join(r.Warnings, "\n"), "comes without its verdict")
	again := e.load(t, other, changed(t, export, "Nobody", "Everybody"))
	require.Contains(t, strings.Join(again.Warnings, "\n"), "is here already and keeps its verdict")
}

func TestCodesBelowMergedAndArchivedThemes(t *testing.T) {
	t.Parallel()
	e := setup(t)
	into := e.theme(t, e.Project, "Into", nil)
	e.Exec(t, `insert into themes (project_id, name, status, merged_into) values ($1, 'Merged', 'archived', $2),
		($1, 'Old', 'archived', null)`, e.Project, into)
	r := e.load(t, e.Project, []byte(`<CodeBook><Codes>`+code("Merged", code("One", ""))+
		code("Old", code("Two", ""))+`</Codes></CodeBook>`))
	require.Equal(t, []string{"One < Into", "Two"}, dbtest.Value[[]string](t, e.DB, `
		select array_agg(t.name || coalesce(' < ' || p.name, '') order by t.name)
		from themes t left join themes p on p.id = t.parent_id where t.name in ('One', 'Two')`))
	require.Contains(t, strings.Join(r.Warnings, "\n"), "“Merged” was merged into “Into”")
}

func TestOldTextsAndFormattedNotes(t *testing.T) {
	t.Parallel()
	e := setup(t)
	text := "Ana: Das gr\xf6\xdfte \x84\xdcbel\x93.\nKim: Ja?\nAna: Immer.\n"
	project := fmt.Sprintf(head, "Other") + `<CodeBook><Codes><Code guid="` + guid("c") + `" name="Bad"
		isCodable="true"><NoteRef targetGUID="` + guid("n") + `"/></Code></Codes></CodeBook>
		<Sources><TextSource guid="` + guid("s") + `" name="Ana" plainTextPath="internal://a.txt">
		<Description>In Berlin</Description>` +
		selection("Ana: Das größte „Übel“.\n", "größte „Übel“", false, false, coding("c")) + `</TextSource>
		</Sources>
		<Notes><Note guid="` + guid("n") + `" name="Idea" richTextPath="internal://n.docx"/></Notes></Project>`
	r := e.load(t, e.Project, zipped(t, "project.qde", project, "sources/a.txt", text, "sources/n.docx", "PK"))
	require.Equal(t, []string{"Ana: größte „Übel“ = Bad"}, e.coded(t, e.Project))
	require.Contains(t, strings.Join(r.Warnings, "\n"), "read as Windows-1252")
	reasons := fmt.Sprint(r.Skipped)
	require.Contains(t, reasons, "Idea Only its formatted form is in the file, which is not read.")
	require.Contains(t, reasons, "It is the description of an interview")
}

// With work that grows as the square of the references, this takes hours.
func TestSmallFilesAreSmallWork(t *testing.T) {
	t.Parallel()
	e := setup(t)
	refs := strings.Repeat(`<NoteRef targetGUID="`+guid("n")+`"/>`, 19_000)
	notes := fmt.Sprintf(head, "Other") + `<CodeBook><Codes><Code guid="` + guid("c") + `" name="C"
		isCodable="true">` + refs + `</Code></Codes></CodeBook><Notes><Note guid="` + guid("n") + `"
		plainTextPath="internal://n.txt"/></Notes></Project>`
	whole := strings.Repeat("Ana: I say so.\n", 10_000)
	long := fmt.Sprintf(`<PlainTextSelection guid="%s" name="Ana" startPosition="0" endPosition="%d"/>`,
		guid("p"), len(whole)-1)
	selected := fmt.Sprintf(head, "Other") + `<Sources><TextSource guid="` + guid("s") + `" name="Ana"
		plainTextPath="internal://a.txt">` + strings.Repeat(long, 20_000) + `</TextSource></Sources></Project>`
	var people strings.Builder
	for n := range 30_000 {
		fmt.Fprintf(&people, `<Case guid="%s" name="Bo %d"><SourceRef targetGUID="%s"/></Case>`, guid("c"), n,
			guid("s"))
	}
	cases := fmt.Sprintf(head, "Other") + `<Cases>` + people.String() + `</Cases>
		<Sources><TextSource guid="` + guid("s") + `" name="Ana"
		plainTextPath="internal://a.txt"/></Sources></Project>`
	for name, c := range map[string]struct {
		data   []byte
		status int
	}{
		"references to a note": {
			zipped(t, "project.qde", notes, "sources/n.txt", strings.Repeat("words ", 40_000)), 200,
		},
		"long selections": {zipped(t, "project.qde", selected, "sources/a.txt", whole), 413},
		"cases":           {zipped(t, "project.qde", cases, "sources/a.txt", strings.Repeat(whole, 10)), 200},
	} {
		status, r := e.send(t, e.Editor, e.Project, "?dry_run=true", c.data)
		require.Equal(t, c.status, status, "%s: %s", name, r.Message)
	}
}
