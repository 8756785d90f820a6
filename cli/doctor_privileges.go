package cli

import (
	"strings"

	"research/db"
)

// checkPrivileges reports what roles may do beyond what the migrations let them.
func (d *doctor) checkPrivileges(is db.Inspection) {
	severe, other := db.SplitWidenings(is.Widenings)
	if len(severe) > 0 {
		d.fail("privileges", "not those of the migrations: "+describe(severe),
			"run: research migrate, as the owner, which corrects them or says what an administrator has to run")
	}
	if len(other) > 0 {
		d.warn("privileges", describe(other), "if that is not meant, run: "+commands(other))
	}
	if len(is.ForeignGrants) > 0 {
		d.warn("privileges", "roles that are not the service's have privileges: "+db.Summarize(is.ForeignGrants),
			"check that these roles are meant to read it; row-level security applies to them, too")
	}
	if len(severe)+len(other)+len(is.ForeignGrants) == 0 {
		d.ok("privileges", "those of the migrations")
	}
}

func describe(widenings []db.Widening) string {
	whats := make([]string, len(widenings))
	for i, w := range widenings {
		whats[i] = w.What
	}
	return db.Summarize(whats)
}

// maxNamed bounds how many commands a finding has.
const maxNamed = 10

// commands returns the first commands of differences, as one line.
func commands(widenings []db.Widening) string {
	var all []string
	for _, w := range widenings[:min(len(widenings), maxNamed)] {
		all = append(all, w.Command)
	}
	return strings.Join(all, "; ")
}
