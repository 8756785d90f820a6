package web_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// vocabulary are the classes that mean the same in every view. The rules of base.css and controls.css are for
// the whole page; others that may begin with a class are here, by sheet.
var vocabulary = map[string][]string{
	"frame": {
		"shell", "brand", "view", "project", "interview", "page", "subject", "alone", "head", "cards", "card",
		"plain", "invitation", "door", "find-button", "menu-icon",
	},
	"lists":     {"hypotheses", "questions", "imports", "members", "statement", "filters", "chosen-interviews"},
	"board":     {"board", "conclusion", "person", "filters", "tasks", "saving", "conflict", "grid"},
	"evidence":  {"evidence", "stance", "picked-bar"},
	"interview": {"interview", "reading", "time", "voice", "redacting"},
	"workbench": {"interview", "guide-page"},
	"review":    {"review", "review-list"},
	"findings":  {"findings-page", "report-page"},
	"dialogs":   {"wide", "door", "check", "audit", "toasts", "toast", "discarded-quotes"},
	"uploads":   {"drop", "uploads"},
	"speaks":    {"speaks", "tag", "note", "uploads"},
	"ask":       {"ask-page"},
	"access":    {"consent", "copied"},
	"search":    {"search", "hits", "collected", "hit"},
	"themes": {
		"themes-page", "theme-columns", "theme-column", "theme-list", "theme-head", "theme-card", "theme-bar",
		"proposals", "said-words", "proposed-quotes", "word-places", "theme-choices", "archived-themes",
		"theme-matrix",
	},
	"coding": {
		"theme-dot", "theme-picker", "theme-popup", "theme-opener", "theme-chips", "notes", "evidence", "loose",
		"loose-link", "review", "empty",
	},
}

// A rule that begins with a class applies wherever the class is used, in views that its author did not think
// of: a sheet of a view begins its rules with the root of the view, or with ":where(.root) ", which leaves
// their specificity as it is.
func TestStylesAreScoped(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("assets/styles/*.css")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var all []string
	for _, classes := range vocabulary {
		all = append(all, classes...)
	}
	all = append(all, sharedClasses(t)...)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".css")
		if name == "base" || name == "controls" {
			continue
		}
		for _, selector := range selectors(readSheet(t, name)) {
			if class := firstClass(selector); class != "" && !slices.Contains(all, class) {
				t.Errorf("%s: %q reaches every view: begin it with the root of its view, as in "+
					"\":where(.board) %s\"", filepath.Base(file), selector, selector)
			}
		}
	}
	for name := range vocabulary {
		require.FileExists(t, "assets/styles/"+name+".css")
	}

	t.Run("finds what is not scoped", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, []string{".reason", "p.reason", ":where(.board) .reason", ".board > .reason", "mark"},
			selectors("/* .x { */ @media print { .reason, p.reason { color: red; } }\n"+
				":where(.board) .reason { a: b } .board > .reason { c: d } @keyframes k { from { e: f } } mark { g: h }"))
		require.Equal(t, "reason", firstClass(".reason"))
		require.Equal(t, "reason", firstClass("p.reason:hover b"))
		require.Equal(t, "board", firstClass(".board > .reason"))
		require.Empty(t, firstClass(":where(.board) .reason"))
		require.Empty(t, firstClass("mark"))
	})
}

func readSheet(t *testing.T, name string) string {
	t.Helper()
	css, err := os.ReadFile("assets/styles/" + name + ".css")
	require.NoError(t, err)
	return string(css)
}

// sharedClasses returns the classes with which rules of the sheets for the whole page begin.
func sharedClasses(t *testing.T) []string {
	t.Helper()
	var classes []string
	for _, name := range []string{"base", "controls"} {
		for _, selector := range selectors(readSheet(t, name)) {
			if class := firstClass(selector); class != "" {
				classes = append(classes, class)
			}
		}
	}
	return classes
}

var (
	cssComment   = regexp.MustCompile(`(?s)/\*.*?\*/`)
	cssKeyframes = regexp.MustCompile(`@keyframes[^{]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}`)
	cssPrelude   = regexp.MustCompile(`([^{};]+)\{`)
	leadingClass = regexp.MustCompile(`^[a-z]*\.([a-z]+(?:-[a-z]+)*)`)
)

// selectors returns the selectors of a sheet, each by itself.
func selectors(css string) []string {
	css = cssKeyframes.ReplaceAllString(cssComment.ReplaceAllString(css, ""), "")
	var found []string
	for _, match := range cssPrelude.FindAllStringSubmatch(css, -1) {
		prelude := strings.TrimSpace(match[1])
		if prelude == "" || strings.HasPrefix(prelude, "@") {
			continue
		}
		depth, from := 0, 0
		for i, c := range prelude {
			switch {
			case c == '(':
				depth++
			case c == ')':
				depth--
			case c == ',' && depth == 0:
				found = append(found, strings.TrimSpace(prelude[from:i]))
				from = i + 1
			}
		}
		found = append(found, strings.TrimSpace(prelude[from:]))
	}
	return found
}

// firstClass returns the first class of the leftmost part of a selector, or "" if it has none.
func firstClass(selector string) string {
	match := leadingClass.FindStringSubmatch(selector)
	if match == nil {
		return ""
	}
	return match[1]
}
