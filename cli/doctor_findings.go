package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"research/activities"
	"research/config"
)

// How severe a finding is.
const (
	stateOK   = "ok"
	stateWarn = "warn" // the service works, but not as well as it could, or not for long
	stateFail = "FAIL"
)

// A finding is the result of one check. It contains no secret.
type finding struct {
	Check string `json:"check"`
	State string `json:"state"`
	Found string `json:"found"`
	Do    string `json:"do,omitempty"` // advice
}

// A doctor collects findings.
type doctor struct {
	cfg      config.Config
	findings []finding
	// namespaceID is that of Temporal's namespace that belongs to the database; empty if that is not known.
	namespaceID string
	// workers run, as the database has it; nil if that is not known.
	workers activities.RunningVersions
}

func (d *doctor) ok(check, found string, args ...any) {
	d.findings = append(d.findings, finding{check, stateOK, fmt.Sprintf(found, args...), ""})
}

func (d *doctor) warn(check, found, do string) {
	d.findings = append(d.findings, finding{check, stateWarn, found, do})
}

func (d *doctor) fail(check, found, do string) {
	d.findings = append(d.findings, finding{check, stateFail, found, do})
}

// checkTimeout bounds each group of checks.
const checkTimeout = 10 * time.Second

func printFindings(w io.Writer, findings []finding, asJSON bool) error {
	if asJSON {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		return encoder.Encode(findings)
	}
	for _, f := range findings {
		if _, err := fmt.Fprintf(w, "%-5s %-18s %s\n", f.State, f.Check, f.Found); err != nil {
			return err
		}
		if f.Do != "" {
			if _, err := fmt.Fprintf(w, "%-24s → %s\n", "", f.Do); err != nil {
				return err
			}
		}
	}
	return nil
}
