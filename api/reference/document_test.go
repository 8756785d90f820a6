package reference_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/api/problem"
	"research/api/reference/contract"
	"research/outcome"
)

// enum returns the values of a schema of the document.
func enum[T ~string](t *testing.T, name string) []T {
	t.Helper()
	var values []T
	for _, value := range contract.Shared(t).Document.Components.Schemas[name].Value.Enum {
		values = append(values, T(value.(string)))
	}
	return values
}

func TestVocabularyOfOutcomes(t *testing.T) {
	t.Parallel()
	require.Equal(t, outcome.Codes, enum[outcome.Code](t, "ImportErrorCode"))
	require.Equal(t, outcome.Statuses, enum[outcome.Status](t, "ImportStatus"))
}

// constantInSource matches a constant of package transcript with its type and its value.
var constantInSource = regexp.MustCompile(`\s(\w+)\s+= "([a-z_]+)"`)

func TestVocabularyOfTranscripts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, constants, schema string }{
		{"layout.go", "Layout", "Layout"},
		{"warnings.go", "WarningCode", "WarningCode"},
	} {
		source, err := os.ReadFile("../../transcript/" + c.file)
		require.NoError(t, err)
		var values []string
		for _, found := range constantInSource.FindAllSubmatch(source, -1) {
			if string(found[1]) == c.constants {
				values = append(values, string(found[2]))
			}
		}
		require.Equal(t, values, enum[string](t, c.schema))
	}
}

// codeInSource matches the code of an error where a handler makes it.
var codeInSource = regexp.MustCompile(`(?:Code:\s+|unprocessable\(|tooMany\(|invalidGrant\(|badJSON\(|` +
	`refusedAnswer\("\w+",\s*|fail\(\s*http\.\w+,\s*)"([a-z0-9_]+)"`)

// codesOf returns the codes of the errors that some packages make.
func codesOf(t *testing.T, packages ...string) map[string]bool {
	t.Helper()
	codes := map[string]bool{}
	for _, pkg := range packages {
		files, err := filepath.Glob("../" + pkg + "/*.go")
		require.NoError(t, err)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			source, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, found := range codeInSource.FindAllSubmatch(source, -1) {
				codes[string(found[1])] = true
			}
		}
	}
	return codes
}

func TestErrorCodes(t *testing.T) {
	t.Parallel()

	t.Run("of /api", func(t *testing.T) {
		t.Parallel()
		codes := codesOf(t, "account", "answers", "events", "findings", "idempotency", "imports", "mail",
			"notifications", "problem", "projects", "refi", "themes")
		for _, code := range []string{
			problem.CodeNotFound, problem.CodeMethodNotAllowed, problem.CodeUnavailable, problem.CodeCanceled,
			problem.CodeTimeout, problem.CodeInternal, problem.CodeScope,
		} {
			codes[code] = true
		}
		require.ElementsMatch(t, slices.Collect(maps.Keys(codes)), enum[string](t, "ErrorCode"))
	})

	t.Run("of /auth/v1", func(t *testing.T) {
		t.Parallel()
		codes := codesOf(t, "auth")
		require.NotEmpty(t, codes)
		codes[problem.CodeNotFound], codes[problem.CodeMethodNotAllowed] = true, true
		codes[problem.CodeScope] = true
		codes["unexpected_failure"], codes["request_timeout"], codes["request_canceled"] = true, true, true
		require.ElementsMatch(t, slices.Collect(maps.Keys(codes)), enum[string](t, "AuthErrorCode"))
	})
}

func TestOperationsAreDescribed(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for address, item := range contract.Shared(t).Document.Paths.Map() {
		for method, operation := range item.Operations() {
			name := method + " " + address
			require.NotEmpty(t, operation.Summary, name)
			require.NotEmpty(t, operation.Tags, name)
			require.Falsef(t, seen[operation.OperationID], "%s: %s is used twice", name, operation.OperationID)
			seen[operation.OperationID] = true
		}
	}
}
