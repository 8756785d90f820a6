package mask

import (
	"math/big"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// The patterns of personal data with a structure.
var (
	emailPattern = regexp.MustCompile(`[\pL\pN._%+\-]+@[\pL\pN\-]+(?:\.[\pL\pN\-]+)*\.\pL{2,}`)
	urlPattern   = regexp.MustCompile(`(?i)\b(?:https?|ftp|wss?)://[^\s<>"'“”«»]+|\bwww\.[^\s<>"'“”«»]+`)
	ibanPattern  = regexp.MustCompile(`\b[A-Z]{2}\d{2}(?:[ ]?[A-Z0-9]{1,4}){3,8}\b`)
	cardPattern  = regexp.MustCompile(`\b\d(?:[ \-]?\d){12,18}\b`)
	phonePattern = regexp.MustCompile(`(?:\+|\b00|\(|\b0|\b)\d[\d \x{00A0}().\-/]{5,18}\d\b`)
	// Keys of services, UUIDs, JSON web tokens and American social security numbers.
	secretPattern = regexp.MustCompile(`\b(?:sk|pk|rk|ghp|gho|xox[abp]|AKIA)[\-_A-Za-z0-9]{14,}\b|` +
		`\beyJ[\w\-]{8,}\.[\w\-]{8,}\.[\w\-]{4,}|` +
		`\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b|\b\d{3}-\d{2}-\d{4}\b`)
)

// Parts of postal addresses.
const (
	capital = `\p{Lu}[\pL'’.\-]*`
	// town follows the street: a postal code before or after the name of the town.
	town = `(?:,?\s+(?:in\s+|à\s+|en\s+|a\s+|em\s+)?(?:\d{5}|\d{4}-\d{3}|\d{4}\s?[A-Z]{2})\s+` +
		capital + `(?:\s` + capital + `)?|,?\s+` + capital + `(?:\s` + capital + `)?,?\s+` +
		`(?:[A-Z]{2}\s+\d{5}(?:-\d{4})?|[A-Z]{1,2}\d[A-Z\d]?\s?\d[A-Z]{2})\b)?`
	link = `(?:(?:de|del|della|delle|dei|du|des|da|do|das|dos|la|las|le|les|los|el|di)\s+|d['’]|l['’])*`
)

// addressPatterns are streets with a number, by the language of their form.
var addressPatterns = []*regexp.Regexp{
	// English
	regexp.MustCompile(`\b\d{1,5}[A-Za-z]?\s+(?:` + capital + `\s+){1,4}` +
		`(?:Street|St\.?|Road|Rd\.?|Avenue|Ave\.?|Lane|Ln\.?|Drive|Dr\.?|Boulevard|Blvd\.?|` +
		`Court|Way|Place|Square|Terrace|Close|Crescent)\b` + town),
	// German and Dutch
	regexp.MustCompile(`\p{Lu}[\pL.\-]*(?:straße|strasse|str\.|weg|platz|allee|gasse|ring|damm|ufer|` +
		`straat|laan|plein|gracht|kade|dijk)\s+\d{1,4}\s?[a-z]?\b` + town),
	regexp.MustCompile(`\p{Lu}[\pL\-]*\s(?:Straße|Strasse|Str\.|Weg|Platz|Allee|Gasse|Ring|Damm|Ufer|` +
		`Straat|Laan|Plein|Gracht)\s+\d{1,4}\s?[a-z]?\b` + town),
	// French
	regexp.MustCompile(`\b\d{1,4}(?:\s?(?:bis|ter))?,?\s+` +
		`(?i:rue|avenue|boulevard|place|chemin|allée|impasse|quai|route)\s+` +
		link + capital + `(?:[\s\-]` + link + capital + `){0,3}` + town),
	// Spanish, Italian, Portuguese
	regexp.MustCompile(`\b(?i:calle|avenida|avda\.?|plaza|paseo|carrer|` +
		`via|viale|piazza|corso|largo|vicolo|rua|travessa|praça)\s+` +
		link + capital + `(?:\s` + link + capital + `){0,3},?\s+(?:n\.?[ºo°]\s*)?\d{1,4}\b` + town),
}

// personalData is at bytes [start, end) of a text. Its kind is that of its placeholder.
type personalData struct {
	start, end int
	kind       string
}

// findStructured returns the personal data of a text that has a structure. Parts may overlap.
func findStructured(text string) []personalData {
	var found []personalData
	add := func(kind string, pattern *regexp.Regexp, isReal func(string) bool) {
		for _, at := range pattern.FindAllStringIndex(text, -1) {
			start, end := at[0], at[1]
			for end > start && strings.ContainsRune(".,;:!?)-/ ", rune(text[end-1])) && kind != "ADDRESS" {
				end--
			}
			if isReal == nil || isReal(text[start:end]) {
				found = append(found, personalData{start, end, kind})
			}
		}
	}
	if strings.ContainsRune(text, '@') {
		add("EMAIL", emailPattern, nil)
	}
	add("URL", urlPattern, identifiesSomebody)
	for _, pattern := range addressPatterns {
		add("ADDRESS", pattern, nil)
	}
	if !strings.ContainsFunc(text, unicode.IsDigit) {
		return found
	}
	add("IBAN", ibanPattern, isIBAN)
	add("CARD", cardPattern, isCardNumber)
	add("SECRET", secretPattern, nil)
	add("PHONE", phonePattern, isPhoneNumber)
	return found
}

// identifiesSomebody reports whether a URL has a password, a query, a fragment, or an identifier in its path.
func identifiesSomebody(raw string) bool {
	u, err := url.Parse(raw)
	if err != nil || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return true
	}
	return slices.ContainsFunc(strings.Split(u.Path, "/"), func(part string) bool {
		const identifier = 6
		return strings.HasPrefix(part, "@") ||
			len(part) >= identifier && strings.ContainsFunc(part, unicode.IsDigit)
	})
}

