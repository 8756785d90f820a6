package pdf

import (
	"bytes"
	"math"
	"strconv"
	"strings"
)

// An object is nil, a float64, a name, a text, an array, a dict, a reference or a keyword.
type object any

type (
	name      string
	text      []byte
	array     []object
	dict      map[name]object
	reference int // the number of an object
	keyword   string
)

// What objects and glyphs cost beyond their bytes, since they are allocated.
const (
	objectCost  = 32
	operandCost = 16 // of an object that an operator takes, which is dropped behind it
	dictCost    = 128
	glyphCost   = 48
)

// A parser reads objects from bytes, and spends for them.
type parser struct {
	file     *file
	data     []byte
	pos      int
	operands bool // the objects are operators and what they take
}

const (
	whiteSpace = "\x00\t\n\f\r "
	delimiters = "()<>[]{}/%"
)

func isWhiteSpace(c byte) bool { return strings.IndexByte(whiteSpace, c) >= 0 }

func isRegular(c byte) bool { return !isWhiteSpace(c) && strings.IndexByte(delimiters, c) < 0 }

func (p *parser) skipSpace() {
	from := p.pos
	for p.pos < len(p.data) {
		switch c := p.data[p.pos]; {
		case c == '%':
			for p.pos < len(p.data) && p.data[p.pos] != '\n' && p.data[p.pos] != '\r' {
				p.pos++
			}
		case isWhiteSpace(c):
			p.pos++
		default:
			p.file.spend(p.pos - from)
			return
		}
	}
	p.file.spend(p.pos - from)
}

// next returns the next object. It is false at the end of the bytes, and within objects that are cut off or
// too deep.
func (p *parser) next(depth int) (object, bool) {
	p.skipSpace()
	if p.pos >= len(p.data) || depth > maxDepth {
		return nil, false
	}
	from, cost := p.pos, objectCost
	if p.operands && depth == 0 {
		cost = operandCost
	}
	defer func() { p.file.spend(cost + min(p.pos-from, len(p.data))) }()
	switch c := p.data[p.pos]; {
	case c == '/':
		p.pos++
		return p.name(), true
	case c == '(':
		p.pos++
		return p.string()
	case c == '[':
		p.pos++
		list, ok := p.list("]", depth+1)
		return array(list), ok
	case bytes.HasPrefix(p.data[p.pos:], []byte("<<")):
		p.pos += 2
		p.file.spend(dictCost)
		list, ok := p.list(">>", depth+1)
		return dictOf(list), ok
	case c == '<':
		p.pos++
		return p.hex()
	case bytes.HasPrefix(p.data[p.pos:], []byte(">>")):
		p.pos += 2
		return keyword(">>"), true
	case !isRegular(c):
		p.pos++
		return keyword(c), true
	}
	word := p.regular()
	if n, ok := number(word); ok {
		return n, true
	}
	if string(word) == "null" {
		return nil, true
	}
	return keyword(word), true
}

func (p *parser) regular() []byte {
	from := p.pos
	for p.pos < len(p.data) && isRegular(p.data[p.pos]) {
		p.pos++
	}
	return p.data[from:p.pos]
}

// number reads a number. Those that are not finite are no numbers.
func number(word []byte) (float64, bool) {
	if c := word[0]; c != '+' && c != '-' && c != '.' && (c < '0' || c > '9') || len(word) > 40 {
		return 0, false
	}
	n, err := strconv.ParseFloat(string(word), 64)
	return n, err == nil && math.Abs(n) < 1e12
}

// list reads objects up to a keyword, and joins "12 0 R" to references.
func (p *parser) list(end keyword, depth int) ([]object, bool) {
	var list []object
	for {
		item, ok := p.next(depth)
		if !ok {
			return nil, false
		}
		switch item {
		case end:
			return list, true
		case keyword("R"):
			if len(list) > 1 {
				n, isNumber := list[len(list)-2].(float64)
				if isNumber {
					list = append(list[:len(list)-2], reference(n))
					continue
				}
			}
		case keyword("endobj"), keyword("stream"):
			return nil, false
		}
		list = append(list, item)
	}
}

func dictOf(list []object) dict {
	d := make(dict, len(list)/2)
	for i := 0; i+1 < len(list); i += 2 {
		if key, ok := list[i].(name); ok {
			d[key] = list[i+1]
		}
	}
	return d
}

func (p *parser) name() name {
	word := p.regular()
	if bytes.IndexByte(word, '#') < 0 {
		return name(word)
	}
	var out []byte
	for i := 0; i < len(word); i++ {
		if word[i] == '#' && i+2 < len(word) {
			if n, err := strconv.ParseUint(string(word[i+1:i+3]), 16, 8); err == nil {
				out = append(out, byte(n))
				i += 2
				continue
			}
		}
		out = append(out, word[i])
	}
	return name(out)
}

// string reads the rest of a string in parentheses.
func (p *parser) string() (object, bool) {
	var out text
	for depth := 1; p.pos < len(p.data); {
		c := p.data[p.pos]
		p.pos++
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return out, true
			}
		case '\\':
			out = p.escape(out)
			continue
		}
		out = append(out, c)
	}
	return nil, false
}

// escape reads what follows a backslash.
func (p *parser) escape(out text) text {
	if p.pos >= len(p.data) {
		return out
	}
	c := p.data[p.pos]
	p.pos++
	switch c {
	case 'n':
		return append(out, '\n')
	case 'r':
		return append(out, '\r')
	case 't':
		return append(out, '\t')
	case 'b':
		return append(out, '\b')
	case 'f':
		return append(out, '\f')
	case '\r':
		if p.pos < len(p.data) && p.data[p.pos] == '\n' {
			p.pos++
		}
		return out
	case '\n':
		return out
	}
	if c < '0' || c > '7' {
		return append(out, c)
	}
	n := int(c - '0')
	for i := 0; i < 2 && p.pos < len(p.data) && p.data[p.pos] >= '0' && p.data[p.pos] <= '7'; i++ {
		n = n*8 + int(p.data[p.pos]-'0')
		p.pos++
	}
	return append(out, byte(n))
}

// hex reads the rest of a string in angle brackets.
func (p *parser) hex() (object, bool) {
	end := bytes.IndexByte(p.data[p.pos:], '>')
	if end < 0 {
		p.file.spend(len(p.data) - p.pos)
		return nil, false
	}
	out := unhex(p.data[p.pos : p.pos+end])
	p.pos += end + 1
	return out, true
}

// unhex decodes hexadecimal digits, and ignores everything else. A missing last digit is 0.
func unhex(digits []byte) text {
	var out text
	high, n := byte(0), 0
	for _, c := range digits {
		d, err := strconv.ParseUint(string(c), 16, 8)
		if err != nil {
			continue
		}
		if n++; n%2 == 1 {
			high = byte(d) << 4
			continue
		}
		out = append(out, high|byte(d))
	}
	if n%2 == 1 {
		out = append(out, high)
	}
	return out
}
