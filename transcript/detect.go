package transcript

// A source is a file whose format is known.
type source struct {
	format   Format
	language string // as declared by the file
	parse    func() turnList
}

// detect decodes a file and detects its format.
func detect(data []byte) (source, error) {
	if len(data) > MaxBytes {
		return source{}, unsupported("It is larger than 10 MB. " +
			"Please upload the transcript alone, without recordings or pictures.")
	}
	if err := rejectSignature(data); err != nil {
		return source{}, err
	}
	if isZip(data) {
		return detectDocx(data)
	}
	text, ok := decode(data)
	if !ok {
		return source{}, unsupported("It is a binary file. " + uploadInstead)
	}
	if src, ok, err := detectJSON(text); ok {
		return src, err
	}
	if err := rejectNonSpeech(text); err != nil {
		return source{}, err
	}
	return detectText(unifyLineBreaks(text)), nil
}

// detectText distinguishes the text formats. The line breaks of the text are "\n".
func detectText(text string) source {
	switch {
	case isWebVTT(text):
		return source{WebVTT, vttLanguage(text), func() turnList { return parseWebVTT(text) }}
	case isSRT(text):
		return source{SubRip, "", func() turnList { return parseSRT(text) }}
	case isSBV(text):
		return source{SubViewer, "", func() turnList { return parseSBV(text) }}
	case isMarkdown(text):
		return detectMarkdown(text)
	}
	src, _ := detectTurns(text, nil)
	return src
}

// detectMarkdown detects the text format in a Markdown file. Its headings are dropped if the file has turns.
func detectMarkdown(text string) source {
	m := stripMarkdown(text, false)
	src, hasTurns := detectTurns(m.text, m.bold)
	if !hasTurns {
		m = stripMarkdown(text, true)
		src, _ = detectTurns(m.text, nil)
	}
	src.format = Markdown
	return src
}

// detectTurns distinguishes the formats that are lines of words, and reports whether it found turns. The
// labels in bold are those of a Markdown file.
func detectTurns(text string, bold map[string]bool) (src source, hasTurns bool) {
	src, count := detectHeaders(text, bold)
	if src.format == Text {
		if joined, ok := joinTimestamps(text); ok {
			return source{Text, "", func() turnList { return parseOtter(joined) }}, true
		}
		if isStampedNames(text, count) {
			return source{Text, "", func() turnList { return parseHeaders(text, timestampNameHeader) }}, true
		}
	}
	// Rev's header is a label with a timestamp: if most labels have none, the file is a text with labels.
	if count > 0 && src.format != Rev {
		return src, true
	}
	speakers := countLabels(text, bold).speakers()
	switch {
	case src.format == Rev && speakers.labels <= count:
		return src, true
	case len(speakers.names) > 0:
		return source{Text, "", func() turnList { return parseLabelled(text, speakers) }}, true
	}
	return source{Text, "", func() turnList { return parseProse(text) }}, false
}

// detectHeaders returns the format with the most turn headers in the text, and how many there are.
func detectHeaders(text string, bold map[string]bool) (src source, count int) {
	paragraphs := countParagraphs(text)
	for _, f := range []struct {
		format Format
		header headerFunc
		parse  func() turnList
	}{
		{Otter, otterHeader, func() turnList { return parseOtter(text) }},
		{Rev, revHeader, func() turnList { return parseRev(text) }},
		{Fireflies, firefliesHeader, func() turnList { return parseFireflies(text) }},
		{Text, timestampHeader, func() turnList { return parseTimestamped(text, bold) }},
	} {
		found := findHeaders(text, f.header)
		if found.count > count && found.fit(text, paragraphs) {
			src, count = source{f.format, "", f.parse}, found.count
		}
	}
	return src, count
}

// isStampedNames reports whether the text has a name after each timestamp and the words below, where stamps
// is the number of lines with a timestamp.
func isStampedNames(text string, stamps int) bool {
	named := findHeaders(text, timestampNameHeader)
	return named.recurring()*2 >= named.count && countNamesAboveWords(text)*10 >= stamps*8
}
