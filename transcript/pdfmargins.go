package transcript

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"research/transcript/internal/running"
	"research/transcript/pdf"
)

// A marginLine is a line with "#" for its numbers, and its height on the page in points.
type marginLine struct {
	key string
	y   int
}

// dropRunningLines removes headers and footers: lines in the margins that recur at the same height of most
// pages, and the page number of a single page. The outermost lines go first.
func dropRunningLines(pages [][]pdf.Line) {
	for range running.Edge {
		dropOutermostLines(pages)
	}
}

func dropOutermostLines(pages [][]pdf.Line) {
	inMargins, elsewhere := map[marginLine]int{}, map[string]int{}
	for _, page := range pages {
		onPage := map[marginLine]bool{}
		bottom, top := heightsOf(page)
		for _, line := range page {
			key, _ := running.MaskNumbers(line.Text)
			isMargin := line.Margin || line.Y < bottom+1 || line.Y > top-1
			if place := marginLineOf(line); isMargin && !onPage[place] {
				onPage[place] = true
				inMargins[place]++
			} else {
				elsewhere[key]++
			}
		}
	}
	for i, page := range pages {
		bottom, top := heightsOf(page)
		pages[i] = withoutLines(page, func(line pdf.Line) bool {
			place := marginLineOf(line)
			n := inMargins[place]
			if line.Y < bottom+1 || line.Y > top-1 {
				line.Margin = line.Margin || n >= len(pages)-1
			}
			if !line.Margin || len(line.Text) > running.MaxLine || running.IsWordy(line.Text) {
				return false
			}
			if len(pages) == 1 {
				number, hasWord, ok := running.PageNumber(line.Text)
				return ok && number == 1 && (hasWord || line.Text == "1") && line.Y < bottom+1
			}
			return n > 1 && n*10 >= (len(pages)-1)*6 && elsewhere[place.key] < n &&
				(n >= running.MinPages || elsewhere[place.key] == 0)
		})
	}
}

func marginLineOf(line pdf.Line) marginLine {
	key, _ := running.MaskNumbers(line.Text)
	return marginLine{key: key, y: int(math.Round(line.Y))}
}

// heightsOf returns the heights of the lowest and of the highest line of a page.
func heightsOf(page []pdf.Line) (bottom, top float64) {
	bottom, top = math.Inf(1), math.Inf(-1)
	for _, line := range page {
		bottom, top = min(bottom, line.Y), max(top, line.Y)
	}
	return bottom, top
}

// withoutLines removes lines of a page. Whether a line stands above the one before it is computed again.
func withoutLines(page []pdf.Line, drop func(pdf.Line) bool) []pdf.Line {
	var kept []pdf.Line
	dropped := false
	for _, line := range page {
		if drop(line) {
			dropped = true
			continue
		}
		if dropped {
			line.SetApart = true
			line.Above = len(kept) > 0 && line.Y > kept[len(kept)-1].Y+1
		}
		kept, dropped = append(kept, line), false
	}
	return kept
}

// minMarginNumbers is how many lines a file has, at least, that are the numbers of others.
const minMarginNumbers = 3

// dropLineNumbers removes the numbers of lines that stand on their own, to the left of the text. They count
// up by one, five or ten.
func dropLineNumbers(pages [][]pdf.Line) {
	left := math.Inf(1)
	for _, page := range pages {
		for _, line := range page {
			if _, err := strconv.Atoi(line.Text); err != nil {
				left = min(left, line.X)
			}
		}
	}
	isNumber := func(line pdf.Line) bool {
		n, err := strconv.Atoi(line.Text)
		return err == nil && n > 0 && line.X < left
	}
	var numbers []int
	for _, page := range pages {
		for _, line := range page {
			if n, err := strconv.Atoi(line.Text); err == nil && isNumber(line) {
				numbers = append(numbers, n)
			}
		}
	}
	if len(numbers) < minMarginNumbers || !slices.Contains([]int{1, 5, 10}, numbers[1]-numbers[0]) {
		return
	}
	step := numbers[1] - numbers[0]
	for i, n := range numbers[1:] {
		if n != numbers[i]+step && n != step {
			return
		}
	}
	for i, page := range pages {
		pages[i] = withoutLines(page, isNumber)
	}
}

// dropHeadings removes the rows with the headings of tables.
func dropHeadings(pages [][]pdf.Line) {
	for i, page := range pages {
		pages[i] = withoutLines(page, func(line pdf.Line) bool {
			_, ok := headedColumns(strings.Split(line.Text, "\t"))
			return ok
		})
	}
}
