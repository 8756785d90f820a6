package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	provenance "github.com/in-toto/attestation/go/predicates/provenance/v1"
	intoto "github.com/in-toto/attestation/go/v1"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protojson"
)

func TestProvenance(t *testing.T) {
	t.Parallel()
	archive := filepath.Join(t.TempDir(), "research_1.2.3_linux_amd64.tar.gz")
	require.NoError(t, os.WriteFile(archive, []byte("abc"), 0o600))
	from := source{commit: "0123456789abcdef0123456789abcdef01234567", goSum: strings.Repeat("0a", 32)}
	write := func() []byte {
		var out bytes.Buffer
		require.NoError(t, from.writeProvenance(
			&out, "https://example.com/builder", "1.2.3", "linux/amd64", []string{archive}))
		return out.Bytes()
	}
	written := write()
	require.Equal(t, written, write(), "the same files have the same provenance")

	var statement intoto.Statement
	require.NoError(t, protojson.Unmarshal(written, &statement))
	require.NoError(t, statement.Validate())
	require.Equal(t, "https://slsa.dev/provenance/v1", statement.GetPredicateType())
	require.Len(t, statement.GetSubject(), 1)
	require.Equal(t, "research_1.2.3_linux_amd64.tar.gz", statement.GetSubject()[0].GetName())
	require.Equal(t, map[string]string{ // of "abc": FIPS 180-2, B.1
		"sha256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
	}, statement.GetSubject()[0].GetDigest())

	raw, err := protojson.Marshal(statement.GetPredicate())
	require.NoError(t, err)
	var predicate provenance.Provenance
	require.NoError(t, protojson.Unmarshal(raw, &predicate))
	require.NoError(t, predicate.Validate())
	require.Equal(t, "https://example.com/builder", predicate.GetRunDetails().GetBuilder().GetId())
	require.Equal(t, map[string]any{"version": "1.2.3", "platforms": "linux/amd64"},
		predicate.GetBuildDefinition().GetExternalParameters().AsMap())
	digests := map[string]map[string]string{}
	for _, dependency := range predicate.GetBuildDefinition().GetResolvedDependencies() {
		digests[dependency.GetName()] = dependency.GetDigest()
	}
	require.Equal(t, map[string]string{"gitCommit": from.commit}, digests["research"])
	require.Equal(t, map[string]string{"sha256": from.goSum}, digests["go.sum"])
}

func TestSourceOfARelease(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := func(args ...string) string {
		out, err := exec.CommandContext(t.Context(), "git", append([]string{
			"-C", dir, "-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgsign=false",
		}, args...)...).CombinedOutput()
		require.NoError(t, err, "%s", out)
		return string(bytes.TrimSpace(out))
	}
	run("init", "--quiet")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.sum"), nil, 0o600))
	run("add", "go.sum")
	run("commit", "--quiet", "--message", "First")
	first := run("rev-parse", "HEAD")

	from, err := readSource(t.Context(), dir, "1.0.0")
	require.NoError(t, err)
	require.Equal(t, first, from.commit)
	run("tag", "v1.0.0")
	_, err = readSource(t.Context(), dir, "1.0.0")
	require.NoError(t, err)

	require.NoError(t, os.WriteFile(filepath.Join(dir, "new.md"), nil, 0o600))
	_, err = readSource(t.Context(), dir, "1.0.0")
	require.ErrorContains(t, err, "commit or remove these changes first:\n?? new.md")

	run("add", "new.md")
	run("commit", "--quiet", "--message", "Second")
	_, err = readSource(t.Context(), dir, "1.0.0")
	require.ErrorContains(t, err, "the tag v1.0.0 is commit "+first)
	_, err = readSource(t.Context(), dir, "1.0.1")
	require.NoError(t, err)
}
