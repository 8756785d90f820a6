//go:build infrastructure

package web_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"research/dev/devtest"
)

// Texts that people said, and texts that somebody made up who wants a spreadsheet to run them.
var said = []string{
	"x;=cmd|' /C calc'!A0;y", "a\t=1+1", "a,=1+1", "first\r\n=1+1", `"=1+1"`, "=HYPERLINK(\"http://a.example\")",
	"+1+1", "-1+1", "@SUM(1)", "Grüße, „sagte“ sie; 東京", "1,5", "plain",
}

// LibreOffice opens our CSV. With the separator that is ours, each text is one cell, as it was said but for
// the apostrophes before formulas. With another one, which its dialog may suggest, no part is a formula.
func TestSpreadsheetOpensCSV(t *testing.T) {
	t.Parallel()
	devtest.NeedPrograms(t, "node", "python3", "soffice")
	folder := t.TempDir()
	texts, err := json.Marshal(said)
	require.NoError(t, err)
	path := filepath.Join(folder, "said.csv")
	written, err := exec.CommandContext(t.Context(), "node", "--input-type=module", "--eval", `
		import { readFileSync } from 'node:fs';
		const code = readFileSync('assets/views/export/csv.js', 'utf8');
		const { csv } = await import('data:text/javascript,' + encodeURIComponent(code));
		const columns = [['id', () => 7], ['said', (text) => text], ['after', () => 'end']];
		process.stdout.write(csv(columns, `+string(texts)+`));`).Output()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, written, 0o600))

	for name, separator := range map[string]rune{"comma": ',', "semicolon": ';', "tab": '\t'} {
		for _, row := range readCSV(t, path, separator) {
			for _, cell := range row {
				require.NotRegexp(t, `^[\s"]*[=+\-@]`, cell, "Python's csv, %s", name)
			}
		}
		rows, formulas := openSheet(t, path, separator)
		require.Empty(t, formulas, name)
		if separator != ',' {
			continue
		}
		require.Len(t, rows, 1+len(said), "each text is one row")
		require.Equal(t, "id", readCSV(t, path, ',')[0][0], "without the byte order mark")
		for i, text := range said {
			require.Len(t, rows[i+1], 3, "%q is one cell: %q", text, rows[i+1])
			require.Equal(t, "end", rows[i+1][2])
		}
		require.Equal(t, "Grüße, „sagte“ sie; 東京", rows[10][1])
	}

	bare := filepath.Join(folder, "bare.csv")
	require.NoError(t, os.WriteFile(bare, []byte("=1+1;end\r\n"), 0o600))
	_, formulas := openSheet(t, bare, ';')
	require.NotEmpty(t, formulas, "LibreOffice runs formulas of a CSV")
}

// readCSV returns the cells of a CSV as Python's csv divides it.
func readCSV(t *testing.T, path string, separator rune) (rows [][]string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "python3", "-c", `
import csv, json, sys
with open(sys.argv[1], encoding="utf-8-sig", newline="") as file:
    print(json.dumps(list(csv.reader(file, delimiter=sys.argv[2]))))`, path, string(separator)).Output()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(out, &rows))
	return rows
}

// openSheet returns the cells of a CSV, and those that became formulas.
func openSheet(t *testing.T, path string, separator rune) (rows [][]string, formulas []string) {
	t.Helper()
	folder := t.TempDir()
	const evaluate = ",34,76,1,,0,false,true,false,false,false,-1,true" // quotes, UTF-8, and formulas run
	out, err := exec.CommandContext(t.Context(), "soffice", "-env:UserInstallation=file://"+folder, "--headless",
		"--infilter=CSV:"+strconv.Itoa(int(separator))+evaluate, "--convert-to", "xlsx", "--outdir", folder,
		path).CombinedOutput()
	require.NoError(t, err, "%s", out)
	name := filepath.Base(path)
	book, err := excelize.OpenFile(filepath.Join(folder, name[:len(name)-len("csv")]+"xlsx"))
	require.NoError(t, err, "%s", out)
	defer func() { _ = book.Close() }()
	sheet := book.GetSheetName(0)
	rows, err = book.GetRows(sheet)
	require.NoError(t, err)
	for i, row := range rows {
		for j := range row {
			cell, err := excelize.CoordinatesToCellName(j+1, i+1)
			require.NoError(t, err)
			formula, err := book.GetCellFormula(sheet, cell)
			require.NoError(t, err)
			if formula != "" {
				formulas = append(formulas, cell+": "+formula)
			}
		}
	}
	return rows, formulas
}
