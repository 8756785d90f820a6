package transcript

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"research/transcript/internal/clock"
	"research/transcript/internal/format"
	"research/transcript/internal/plain"
	"research/transcript/internal/turn"
)

// A podcastPage reads the web pages that podcasts have as transcripts (Podcasting 2.0): "cite" elements with
// the speakers, "time" elements, and paragraphs.
type podcastPage struct {
	list    turn.List
	current turn.Turn // the speaker and the time of the next paragraph
	element atom.Atom // that is open, or 0
	hidden  atom.Atom // the same, of one whose text is not shown
	text    strings.Builder
}

// parsePodcastPage returns false for other pages, which have no such elements or text in other places.
func parsePodcastPage(page string) (turn.List, bool) {
	var p podcastPage
	if strings.Count(page, "</cite>") < 2 || strings.Count(page, "</time>") < 2 {
		return turn.List{}, false
	}
	tokens := html.NewTokenizer(strings.NewReader(page))
	tokens.SetMaxBuf(format.MaxBytes)
	for {
		kind := tokens.Next()
		if kind == html.ErrorToken {
			return p.list, len(p.list.Turns) > 1
		}
		if !p.add(kind, tokens) || p.list.Exceeded {
			return p.list, p.list.Exceeded
		}
	}
}

// add reads a token. It returns false for text in another place.
func (p *podcastPage) add(kind html.TokenType, tokens *html.Tokenizer) bool {
	if kind == html.TextToken {
		text := string(tokens.Text())
		if p.element != 0 {
			p.text.WriteString(html.UnescapeString(text))
		}
		return p.element != 0 || p.hidden != 0 || plain.IsBlank(text)
	}
	name, _ := tokens.TagName()
	tag := atom.Lookup(name)
	begins := kind == html.StartTagToken
	switch tag {
	case atom.Head, atom.Style, atom.Script:
		if p.hidden == 0 && begins {
			p.hidden = tag
		} else if p.hidden == tag && kind == html.EndTagToken {
			p.hidden = 0
		}
	case atom.Br:
		p.text.WriteByte('\n')
	case atom.Cite, atom.Time, atom.P:
		switch {
		case p.hidden != 0:
		case begins && (p.element != atom.P || tag == atom.P):
			p.endElement()
			p.element = tag
		case tag == p.element:
			p.endElement()
		}
	}
	return true
}

// endElement takes the text of the element that is open.
func (p *podcastPage) endElement() {
	text := strings.TrimSpace(p.text.String())
	switch p.element {
	case atom.Cite:
		p.current = turn.Turn{Speaker: trimName(text)}
	case atom.Time:
		h, ok := clock.ReadBare(text)
		p.current.Start, p.current.Timed = h.Start, ok
		p.current.Unread = !ok
	case atom.P:
		p.current.Text = text
		p.list.Add(p.current)
		p.current.Timed = false
	}
	p.text.Reset()
	p.element = 0
}
