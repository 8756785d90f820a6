package glyphname

// A cff is a font in the Compact Font Format (Adobe's Technical Note 5176), as far as it names its glyphs.
// Beyond the end of the data are zeros.
type cff struct {
	data    []byte
	strings [][]byte
}

// The operators of a CFF font's dictionary that say where its parts are.
const (
	cffCharset     = 15
	cffEncoding    = 16
	cffCharStrings = 17
	cffROS         = 12<<8 | 30 // of fonts without names
)

// OfCFF returns the names of the glyphs of the codes of a CFF font. It is false if the font names none.
func OfCFF(data []byte) (names [256]string, ok bool) {
	c := cff{data: data}
	if len(data) < 4 {
		return names, false
	}
	_, pos, ok := c.index(int(data[2]))
	if !ok {
		return names, false
	}
	dicts, pos, ok := c.index(pos)
	if !ok || len(dicts) == 0 {
		return names, false
	}
	c.strings, _, ok = c.index(pos)
	top := c.dict(dicts[0])
	if _, hasNoNames := top[cffROS]; !ok || hasNoNames {
		return names, false
	}
	if top[cffEncoding] == 0 {
		return Standard(), true
	}
	glyphs := min(c.number(top[cffCharStrings], 2), len(data)) // each has a byte or more
	return c.encoding(top[cffEncoding], c.charset(top[cffCharset], glyphs))
}

// number returns the number in some bytes, or 0 beyond the end of the data.
func (c *cff) number(pos, size int) int {
	if pos < 0 || pos+size > len(c.data) {
		return 0
	}
	n := 0
	for _, b := range c.data[pos : pos+size] {
		n = n<<8 | int(b)
	}
	return n
}

// index reads a list of byte strings, and returns where it ends.
func (c *cff) index(pos int) (items [][]byte, end int, ok bool) {
	count := c.number(pos, 2)
	if count == 0 {
		return nil, pos + 2, pos+2 <= len(c.data)
	}
	size := c.number(pos+2, 1)
	start := pos + 3 + (count+1)*size - 1 // offsets count from the byte before the data
	from := start + c.number(pos+3, size)
	for i := range count {
		to := start + c.number(pos+3+(i+1)*size, size)
		if size < 1 || size > 4 || from > to || to > len(c.data) {
			return nil, 0, false
		}
		items = append(items, c.data[from:to])
		from = to
	}
	return items, from, true
}

// dict reads a dictionary: the last operand of each operator.
func (c *cff) dict(data []byte) map[int]int {
	entries := map[int]int{}
	operand := 0
	d := cff{data: data}
	for pos := 0; pos < len(data); pos++ {
		switch b := int(data[pos]); {
		case b == 12:
			pos++
			entries[12<<8|d.number(pos, 1)] = operand
		case b <= 21:
			entries[b] = operand
		case b == 28:
			operand = int(int16(d.number(pos+1, 2)))
			pos += 2
		case b == 29:
			operand = int(int32(d.number(pos+1, 4)))
			pos += 4
		case b == 30: // a real number, to the half byte that ends it
			for pos++; pos < len(data) && data[pos]&0xF != 0xF && data[pos]>>4 != 0xF; pos++ {
			}
		case b >= 32 && b <= 246:
			operand = b - 139
		case b >= 247 && b <= 250:
			pos++
			operand = (b-247)*256 + d.number(pos, 1) + 108
		case b >= 251 && b <= 254:
			pos++
			operand = -(b-251)*256 - d.number(pos, 1) - 108
		}
	}
	return entries
}

// name returns the name with a number.
func (c *cff) name(number int) string {
	switch own := number - firstOwnName; {
	case number > 0 && number <= len(standardNames):
		return standardNames[number-1]
	case own >= 0 && own < len(c.strings):
		return string(c.strings[own])
	}
	return ""
}

// charset returns the names of the glyphs. The first one, which stands for missing glyphs, has none.
func (c *cff) charset(pos, glyphs int) []string {
	names := []string{""}
	if pos <= 2 { // one that every program knows. The two for expert fonts have no letters.
		for i := 1; pos == 0 && i < glyphs; i++ {
			names = append(names, c.name(i))
		}
		return names
	}
	format := c.number(pos, 1)
	for pos++; len(names) < glyphs && pos < len(c.data); {
		first, left := c.number(pos, 2), 0
		pos += 2
		if format > 0 {
			size := min(format, 2)
			left = c.number(pos, size)
			pos += size
		}
		for i := 0; i <= left && len(names) < glyphs; i++ {
			names = append(names, c.name(first+i))
		}
	}
	return names
}

// encoding returns the names of the glyphs of the codes.
func (c *cff) encoding(pos int, glyphs []string) (names [256]string, ok bool) {
	if pos == 1 { // of expert fonts, which have no letters
		return names, false
	}
	format, count := c.number(pos, 1), c.number(pos+1, 1)
	pos += 2
	next := 1
	for range count {
		first, left := c.number(pos, 1), 0
		pos++
		if format&0x7F == 1 {
			left = c.number(pos, 1)
			pos++
		}
		for code := first; code <= first+left && code < len(names) && next < len(glyphs); code++ {
			names[code] = glyphs[next]
			next++
		}
	}
	if format&0x80 != 0 { // further codes of glyphs
		count := c.number(pos, 1)
		for i := range count {
			at := pos + 1 + 3*i
			names[c.number(at, 1)] = c.name(c.number(at+1, 2))
		}
	}
	return names, true
}
