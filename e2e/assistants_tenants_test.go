package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

// A user of one tenant who knows every id of another one learns nothing of it through the tools, not even
// that an id exists, and changes nothing there.
func TestAssistantsOfOtherTenants(t *testing.T) {
	t.Parallel()
	s := startService(t, "MCP_LIMIT=0", "ASK_LIMIT=0")
	mine, theirs := s.furnish(t, "Cobalt"), s.furnish(t, "Vermilion")
	a := connectApp(t, s.url(), s.signIn(t, mine.Editor), allScopes)
	i := &intruder{session: openAssistant(t, s.url(), a.access), mine: mine, theirs: theirs}
	before := theirs.snapshot(t)

	i.listsNothing(t)
	tools, err := i.session.ListTools(t.Context(), nil)
	require.NoError(t, err)
	for _, tool := range tools.Tools {
		t.Run(tool.Name, func(t *testing.T) { i.triesTool(t, tool) })
	}
	prompts, err := i.session.ListPrompts(t.Context(), nil)
	require.NoError(t, err)
	for _, prompt := range prompts.Prompts {
		t.Run(prompt.Name, func(t *testing.T) { i.triesPrompt(t, prompt) })
	}
	require.Equal(t, before, theirs.snapshot(t))
	require.Zero(t, dbtest.Value[int](t, s.DB, `select count(*)::int from private.audit_records
		where workspace_id = $1 and action like 'mcp.%'`, theirs.Workspace))
}

// A furnished tenant has something of every kind, with its marker in every text.
type furnished struct {
	*service
	marker  string
	ids     []string // of everything
	samples map[string]any
}

// furnish adds a tenant.
func (s *service) furnish(t testing.TB, marker string) *furnished {
	t.Helper()
	other := *s
	other.Tenant = s.DB.Tenant(t)
	f := &furnished{service: &other, marker: marker}
	token := f.signIn(t, f.Editor)
	add := func(table string, row map[string]any) (id string) {
		t.Helper()
		row["project_id"] = f.Project
		status, answer := exchangeJSON(t, http.MethodPost, f.url()+"/rest/v1/"+table+"?select=id", token, row,
			"Prefer", "return=representation")
		require.Equal(t, http.StatusCreated, status, "%s: %s", table, answer)
		var rows []struct{ ID string }
		require.NoError(t, json.Unmarshal(answer, &rows))
		return rows[0].ID
	}
	imported := f.add(t, token, marker+".txt", []byte("Ann: What do you do with "+marker+"?\n\n"+
		"Bea: The "+marker+" books take us five days.\n\nBea: We lose "+marker+" receipts.\n"))
	persona := add("personas", map[string]any{"name": marker + " owners"})
	hypothesis := add("hypotheses", map[string]any{"statement": marker + " books take days"})
	question := add("questions", map[string]any{"text": "Who does " + marker + "?", "hypothesis_id": hypothesis})
	quote := "The " + marker + " books take us five days."
	evidence := add("evidence", map[string]any{"import_id": imported, "quote": quote, "summary": marker})
	status, answer := exchangeJSON(t, http.MethodPost, f.url()+"/rest/v1/evidence_hypotheses", token,
		map[string]any{"evidence_id": evidence, "hypothesis_id": hypothesis, "stance": "supports"})
	require.Equal(t, http.StatusCreated, status, "%s", answer)
	answered := f.ask(t, token, "What takes days with "+marker+"?", "passages")
	f.waitForAnswer(t, token, answered, "answered")
	f.samples = map[string]any{
		"project": f.Project.String(), "hypothesis": hypothesis, "import": imported,
		"id": "import:" + imported, "answer_id": answered, "question": "What takes days?", "mode": "passages",
		"query": "books", "text": "Books take days", "quote": quote, "stance": "supports",
	}
	f.ids = f.everyID(t)
	for _, id := range []string{imported, persona, hypothesis, question, evidence, answered} {
		require.Contains(t, f.ids, id)
	}
	return f
}

// rowsOf reads a text of each row of each table that belongs to the tenant.
func (f *furnished) rowsOf(t testing.TB, sql string) (texts []string) {
	t.Helper()
	f.AsOwner(t, func(c *pgx.Conn) {
		collect := func(sql string, args ...any) []string {
			rows, err := c.Query(t.Context(), sql, args...)
			require.NoError(t, err)
			found, err := pgx.CollectRows(rows, pgx.RowTo[string])
			require.NoError(t, err, sql)
			return found
		}
		for _, table := range collect(`select c.oid::regclass::text from pg_class c
			join pg_attribute a on a.attrelid = c.oid and a.attname in ('workspace_id', 'id')
			where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace group by c.oid`) {
			texts = append(texts, collect(fmt.Sprintf(sql, table), f.Workspace.String())...)
		}
	})
	return texts
}

// everyID returns the ids of everything that the tenant has.
func (f *furnished) everyID(t testing.TB) []string {
	t.Helper()
	ids := f.rowsOf(t, `select distinct column_.value from %s x, jsonb_each_text(to_jsonb(x)) column_
		where x::text like '%%' || $1 || '%%' and column_.value ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'`)
	slices.Sort(ids)
	return slices.Compact(ids)
}

