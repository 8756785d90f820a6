package pdf

import (
	"math"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"research/transcript/pdf/glyphname"
)

// spacingAccents maps the accents that TeX draws above or below letters to the combining characters.
var spacingAccents = map[string]string{
	"`": "\u0300", "´": "\u0301", "ˆ": "\u0302", "^": "\u0302", "˜": "\u0303", "~": "\u0303", "¯": "\u0304",
	"˘": "\u0306", "˙": "\u0307", "¨": "\u0308", "˚": "\u030A", "˝": "\u030B", "ˇ": "\u030C", "¸": "\u0327",
	"˛": "\u0328", glyphname.PolishStroke: glyphname.PolishStroke,
}

// composed joins accents to the letters at their place, which are drawn after them, or before.
func composed(glyphs []glyph) []glyph {
	out := glyphs[:0]
	for i, g := range glyphs {
		mark := spacingAccents[g.text]
		if mark != "" && i+1 < len(glyphs) && g.x <= glyphs[i+1].end && glyphs[i+1].x < g.x+(g.end-g.x)/2 {
			if letter := &glyphs[i+1]; letter.accept(mark, g) {
				continue
			}
		}
		if last := len(out) - 1; mark != "" && last >= 0 && out[last].x <= g.x &&
			g.x < out[last].end-(g.end-g.x)/2 {
			if out[last].accept(mark, g) {
				continue
			}
		}
		out = append(out, g)
	}
	return out
}

// accept adds an accent to a letter that has one, and reports whether it has.
func (g *glyph) accept(mark string, accent glyph) bool {
	letter := g.text
	switch {
	case math.Abs(g.y-accent.y) > max(g.size, accent.size):
		return false
	case mark == glyphname.PolishStroke && letter == "l":
		g.text = "ł"
		return true
	case mark == glyphname.PolishStroke && letter == "L":
		g.text = "Ł"
		return true
	case letter == "ı":
		letter = "i"
	case letter == "ȷ":
		letter = "j"
	}
	text := norm.NFC.String(letter + mark)
	if utf8.RuneCountInString(text) != 1 {
		return false
	}
	g.text = text
	return true
}
