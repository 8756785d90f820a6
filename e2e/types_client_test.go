//go:build clients

package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The types of the data API, given to supabase-js and compiled by TypeScript in strict mode.
func TestClientTypes(t *testing.T) {
	t.Parallel()
	s := startService(t)
	dir := t.TempDir()
	folder := filepath.Join("..", "api", "rest", "typescript", "clienttest")
	for _, name := range []string{"package.json", "package-lock.json", "tsconfig.json", "queries.ts"} {
		raw, err := os.ReadFile(filepath.Join(folder, name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), raw, 0o600))
	}
	types := s.mustCommand(t, "types", "typescript")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "database.types.ts"), []byte(types), 0o600))
	installPackages(t, dir)
	runProgram(t, dir, nil, "npx", "--no-install", "tsc")
}
