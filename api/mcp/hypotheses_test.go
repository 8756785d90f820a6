package mcp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/token"
	"research/db/dbtest"
)

func TestGetHypotheses(t *testing.T) {
	t.Parallel()
	w := populate(t)
	silent := w.interview(t, w.Project, "Interview with Bob", "Bob: I never lose anything.")
	w.Exec(t, `insert into import_hypotheses
			(import_id, hypothesis_id, project_id, statement, result, coverage, model_coverage, checked_at)
		values ($1, $2, $3, 'People pay for lost receipts themselves', 'nothing_found', 1, 1, now())`,
		silent, w.hypothesis, w.Project)
	w.interview(t, w.Project, "Interview with Cleo", "Cleo: Hello.")
	other := w.Hypothesis(t, w.Tenant, "Nobody keeps receipts")
	w.Exec(t, "update hypotheses set status = 'testing' where id = $1", other)
	w.evidence(t, w.Project, w.imported, w.hypothesis, "It is about twenty euros", "supports", "rejected")
	against := w.evidence(t, w.Project, w.imported, other, "They photograph everything", "contradicts",
		"suggested")
	session := w.connect(t, w.app(t, w.Viewer, token.ScopeRead))

	result := call[struct {
		Notice     string
		Hypotheses []map[string]any
		More       bool
	}](t, session, "get_hypotheses", map[string]any{"project": "project:" + w.Project.String()})
	require.Len(t, result.Hypotheses, 2)
	require.Equal(t, map[string]any{
		"id": "hypothesis:" + w.hypothesis.String(), "statement": "People pay for lost receipts themselves",
		"status": "untested", "category": "problem", "importance": "medium", "falsified_if": "Nobody pays.",
		"result": "supports",
		"summary": "1 person supports it, 1 person says nothing about it. Nothing found in 1 interview. " +
			"1 interview was not read for it.",
		"people_for": 1.0, "people_against": 0.0, "people_mixed": 0.0, "nothing_found_in": 1.0, "interviews": 3.0,
		"for": []any{map[string]any{
			"id": "evidence:" + w.evidenceID.String(), "quote": "I pay for them myself", "speaker": "Ann",
			"interview": "Interview with Ann", "start": "00:10", "stance": "supports", "strength": "strong",
			"review": "accepted", "url": fmt.Sprintf("%s/imports/%s?e=%s", publicURL, w.imported, w.evidenceID),
		}},
		"against": []any{},
		"url":     fmt.Sprintf("%s/projects/%s/evidence?h=%s", publicURL, w.Project, w.hypothesis),
	}, result.Hypotheses[0])
	require.Equal(t, "contradicts", result.Hypotheses[1]["result"])
	require.Equal(t, "evidence:"+against.String(),
		result.Hypotheses[1]["against"].([]any)[0].(map[string]any)["id"])

	only := call[map[string]any](t, session, "get_hypotheses",
		map[string]any{"project": w.Project.String(), "status": "testing"})
	require.Len(t, only["hypotheses"], 1)
	require.Contains(t, fail(t, session, "get_hypotheses",
		map[string]any{"project": w.Project.String(), "status": "sure"}), `enum: sure does not equal any of`)
}

func TestGetEvidence(t *testing.T) {
	t.Parallel()
	w := populate(t)
	rejected := w.evidence(t, w.Project, w.imported, w.hypothesis, "It is about twenty euros", "neutral",
		"rejected")
	byHand := dbtest.Value[uuid.UUID](t, w.DB,
		"insert into evidence (project_id, quote, speaker) values ($1, 'I pay.', 'Zoe') returning id", w.Project)
	w.Exec(t, "insert into evidence_hypotheses (evidence_id, hypothesis_id, stance) values ($1, $2, 'supports')",
		byHand, w.hypothesis)
	// What an interviewer says is no evidence.
	w.evidence(t, w.Project, w.imported, w.hypothesis, "And your colleagues?", "supports", "suggested")
	session := w.connect(t, w.app(t, w.Viewer, token.ScopeRead))
	read := func(more map[string]any) map[string]any {
		arguments := map[string]any{"hypothesis": "hypothesis:" + w.hypothesis.String()}
		for name, value := range more {
			arguments[name] = value
		}
		return call[map[string]any](t, session, "get_evidence", arguments)
	}

	all := read(nil)
	require.Equal(t, "People pay for lost receipts themselves", all["statement"])
	require.InDelta(t, 1, all["not_proven"], 0)
	require.Equal(t, []any{map[string]any{
		"id": "evidence:" + w.evidenceID.String(), "quote": "I pay for them myself", "speaker": "Ann",
		"interview": "Interview with Ann", "start": "00:10", "stance": "supports", "strength": "strong",
		"review": "accepted", "url": fmt.Sprintf("%s/imports/%s?e=%s", publicURL, w.imported, w.evidenceID),
		"turns": fmt.Sprintf("utterance:%s:1-1", w.imported),
	}}, all["evidence"])
	require.Empty(t, read(map[string]any{"stance": "contradicts"})["evidence"])
	only := read(map[string]any{"review": "rejected"})["evidence"].([]any)
	require.Len(t, only, 1)
	require.Equal(t, "evidence:"+rejected.String(), only[0].(map[string]any)["id"])
	require.Contains(t, fail(t, session, "get_evidence",
		map[string]any{"hypothesis": w.hypothesis.String(), "stance": "for"}), `enum: for does not equal any of`)
}

func TestEvidencePages(t *testing.T) {
	t.Parallel()
	w := populate(t)
	long := strings.Repeat("And so on, as I said before. ", 100)
	for n := range 30 {
		text := fmt.Sprintf("Number %d. %s", n, long)
		imported := w.interview(t, w.Project, fmt.Sprintf("Long %d", n), "Ann: "+text+"End.")
		w.evidence(t, w.Project, imported, w.hypothesis, text+"End", "supports", "suggested")
	}
	session := w.connect(t, w.app(t, w.Viewer, token.ScopeRead))
	arguments := map[string]any{"hypothesis": w.hypothesis.String()}
	seen := map[any]bool{}
	for pages := 1; ; pages++ {
		page := call[map[string]any](t, session, "get_evidence", arguments)
		for _, one := range page["evidence"].([]any) {
			require.False(t, seen[one.(map[string]any)["id"]])
			seen[one.(map[string]any)["id"]] = true
		}
		if page["more"] == false {
			require.Greater(t, pages, 3)
			break
		}
		arguments["cursor"] = page["cursor"]
	}
	require.Len(t, seen, 31)
}
