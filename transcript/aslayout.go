package transcript

// as returns the source in a layout.
func (s source) as(layout Layout) (source, error) {
	if s.lines == "" {
		return source{}, ErrLayout
	}
	if layout == LayoutHours {
		if !hasDayClocks(s.lines) {
			return source{}, ErrLayout
		}
		chosen, _ := chooseTurns(s.lines, s.marked, true)
		s.parse, s.canonical = chosen.parse, chosen.canonical
		return s, nil
	}
	s.canonical = ""
	text, marked := canonicalLines(s.lines, false), s.marked
	switch layout {
	case LayoutLabels:
		texts, canonical := canonicalLabels([]string{text})
		if len(marked.names) == 0 {
			text, marked = texts[0], canonical
		}
		speakers := countLabels(text, marked).speakers()
		for name := range speakers.doubtful {
			speakers.names[name] = true
		}
		if len(speakers.names) == 0 {
			return source{}, ErrLayout
		}
		s.parse = func() turnList { return parseLabelled(text, speakers) }
	case LayoutHeads:
		header, ok := mostHeads(text)
		if !ok {
			return source{}, ErrLayout
		}
		s.parse = func() turnList { return parseHeaders(text, header) }
	case LayoutTimes:
		if findHeaders(text, anyStamp.header).count < 2 {
			return source{}, ErrLayout
		}
		s.parse = func() turnList { return parseTimestamped(text, anyStamp, marked) }
	case LayoutParagraphs:
		lines := s.lines
		s.parse = func() turnList { return parseProse(lines) }
	default:
		return source{}, ErrLayout
	}
	return s, nil
}

// mostHeads returns the header that occurs most often in a text, if it does so twice.
func mostHeads(text string) (most headerFunc, ok bool) {
	count := 1
	for _, header := range []headerFunc{otterHeader, revHeader, firefliesHeader, timestampNameHeader, inlineHeader} {
		if n := findHeaders(text, header).count; n > count {
			most, count, ok = header, n, true
		}
	}
	return most, ok
}
