package pdf

import (
	"strings"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"

	"research/transcript/pdf/glyphname"
)

// A font says which characters its codes are, and how wide they are in ems.
type font struct {
	composite    bool // codes have two bytes
	utf16        bool // codes are UTF-16
	unicode      map[int]string
	encoding     [256]string // of a font that is not composite
	widths       map[int]float64
	defaultWidth float64
}

// font reads a font, each one once.
func (f *file) font(o object) *font {
	r, isReference := o.(reference)
	if isReference && f.fonts[int(r)] != nil {
		return f.fonts[int(r)]
	}
	d := f.dict(o)
	f.spend(256 * objectCost)
	result := &font{widths: map[int]float64{}, unicode: map[int]string{}}
	if _, cmap, err := f.stream(d["ToUnicode"]); err == nil {
		result.unicode = f.cmap(cmap)
	}
	if d["Subtype"] == name("Type0") {
		f.compositeFont(d, result)
	} else {
		f.simpleFont(d, result)
	}
	if isReference {
		f.fonts[int(r)] = result
	}
	return result
}

func (f *file) compositeFont(d dict, result *font) {
	result.composite = true
	encoding, _ := f.resolve(d["Encoding"]).(name)
	result.utf16 = strings.HasPrefix(string(encoding), "Uni") &&
		(strings.Contains(string(encoding), "UCS2") || strings.Contains(string(encoding), "UTF16"))
	result.defaultWidth = 1
	descendants := f.array(d["DescendantFonts"])
	if len(descendants) == 0 {
		return
	}
	descendant := f.dict(descendants[0])
	if descendant["DW"] != nil {
		result.defaultWidth = f.number(descendant["DW"]) / 1000
	}
	// The widths are "first [w1 w2 …]" and "first last w".
	list := f.array(descendant["W"])
	for i := 0; i+1 < len(list); {
		first := int(f.number(list[i]))
		if each, ok := f.resolve(list[i+1]).(array); ok {
			for j, w := range each {
				f.spend(objectCost)
				result.widths[first+j] = f.number(w) / 1000
			}
			i += 2
			continue
		}
		if i+2 >= len(list) {
			return
		}
		last, w := int(f.number(list[i+1])), f.number(list[i+2])/1000
		for code := first; code <= last && code < 1<<16; code++ {
			f.spend(objectCost)
			result.widths[code] = w
		}
		i += 3
	}
}

func (f *file) simpleFont(d dict, result *font) {
	baseFont, _ := f.resolve(d["BaseFont"]).(name)
	// The fonts that every viewer has come without widths.
	result.defaultWidth = 0.5
	if strings.Contains(string(baseFont), "Courier") {
		result.defaultWidth = 0.6
	}
	scale := 0.001
	if matrix := f.array(d["FontMatrix"]); d["Subtype"] == name("Type3") && len(matrix) > 0 {
		scale = f.number(matrix[0])
	}
	first := int(f.number(d["FirstChar"]))
	for i, w := range f.array(d["Widths"]) {
		f.spend(objectCost)
		result.widths[first+i] = f.number(w) * scale
	}
	encoding := f.resolve(d["Encoding"])
	differences, _ := encoding.(dict)
	base, _ := encoding.(name)
	if differences != nil {
		base, _ = f.resolve(differences["BaseEncoding"]).(name)
	}
	if d["ToUnicode"] != nil && len(result.unicode) == 0 {
		return
	}
	descriptor := f.dict(d["FontDescriptor"])
	isSymbols := baseFont == "Symbol" || baseFont == "ZapfDingbats" || d["Subtype"] == name("Type3")
	own, hasOwn := f.namesOf(descriptor)
	switch {
	case base == "" && hasOwn:
		result.encoding = textsOf(own)
	case encoding == nil && (isSymbols || int(f.number(descriptor["Flags"]))&symbolic != 0):
		return
	case !isSymbols:
		result.encoding = baseEncoding(base)
	}
	code := 0
	for _, item := range f.array(differences["Differences"]) {
		f.spend(1)
		switch item := f.resolve(item).(type) {
		case float64:
			code = int(item)
		case name:
			if code >= 0 && code < len(result.encoding) {
				result.encoding[code] = glyphname.Text(string(item))
			}
			code++
		}
	}
}

// symbolic is the flag of fonts whose codes have a meaning of their own.
const symbolic = 1 << 2

