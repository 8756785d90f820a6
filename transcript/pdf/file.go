package pdf

import (
	"bytes"
	"compress/zlib"
	"encoding/ascii85"
	"errors"
	"io"
	"strconv"

	"research/transcript/pdf/crypt"
)

// A file is a PDF whose objects were found. It does not use the table of objects, which may be damaged or
// refer to itself: objects are found by their heads, and later ones replace earlier ones.
type file struct {
	data    []byte
	left    int // of the budget
	objects map[int]location
	root    object
	rootAt  int        // where the trailer with the root is. The last one holds.
	encrypt object     // how the file is encrypted, if it is
	id      []byte     // the first one, which encryption uses
	key     *crypt.Key // of an encrypted file
	fonts   map[int]*font
	count   counts
}

// A location is where an object begins.
type location struct {
	data       []byte
	pos        int
	generation int
}

// scan finds the objects, those in streams of objects, and the trailers.
func (f *file) scan() {
	for pos := 0; ; {
		i := bytes.Index(f.data[pos:], []byte("obj"))
		if i < 0 {
			break
		}
		at := pos + i
		pos = at + len("obj")
		n, generation, ok := objectNumber(f.data[:at])
		if !ok {
			continue
		}
		f.spend(2 * objectCost)
		f.objects[n] = location{f.data, pos, generation}
		p := parser{file: f, data: f.data, pos: pos}
		o, ok := p.next(0)
		if !ok {
			continue
		}
		pos = p.pos
		if d, isDict := o.(dict); isDict {
			pos = f.scanStream(n, generation, d, p)
		}
	}
	for pos := 0; ; {
		i := bytes.Index(f.data[pos:], []byte("trailer"))
		if i < 0 {
			return
		}
		pos += i + len("trailer")
		p := parser{file: f, data: f.data, pos: pos}
		if d, ok := p.next(0); ok {
			if d, ok := d.(dict); ok {
				f.trailer(d, pos)
			}
		}
	}
}

// scanStream reads the stream after a dictionary if it has objects or is a trailer, and returns its end.
func (f *file) scanStream(number, generation int, d dict, p parser) int {
	body, end, ok := f.body(d, p)
	if !ok {
		return p.pos
	}
	switch d["Type"] {
	case name("XRef"):
		f.trailer(d, p.pos)
	case name("ObjStm"):
		f.scanObjects(d, f.decrypt(number, generation, body))
	}
	return end
}

func (f *file) trailer(d dict, at int) {
	if d["Root"] != nil && at >= f.rootAt {
		f.root, f.rootAt = d["Root"], at
	}
	if d["Encrypt"] != nil {
		f.encrypt = d["Encrypt"]
	}
	if ids := f.array(d["ID"]); len(ids) > 0 {
		id, _ := f.resolve(ids[0]).(text)
		f.id = id
	}
}

// scanObjects finds the objects in a stream of objects: pairs of numbers and positions, and then the objects.
func (f *file) scanObjects(d dict, body []byte) {
	unpacked, err := f.decode(d, body)
	if err != nil {
		return // still encrypted, or what needs its objects is missing
	}
	first := int(f.number(d["First"]))
	p := parser{file: f, data: unpacked}
	for range int(f.number(d["N"])) {
		n, ok := p.next(0)
		at, ok2 := p.next(0)
		number, isNumber := n.(float64)
		position, isPosition := at.(float64)
		if !ok || !ok2 || !isNumber || !isPosition {
			return
		}
		f.spend(2 * objectCost)
		if pos := first + int(position); pos >= 0 && pos < len(unpacked) {
			f.objects[int(number)] = location{data: unpacked, pos: pos}
		}
	}
}

// objectNumber returns the number and the generation at the end of the bytes: "12 0 ".
func objectNumber(before []byte) (number, generation int, ok bool) {
	before = bytes.TrimRight(before[max(0, len(before)-32):], whiteSpace)
	rest := bytes.TrimRight(before, "0123456789")
	trimmed := bytes.TrimRight(rest, whiteSpace)
	if len(rest) == len(before) || len(trimmed) == len(rest) {
		return 0, 0, false
	}
	digits := trimmed[len(bytes.TrimRight(trimmed, "0123456789")):]
	number, err := strconv.Atoi(string(digits))
	generation, err2 := strconv.Atoi(string(before[len(rest):]))
	return number, generation, err == nil && err2 == nil
}

