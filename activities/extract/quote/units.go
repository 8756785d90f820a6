package quote

// Units knows the units, days, months and currencies of a language, in all forms of their words.
type Units struct{ forms *forms }

// NewUnits returns the units of a language, given by its ISO 639-1 code. It takes about a millisecond.
func NewUnits(language string) Units { return Units{newForms(language)} }

// Name returns the name that a normalized word or a sign has in all languages: "$" for "dollars", "hour" for
// "Stunden". It returns "" for what is no unit.
func (u Units) Name(word string) string {
	what := u.forms.of(word)
	if what.measure != "" {
		return what.measure
	}
	return what.currency
}
