package transcript

import (
	"bytes"
	"errors"
	"strings"

	"github.com/xuri/excelize/v2"

	"research/transcript/internal/format"
	"research/transcript/internal/plain"
	"research/transcript/internal/turn"
)

// detectXLSX reads the first worksheet of a spreadsheet (ECMA-376, part 1, chapter 18) that has a column with
// words and one with speakers or times.
func detectXLSX(data []byte) (source, error) {
	file, err := excelize.OpenReader(bytes.NewReader(data), excelize.Options{
		UnzipSizeLimit: maxUnpacked,
		// Larger parts would be unpacked to temporary files.
		UnzipXMLSizeLimit: maxUnpacked,
	})
	if err != nil {
		return source{}, format.Unsupported("It is a spreadsheet that is damaged, has a password, or unpacks to " +
			"far more than a transcript has. Please save it as CSV, and upload that.")
	}
	defer func() { _ = file.Close() }()
	for _, sheet := range file.GetSheetList() {
		rows, err := readSheet(file, sheet)
		if err != nil {
			return source{}, format.Unsupported("It is a damaged spreadsheet. Please save it as CSV, and upload that.")
		}
		if c, ok := rows.findColumns(); ok {
			return source{format: format.XLSX, parse: func() turn.List { return rows.turns(c) }}, nil
		}
	}
	return source{}, format.Unsupported("It is a spreadsheet without a column of words beside one of speakers " +
		"or times. Please name the columns Speaker, Start and Text, or upload the transcript as VTT, SRT, TXT, " +
		"DOCX or JSON.")
}

var errManyCells = errors.New("the worksheet has too many cells")

// maxCells bounds the cells of a worksheet. A row reaches to its last cell, so that a small file can have
// many.
const maxCells = 4 << 20

// readSheet returns the rows of a worksheet that are not empty.
func readSheet(file *excelize.File, sheet string) (table, error) {
	rows, err := file.Rows(sheet)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var t table
	cells := 0
	for rows.Next() {
		row, err := rows.Columns()
		if err != nil {
			return nil, err
		}
		if cells += len(row) + 1; cells > maxCells {
			return nil, errManyCells
		}
		if len(row) > maxTableColumns {
			row = row[:maxTableColumns]
		}
		if !plain.IsBlank(strings.Join(row, "")) {
			t = append(t, row)
		}
		if len(t) > turn.Max+1 {
			return nil, errManyCells
		}
	}
	return t, rows.Error()
}