// baseEncoding returns the characters of an encoding that has a name. The standard encoding is also that of
// fonts that name none; codes that it leaves out are read as Windows has them.
func baseEncoding(base name) (encoding [256]string) {
	set := charmap.Windows1252
	if base == "MacRomanEncoding" {
		set = charmap.Macintosh
	}
	for code := 0x20; code < len(encoding); code++ {
		encoding[code] = string(set.DecodeByte(byte(code)))
	}
	if base != "" && base != "StandardEncoding" {
		return encoding
	}
	for code, characters := range textsOf(glyphname.Standard()) {
		if characters != "" {
			encoding[code] = characters
		}
	}
	return encoding
}

// namesOf returns the names of the glyphs of a font's codes that the embedded program of the font has. It is
// false if there is none, or none that names its glyphs.
//
// pdfTeX wrote fonts without a map to Unicode by default until 2021: only their programs have the names.
func (f *file) namesOf(descriptor dict) (names [256]string, ok bool) {
	for _, entry := range []name{"FontFile", "FontFile3"} {
		if descriptor[entry] == nil {
			continue
		}
		d, program, err := f.stream(descriptor[entry])
		if err != nil {
			continue
		}
		f.spend(len(program))
		switch {
		case entry == "FontFile":
			return glyphname.OfType1(program)
		case f.resolve(d["Subtype"]) == name("Type1C"):
			return glyphname.OfCFF(program)
		}
	}
	return names, false
}

func textsOf(names [256]string) (texts [256]string) {
	for code, name := range names {
		texts[code] = glyphname.Text(name)
	}
	return texts
}

// text returns the characters of a code, or "" if the file does not say them.
func (t *font) text(code int) string {
	if s, ok := t.unicode[code]; ok {
		return s
	}
	switch {
	case t.utf16:
		return string(utf16.Decode([]uint16{uint16(code)}))
	case t.composite:
		return ""
	}
	return t.encoding[code]
}

func (t *font) width(code int) float64 {
	if w, ok := t.widths[code]; ok {
		return w
	}
	return t.defaultWidth
}

// cmap reads which characters the codes of a font are.
func (f *file) cmap(data []byte) map[int]string {
	codes := map[int]string{}
	add := func(code int, characters string) {
		f.spend(4*objectCost + len(characters))
		codes[code] = unswap(characters)
	}
	p := parser{file: f, data: data}
	var items []object
	for {
		item, ok := p.next(0)
		if !ok {
			return codes
		}
		switch item {
		case keyword("beginbfchar"), keyword("beginbfrange"):
			items = items[:0]
		case keyword("endbfchar"):
			for i := 0; i+1 < len(items); i += 2 {
				add(codeOf(items[i]), utf16Of(items[i+1]))
			}
		case keyword("endbfrange"):
			for i := 0; i+2 < len(items); i += 3 {
				addRange(items[i], items[i+1], items[i+2], add)
			}
		default:
			items = append(items, item)
		}
	}
}

// unswap mends the characters of ligatures that Ghostscript 10.0 writes with their bytes swapped.
func unswap(characters string) string {
	runes := []rune(characters)
	for i, r := range runes {
		if r&0xFF != 0 || r>>8 < 'a' || r>>8 > 'z' {
			if i > 0 && r&0xFF == 0 {
				return unknown
			}
			return characters
		}
		runes[i] = r >> 8
	}
	if len(runes) < 2 {
		return characters
	}
	return string(runes)
}

// addRange adds the codes from first to last. Their characters are in an array, or count up from the first.
func addRange(first, last, characters object, add func(int, string)) {
	from, to := codeOf(first), min(codeOf(last), 1<<16)
	if list, ok := characters.(array); ok {
		for i, c := range list {
			if from+i <= to {
				add(from+i, utf16Of(c))
			}
		}
		return
	}
	start := []rune(utf16Of(characters))
	if len(start) == 0 || len(start) > 8 {
		return
	}
	for code := from; code <= to; code++ {
		add(code, string(start))
		start[len(start)-1]++
	}
}

// codeOf returns the number in at most four bytes.
func codeOf(o object) int {
	bytes, _ := o.(text)
	n := 0
	for _, b := range bytes[:min(len(bytes), 4)] {
		n = n<<8 | int(b)
	}
	return n
}

// utf16Of decodes UTF-16 without a byte-order mark.
func utf16Of(o object) string {
	bytes, _ := o.(text)
	if len(bytes) == 1 {
		return string(rune(bytes[0]))
	}
	var units []uint16
	for i := 0; i+1 < len(bytes); i += 2 {
		units = append(units, uint16(bytes[i])<<8|uint16(bytes[i+1]))
	}
	return string(utf16.Decode(units))
}
