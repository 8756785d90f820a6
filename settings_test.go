package main

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"research/config"
)

// Every setting is in README.md and in .env.example, and no other is.
func TestSettingsAreDocumented(t *testing.T) {
	t.Parallel()
	for _, doc := range []struct{ path, pattern string }{
		{"README.md", "(?m)^\\| `([A-Z_]+)`"},
		{".env.example", `(?m)^#?([A-Z_]+)=(.*)$`},
	} {
		t.Run(doc.path, func(t *testing.T) {
			t.Parallel()
			raw, err := os.ReadFile(doc.path)
			require.NoError(t, err)
			var named []string
			for _, match := range regexp.MustCompile(doc.pattern).FindAllStringSubmatch(string(raw), -1) {
				named = append(named, match[1])
			}
			slices.Sort(named)
			require.Equal(t, config.Names(), named)
		})
	}
	t.Run("what .env.example shows can be used", func(t *testing.T) {
		t.Parallel()
		raw, err := os.ReadFile(".env.example")
		require.NoError(t, err)
		values := map[string]string{}
		for _, match := range regexp.MustCompile(`(?m)^#?([A-Z_]+)=(.*)$`).FindAllStringSubmatch(string(raw), -1) {
			values[match[1]] = match[2]
		}
		_, err = config.Load(func(name string) string { return values[name] })
		require.NoError(t, err)
	})
}
