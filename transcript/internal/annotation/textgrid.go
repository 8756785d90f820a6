package annotation

import (
	"strconv"
	"strings"

	"research/transcript/internal/clock"
	"research/transcript/internal/format"
	"research/transcript/internal/plain"
	"research/transcript/internal/turn"
)

// IsTextGrid reports whether a text is a TextGrid of Praat.
func IsTextGrid(text string) bool {
	head := strings.TrimSpace(text[:min(len(text), 256)])
	return strings.HasPrefix(head, `File type = "ooTextFile`) && strings.Contains(head, `"TextGrid"`)
}

// ReadTextGrid reads a TextGrid of Praat
// (https://www.fon.hum.uva.nl/praat/manual/TextGrid_file_formats.html), long or short: both have the same
// values in the same order. Each tier of intervals has the words of a speaker.
func ReadTextGrid(text string) (turn.List, error) {
	values := textGridValues(text)
	damaged := format.Unsupported("It is a TextGrid of Praat that is damaged. Please save it again.")
	// The file's type and class, its start and end, and "<exists>", which is no value.
	values.skip(4)
	tiers, ok := values.count()
	if !ok {
		return turn.List{}, damaged
	}
	var list []tier
	for range tiers {
		class, name := values.next(), values.next()
		values.skip(2)
		n, ok := values.count()
		if !ok {
			return turn.List{}, damaged
		}
		t := tier{name: strings.TrimSpace(name)}
		for range n {
			if class != "IntervalTier" {
				values.skip(2) // the time of a point, and its mark
				continue
			}
			start, startErr := strconv.ParseFloat(values.next(), 64)
			end, endErr := strconv.ParseFloat(values.next(), 64)
			interval := turn.Turn{Text: values.next()}
			if startErr != nil || endErr != nil {
				return turn.List{}, damaged
			}
			interval.Start, interval.Timed = clock.FromSeconds(start)
			interval.End, interval.Ended = clock.FromSeconds(end)
			t.turns = append(t.turns, interval)
		}
		list = append(list, t)
	}
	return turnsOfTiers(list)
}

// A valueList has the numbers and strings of a TextGrid, in order.
type valueList struct{ values []string }

// next returns the next value, or "" if there is none.
func (l *valueList) next() string {
	if len(l.values) == 0 {
		return ""
	}
	value := l.values[0]
	l.values = l.values[1:]
	return value
}

func (l *valueList) skip(n int) { l.values = l.values[min(n, len(l.values)):] }

// count returns the next value if it is the number of values or more that follow.
func (l *valueList) count() (int, bool) {
	n, err := strconv.Atoi(l.next())
	return n, err == nil && n >= 0 && n <= len(l.values)
}

// textGridValues returns what stands for itself in a TextGrid: strings between quotation marks, and numbers
// that are words of their own. Everything else is a comment. A quotation mark within a string is doubled.
func textGridValues(text string) valueList {
	var list valueList
	for i := 0; i < len(text) && len(list.values) < 4*turn.Max; {
		switch c := text[i]; {
		case c == '"':
			value, end := quotedValue(text, i+1)
			list.values = append(list.values, value)
			i = end
		case plain.IsDigit(c) || c == '-':
			end := i
			for end < len(text) && !isSpaceByte(text[end]) {
				end++
			}
			if _, err := strconv.ParseFloat(text[i:end], 64); err == nil {
				list.values = append(list.values, text[i:end])
			}
			i = end
		case isSpaceByte(c):
			i++
		default:
			for i < len(text) && !isSpaceByte(text[i]) && text[i] != '"' {
				i++
			}
		}
	}
	return list
}

// quotedValue reads a string from the byte behind its quotation mark, and returns where it ends.
func quotedValue(text string, from int) (value string, end int) {
	var b strings.Builder
	for {
		n := strings.IndexByte(text[from:], '"')
		if n < 0 {
			b.WriteString(text[from:])
			return b.String(), len(text)
		}
		b.WriteString(text[from : from+n])
		from += n + 1
		if from >= len(text) || text[from] != '"' {
			return b.String(), from
		}
		b.WriteByte('"')
		from++
	}
}

func isSpaceByte(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
