package transcript

import (
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"research/transcript/internal/clock"
	"research/transcript/internal/format"
	"research/transcript/internal/plain"
	"research/transcript/internal/turn"
)

// isHTML reports whether a text is a web page or a fragment of one: it begins with a tag, and has several.
func isHTML(text string) bool {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "<") {
		return false
	}
	opening := strings.ToLower(text[:min(len(text), 1<<10)])
	if plain.HasAnyPrefix(opening, "<?xml", "<tt", "<v ", "<i>", "<transcript") &&
		!strings.Contains(opening, "<html") {
		return false
	}
	if _, page, ok := strings.Cut(opening, "<html"); ok && strings.HasPrefix(opening, "<?xml") {
		opening = "<html" + page // XHTML
	}
	lower := strings.ToLower(text[:min(len(text), plain.SampleSize)])
	ends := 0
	for _, end := range []string{
		"</p>", "</div>", "</td>", "</li>", "</dd>", "</span>", "<br", "</h", "</body>", "</html>",
	} {
		ends += strings.Count(lower, end)
	}
	name, _, _ := strings.Cut(strings.TrimLeft(opening, "<"), ">")
	name, _, _ = strings.Cut(strings.TrimSuffix(name, "/"), " ")
	return ends > 0 && (plain.HasAnyPrefix(opening, "<!doctype html", "<!--") ||
		pageElements[strings.TrimSpace(name)])
}

// pageElements are the elements that a web page, or a part of one, begins with.
var pageElements = map[string]bool{
	"html": true, "head": true, "body": true, "div": true, "script": true, "table": true, "p": true, "pre": true,
	"ul": true, "ol": true, "section": true, "article": true, "main": true, "header": true, "hr": true,
	"h1": true,
	"h2": true, "h3": true, "h4": true, "h5": true, "h6": true, "span": true, "b": true, "br": true,
	"blockquote": true, "base": true, "strong": true, "meta": true, "style": true, "dl": true, "cite": true,
	"time": true, "center": true, "font": true, "nav": true, "aside": true, "figure": true, "link": true,
	"title": true,
}

// isMostlyHTML reports whether what is below the fields of a page in Markdown is HTML: nearly all lines that
// are not blank begin with a tag.
func isMostlyHTML(text string) bool {
	lines, tags := 0, 0
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			lines++
			if line[0] == '<' {
				tags++
			}
		}
	}
	return tags*10 >= lines*9 && isHTML(text)
}

// detectHTML reads the text of a web page that a service exports.
func detectHTML(text string) (source, error) {
	if head := strings.ToLower(text); strings.Contains(head, `type="password"`) ||
		strings.Contains(head, "type='password'") {
		return source{}, format.Unsupported("It is a web page that asks for a password, not the transcript " +
			"behind it. Please sign in, export the transcript, and upload that.")
	}
	if list, ok := parsePodcastPage(text); ok {
		return source{format: format.HTML, parse: func() turn.List { return list }}, nil
	}
	if isChatPage(text) {
		if list, ok := parseChatPage(text); ok {
			return source{format: format.HTML, dated: true, parse: func() turn.List { return list }}, nil
		}
	}
	d := htmlText{struck: struckClasses(text)}
	return d.read(text)
}

// detectFragment reads HTML within another format. Headings get the mark that they have in Markdown.
func detectFragment(text string) (source, error) {
	d := htmlText{inMarkdown: true}
	return d.read(text)
}

// read reads the text of a page.
func (d *htmlText) read(text string) (source, error) {
	tokens := html.NewTokenizer(strings.NewReader(text))
	tokens.SetMaxBuf(format.MaxBytes)
	for {
		kind := tokens.Next()
		if kind == html.ErrorToken {
			if errors.Is(tokens.Err(), io.EOF) {
				break
			}
			return source{}, format.Unsupported("It is a damaged web page. Please export the transcript again.")
		}
		d.add(kind, tokens)
	}
	d.endParagraph()
	d.dropRunningDivs()
	return d.source(format.HTML)
}

// htmlText collects the text of a web page.
type htmlText struct {
	richText

	hidden atom.Atom // the element, without display, that is open
	depth  int       // how many elements of that name are open within it
	inTime bool      // a time element is open
	label  atom.Atom // the element that names a speaker and is open
	name   int       // where the text of that element starts

	inMarkdown bool            // headings get the mark that they have in Markdown
	struck     map[string]bool // classes of text that is struck through

	isGoogleDoc bool     // the page is an export of Google Docs
	divs        int      // how many div elements are open
	topDivs     [][2]int // where the text of each outermost one starts and ends, in an export of Google Docs
}

// struckClass is a rule of a style sheet for text that is struck through, as Google Docs writes it.
var struckClass = regexp.MustCompile(`\.([\w-]+)\{[^{}]*text-decoration:\s*line-through`)

// maxStyleSheet is how much of a page is searched for rules.
const maxStyleSheet = 256 << 10

func struckClasses(page string) map[string]bool {
	classes := map[string]bool{}
	for _, m := range struckClass.FindAllStringSubmatch(page[:min(len(page), maxStyleSheet)], -1) {
		classes[m[1]] = true
	}
	return classes
}

