package transcript

import "strings"

// ParseAs runs one format's parser on any text, whatever Detect would say of it. It is for fuzzing.
func ParseAs(parser, text string) (*Transcript, error) {
	text = strings.ToValidUTF8(text, "\uFFFD")
	lines := normalise(text)
	var ts turns
	switch parser {
	case "webvtt":
		ts = parseWebVTT(lines)
	case "srt":
		ts = parseSRT(lines)
	case "sbv":
		ts = parseSBV(lines)
	case "otter":
		ts = parseOtter(lines)
	case "rev":
		ts = parseRev(lines)
	case "fireflies":
		ts = parseFireflies(lines)
	case "stamped":
		ts = parseStamped(lines, nil)
	case "named":
		ts = parseNamed(lines, tallyText(lines, nil).accept())
	case "prose":
		ts = parseProse(lines)
	case "markdown":
		m := unmark(lines, false)
		src, _ := openLines(m.plain, m.bold)
		ts = src.parse()
	case "teams":
		ts = parseTeamsDocx(lines)
	default:
		doc, ok := readDocument([]byte(text))
		if !ok {
			return nil, refuse(refusals["json"])
		}
		for _, shape := range jsonShapes {
			if string(shape.format) == parser {
				if ts, _, ok = shape.read(doc); !ok {
					return nil, refuse(refusals["json"])
				}
			}
		}
	}
	return assemble(Format(parser), ts)
}
