package transcript

import (
	"regexp"
	"strings"

	"research/transcript/internal/plain"
)

// maxFrontMatter is how many lines the front matter of a page has, at most.
const maxFrontMatter = 200

var (
	// frontMatterLine is a field of front matter in YAML or TOML, an item of a list, or what continues one.
	frontMatterLine = regexp.MustCompile(`^(?:["']?[\w-]+["']?\s*[:=].*|\s*- .*|\s+.*|[\[\]{}#].*|)$`)

	// frontMatterKey is a field that pages have.
	frontMatterKey = regexp.MustCompile(
		`^["']?(?i:title|date|layout|tags|slug|description|author|categories|draft|episode|published)["']?\s*[:=]`)
)

// stripFrontMatter removes the fields before a page in Markdown that generators of web sites read: lines
// between "---", or "+++".
func stripFrontMatter(text string) string {
	text = strings.TrimLeft(text, "\n")
	fence, rest, ok := strings.Cut(text, "\n")
	if fence = strings.TrimRight(fence, " "); !ok || fence != "---" && fence != "+++" {
		return text
	}
	lines := plain.Lines{Text: rest}
	isPage := false
	for range maxFrontMatter {
		line, _, ok := lines.Next()
		switch {
		case !ok:
			return text
		case strings.TrimRight(line, " ") == fence:
			if !isPage {
				return text
			}
			return rest[lines.Pos:]
		case !frontMatterLine.MatchString(line):
			return text
		}
		isPage = isPage || frontMatterKey.MatchString(line)
	}
	return text
}

// stripComments removes what stands between "<!--" and "-->", which a page in Markdown does not show.
func stripComments(text string) string {
	if !strings.Contains(text, "<!--") {
		return text
	}
	var out strings.Builder
	out.Grow(len(text))
	for {
		before, after, ok := strings.Cut(text, "<!--")
		_, rest, closed := strings.Cut(after, "-->")
		if !ok || !closed {
			out.WriteString(text)
			return out.String()
		}
		out.WriteString(before)
		text = rest
	}
}
