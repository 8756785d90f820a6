package mcp_test

import (
	"context"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"research/api/mcp"
	"research/api/token"
)

func TestAnUnknownToolIsAnError(t *testing.T) {
	t.Parallel()
	e := setup(t)
	session := e.connect(t, e.app(t, e.Viewer, token.ScopeRead))
	_, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "drop_tables"})
	require.ErrorContains(t, err, `unknown tool "drop_tables"`)
	call[any](t, session, "list_projects", nil)
}

// A panicker is a Telemetry that fails as a tool might.
type panicker struct{}

func (panicker) ToolCalled(context.Context, string, string, time.Duration) { panic("a mistake") }

func TestAPanicEndsOneCallOnly(t *testing.T) {
	t.Parallel()
	e := setup(t, func(_ *mcp.Config, d *mcp.Deps) { d.Telemetry = panicker{} })
	session := e.connect(t, e.app(t, e.Viewer, token.ScopeRead))
	_, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "list_projects"})
	require.ErrorContains(t, err, "Something went wrong on our side.")
	require.NotContains(t, err.Error(), "a mistake")
	require.Contains(t, e.log.String(), "a mistake")
	_, err = session.ListTools(t.Context(), nil)
	require.NoError(t, err)
}
