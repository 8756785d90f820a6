package guide

import "maps"

// Languages are those of our own questions.
func Languages() []string { return languages }

// OursIn returns our own questions in a language by category.
func OursIn(language string) map[string][]string {
	t := templatesIn(language)
	ours := maps.Clone(t.byCategory)
	ours["general"] = t.general
	return ours
}
