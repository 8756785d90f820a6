package backup

import (
	"context"
	"strings"

	"research/db"
)

// scratchSuffix is what the name of a scratch database adds to that of the database in use.
const scratchSuffix = "_drill"

// Scratch restores a backup beside the database at url, into one that is named like it with the suffix
// _drill, and calls fn with its URL. The scratch database is dropped afterwards. One that a killed process
// left is dropped first; if somebody is connected to it, Scratch fails.
func Scratch(
	ctx context.Context, tools Tools, path, url string, jobs int, fn func(url string, r Restored) error,
) (err error) {
	cfg, err := db.ParseURL(url)
	if err != nil {
		return err
	}
	scratch, err := withDatabase(url, strings.TrimSuffix(cfg.Database, scratchSuffix)+scratchSuffix)
	if err != nil {
		return err
	}
	if err := dropDatabase(ctx, scratch); err != nil {
		return err
	}
	restored, err := Restore(ctx, tools, path, scratch, jobs)
	if err != nil {
		return err
	}
	defer func() {
		if dropErr := dropDatabase(context.WithoutCancel(ctx), scratch); err == nil {
			err = dropErr
		}
	}()
	return fn(scratch, restored)
}
