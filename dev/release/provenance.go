package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	provenance "github.com/in-toto/attestation/go/predicates/provenance/v1"
	intoto "github.com/in-toto/attestation/go/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"
)

// The types of the predicate, which is SLSA's build provenance 1.0, and of the build, which is this command.
const (
	provenanceType = "https://slsa.dev/provenance/v1"
	buildType      = "urn:research:make-release:1"
	// localBuilder is who built a release unless -builder names somebody else.
	localBuilder = "urn:research:make-release:local"
)

// A source is what a release is built from.
type source struct {
	commit string // its hash
	goSum  string // the SHA-256 of go.sum, which pins every module
}

// readSource reads the commit that is checked out in a folder. It refuses changes that are in no commit, and
// another commit than that of the version's tag.
func readSource(ctx context.Context, dir, version string) (source, error) {
	changes, err := git(ctx, dir, "status", "--porcelain")
	if err != nil {
		return source{}, fmt.Errorf("compare the work tree with its commit: %w", err)
	}
	if changes != "" {
		return source{}, fmt.Errorf("a release is built from a commit: commit or remove these changes first:\n%s",
			changes)
	}
	commit, err := git(ctx, dir, "rev-parse", "HEAD")
	if err != nil {
		return source{}, fmt.Errorf("read the commit: %w", err)
	}
	tagged, err := git(ctx, dir, "rev-parse", "--verify", "--quiet", "refs/tags/v"+version+"^{commit}")
	if err == nil && tagged != commit {
		return source{}, fmt.Errorf("the tag v%s is commit %s, and %s is checked out", version, tagged, commit)
	}
	goSum, err := fileSum(filepath.Join(dir, "go.sum"))
	return source{commit: commit, goSum: goSum}, err
}

// git returns what git prints in a folder.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...).Output()
	return strings.TrimRight(string(out), "\n"), err
}

// writeProvenance writes how files were built: SLSA's build provenance in an in-toto statement, without a
// signature. Times are left out, so that the same commit gives the same statement.
func (s source) writeProvenance(w io.Writer, builder, version, platforms string, files []string) error {
	statement := &intoto.Statement{Type: intoto.StatementTypeUri, PredicateType: provenanceType}
	for _, file := range files {
		sum, err := fileSum(file)
		if err != nil {
			return err
		}
		statement.Subject = append(statement.Subject, &intoto.ResourceDescriptor{
			Name: filepath.Base(file), Digest: map[string]string{"sha256": sum},
		})
	}
	parameters, err := structpb.NewStruct(map[string]any{"version": version, "platforms": platforms})
	if err != nil {
		return err
	}
	predicate := &provenance.Provenance{
		BuildDefinition: &provenance.BuildDefinition{
			BuildType:          buildType,
			ExternalParameters: parameters,
			ResolvedDependencies: []*intoto.ResourceDescriptor{
				{Name: "research", Digest: map[string]string{"gitCommit": s.commit}},
				{Name: "go.sum", Digest: map[string]string{"sha256": s.goSum}},
				{Name: "go", Uri: "pkg:golang/std@" + strings.TrimPrefix(runtime.Version(), "go")},
			},
		},
		RunDetails: &provenance.RunDetails{Builder: &provenance.Builder{Id: builder}},
	}
	if err := predicate.Validate(); err != nil {
		return err
	}
	raw, err := protojson.Marshal(predicate)
	if err != nil {
		return err
	}
	statement.Predicate = &structpb.Struct{}
	if err := protojson.Unmarshal(raw, statement.GetPredicate()); err != nil {
		return err
	}
	if err := statement.Validate(); err != nil {
		return err
	}
	if raw, err = protojson.Marshal(statement); err != nil {
		return err
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, raw, "", "  "); err != nil { // protojson's own spaces vary on purpose
		return err
	}
	indented.WriteByte('\n')
	_, err = indented.WriteTo(w)
	return err
}

// fileSum returns the SHA-256 of a file, in hexadecimal.
func fileSum(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
