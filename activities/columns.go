package activities

import (
	"fmt"
	"strings"

	"github.com/google/uuid"

	"research/activities/extract"
	"research/db"
)

// parseMultirange parses what PostgreSQL writes for an int4multirange: {[0,10),[20,30)}.
func parseMultirange(text string) (extract.Ranges, error) {
	var parts []extract.Range
	for rest := strings.Trim(text, "{}"); rest != ""; {
		var r extract.Range
		if _, err := fmt.Sscanf(rest, "[%d,%d)", &r.Start, &r.End); err != nil {
			return nil, fmt.Errorf("parse what was read: %w", err)
		}
		parts = append(parts, r)
		_, rest, _ = strings.Cut(rest, ")")
		rest = strings.TrimPrefix(rest, ",")
	}
	return extract.NewRanges(parts...), nil
}

// multirange writes ranges as PostgreSQL reads them.
func multirange(ranges extract.Ranges) string {
	parts := make([]string, len(ranges))
	for i, r := range ranges {
		parts[i] = fmt.Sprintf("[%d,%d)", r.Start, r.End)
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func hypothesisID(text string) (uuid.UUID, error) {
	id, err := uuid.Parse(text)
	if err != nil {
		return uuid.Nil, fmt.Errorf("parse the id of a hypothesis: %w", err)
	}
	return id, nil
}

// nullable returns nil for an empty text.
func nullable(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// valueOf returns an empty text for nil.
func valueOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// chunkOf is a row of the plan.
func chunkOf(row db.PrivateImportChunk) extract.Chunk {
	return extract.Chunk{
		From: int(row.UtteranceFrom), To: int(row.UtteranceTo),
		ByteStart: int(row.ByteStart), ByteEnd: int(row.ByteEnd),
	}
}