// snapshot returns all rows of the tenant.
func (f *furnished) snapshot(t testing.TB) []string {
	t.Helper()
	rows := f.rowsOf(t, `select x::text from %s x where x::text like '%%' || $1 || '%%'`)
	slices.Sort(rows)
	return rows
}

// An intruder has all tools for a tenant, and knows the ids of another one.
type intruder struct {
	session      *mcp.ClientSession
	mine, theirs *furnished
}

// listsNothing looks at what needs no id.
func (i *intruder) listsNothing(t *testing.T) {
	listed := useTool(t, i.session, "list_projects", nil)
	require.Contains(t, listed, i.mine.Project.String())
	i.requireNothing(t, listed, "")
	found := useTool(t, i.session, "search", map[string]any{"query": i.theirs.marker})
	i.requireNothing(t, found, i.theirs.marker)
	found = useTool(t, i.session, "search", map[string]any{"query": "books take days"})
	require.Contains(t, found, i.mine.marker)
	i.requireNothing(t, found, "")
}

// requireNothing requires that a text has nothing of the other tenant but what the intruder has sent.
func (i *intruder) requireNothing(t *testing.T, text, sent string) {
	t.Helper()
	if sent != "" {
		text = strings.ReplaceAll(text, sent, "SENT")
	}
	require.NotContains(t, text, i.theirs.marker)
	for _, id := range i.theirs.ids {
		require.NotContains(t, text, id)
	}
}

// prose are arguments that are words, and choices: no id is expected in them.
var prose = []string{
	"query", "question", "text", "quote", "summary", "falsified_if", "speaker", "cursor", "mode", "kind",
	"stance", "status", "review", "category", "importance", "priority", "strength", "turn",
}

// triesTool calls a tool with every id of the other tenant in every argument that takes one.
func (i *intruder) triesTool(t *testing.T, tool *mcp.Tool) {
	var schema struct {
		Properties map[string]json.RawMessage
		Required   []string
	}
	raw, err := json.Marshal(tool.InputSchema)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &schema))
	required, samples := map[string]any{}, map[string]any{}
	for name := range schema.Properties {
		sample, found := i.mine.samples[name]
		require.True(t, found || slices.Contains(prose, name), "%s: add a sample, or call it prose", name)
		if slices.Contains(schema.Required, name) {
			require.True(t, found, "%s: add a sample", name)
			required[name] = sample
		}
		if found {
			samples[name] = sample
		}
	}
	i.usesTool(t, tool.Name, required)
	for name := range samples {
		if slices.Contains(prose, name) {
			continue
		}
		words := maps.Clone(required)
		for other, sample := range samples {
			if slices.Contains(prose, other) {
				words[other] = sample
			}
		}
		for _, arguments := range []map[string]any{required, words, samples} {
			i.triesIDs(t, func(id string) string {
				with := maps.Clone(arguments)
				with[name] = id
				text, failed := callTool(t, i.session, tool.Name, with)
				return fmt.Sprint(failed, " ", text)
			}, formsOf(name)...)
		}
	}
}

// usesTool calls a tool for the intruder's own tenant, which shows that the samples are right.
func (i *intruder) usesTool(t *testing.T, tool string, arguments map[string]any) {
	t.Helper()
	if tool == "ask_interviews" { // which takes a question, or the id of an answer
		arguments = map[string]any{}
		for _, name := range []string{"project", "question", "mode"} {
			arguments[name] = i.mine.samples[name]
		}
	}
	useTool(t, i.session, tool, arguments)
	record := []any{i.mine.Workspace, "mcp." + tool}
	const recorded = `select count(*)::int from private.audit_records where workspace_id = $1 and action = $2`
	require.Positive(t, dbtest.Value[int](t, i.mine.DB, recorded, record...))
}

// formsOf returns how an argument's ids are written.
func formsOf(argument string) []string {
	if argument == "id" {
		return []string{
			"%s", "import:%s", "utterance:%s:0-2", "hypothesis:%s", "evidence:%s", "answer:%s", "project:%s",
		}
	}
	return []string{"%s", argument + ":%s"}
}

// triesPrompt does the same with a prompt.
func (i *intruder) triesPrompt(t *testing.T, prompt *mcp.Prompt) {
	for _, argument := range prompt.Arguments {
		i.triesIDs(t, func(id string) string {
			result, err := i.session.GetPrompt(t.Context(), &mcp.GetPromptParams{
				Name: prompt.Name, Arguments: map[string]string{argument.Name: id},
			})
			if err != nil {
				return err.Error()
			}
			raw, err := json.Marshal(result)
			require.NoError(t, err)
			return string(raw)
		}, formsOf(argument.Name)...)
	}
}

// A time or a random id in an answer differs between two calls.
var differs = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// triesIDs requires that the answers to ids of the other tenant are those to ids that nothing has.
func (i *intruder) triesIDs(t *testing.T, call func(id string) string, forms ...string) {
	t.Helper()
	for _, form := range forms {
		answerTo := func(id string) string {
			sent := fmt.Sprintf(form, id)
			text := call(sent)
			i.requireNothing(t, text, id)
			return differs.ReplaceAllString(text, "ID")
		}
		unknown := answerTo(uuid.NewString())
		for _, id := range i.theirs.ids {
			require.Equal(t, unknown, answerTo(id), form, id)
		}
	}
}