// isStruck reports whether an element has a class for struck-through text.
func (d *htmlText) isStruck(tag atom.Atom, class string) bool {
	if tag != atom.Span || len(d.struck) == 0 {
		return false
	}
	for name := range strings.FieldsSeq(class) {
		if d.struck[name] {
			return true
		}
	}
	return false
}

// openDiv and closeDiv remember where the text of outermost div elements is.
func (d *htmlText) openDiv() {
	if d.divs == 0 && d.isGoogleDoc {
		d.topDivs = append(d.topDivs, [2]int{d.out.Len(), d.out.Len()})
	}
	d.divs++
}

func (d *htmlText) closeDiv() {
	d.divs = max(0, d.divs-1)
	if d.divs == 0 && len(d.topDivs) > 0 {
		d.topDivs[len(d.topDivs)-1][1] = d.out.Len()
	}
}

// dropRunningDivs removes the header, the footer and the footnotes of a document from Google Docs. They are
// div elements; paragraphs of the document are not in one.
func (d *htmlText) dropRunningDivs() {
	text := d.out.String()
	inside := 0
	for _, div := range d.topDivs {
		inside += div[1] - div[0]
	}
	if inside == 0 || inside*2 > len(text) {
		return
	}
	d.out.Reset()
	from := 0
	for _, div := range d.topDivs {
		d.out.WriteString(text[from:div[0]])
		from = div[1]
	}
	d.out.WriteString(text[from:])
}

func (d *htmlText) add(kind html.TokenType, tokens *html.Tokenizer) {
	switch kind {
	case html.TextToken:
		if d.hidden == 0 {
			d.write(string(tokens.Text()))
		}
	case html.StartTagToken, html.SelfClosingTagToken:
		name, _ := tokens.TagName()
		tag := atom.Lookup(name)
		if d.hidden == atom.Head && tag == atom.Body {
			d.hidden, d.depth = 0, 0 // pages that were minified do not end the head
		}
		if d.hidden != 0 {
			if tag == d.hidden && kind == html.StartTagToken {
				d.depth++
			}
			return
		}
		attributes := attributesOf(tokens)
		if kind == html.StartTagToken && (isUnspoken(tag, attributes) || d.isStruck(tag, attributes["class"])) {
			d.hidden = tag
			return
		}
		defer d.openLabel(kind, tag, attributes["class"])
		switch tag {
		case atom.Script, atom.Style, atom.Head, atom.Title, atom.Noscript, atom.Template, atom.Svg, atom.Button,
			atom.Select:
			if kind == html.StartTagToken {
				d.hidden = tag
			}
		case atom.Body:
			d.isGoogleDoc = strings.Contains(attributes["class"], "doc-content")
			d.endParagraph()
		case atom.Div:
			d.endParagraph()
			d.openDiv()
		case atom.Time:
			d.inTime = true
		case atom.Img:
			d.pictures = true
		case atom.Br:
			d.out.WriteByte('\n')
		case atom.Table:
			d.startTable()
		case atom.Tr:
			d.startRow()
		case atom.Td, atom.Th:
			d.startCell()
			if rows, err := strconv.Atoi(attributes["rowspan"]); err == nil {
				d.spanRows(rows)
			}
		default:
			if isBlockElement(tag) {
				d.endParagraph()
			}
			switch {
			case !isHeadingElement(tag):
			case d.inMarkdown:
				d.out.WriteString("### ")
			default:
				d.beginHeading()
			}
		}
	case html.EndTagToken:
		name, _ := tokens.TagName()
		d.endTag(atom.Lookup(name))
	}
}

// attributesOf returns the attributes of a tag that say what its element is.
func attributesOf(tokens *html.Tokenizer) map[string]string {
	found := map[string]string{}
	for {
		key, value, more := tokens.TagAttr()
		switch string(key) {
		case "class", "href", "id", "role", "rowspan", "style", "title":
			found[string(key)] = string(value)
		}
		if !more {
			return found
		}
	}
}

// isUnspoken reports whether an element is a deletion, hidden text, a footnote or the mark of one, or the
// header or footer of pages, in the markup of Word, LibreOffice, Google Docs and pandoc.
func isUnspoken(tag atom.Atom, attributes map[string]string) bool {
	style := strings.ReplaceAll(attributes["style"], " ", "")
	switch tag {
	case atom.Del, atom.S, atom.Strike:
		return true
	case atom.Div:
		return attributes["title"] == "header" || attributes["title"] == "footer" ||
			plain.HasAnyPrefix(attributes["id"], "sdfootnote", "sdendnote") ||
			strings.Contains(style, "mso-element:footnote") || strings.Contains(style, "mso-element:endnote")
	case atom.Span, atom.B, atom.I, atom.Em, atom.Strong, atom.Small, atom.Sup, atom.Sub, atom.Label, atom.Code:
		return isInvisible(style)
	case atom.A:
		return isInvisible(style) || attributes["role"] == "doc-noteref" ||
			plain.HasAnyPrefix(attributes["class"], "sdfootnoteanc", "sdendnoteanc", "footnote-ref") ||
			plain.HasAnyPrefix(attributes["href"], "#_ftn", "#_edn", "#ftnt")
	case atom.Section, atom.Aside:
		return plain.HasAnyPrefix(attributes["role"], "doc-footnote", "doc-endnote") ||
			plain.HasAnyPrefix(attributes["class"], "footnotes")
	}
	return false
}

