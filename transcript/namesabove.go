package transcript

import "strings"

// joinNamesAbove puts names that stand above the lines of their words into these lines, behind the time: "Dana:" and
// "[0:03] text" become "[0:03] Dana: text". It returns the text as it is unless this is so for most times.
func joinNamesAbove(text string) string {
	lines := strings.Split(text, "\n")
	stamped := 0
	counts := styleCount{map[string]int{}}
	for i, line := range lines {
		if h, ok := timestampHeader(strings.TrimSpace(line)); !ok || h.rest == "" {
			continue
		}
		stamped++
		if name, ok := nameAbove(lines, i); ok {
			counts.add(name)
		}
	}
	names, labels := counts.recurring()
	if names < 2 || labels*10 < stamped*6 {
		return text
	}
	for i, line := range lines {
		trimmed := strings.TrimSpace(line)
		h, ok := timestampHeader(trimmed)
		if !ok || h.rest == "" {
			continue
		}
		if name, ok := nameAbove(lines, i); ok && counts.labels[name] > 0 {
			lines[i-1] = ""
			lines[i] = trimmed[:len(trimmed)-len(h.rest)] + name + ": " + h.rest
		}
	}
	return strings.Join(lines, "\n")
}

// nameAbove returns the name on the line above a line.
func nameAbove(lines []string, i int) (name string, ok bool) {
	if i == 0 || i > 1 && !isBlank(lines[i-2]) {
		return "", false
	}
	name = strings.TrimSuffix(strings.TrimSpace(lines[i-1]), ":")
	return name, name != "" && len(name) <= maxLabel && nameShapeOf(name) != notName
}
