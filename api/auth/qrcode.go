package auth

import (
	"fmt"
	"image/color"
	"strings"

	"github.com/boombuler/barcode/qr"
)

const (
	qrMargin = 4 // the quiet zone around a QR code, in modules (ISO/IEC 18004, section 9.1)
	qrModule = 4 // pixels
)

// qrCode draws a text as an SVG image, whose path has a square for each dark module. supabase-js puts the
// image into a data URL without escaping it, so it must not have a "#".
func qrCode(text string) (string, error) {
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return "", fmt.Errorf("draw a QR code: %w", err)
	}
	var path strings.Builder
	size := code.Bounds().Dx()
	for y := range size {
		for x := range size {
			if code.At(x, y) == color.Black {
				fmt.Fprintf(&path, "M%d %dh1v1h-1z", x+qrMargin, y+qrMargin)
			}
		}
	}
	side := size + 2*qrMargin
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%[2]d" height="%[2]d" `+
		`viewBox="0 0 %[1]d %[1]d" shape-rendering="crispEdges"><rect width="%[1]d" height="%[1]d" fill="white"/>`+
		`<path d="%[3]s" fill="black"/></svg>`, side, side*qrModule, path.String()), nil
}
