package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	shellBlocks = regexp.MustCompile("(?ms)^ *```(?:sh|console)\n(.*?)^ *```")
	otherBlocks = regexp.MustCompile("(?ms)^ *```.*?^ *```")
	codeSpans   = regexp.MustCompile("`([^`]+)`")
	// A command of the binary, after settings of its own, up to what another command or a comment begins with.
	invocation = regexp.MustCompile(
		`(?m)(?:^|&& |; )(?:\$ )?(?:[A-Z_]+=\S* +|OPENAI_… +)*(?:sudo )?(?:research|go run \.) +([^|;&#\n<>)]+)`)
	word = regexp.MustCompile(`^[a-z][a-z-]*$`)
	flag = regexp.MustCompile(`^--[a-z][a-z-]*`)
)

// invocations returns the arguments of each command of the binary in a document.
func invocations(document string) (all [][]string) {
	var code []string
	for _, block := range shellBlocks.FindAllStringSubmatch(document, -1) {
		lines := regexp.MustCompile(`(?m)^ +`).ReplaceAllString(strings.ReplaceAll(block[1], "\\\n", " "), "")
		code = append(code, lines)
	}
	for _, span := range codeSpans.FindAllStringSubmatch(otherBlocks.ReplaceAllString(document, ""), -1) {
		code = append(code, strings.Join(strings.Fields(span[1]), " "))
	}
	for _, text := range code {
		for _, m := range invocation.FindAllStringSubmatch(text, -1) {
			all = append(all, strings.Fields(m[1]))
		}
	}
	return all
}

// unknown returns what a command line names that the binary does not have: a command or a flag. It is empty
// if there is nothing.
func unknown(t *testing.T, args []string) string {
	t.Helper()
	known, help := 0, run(t, nil, "", "--help").stdout
	for known < len(args) && word.MatchString(args[known]) {
		next := run(t, nil, "", append(slices.Clone(args[:known+1]), "--help")...).stdout
		if !strings.Contains(next, "\n  research "+strings.Join(args[:known+1], " ")) {
			break
		}
		known, help = known+1, next
	}
	isGroup := strings.Contains(help, " [command]\n")
	if known < len(args) && word.MatchString(args[known]) && isGroup {
		return args[known]
	}
	for _, arg := range args {
		if name := flag.FindString(arg); name != "" && !strings.Contains(help, name) {
			return name
		}
	}
	return ""
}

// Commands and flags that documents name exist.
func TestCommandsInDocumentation(t *testing.T) {
	t.Parallel()
	documents := []string{"../README.md", "../CONTRIBUTING.md"}
	for _, pattern := range []string{"../docs/*.md", "../docs/quickstart/*.md"} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		documents = append(documents, found...)
	}
	count := 0
	for _, document := range documents {
		content, err := os.ReadFile(document)
		require.NoError(t, err)
		for _, args := range invocations(string(content)) {
			count++
			require.Emptyf(t, unknown(t, args), "%s: research %s", document, strings.Join(args, " "))
		}
	}
	require.Greater(t, count, 100)

	for line, want := range map[string]string{
		"user create ada@example.com": "", "user explode": "explode", "explode": "explode",
		"drill /backups --jsn":      "--jsn",
		"import retry --error CODE": "", "explain import ID": "", "backup FOLDER --keep 14": "",
	} {
		require.Equal(t, want, unknown(t, strings.Fields(line)), line)
	}
	require.ElementsMatch(t, [][]string{{"migrate"}, {"drill", `"$B"`, "--json"}, {"doctor"}},
		invocations("`research migrate`\n```sh\ncd x && sudo research drill \"$B\" \\\n  --json   # all\n```\n"+
			"`PUBLIC_URL=x research\ndoctor`, ```text\n`research nothing`\n```\n"))
}
