package pdf_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/transcript/pdf"
)

func TestLeavesOutWhatCannotBeSeen(t *testing.T) {
	t.Parallel()
	const (
		boxed = "/MediaBox[0 0 200 300]"
		in    = "BT /F 10 Tf 9 200 Td (in) Tj ET "
		out   = "BT /F 10 Tf 9 -20 Td (24) Tj 0 -12 Td (25) Tj ET "
	)
	on := func(entries, content string, objects ...string) []byte {
		page := "<<" + entries + leaf[2:]
		return fileOf(append([]string{catalog, tree, page, stream("", content), times}, objects...)...)
	}
	form := func(entries string) string { return stream("/Subtype/Form"+entries, in+out) }
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"below the page":         {on(boxed, in+out), "in"},
		"above the page":         {on(boxed, in+"BT /F 10 Tf 9 310 Td (up) Tj ET"), "in"},
		"right of the page":      {on(boxed, in+"BT /F 10 Tf 210 200 Td (right) Tj ET"), "in"},
		"outside the crop box":   {on(boxed+"/CropBox[0 100 200 300]", in+"BT /F 10 Tf 9 50 Td (cut) Tj ET"), "in"},
		"corners in any order":   {on("/MediaBox[200 300 0 0]", in+out), "in"},
		"a box of nothing":       {on("/MediaBox[0 0 0 0]", in+"BT /F 10 Tf 9 100 Td (24) Tj ET"), "in|24"},
		"no box":                 {on("", in+out), "in|24|25"},
		"a box that starts low":  {on("/MediaBox[0 -100 200 300]", in+out), "in|24|25"},
		"a page that is turned":  {on(boxed+"/Rotate 90", "0 1 -1 0 220 0 cm "+in+out), "in"},
		"clipped by a rectangle": {on(boxed, "q 0 100 200 100 re W n "+in+"BT /F 10 Tf 9 50 Td (cut) Tj ET Q"), ""},
		"clipped and restored":   {on(boxed, "q 0 250 200 50 re W* n Q "+in), "in"},
		"clipped twice":          {on(boxed, "0 0 9 300 re W n 0 0 200 300 re W n "+in), ""},
		"clipped by lines":       {on(boxed, "0 190 m 200 190 l 200 300 l 0 300 l h W n "+in+out), "in"},
		"clipped by a curve":     {on(boxed, "0 0 m 0 400 200 400 200 0 c W n "+in), "in"},
		"filled and not clipped": {on(boxed, "0 0 9 9 re f "+in), "in"},
		"outside a form's box":   {on("", "/X Do", form("/BBox[0 100 200 300]")), "in"},
		"a form that is moved":   {on(boxed, "1 0 0 1 0 -195 cm /X Do", form("/BBox[0 -90 200 300]")), "in"},
		"a glyph half outside":   {on(boxed, "BT /F 10 Tf 9 -2 Td (in) Tj ET"), "in"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.want == "" {
				_, err := pdf.Read(c.data)
				require.ErrorIs(t, err, pdf.ErrNoText)
				return
			}
			require.Equal(t, c.want, strings.ReplaceAll(strings.Join(lines(t, c.data), "|"), "||", "|"))
		})
	}

	t.Run("inherits boxes", func(t *testing.T) {
		t.Parallel()
		data := fileOf(catalog, "<<"+boxed+tree[2:], leaf, stream("", in+out), times)
		require.Equal(t, []string{"in"}, lines(t, data))
	})
}
