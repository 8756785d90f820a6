package transcript

import (
	"strings"

	"research/transcript/pdf"
)

// minRowCells is how many cells the rows of a table in a PDF have, at least. A name and the words beside it
// are read as a hanging indent.
const minRowCells = 3

// rowsOf returns the rows of a PDF that is a table whose last column has the words: lines with the same
// number of cells, and below them lines that stand further to the right. It returns nil for other files.
func rowsOf(pages [][]pdf.Line) table {
	hyphens := countHyphens(pages)
	var rows table
	var words strings.Builder // of the last cell
	last, left := "", 0.0     // what the last cell ends with, and where rows start
	endRow := func() {
		if n := len(rows); n > 0 {
			words.WriteString(last)
			rows[n-1][len(rows[0])-1] = words.String()
			words.Reset()
		}
	}
	for _, page := range pages {
		for _, line := range page {
			cells := strings.Split(line.Text, "\t")
			switch {
			case len(rows) == 0 && len(cells) < minRowCells:
			case len(rows) == 0, len(cells) == len(rows[0]) && line.X < left+1 && !line.Above:
				if len(rows) == 0 {
					left = line.X
				}
				endRow()
				rows, last = append(rows, cells), cells[len(cells)-1]
			case len(cells) == 1 && line.X > left+1 && !line.Above:
				words.WriteString(hyphens.joined(last, line.Text))
				last = line.Text
			default:
				return nil
			}
		}
	}
	endRow()
	return rows
}
