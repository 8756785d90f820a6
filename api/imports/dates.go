package imports

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// earliestInterview is before any interview that is imported.
const earliestInterview = 1950

// monthNames are the names of months by their first letters, in lower case: English, German, Spanish, French,
// Portuguese, Italian and Dutch.
var monthNames = map[string]time.Month{
	"jan": time.January, "jän": time.January, "ene": time.January, "gen": time.January,
	"feb": time.February, "fév": time.February, "fev": time.February,
	"mar": time.March, "mär": time.March, "maa": time.March, "mrt": time.March,
	"apr": time.April, "abr": time.April, "avr": time.April,
	"may": time.May, "mai": time.May, "mag": time.May, "mei": time.May,
	"jun": time.June, "giu": time.June, "juin": time.June,
	"jul": time.July, "lug": time.July, "juil": time.July,
	"aug": time.August, "ago": time.August, "aoû": time.August,
	"sep": time.September, "set": time.September,
	"oct": time.October, "okt": time.October, "out": time.October, "ott": time.October,
	"nov": time.November,
	"dec": time.December, "dez": time.December, "dic": time.December, "déc": time.December,
}

const month = `(jan(?:uary|uar|vier|eiro|uari)?|jän(?:ner)?|ene(?:ro)?|gen(?:naio)?|` +
	`feb(?:ruary|ruar|rero|braio|ruari)?|févr?(?:ier)?|fev(?:ereiro)?|` +
	`mar(?:ch|s|zo|ço)?|märz?|maart|mrt|apr(?:il|ile)?|abr(?:il)?|avr(?:il)?|` +
	`may(?:o)?|mai(?:o)?|mag(?:gio)?|mei|` +
	`june?|juni(?:o)?|junho|juin|giu(?:gno)?|july?|juli(?:o)?|julho|juil(?:let)?|lug(?:lio)?|` +
	`aug(?:ust|ustus)?|ago(?:sto)?|août|sept?(?:ember|iembre|embre)?|set(?:embro|tembre)?|` +
	`oct(?:ober|ubre|obre)?|okt(?:ober)?|out(?:ubro)?|ott(?:obre)?|nov(?:ember|iembre|embre|embro)?|` +
	`dec(?:ember)?|dez(?:ember|embro)?|dic(?:iembre|embre)?|déc(?:embre)?)\.?`

// dateForms find dates. Their groups are named: y, m, d, name of a month, a and b for a day and a month whose
// order is known only if one of them is no month, and before and after for what is beside the date.
var dateForms = []*regexp.Regexp{
	regexp.MustCompile(`(?P<before>^|\D)(?P<y>\d{4})(?P<m>\d\d)(?P<d>\d\d)(?P<after>\D|$)`),
	regexp.MustCompile(`(?P<before>^|\D)(?P<y>\d{4})[-._/ ](?P<m>\d\d?)[-._/ ](?P<d>\d\d?)(?P<after>\D|$)`),
	regexp.MustCompile(`(?P<before>^|\D)(?P<d>\d\d?)\. ?(?P<m>\d\d?)\. ?(?P<y>\d{4})(?P<after>\D|$)`),
	regexp.MustCompile(`(?P<before>^|\D)(?P<a>\d\d?)[-_/](?P<b>\d\d?)[-_/](?P<y>\d{4})(?P<after>\D|$)`),
	regexp.MustCompile(`(?i)(?P<before>^|[^\pL])(?P<name>` + month +
		`)[ _-]+(?P<d>\d\d?)(?:st|nd|rd|th)?,?[ _-]+(?P<y>\d{4})(?P<after>\D|$)`),
	regexp.MustCompile(`(?i)(?P<before>^|\D)(?P<d>\d\d?)(?:\.|st|nd|rd|th)?[ _-]+(?:de |of )?(?P<name>` + month +
		`),?[ _-]+(?:de |del )?(?P<y>\d{4})(?P<after>\D|$)`),
}

// dateIn returns the date that a text names. It is zero if there is none or more than one, if its order of
// day and month is not known, and if it is after today.
func dateIn(text string, today time.Time) time.Time {
	var found time.Time
	for _, form := range dateForms {
		for _, match := range form.FindAllStringSubmatch(text, maxDates) {
			date := dateOf(form, match)
			if !isInterviewDate(date, today) || !found.IsZero() && !found.Equal(date) {
				return time.Time{}
			}
			found = date
		}
	}
	return found
}

// maxDates is how many dates of a form are looked at.
const maxDates = 4

// dateOf returns the date of a match, or zero for one that does not exist or may be two.
func dateOf(form *regexp.Regexp, match []string) time.Time {
	part := func(name string) int {
		i := form.SubexpIndex(name)
		if i < 0 {
			return 0
		}
		n, _ := strconv.Atoi(match[i])
		return n
	}
	y, m, d := part("y"), part("m"), part("d")
	if i := form.SubexpIndex("name"); i >= 0 {
		m = int(monthOf(match[i]))
	}
	if a, b := part("a"), part("b"); a > 0 && b > 0 {
		switch {
		case a > 12:
			d, m = a, b
		case b > 12 || a == b:
			m, d = a, b
		}
	}
	date := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)
	if date.Day() != d || int(date.Month()) != m {
		return time.Time{}
	}
	return date
}

func monthOf(name string) time.Month {
	letters := []rune(strings.ToLower(name))
	if len(letters) >= 4 {
		if m, ok := monthNames[string(letters[:4])]; ok {
			return m
		}
	}
	return monthNames[string(letters[:min(3, len(letters))])]
}

// isInterviewDate reports whether an interview may have taken place on a date. Somewhere it is tomorrow.
func isInterviewDate(date, today time.Time) bool {
	return date.Year() >= earliestInterview && !date.After(today.AddDate(0, 0, 1))
}
