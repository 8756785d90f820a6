// Package pdf extracts lines of text from PDF files (ISO 32000-2).
//
// It is for files of strangers: every loop spends from a budget, and every recursion has a depth, so that
// time and memory are bounded whatever the file has in it. It reads neither pictures nor files that require a
// password.
package pdf

import (
	"errors"
	"fmt"
)

// The errors that Read returns, wrapped or as they are.
var (
	ErrDamaged     = errors.New("the PDF is damaged, or has parts that cannot be read")
	ErrEncrypted   = errors.New("the PDF requires a password or a certificate")
	ErrNoText      = errors.New("the PDF shows no text")
	ErrTooLarge    = errors.New("the PDF takes too much work to read")
	ErrUnmapped    = errors.New("the PDF does not say which characters its glyphs are")
	ErrRightToLeft = errors.New("the PDF has text from right to left")
)

const (
	// maxWork bounds what a file costs: about a unit for each byte that is unpacked or looked at, and more for
	// what is allocated. A transcript of sixty thousand words that Chromium printed, with a place for each
	// letter, takes 70 % of it.
	maxWork = 96 << 20

	maxUnpacked = 32 << 20 // bytes of a stream
	maxPages    = 2_000
	maxText     = 10 << 20 // bytes
	maxDepth    = 32       // of arrays, dictionaries and page trees
)

// A Line is what stands on one line of a page.
type Line struct {
	Text     string
	SetApart bool // more space is above than between lines
	Full     bool // the first word of the next line would not have fitted
	Above    bool // it stands above, or to the left of, the line that was drawn before it
	Margin   bool // it stands at the top or at the bottom of the page, set apart from the lines between

	X, Y float64 // its distance from the left and from the bottom of the page, in points
}

// Read returns the lines of each page, in the order in which the file draws them. Columns of a row that are
// far apart are separated by tabs.
func Read(data []byte) (pages [][]Line, err error) {
	defer func() {
		if r := recover(); r != nil {
			pages, err = nil, recovered(r)
		}
	}()
	f := &file{data: data, left: maxWork, objects: map[int]location{}, fonts: map[int]*font{}}
	f.scan()
	if f.encrypt != nil {
		if !f.unlock() {
			return nil, ErrEncrypted
		}
		clear(f.objects)
		f.scan() // what is in streams of objects can be found only now
	}
	found, err := f.pages()
	if err != nil {
		return nil, err
	}
	var drawn [][]drawnLine
	for _, page := range found {
		lines, err := f.draw(page)
		if err != nil {
			return nil, err
		}
		drawn = append(drawn, lines)
	}
	if err := f.count.check(); err != nil {
		return nil, err
	}
	return arrange(drawn), nil
}

// recovered returns the error for a panic: that of an exhausted budget, or of a mistake in this package.
func recovered(r any) error {
	if err, ok := r.(error); ok && errors.Is(err, ErrTooLarge) {
		return ErrTooLarge
	}
	return fmt.Errorf("%w: %v", ErrDamaged, r)
}

// spend takes from the budget. It panics when the budget is exhausted, and Read returns ErrTooLarge.
func (f *file) spend(n int) {
	if f.left -= n; f.left < 0 {
		panic(ErrTooLarge)
	}
}
