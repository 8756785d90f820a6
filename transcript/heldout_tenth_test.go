package transcript_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// The tenth set of files that nobody had seen: 62 layouts, each with three kinds of labels and three frames
// of titles, lists, summaries, notes and closing lines, for interviews in eleven languages. It was written
// before any of its files was read. It is scored as the ninth set.
func TestTenthSetStaysAsGoodAsItWas(t *testing.T) {
	t.Parallel()
	const mostSilent, leastRight = 2, 352
	styles, count := map[string]bool{}, map[string]int{}
	files := tenthFiles(t)
	for _, f := range files {
		outcome, why := f.score()
		if why != "" {
			t.Logf("%s: %s (%s): %s", outcome, f.style.name, f.talk.lang, why)
		}
		styles[f.style.name] = true
		count[outcome]++
	}
	t.Logf("%d files in %d styles: %v", len(files), len(styles), count)
	requireAsGood(t, count, mostSilent, leastRight)
}

// tenthLabels are the ways to name people, in the order in which the layouts have them.
var tenthLabels = []string{
	"full", "first", "role", "initials", "num", "code", "surname", "caps", "ib", "letter", "firm", "num0", "qa",
	"pronouns", "me", "described",
}

// stylesPerLayout and filesPerStyle say how many styles a layout makes, and how many talks are written in
// each.
const (
	stylesPerLayout = 3
	filesPerStyle   = 2
)

// tenthFiles writes talks in all layouts, each with some labels and frames.
func tenthFiles(t *testing.T) []ninthFile {
	t.Helper()
	talks, frames := ninthTalks(t, "templates/layout-interviews.txt"), ninthStyles(t, "templates/frames.txt")
	var files []ninthFile
	for i, layout := range ninthStyles(t, "templates/layouts.txt") {
		for k := range stylesPerLayout {
			s := layout
			s.label = tenthLabels[(i*stylesPerLayout+k)%len(tenthLabels)]
			s.name += ", " + s.label
			if !s.flags["bare"] {
				frame := frames[(i+k*5)%len(frames)]
				s.name += ", " + frame.name
				s.header = strings.TrimSuffix(frame.header+"\n"+layout.header, "\n")
				s.aside, s.footer = frame.aside, frame.footer
			}
			suitable := slices.DeleteFunc(slices.Clone(talks), func(talk ninthTalk) bool { return !s.suits(talk) })
			order := rand.New(rand.NewPCG(10, uint64(i*stylesPerLayout+k))).Perm(len(suitable))
			for _, n := range order[:min(filesPerStyle, len(order))] {
				files = append(files, s.render(suitable[n]))
			}
		}
	}
	return files
}

// suits reports whether a talk can be written in a style: some labels are those of two people, or of names
// with capitals, and the PDFs have the letters of Western Europe.
func (s ninthStyle) suits(talk ninthTalk) bool {
	isUncased := talk.lang == "ko" || talk.lang == "zh"
	pair := slices.Contains([]string{"qa", "me", "ib", "code", "pronouns", "firm"}, s.label)
	single := slices.Contains([]string{"first", "initials", "surname", "caps"}, s.label)
	isWestern := slices.Contains([]string{"en", "de", "fr", "es", "da", "fi"}, talk.lang)
	switch {
	case pair && len(talk.people) > 2, s.label == "described" && len(talk.people) < 3, isUncased && single:
		return false
	}
	return s.container != "pdf" || isWestern
}
