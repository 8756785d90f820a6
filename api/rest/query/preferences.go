package query

import (
	"slices"
	"strconv"
	"strings"
)

// Preferences are those of the Prefer header (RFC 7240;
// https://docs.postgrest.org/en/stable/references/api/preferences.html). An empty field means that the
// preference is absent.
type Preferences struct {
	Return      string // ReturnRepresentation, ReturnHeadersOnly or ReturnMinimal
	Resolution  string // MergeDuplicates or IgnoreDuplicates
	Count       string // CountExact, CountPlanned or CountEstimated
	Transaction string // Commit or Rollback
	Missing     string // MissingDefault or MissingNull
	Handling    string // strict or lenient
	Timezone    string
	MaxAffected *int64
	Unknown     []string // preferences that do not exist
}

// The values of preferences.
const (
	ReturnRepresentation = "representation"
	ReturnHeadersOnly    = "headers-only"
	ReturnMinimal        = "minimal"
	MergeDuplicates      = "merge-duplicates"
	IgnoreDuplicates     = "ignore-duplicates"
	CountExact           = "exact"
	CountPlanned         = "planned"
	CountEstimated       = "estimated"
	Commit               = "commit"
	Rollback             = "rollback"
	MissingDefault       = "default"
	MissingNull          = "null"
)

// Strict reports whether unknown preferences are rejected and max-affected is enforced.
func (p Preferences) Strict() bool { return p.Handling == "strict" }

// Limit returns how many rows a write may affect, or nil.
func (p Preferences) Limit() *int64 {
	if !p.Strict() {
		return nil
	}
	return p.MaxAffected
}

// parsePreferences reads the lines of a Prefer header. If a preference is given twice, the first one applies.
func parsePreferences(lines []string) Preferences {
	var p Preferences
	for preference := range strings.SplitSeq(strings.Join(lines, ","), ",") {
		if preference = strings.TrimSpace(preference); preference != "" {
			p.add(preference)
		}
	}
	return p
}

func (p *Preferences) add(preference string) {
	name, value, _ := strings.Cut(preference, "=")
	switch field, values := p.field(name); {
	case slices.Contains(values, value), name == "timezone" && value != "":
		if *field == "" {
			*field = value
		}
	case name == "max-affected": // PostgREST ignores what is not a number
		if n, err := strconv.ParseInt(value, 10, 64); err == nil && p.MaxAffected == nil {
			p.MaxAffected = &n
		}
	default:
		p.Unknown = append(p.Unknown, preference)
	}
}

// field returns the field of a preference, and the values that it can have.
func (p *Preferences) field(name string) (field *string, values []string) {
	switch name {
	case "return":
		return &p.Return, []string{ReturnRepresentation, ReturnHeadersOnly, ReturnMinimal}
	case "resolution":
		return &p.Resolution, []string{MergeDuplicates, IgnoreDuplicates}
	case "count":
		return &p.Count, []string{CountExact, CountPlanned, CountEstimated}
	case "tx":
		return &p.Transaction, []string{Commit, Rollback}
	case "missing":
		return &p.Missing, []string{MissingDefault, MissingNull}
	case "handling":
		return &p.Handling, []string{"strict", "lenient"}
	case "timezone":
		return &p.Timezone, nil // PostgreSQL validates the value
	}
	return nil, nil
}
