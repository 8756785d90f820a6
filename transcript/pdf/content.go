package pdf

import (
	"bytes"
	"math"
	"strings"

	"research/transcript/pdf/glyphname"
)

// A matrix is [a b c d e f]: it maps (x, y) to (ax+cy+e, bx+dy+f).
type matrix [6]float64

var identity = matrix{1, 0, 0, 1, 0, 0}

// times returns the matrix that applies m first and then n.
func (m matrix) times(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

// A glyph is what a code of a font draws: its characters, from x to end on the line y.
type glyph struct {
	x, y, end, size float64
	text            string
	replaced        bool // the text is that of a mark, which may be empty
}

// graphics is what the operators q and Q save and restore.
type graphics struct {
	ctm                                           matrix
	font                                          *font
	size, charSpace, wordSpace, scale, lead, rise float64
	clip                                          box
}

// maxSaved is how many states of graphics, marks and forms within forms are kept.
const (
	maxSaved = 256
	maxForms = 8
)

// A mark is a marked part of the content. Its text replaces what its glyphs say.
type mark struct {
	replaces bool
	text     string
}

// A painter runs the operators of a page.
type painter struct {
	file   *file
	state  graphics
	saved  []graphics
	marks  []mark
	line   matrix // of the text's line
	at     matrix // of the next glyph
	path   path
	glyphs [len(quarters)][]glyph // by the direction in which they run
}

// quarters make glyphs upright that run to the right, upwards, to the left, and downwards.
var quarters = [...]matrix{{1, 0, 0, 1}, {0, -1, 1, 0}, {-1, 0, 0, -1}, {0, 1, -1, 0}}

// draw returns the lines of a page: of the glyphs that run in the direction in which most do, however the
// page is turned.
func (f *file) draw(p page) ([]drawnLine, error) {
	content, err := f.content(p)
	if err != nil {
		return nil, err
	}
	visible := f.boxOf(p.mediaBox, identity).meet(f.boxOf(p.cropBox, identity))
	painter := &painter{
		file: f, state: graphics{ctm: identity, scale: 1, clip: visible}, line: identity, at: identity,
		path: path{box: nowhere},
	}
	if err := painter.run(content, f.dict(p.resources), 0); err != nil {
		return nil, err
	}
	var glyphs []glyph
	for _, some := range painter.glyphs {
		if len(some) > len(glyphs) {
			some, glyphs = glyphs, some
		}
		f.count.turned += len(some)
	}
	for i, g := range glyphs {
		if !g.replaced || g.text != "" {
			glyphs[i].text = f.count.add(g.text)
		}
	}
	return f.linesOf(glyphs), nil
}

// maxOperands is more than any operator takes. Earlier ones are dropped.
const maxOperands = 64

// run runs the operators of a page or of a form.
func (t *painter) run(content []byte, resources dict, forms int) error {
	p := parser{file: t.file, data: content, operands: true}
	var operands array
	for {
		p.skipSpace()
		if p.pos >= len(p.data) {
			return nil
		}
		item, ok := p.next(0)
		if !ok {
			return ErrDamaged
		}
		operator, ok := item.(keyword)
		if !ok {
			if len(operands) < maxOperands {
				operands = append(operands, item)
			}
			continue
		}
		switch operator {
		case "Do":
			if err := t.form(operands, resources, forms); err != nil {
				return err
			}
		case "BI":
			p.skipImage()
		case "Tf":
			t.setFont(operands, resources)
		case "BDC", "BMC":
			if len(t.marks) < maxSaved {
				t.marks = append(t.marks, t.file.mark(lastOf(operands), resources))
			}
		default:
			t.do(operator, operands)
		}
		operands = operands[:0]
	}
}

// skipImage skips an inline image.
func (p *parser) skipImage() {
	rest := p.data[p.pos:]
	for from := 0; ; {
		i := bytes.Index(rest[from:], []byte("EI"))
		if i < 0 {
			p.pos = len(p.data)
			break
		}
		at := from + i
		from = at + len("EI")
		if at > 0 && isWhiteSpace(rest[at-1]) && (from == len(rest) || isWhiteSpace(rest[from])) {
			p.pos += from
			break
		}
	}
	p.file.spend(len(rest) - len(p.data[p.pos:]))
}

// form runs the operators of a form.
func (t *painter) form(operands array, resources dict, forms int) error {
	key, ok := lastOf(operands).(name)
	if !ok {
		return nil
	}
	f := t.file
	o := f.dict(resources["XObject"])[key]
	if d := f.dict(o); d == nil || f.resolve(d["Subtype"]) != name("Form") {
		return nil
	}
	if forms >= maxForms {
		return ErrDamaged
	}
	d, content, err := f.stream(o)
	if err != nil {
		return err
	}
	before, saved := t.state, t.saved
	t.saved = nil
	if m, ok := matrixOf(f.array(d["Matrix"])); ok {
		t.state.ctm = m.times(t.state.ctm)
	}
	t.state.clip = t.state.clip.meet(f.boxOf(d["BBox"], t.state.ctm))
	if own := f.dict(d["Resources"]); own != nil {
		resources = own
	}
	err = t.run(content, resources, forms+1)
	t.state, t.saved = before, saved
	return err
}

func (t *painter) setFont(operands array, resources dict) {
	if len(operands) < 2 {
		return
	}
	key, _ := operands[0].(name)
	t.state.font = t.file.font(t.file.dict(resources["Font"])[key])
	t.state.size, _ = operands[1].(float64)
}

func lastOf(operands array) object {
	if len(operands) == 0 {
		return nil
	}
	return operands[len(operands)-1]
}

func matrixOf(operands array) (m matrix, ok bool) {
	if len(operands) != len(m) {
		return m, false
	}
	for i, o := range operands {
		m[i], ok = o.(float64)
		if !ok {
			return m, false
		}
	}
	return m, true
}

// do runs an operator that needs no resources.
func (t *painter) do(operator keyword, operands array) {
	n, _ := lastOf(operands).(float64)
	switch operator {
	case "q":
		if len(t.saved) < maxSaved {
			t.saved = append(t.saved, t.state)
		}
	case "Q":
		if last := len(t.saved) - 1; last >= 0 {
			t.state, t.saved = t.saved[last], t.saved[:last]
		}
	case "cm":
		if m, ok := matrixOf(operands); ok {
			t.state.ctm = m.times(t.state.ctm)
		}
	case "EMC":
		t.marks = t.marks[:max(0, len(t.marks)-1)]
	case "Tc":
		t.state.charSpace = n
	case "Tw":
		t.state.wordSpace = n
	case "Tz":
		t.state.scale = n / 100
	case "TL":
		t.state.lead = n
	case "Ts":
		t.state.rise = n
	default:
		t.doText(operator, operands)
	}
}

// doText runs an operator that moves or draws text, or draws a path.
func (t *painter) doText(operator keyword, operands array) {
	switch operator {
	case "BT":
		t.line, t.at = identity, identity
	case "Tm":
		if m, ok := matrixOf(operands); ok {
			t.line, t.at = m, m
		}
	case "Td", "TD":
		if len(operands) < 2 {
			return
		}
		x, _ := operands[0].(float64)
		y, _ := operands[1].(float64)
		if operator == "TD" {
			t.state.lead = -y
		}
		t.move(x, y)
	case "T*":
		t.move(0, -t.state.lead)
	case "Tj":
		t.show(lastOf(operands))
	case "'":
		t.move(0, -t.state.lead)
		t.show(lastOf(operands))
	case `"`:
		if len(operands) == 3 {
			t.state.wordSpace, _ = operands[0].(float64)
			t.state.charSpace, _ = operands[1].(float64)
		}
		t.move(0, -t.state.lead)
		t.show(lastOf(operands))
	case "TJ":
		list, _ := lastOf(operands).(array)
		for _, item := range list {
			if n, ok := item.(float64); ok {
				t.advance(-n / 1000 * t.state.size * t.state.scale)
				continue
			}
			t.show(item)
		}
	default:
		t.trace(operator, operands)
	}
}

func (t *painter) move(x, y float64) {
	t.line = matrix{1, 0, 0, 1, x, y}.times(t.line)
	t.at = t.line
}

func (t *painter) advance(x float64) { t.at = matrix{1, 0, 0, 1, x, 0}.times(t.at) }

// mark reads the text of a marked part. Its properties may be among the resources.
func (f *file) mark(properties object, resources dict) mark {
	if key, ok := properties.(name); ok {
		if f.key != nil {
			return mark{} // strings outside of streams are encrypted, each on its own
		}
		properties = f.dict(resources["Properties"])[key]
	}
	s, ok := f.resolve(f.dict(properties)["ActualText"]).(text)
	if !ok {
		return mark{}
	}
	if rest, isUTF16 := bytes.CutPrefix(s, []byte("\xFE\xFF")); isUTF16 {
		return mark{replaces: true, text: utf16Of(text(rest))}
	}
	if rest, isUTF8 := bytes.CutPrefix(s, []byte("\xEF\xBB\xBF")); isUTF8 {
		return mark{replaces: true, text: string(rest)}
	}
	var out []rune
	for _, b := range s {
		out = append(out, rune(b))
	}
	return mark{replaces: true, text: string(out)}
}

// show draws a string.
func (t *painter) show(o object) {
	s, _ := o.(text)
	if t.state.font == nil {
		return
	}
	step := 1
	if t.state.font.composite {
		step = 2
	}
	isTracked := len(s) > maxSpaced*step
	for ; len(s) >= step; s = s[step:] {
		code := codeOf(s[:step])
		width, space := t.state.font.width(code)*t.state.size, t.state.charSpace
		if isTracked {
			width, space = width+space, 0
		}
		if step == 1 && code == ' ' {
			space += t.state.wordSpace
		}
		t.draw(t.state.font.text(code), width*t.state.scale)
		t.advance(space * t.state.scale)
	}
}

// maxSpaced is how many glyphs a string has, at most, for which the space between characters may be that
// between words. Ghostscript writes spaces so. In longer strings it is that of letters that are set wide.
const maxSpaced = 3

// draw draws a glyph if it can be seen, and moves on. Notion, for one, has numbers of lines below the page.
func (t *painter) draw(characters string, width float64) {
	t.file.spend(glyphCost)
	m := t.at.times(t.state.ctm)
	rise := matrix{1, 0, 0, 1, 0, t.state.rise}.times(m)
	t.advance(width)
	if characters == glyphname.ZeroWidthSpace {
		return
	}
	end := t.at.times(t.state.ctm)
	height := math.Hypot(m[2], m[3])
	size := math.Abs(t.state.size) * height
	if size == 0 || math.IsNaN(size+rise[4]+rise[5]+end[4]+end[5]) {
		t.file.count.turned++
		return
	}
	up := size / 4 / height
	if !t.state.clip.has((rise[4]+end[4])/2+m[2]*up, (rise[5]+end[5])/2+m[3]*up) {
		return
	}
	quarter := int(math.Round(math.Atan2(m[1], m[0])/(math.Pi/2))) & (len(quarters) - 1)
	m, rise, end = m.times(quarters[quarter]), rise.times(quarters[quarter]), end.times(quarters[quarter])
	if math.Abs(m[1]) > 0.1*m[0] {
		t.file.count.turned++
		return
	}
	g := glyph{x: rise[4], y: rise[5], end: end[4], size: size, text: characters}
	if last := len(t.marks) - 1; last >= 0 && t.marks[last].replaces {
		g.text, g.replaced = strings.ReplaceAll(t.marks[last].text, "\u00AD", ""), true
		t.marks[last].text = ""
	}
	t.glyphs[quarter] = append(t.glyphs[quarter], g)
}