// isIBAN checks the length and the check digits (ISO 13616).
func isIBAN(text string) bool {
	s := strings.ReplaceAll(text, " ", "")
	if len(s) < 15 || len(s) > 34 {
		return false
	}
	var digits strings.Builder
	for _, r := range s[4:] + s[:4] {
		if r >= 'A' {
			digits.WriteString(big.NewInt(int64(r - 'A' + 10)).String())
		} else {
			digits.WriteRune(r)
		}
	}
	n, ok := new(big.Int).SetString(digits.String(), 10)
	return ok && new(big.Int).Mod(n, big.NewInt(97)).Int64() == 1
}

func onlyDigits(text string) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return r
		}
		return -1
	}, text)
}

// isCardNumber checks the length and the check digit (ISO/IEC 7812).
func isCardNumber(text string) bool {
	digits := onlyDigits(text)
	if len(digits) < 13 || len(digits) > 19 {
		return false
	}
	sum := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

var (
	datePattern = regexp.MustCompile(`^\(?(?:\d{4}[.\-/ ]\d{1,2}[.\-/ ]\d{1,2}` +
		`|\d{1,2}[.\-/ ]\d{1,2}[.\-/ ]\d{2,4})$`)
	yearsPattern  = regexp.MustCompile(`^\(?(?:19|20)\d\d\s?[\-/]\s?(?:19|20)\d\d\)?$`)
	groupsPattern = regexp.MustCompile(`^\d{1,2}(?:[.  ]\d{3})+$|^\d{3}(?:\.\d{3})+$`) // thousands
	dialledAs     = regexp.MustCompile(`^(?:\+|00|\(|0)`)
	sameGroups    = regexp.MustCompile(`^\d{3}[ .\-]\d{3}[ .\-]\d{3,4}$|^\d{3}(?:[ .\-]\d{2}){3}$`)
)

// isPhoneNumber reports whether digits are a phone number, and not a date, a range of years or an amount. A
// number without a prefix must be grouped as phone numbers are.
func isPhoneNumber(text string) bool {
	digits := onlyDigits(text)
	switch {
	case len(digits) < 8 || len(digits) > 15,
		datePattern.MatchString(text), yearsPattern.MatchString(text), groupsPattern.MatchString(text):
		return false
	case dialledAs.MatchString(text):
		return !strings.HasPrefix(text, "0.")
	}
	return sameGroups.MatchString(text)
}
