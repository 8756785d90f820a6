package config

import (
	"strings"
)

// A Problem is a setting that cannot be used. It never repeats the value.
type Problem struct {
	Setting string
	Reason  string
}

// Problems is the error of Load, Require and Invalid.
type Problems struct {
	List []Problem
}

// Invalid returns the error of a setting that its consumer cannot use.
func Invalid(setting, reason string) *Problems {
	return &Problems{List: []Problem{{setting, reason}}}
}

func (p *Problems) Error() string {
	lines := make([]string, len(p.List))
	for i, one := range p.List {
		lines[i] = one.Setting + " " + one.Reason
	}
	return "settings: " + strings.Join(lines, "; ")
}
