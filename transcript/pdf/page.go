package pdf

// A page is a leaf of the tree of pages.
type page struct {
	dict      dict
	resources object

	mediaBox, cropBox object
}

// pages returns the pages in their order.
func (f *file) pages() ([]page, error) {
	root := f.dict(f.root)
	if root["Pages"] == nil {
		return nil, ErrDamaged
	}
	var found []page
	seen := map[reference]bool{}
	var walk func(o object, inherited page, depth int) error
	walk = func(o object, inherited page, depth int) error {
		if r, ok := o.(reference); ok {
			if seen[r] {
				return ErrDamaged
			}
			seen[r] = true
		}
		d := f.dict(o)
		if d == nil || depth > maxDepth {
			return ErrDamaged
		}
		node := inherited
		node.dict = d
		if d["Resources"] != nil {
			node.resources = d["Resources"]
		}
		if d["MediaBox"] != nil {
			node.mediaBox = d["MediaBox"]
		}
		if d["CropBox"] != nil {
			node.cropBox = d["CropBox"]
		}
		if d["Kids"] == nil {
			if found = append(found, node); len(found) > maxPages {
				return ErrTooLarge
			}
			return nil
		}
		for _, kid := range f.array(d["Kids"]) {
			if err := walk(kid, node, depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	if err := walk(root["Pages"], page{}, 0); err != nil {
		return nil, err
	}
	return found, nil
}

// content returns the operators that draw a page.
func (f *file) content(p page) ([]byte, error) {
	var out []byte
	contents := p.dict["Contents"]
	parts := array{contents}
	if list, ok := f.resolve(contents).(array); ok {
		parts = list
	}
	if f.resolve(contents) == nil {
		return nil, nil
	}
	for _, part := range parts {
		_, unpacked, err := f.stream(part)
		if err != nil {
			return nil, err
		}
		out = append(append(out, unpacked...), '\n')
	}
	return out, nil
}