// body returns the bytes of the stream that begins at the parser, and where it ends.
func (f *file) body(d dict, p parser) (body []byte, end int, ok bool) {
	p.skipSpace()
	if !bytes.HasPrefix(p.data[p.pos:], []byte("stream")) {
		return nil, 0, false
	}
	from := p.pos + len("stream")
	switch rest := p.data[from:]; {
	case bytes.HasPrefix(rest, []byte("\r\n")):
		from += 2
	case bytes.HasPrefix(rest, []byte("\n")), bytes.HasPrefix(rest, []byte("\r")):
		from++
	}
	rest := p.data[from:]
	if n := int(f.number(d["Length"])); n > 0 && n <= len(rest) {
		after := bytes.TrimLeft(rest[n:min(n+20, len(rest))], whiteSpace)
		if bytes.HasPrefix(after, []byte("endstream")) {
			return rest[:n], from + n, true
		}
	}
	i := bytes.Index(rest, []byte("endstream"))
	if i < 0 {
		f.spend(len(rest))
		return nil, 0, false
	}
	f.spend(i)
	return rest[:i], from + i, true
}

// maxReferences is how many references in a row are followed.
const maxReferences = 8

// resolve returns the object that a reference is for.
func (f *file) resolve(o object) object {
	for range maxReferences {
		r, ok := o.(reference)
		if !ok {
			return o
		}
		at, ok := f.objects[int(r)]
		if !ok {
			return nil
		}
		p := parser{file: f, data: at.data, pos: at.pos}
		o, _ = p.next(0)
	}
	return nil
}

// stream returns the dictionary and the unpacked bytes of a stream.
func (f *file) stream(o object) (dict, []byte, error) {
	d, body, err := f.packed(o)
	if err != nil {
		return nil, nil, err
	}
	unpacked, err := f.decode(d, body)
	return d, unpacked, err
}

// packed returns the dictionary and the bytes of a stream.
func (f *file) packed(o object) (dict, []byte, error) {
	for range maxReferences {
		r, ok := o.(reference)
		if !ok {
			break
		}
		at, ok := f.objects[int(r)]
		if !ok {
			break
		}
		p := parser{file: f, data: at.data, pos: at.pos}
		o, _ = p.next(0)
		if d, isDict := o.(dict); isDict {
			if body, _, ok := f.body(d, p); ok {
				return d, f.decrypt(int(r), at.generation, body), nil
			}
		}
	}
	return nil, nil, ErrDamaged
}

func (f *file) dict(o object) dict {
	d, _ := f.resolve(o).(dict)
	return d
}

func (f *file) array(o object) array {
	a, _ := f.resolve(o).(array)
	return a
}

func (f *file) number(o object) float64 {
	n, _ := f.resolve(o).(float64)
	return n
}

// asArray returns an array, or one of a single object, or none.
func (f *file) asArray(o object) array {
	switch o := f.resolve(o).(type) {
	case nil:
		return nil
	case array:
		return o
	default:
		return array{o}
	}
}

// maxFilters is how many filters of a stream are applied.
const maxFilters = 4

// decode unpacks a stream.
func (f *file) decode(d dict, body []byte) ([]byte, error) {
	filters := f.asArray(d["Filter"])
	if len(filters) > maxFilters {
		return nil, ErrDamaged
	}
	for _, p := range f.asArray(d["DecodeParms"]) {
		if f.number(f.dict(p)["Predictor"]) > 1 {
			return nil, ErrDamaged
		}
	}
	for _, filter := range filters {
		var unpack io.Reader
		switch f.resolve(filter) {
		case name("FlateDecode"), name("Fl"):
			z, err := zlib.NewReader(bytes.NewReader(body))
			if err != nil {
				return nil, ErrDamaged
			}
			unpack = z
		case name("ASCII85Decode"), name("A85"):
			body, _, _ = bytes.Cut(bytes.TrimPrefix(bytes.TrimSpace(body), []byte("<~")), []byte("~"))
			unpack = ascii85.NewDecoder(bytes.NewReader(body))
		case name("ASCIIHexDecode"), name("AHx"):
			f.spend(len(body))
			body, _, _ = bytes.Cut(body, []byte(">"))
			unpack = bytes.NewReader(unhex(body))
		default:
			return nil, ErrDamaged
		}
		var unpacked bytes.Buffer
		_, err := unpacked.ReadFrom(io.LimitReader(unpack, int64(min(f.left, maxUnpacked))+1))
		f.spend(unpacked.Len())
		switch {
		case unpacked.Len() > maxUnpacked:
			return nil, ErrTooLarge
		case err != nil && !errors.Is(err, zlib.ErrChecksum):
			return nil, ErrDamaged
		}
		body = unpacked.Bytes()
	}
	return body, nil
}
