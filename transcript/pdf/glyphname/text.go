package glyphname

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// ZeroWidthSpace is what Google Docs prints beside each space, and TeX between the parts of words. It is not
// seen.
const ZeroWidthSpace = "\u200b"

// PolishStroke is the stroke through l and L that TeX's first fonts have as a glyph of its own.
const PolishStroke = "\u0335"

// characters are those of names that are neither letters nor composed of a letter and an accent.
var characters = map[string]string{
	"space": " ", "exclam": "!", "quotedbl": `"`, "numbersign": "#", "dollar": "$", "percent": "%",
	"ampersand": "&", "quotesingle": "'", "parenleft": "(", "parenright": ")", "asterisk": "*", "plus": "+",
	"comma": ",", "hyphen": "-", "period": ".", "slash": "/", "zero": "0", "one": "1", "two": "2", "three": "3",
	"four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "colon": ":",
	"semicolon": ";", "less": "<", "equal": "=", "greater": ">", "question": "?", "at": "@", "bracketleft": "[",
	"backslash": `\`, "bracketright": "]", "asciicircum": "^", "underscore": "_", "grave": "`", "braceleft": "{",
	"bar": "|", "braceright": "}", "asciitilde": "~", "quoteleft": "‘", "quoteright": "’", "quotedblleft": "“",
	"quotedblright": "”", "quotesinglbase": "‚", "quotedblbase": "„", "guillemotleft": "«",
	"guillemotright": "»", "guilsinglleft": "‹", "guilsinglright": "›", "endash": "–", "emdash": "—",
	"bullet": "•", "ellipsis": "…", "periodcentered": "·", "minus": "−", "nbspace": " ", "fi": "fi", "fl": "fl",
	"ff": "ff", "ffi": "ffi", "ffl": "ffl", "germandbls": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ",
	"oslash": "ø", "Oslash": "Ø", "lslash": "ł", "Lslash": "Ł", "dotlessi": "ı", "eth": "ð", "Eth": "Ð",
	"thorn": "þ", "Thorn": "Þ", "dcroat": "đ", "Dcroat": "Đ", "exclamdown": "¡", "questiondown": "¿",
	"Euro": "€", "sterling": "£", "yen": "¥", "cent": "¢", "section": "§", "paragraph": "¶", "copyright": "©",
	"acute": "´", "circumflex": "ˆ", "tilde": "˜", "macron": "¯", "breve": "˘", "dotaccent": "˙",
	"dieresis": "¨", "ring": "˚", "cedilla": "¸", "hungarumlaut": "˝", "ogonek": "˛", "caron": "ˇ",
	"suppress": PolishStroke, "polishlcross": PolishStroke, "dotlessj": "ȷ", "cwm": ZeroWidthSpace,
	"compoundwordmark": ZeroWidthSpace, "visiblespace": " ", "sfthyphen": "-", "Germandbls": "ẞ",
	"dagger": "†", "daggerdbl": "‡", "perthousand": "‰", "florin": "ƒ", "fraction": "⁄", "currency": "¤",
	"brokenbar": "¦", "logicalnot": "¬", "onesuperior": "¹", "twosuperior": "²", "threesuperior": "³",
	"IJ": "Ĳ", "ij": "ĳ", "Eng": "Ŋ", "eng": "ŋ", "Ng": "Ŋ", "ng": "ŋ", "hbar": "ħ", "Hbar": "Ħ",
	"kgreenlandic": "ĸ", "longs": "ſ", "tbar": "ŧ", "Tbar": "Ŧ", "dbar": "đ", "Dbar": "Đ",
	"arrowright": "→", "arrowleft": "←", "notequal": "≠", "lessequal": "≤", "greaterequal": "≥",
	"approxequal": "≈", "infinity": "∞", "registered": "®",
	"trademark": "™", "degree": "°", "plusminus": "±", "multiply": "×", "divide": "÷",
	"mu": "µ", "onehalf": "½", "onequarter": "¼", "threequarters": "¾", "ordfeminine": "ª", "ordmasculine": "º",
}

// accents are the combining characters of the accents in names such as "eacute".
var accents = map[string]string{
	"acute": "\u0301", "grave": "\u0300", "circumflex": "\u0302", "dieresis": "\u0308", "tilde": "\u0303",
	"ring": "\u030A", "cedilla": "\u0327", "caron": "\u030C", "ogonek": "\u0328", "breve": "\u0306",
	"macron": "\u0304", "dotaccent": "\u0307", "hungarumlaut": "\u030B", "commaaccent": "\u0326",
}

// greek are the names of the letters from Α on. Final sigma is between rho and sigma.
var greek = strings.Fields("alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi " +
	"omicron pi " +
	"rho sigma1 sigma tau upsilon phi chi psi omega")

// cyrillic are the letters of the names afii10017, afii10065 and those after each, in which fonts of TeX have
// Cyrillic letters, and of afii10050 and afii10098.
var cyrillic = map[int]string{
	10017: "АБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ", 10050: "ҐЂЃЄЅІЇЈЉЊЋЌЎ", 10145: "Џ",
	10065: "абвгдеёжзийклмнопрстуфхцчшщъыьэюя", 10098: "ґђѓєѕіїјљњћќў", 10193: "џ", 61352: "№",
}

// Text returns the characters of a glyph's name, or "".
//
// The names are those of [Adobe's list], as far as people write what they name.
//
// [Adobe's list]: https://github.com/adobe-type-tools/agl-specification
func Text(name string) string {
	name, _, _ = strings.Cut(name, ".") // a variant, as in "a.small"
	if s, ok := characters[name]; ok {
		return s
	}
	if len(name) == 1 {
		return name
	}
	var text strings.Builder
	for part := range strings.SplitSeq(name, "_") { // a ligature, as in "f_f_i"
		letters := part
		if len(part) != 1 || part == name {
			letters = lettersOf(part)
		}
		if letters == "" {
			return ""
		}
		text.WriteString(letters)
	}
	return text.String()
}

// lettersOf returns the characters of a name that is composed of a letter and an accent, is a letter of
// another script, or has their numbers.
func lettersOf(name string) string {
	if digits, ok := strings.CutPrefix(name, "uni"); ok && len(digits) >= 4 && len(digits)%4 == 0 {
		return unitsOf(digits)
	}
	if digits, ok := strings.CutPrefix(name, "u"); ok && len(digits) >= 4 {
		if n, err := strconv.ParseUint(digits, 16, 21); err == nil && utf8.ValidRune(rune(n)) {
			return string(rune(n))
		}
	}
	if accent, ok := accents[name[min(1, len(name)):]]; ok {
		return norm.NFC.String(name[:1] + accent)
	}
	if digits, ok := strings.CutPrefix(name, "afii"); ok {
		n, _ := strconv.Atoi(digits)
		for first, letters := range cyrillic {
			if i := 2 * (n - first); i >= 0 && i < len(letters) {
				return string([]rune(letters)[i/2])
			}
		}
	}
	if i := slices.Index(greek, strings.ToLower(name)); i >= 0 {
		first := 'α'
		if unicode.IsUpper(rune(name[0])) {
			first = 'Α'
		}
		return string(first + rune(i))
	}
	return ""
}

// unitsOf returns the characters of hexadecimal units of UTF-16, or "".
func unitsOf(digits string) string {
	var units []uint16
	for ; digits != ""; digits = digits[4:] {
		n, err := strconv.ParseUint(digits[:4], 16, 16)
		if err != nil {
			return ""
		}
		units = append(units, uint16(n))
	}
	return string(utf16.Decode(units))
}
