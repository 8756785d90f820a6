package openai

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// twoFindings is what a model writes about two hypotheses.
const twoFindings = `{"findings":[` +
	`{"hypothesis":"h1","utterances":["u1"],"quote":"it's {by hand}","rationale":"r","stance":"supports",` +
	`"strength":"weak","summary":"s"},` +
	`{"hypothesis":"h2","utterances":["u3"],"quote":"a [sum] of 5","rationale":"r","stance":"neutral",` +
	`"strength":"weak","summary":"s"}],"questions":[{"hypothesis":"h1","text":"Why?"}]}`

func TestJSONIsFoundInWhatAModelWrites(t *testing.T) {
	t.Parallel()
	const empty = `{"findings": [], "questions": []}`
	for name, text := range map[string]string{
		"alone":                    twoFindings,
		"in a fence":               "```json\n" + twoFindings + "\n```",
		"in prose with braces":     "Here {it} is:\n" + twoFindings + "\nThat's {all}.",
		"after a schema":           `The form is {"findings": [...]}: ` + twoFindings,
		"after a schema that ends": `I begin with {"findings": [ and then: ` + twoFindings,
		"after a draft":            `{"findings":[{"quote":"draft"}]} no, rather ` + twoFindings,
		"before an empty example":  twoFindings + "\nWithout findings I would have written " + empty,
		"between empty examples":   empty + " or " + twoFindings + " or " + empty,
		"before an unfinished one": twoFindings + "\nI began with {\"findings\": [ as you asked.",
		"in a JSON string":         quoteJSON(twoFindings),
		"in single quotes":         strings.NewReplacer(`"`, `'`).Replace(twoFindings),
		"in typographic quotes":    typographic(twoFindings),
		"with trailing commas":     strings.NewReplacer(`}]`, `},]`).Replace(twoFindings),
		"with a comment":           strings.Replace(twoFindings, `"questions"`, "// it's done\n\"questions\"", 1),
		"within another object":    `{"result": ` + twoFindings + `}`,
		"quotation marks within":   strings.Replace(twoFindings, "it's", `he said "no" and`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, err := decodeResponse(text)
			require.NoError(t, err)
			require.Len(t, found.Findings, 2)
			require.Len(t, found.Questions, 1)
			require.EqualValues(t, "a [sum] of 5", found.Findings[1].Quote)
		})
	}
	found, err := decodeResponse("Nothing: " + empty)
	require.NoError(t, err)
	require.Empty(t, found.Findings)
}

// However the response is cut, it is not taken for a whole one.
func TestJSONThatEndsEarlyIsCut(t *testing.T) {
	t.Parallel()
	begun := len(`{"findings":[{"hypothesis":`)
	for _, wrap := range []func(string) string{
		func(s string) string { return s },
		func(s string) string { return "```json\n" + s },
		func(s string) string { return "Sure! {Here} it is: " + s },
		func(s string) string { return "```json\n" + s + "\n```" },
		typographic,
		func(s string) string { return `{"findings": []} is the form. ` + s },
	} {
		for size := begun; size < len(twoFindings); size++ {
			text := wrap(twoFindings[:size])
			found, err := decodeResponse(text)
			require.Error(t, err, text)
			require.Empty(t, found.Findings)
		}
	}
	_, err := decodeResponse(twoFindings[:len(twoFindings)-2])
	require.ErrorIs(t, err, errCut)
	_, err = decodeResponse("I could not find the transcript.")
	require.ErrorIs(t, err, errNotJSON)
}

func quoteJSON(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// typographic replaces the quotation marks of JSON by those of prose.
func typographic(s string) string {
	var b strings.Builder
	open := true
	for _, r := range s {
		if r != '"' {
			b.WriteRune(r)
			continue
		}
		if open {
			b.WriteRune('“')
		} else {
			b.WriteRune('”')
		}
		open = !open
	}
	return b.String()
}

// What never ends is not read for ever.
func TestAResponseThatRepeatsItselfIsReadInTime(t *testing.T) {
	t.Parallel()
	for _, part := range []string{
		`{"findings":[`, `{"findings":["`, `[{"quote":`, `" `, `//`, `\"`, "{“findings”:“",
	} {
		_, err := decodeResponse(`{"findings":[{"quote":"` + strings.Repeat(part, maxResponseText/len(part)-10))
		require.Error(t, err)
		_, err = decodeResponse(strings.Repeat(part, maxResponseText))
		require.Error(t, err)
	}
}
