package cli

import (
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// newTable writes columns that are separated by tabs, aligned, when it is flushed.
func newTable(w io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(w, 0, 0, 2, ' ', 0) }

// formatTime writes a time in UTC, to the minute; nil is a dash.
func formatTime(at *time.Time) string {
	if at == nil {
		return "-"
	}
	return at.UTC().Format("2006-01-02 15:04Z")
}

// printable removes control characters, so that text from clients cannot control the terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, s)
}
