package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// exchanges exports the project for other programs, and imports what it was exported as.
func (c *caller) exchanges(t testing.TB) {
	t.Helper()
	editor, viewer := c.signIn(t, c.Editor), c.signIn(t, c.Viewer)
	project := map[string]string{"projectId": c.Project.String()}
	for _, operation := range []string{"exportProject", "exportCodebook"} {
		c.call(t, documentedCall{operation: operation, token: viewer, parameters: project, status: http.StatusOK})
	}
	load := func(token, file string, status int, dryRun string) map[string]any {
		return c.call(t, documentedCall{
			operation: "importProject", token: token, fields: map[string]any{"file": file}, status: status,
			parameters: map[string]string{"projectId": c.Project.String(), "dry_run": dryRun},
		})
	}
	const codebook = `<CodeBook xmlns="urn:QDA-XML:codebook:1.0"><Codes>` +
		`<Code guid="7d444840-9dc0-11d1-b245-5ffdce74fad2" name="Paper" isCodable="true"/></Codes></CodeBook>`
	load(viewer, codebook, http.StatusForbidden, "false")
	load(editor, "Dana: hello", http.StatusUnprocessableEntity, "false")
	load(editor, strings.Repeat("x", 33<<20), http.StatusRequestEntityTooLarge, "false")
	for dryRun, status := range map[string]int{"true": http.StatusOK, "false": http.StatusCreated} {
		require.Contains(t, load(editor, codebook, status, dryRun), "themes")
	}
}
