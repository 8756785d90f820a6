package words

import "regexp"

// turkishEndings are the endings of a Turkish noun, without accents: of the plural, of a possessor, of cases,
// of adjectives and of "was", "is said to be" and "if it is".
var turkishEndings = regexp.MustCompile(`^(l[ae]r)?([ıiu]?m([ıiu]z)?|[ıiu]n([ıiu]z)?|s?[ıiu])?` +
	`(n?[dt][ae]n?|n?[ıiu]n|y?[ıiu]|y?[ae]|y?l[ae]|n[ae]|c[ae])?(ki|l[ıiu]k|d[ıiu]r)?` +
	`(l[ae]r)?([dt][ae]n?|[ıiu]n?|[ae]|y?[dt][ıiu][mnk]?|y?m[ıiu]s|y?s[ae])?$`)

// IsTurkishEnding reports whether a Turkish noun may end with the letters, after its root. They are folded.
func IsTurkishEnding(letters string) bool { return turkishEndings.MatchString(letters) }
