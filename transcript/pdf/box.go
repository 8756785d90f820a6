package pdf

import "math"

// A box is a part of the plane, in the coordinates of the page.
type box struct{ left, bottom, right, top float64 }

var (
	everywhere = box{math.Inf(-1), math.Inf(-1), math.Inf(1), math.Inf(1)}
	nowhere    = box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
)

// meet returns what two boxes share.
func (b box) meet(c box) box {
	return box{max(b.left, c.left), max(b.bottom, c.bottom), min(b.right, c.right), min(b.top, c.top)}
}

// with returns the box that includes a point as well.
func (b box) with(m matrix, x, y float64) box {
	at := matrix{1, 0, 0, 1, x, y}.times(m)
	return box{min(b.left, at[4]), min(b.bottom, at[5]), max(b.right, at[4]), max(b.top, at[5])}
}

func (b box) has(x, y float64) bool {
	return b.left <= x && x <= b.right && b.bottom <= y && y <= b.top
}

// boxOf returns the box of two opposite corners, as "MediaBox" has them. What is no box limits nothing.
func (f *file) boxOf(o object, m matrix) box {
	var corners [4]float64
	list := f.array(o)
	if len(list) != len(corners) {
		return everywhere
	}
	for i, n := range list {
		corners[i] = f.number(n)
	}
	if corners[0] == corners[2] || corners[1] == corners[3] {
		return everywhere
	}
	b := nowhere
	for _, x := range []float64{corners[0], corners[2]} {
		b = b.with(m, x, corners[1]).with(m, x, corners[3])
	}
	return b
}

// A path is what will be filled, or will clip what is drawn after it. Of its shape only the box is kept, so
// that too little is clipped, and never too much.
type path struct {
	box   box
	clips bool
}

// trace runs an operator that draws a path.
func (t *painter) trace(operator keyword, operands array) {
	var n [6]float64
	for i := range min(len(operands), len(n)) {
		n[i], _ = operands[i].(float64)
	}
	m := t.state.ctm
	switch operator {
	case "m", "l":
		t.path.box = t.path.box.with(m, n[0], n[1])
	case "c", "v", "y":
		t.path.box = t.path.box.with(m, n[0], n[1]).with(m, n[2], n[3])
		if operator == "c" {
			t.path.box = t.path.box.with(m, n[4], n[5])
		}
	case "re":
		t.path.box = t.path.box.with(m, n[0], n[1]).with(m, n[0]+n[2], n[1]).
			with(m, n[0], n[1]+n[3]).with(m, n[0]+n[2], n[1]+n[3])
	case "W", "W*":
		t.path.clips = true
	case "S", "s", "f", "F", "f*", "B", "B*", "b", "b*", "n":
		if t.path.clips {
			t.state.clip = t.state.clip.meet(t.path.box)
		}
		t.path = path{box: nowhere}
	}
}
