package cli

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVersionNamesTheCommit(t *testing.T) {
	t.Parallel()
	v := buildVersion{Version: "v1.2.3", Go: "go1.26.8", Platform: "linux/amd64", Migration: "0001_schema"}
	require.Contains(t, v.String(), "\ncommit     not recorded by the build\n")

	v.Commit, v.Modified = commitOf(&debug.BuildInfo{Settings: []debug.BuildSetting{
		{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: "0b5c1f2"}, {Key: "vcs.modified", Value: "false"},
	}})
	require.Contains(t, v.String(), "\ncommit     0b5c1f2\n")

	v.Modified = true
	require.Contains(t, v.String(), "\ncommit     0b5c1f2, with uncommitted changes\n")
}
