package pdf

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// glyphNames are the names of characters that are neither letters nor composed of a letter and an accent.
var glyphNames = map[string]string{
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
	"registered": "®", "trademark": "™", "degree": "°", "plusminus": "±", "multiply": "×", "divide": "÷",
	"mu": "µ", "onehalf": "½", "onequarter": "¼", "threequarters": "¾", "ordfeminine": "ª", "ordmasculine": "º",
}

// accents are the combining characters of the accents in names such as "eacute".
var accents = map[string]string{
	"acute": "\u0301", "grave": "\u0300", "circumflex": "\u0302", "dieresis": "\u0308", "tilde": "\u0303",
	"ring": "\u030A", "cedilla": "\u0327", "caron": "\u030C", "ogonek": "\u0328", "breve": "\u0306",
	"macron": "\u0304", "dotaccent": "\u0307", "hungarumlaut": "\u030B", "commaaccent": "\u0326",
}

// glyphText returns the characters of a glyph's name, or "".
func glyphText(name string) string {
	name, _, _ = strings.Cut(name, ".") // a variant, as in "a.small"
	if s, ok := glyphNames[name]; ok {
		return s
	}
	if len(name) == 1 {
		return name
	}
	for _, prefix := range []string{"uni", "u"} {
		digits, ok := strings.CutPrefix(name, prefix)
		if n, err := strconv.ParseUint(digits, 16, 21); ok && len(digits) >= 4 && err == nil &&
			utf8.ValidRune(rune(n)) {
			return string(rune(n))
		}
	}
	if len(name) > 1 {
		if accent, ok := accents[name[1:]]; ok {
			return norm.NFC.String(name[:1] + accent)
		}
	}
	return ""
}
