package backup

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strconv"
	"time"
)

// A header describes a backup.
type header struct {
	takenAt time.Time // when pg_dump began, just before its snapshot
	major   int       // of the pg_dump that wrote it
	entries []byte    // pg_restore's list of what it contains
}

var (
	takenPattern  = regexp.MustCompile(`(?m)^; Archive created at (.+ UTC)$`)
	dumperPattern = regexp.MustCompile(`(?m)^; +Dumped by pg_dump version: (\d+)`)
)

// readHeader reads a backup's list of contents by pg_restore of this major version.
func readHeader(ctx context.Context, tools Tools, major int, path string) (header, error) {
	var list bytes.Buffer
	if err := tools.run(ctx, "pg_restore", major, "", &list, "--list", path); err != nil {
		return header{}, fmt.Errorf("read the backup %s: %w", path, err)
	}
	h := header{entries: list.Bytes()}
	taken, dumper := takenPattern.FindSubmatch(h.entries), dumperPattern.FindSubmatch(h.entries)
	if taken == nil || dumper == nil {
		return header{}, fmt.Errorf("read the backup %s: its header is incomplete", path)
	}
	var err error
	if h.takenAt, err = time.Parse("2006-01-02 15:04:05 MST", string(taken[1])); err != nil {
		return header{}, fmt.Errorf("read the backup %s: %w", path, err)
	}
	h.major, err = strconv.Atoi(string(dumper[1]))
	return h, err
}
