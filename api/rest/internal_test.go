package rest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEveryCodeHasAStatus(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "query/errors.go", nil, 0)
	require.NoError(t, err)
	codes := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(spec.Names[0].Name, "Code") {
			return true
		}
		code, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		require.NoError(t, err)
		require.NotZero(t, statuses[code], "%s has no status", spec.Names[0].Name)
		codes++
		return false
	})
	require.Equal(t, len(statuses), codes)
}

func TestNotificationsThatReloadTheSchema(t *testing.T) {
	t.Parallel()
	require.True(t, reloads(""))
	require.True(t, reloads("reload schema"))
	require.False(t, reloads("reload config"))
}
