package cli

import (
	"context"
	"fmt"
	"strings"

	"research/db"
)

// topConsumers is how many workspaces the doctor names for each kind of usage.
const topConsumers = 3

// nearQuota is the share of a quota from which on a workspace is reported.
const nearQuota = 0.8

// usageKinds are what workspaces use, with the unit of the amounts.
var usageKinds = []struct{ kind, unit string }{
	{"storage", "bytes of transcripts"},
	{"uploads", "uploads today"},
	{"tokens", "tokens today"},
	{"rows", "rows written by clients"},
}

// checkUsage names the workspaces that use most, and those that are near a quota.
func (d *doctor) checkUsage(ctx context.Context, store *db.Store) {
	consumers, err := db.AsService(ctx, store, func(q *db.Queries) ([]db.ListConsumersRow, error) {
		return q.ListConsumers(ctx, topConsumers)
	})
	if err != nil {
		d.fail("usage", "what workspaces use cannot be read", "check what the programs may do in the database")
		return
	}
	d.reportUsage(consumers)
}

func (d *doctor) reportUsage(consumers []db.ListConsumersRow) {
	for _, usage := range usageKinds {
		var most []string
		total, near := int64(0), false
		quota, setting := d.quotaOf(usage.kind)
		for _, c := range consumers {
			if c.Kind != usage.kind {
				continue
			}
			total = c.Total
			near = near || quota > 0 && float64(c.Amount) >= nearQuota*float64(quota)
			most = append(most, fmt.Sprintf("%s: %d", c.WorkspaceID, c.Amount))
		}
		if len(most) == 0 {
			continue
		}
		found := fmt.Sprintf("%d %s; most by %s", total, usage.unit, strings.Join(most, ", "))
		if near {
			d.warn("usage", fmt.Sprintf("%s, of at most %d", found, quota),
				"raise "+setting+" and restart serve, or look into the workspace: see docs/operations.md, Quotas")
		} else {
			d.ok("usage", "%s", found)
		}
	}
}

// quotaOf returns the quota of a workspace and its setting; 0 for none.
func (d *doctor) quotaOf(kind string) (quota int64, setting string) {
	switch kind {
	case "storage":
		return d.cfg.Quotas.WorkspaceStorage, "WORKSPACE_STORAGE"
	case "uploads":
		return d.cfg.Quotas.WorkspaceUploadsPerDay, "WORKSPACE_UPLOADS_PER_DAY"
	case "tokens":
		return d.cfg.Quotas.WorkspaceTokensPerDay, "WORKSPACE_TOKENS_PER_DAY"
	}
	return 0, ""
}
