package config

import (
	_ "embed"
	"fmt"
	"io"
	"text/template"
)

// Settings returns every setting, group by group.
func Settings() []Setting {
	c, _ := Load(func(string) string { return "" }) // missing settings are listed as well
	settings := make([]Setting, len(c.values))
	for i, v := range c.values {
		settings[i] = v.Setting
	}
	return settings
}

//go:embed settings.md.tmpl
var referenceText string

var referenceTemplate = template.Must(template.New("settings.md").Parse(referenceText))

// WriteReference writes docs/settings.md: a table of settings for each group.
func WriteReference(w io.Writer) error {
	type group struct {
		Name     string
		Settings []Setting
	}
	var groups []group
	for _, s := range Settings() {
		if len(groups) == 0 || groups[len(groups)-1].Name != s.Group {
			groups = append(groups, group{Name: s.Group})
		}
		last := &groups[len(groups)-1]
		last.Settings = append(last.Settings, s)
	}
	if err := referenceTemplate.Execute(w, groups); err != nil {
		return fmt.Errorf("write the reference of settings: %w", err)
	}
	return nil
}