// isInvisible reports whether a style, without spaces, hides or strikes through words. It is asked about
// parts of paragraphs: pages also hide whole transcripts until a reader opens them.
func isInvisible(style string) bool {
	return strings.Contains(style, "mso-hide:all") || strings.Contains(style, "display:none") ||
		strings.Contains(style, "text-decoration:line-through")
}

// speakerClass leaves "speaker" of classes such as "transcript__speaker-name".
var speakerClass = strings.NewReplacer("transcript", "", "name", "")

// openLabel remembers that an element names a speaker by its class, as in <p class="speaker">.
func (d *htmlText) openLabel(kind html.TokenType, tag atom.Atom, class string) {
	if kind != html.StartTagToken || d.label != 0 {
		return
	}
	for name := range strings.FieldsSeq(strings.ToLower(class)) {
		if strings.Trim(speakerClass.Replace(name), "-_") == "speaker" {
			d.label, d.name = tag, d.out.Len()
		}
	}
}

// closeLabel makes a label of the text of such an element.
func (d *htmlText) closeLabel() {
	d.label = 0
	name := strings.TrimSpace(d.out.String()[d.name:])
	if name != "" && len(name) <= plain.MaxLabel && !strings.Contains(name, ":") {
		d.out.WriteString(": ")
	}
}

func (d *htmlText) endTag(tag atom.Atom) {
	if tag == d.label && d.hidden == 0 {
		d.closeLabel()
	}
	switch {
	case d.hidden != 0:
		switch {
		case tag != d.hidden:
		case d.depth > 0:
			d.depth--
		default:
			d.hidden = 0
		}
	case tag == atom.Time:
		d.inTime = false
	case tag == atom.Td || tag == atom.Th:
		d.endCell()
		d.endParagraph()
	case tag == atom.Tr:
		d.endRow()
	case tag == atom.Table:
		d.endTable()
	case tag == atom.Div:
		d.endParagraph()
		d.closeDiv()
	case isBlockElement(tag):
		if isHeadingElement(tag) {
			d.endHeading()
		}
		d.endParagraph()
	}
}

// write adds text. Line breaks of the markup are spaces. A timestamp in an element of its own is put in
// brackets.
func (d *htmlText) write(text string) {
	text = html.UnescapeString(text)
	if strings.TrimSpace(text) == "▶" { // a button that plays the recording
		return
	}
	if d.inTime && clock.IsTimestamp(strings.TrimSpace(text)) {
		text = "[" + strings.TrimSpace(text) + "] "
	}
	if d.endsInWord() && clock.IsTimestamp(strings.TrimSpace(text)) {
		d.out.WriteString("  ") // beside a name, where a style sheet keeps them apart
	}
	if !strings.ContainsAny(text, "\n\r\t") {
		d.out.WriteString(text)
		return
	}
	said, head := cutLastHead(text)
	d.writeWords(said)
	if head != "" {
		d.out.WriteString("\n" + head + " ")
	}
}

// cutLastHead cuts a time in brackets that is all of the last line: what is in an element behind it, such as
// "[00:01:14] <b>Dana:</b>", begins a turn.
func cutLastHead(text string) (said, head string) {
	i := strings.LastIndexAny(strings.TrimRight(text, " \t\r\n"), "\n\r") + 1
	head = strings.TrimSpace(text[i:])
	if h, ok := clock.ReadBracketed(head); i == 0 || !ok || h.Rest != "" {
		return text, ""
	}
	return text[:i], head
}

// writeWords adds words on several lines of the markup.
func (d *htmlText) writeWords(text string) {
	fields := strings.Fields(text)
	if len(fields) == 0 {
		d.out.WriteByte(' ')
		return
	}
	if strings.ContainsAny(text[:1], " \n\r\t") {
		d.out.WriteByte(' ')
	}
	d.out.WriteString(strings.Join(fields, " "))
	if strings.ContainsAny(text[len(text)-1:], " \n\r\t") {
		d.out.WriteByte(' ')
	}
}

func (d *htmlText) endsInWord() bool {
	text := d.out.String()
	last, _ := utf8.DecodeLastRuneInString(text[max(0, len(text)-utf8.UTFMax):])
	return unicode.IsLetter(last)
}

func isHeadingElement(tag atom.Atom) bool {
	switch tag {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return true
	}
	return false
}

func isBlockElement(tag atom.Atom) bool {
	switch tag {
	case atom.P, atom.Div, atom.Li, atom.Ul, atom.Ol, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6,
		atom.Section, atom.Article, atom.Header, atom.Footer, atom.Main, atom.Blockquote, atom.Pre, atom.Dt,
		atom.Dd, atom.Dl, atom.Body, atom.Title, atom.Hr, atom.Figure, atom.Aside, atom.Nav:
		return true
	}
	return false
}
