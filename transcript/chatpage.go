package transcript

import (
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"research/transcript/internal/clock"
	"research/transcript/internal/format"
	"research/transcript/internal/turn"
)

// A chatPart is what an element of a chat's web page has.
type chatPart int

const (
	noChatPart  chatPart = iota
	chatOne              // a message, which names its sender unless the class says that it is joined
	chatGroup            // several messages, of which the first names the sender
	chatForward          // a message of somebody else within one
	chatSender
	chatTime
	chatWords
	chatRemark // something within the words that the program writes
)

// chatClasses are the classes of Telegram's web pages, and of those that DiscordChatExporter has written over
// the years. Notices, replies, attachments, embeds and reactions have other classes, so that they are not
// read.
var chatClasses = map[string]chatPart{
	"message": chatOne, "forwarded": chatForward, "from_name": chatSender, "date": chatTime, "text": chatWords,

	"chatlog__message-group": chatGroup, "chatlog__author": chatSender, "chatlog__author-name": chatSender,
	"chatlog__timestamp": chatTime, "chatlog__short-timestamp": chatTime, "chatlog__content": chatWords,
	"chatlog__edited-timestamp": chatRemark,
}

// isChatPage reports whether a web page is such an export.
func isChatPage(page string) bool {
	return strings.Count(page, "chatlog__content") > 1 && strings.Contains(page, "chatlog__message") ||
		strings.Contains(page, `class="message default`) && strings.Contains(page, `class="from_name"`)
}

// An openElement is an element whose end is awaited.
type openElement struct {
	tag   atom.Atom // or 0 if none is open
	depth int       // how many elements of that name are open within it
}

// ends counts a tag, and reports whether it ends the element.
func (e *openElement) ends(kind html.TokenType, tag atom.Atom) bool {
	switch {
	case e.tag == 0 || tag != e.tag:
	case kind == html.StartTagToken:
		e.depth++
	case kind == html.EndTagToken && e.depth > 0:
		e.depth--
	case kind == html.EndTagToken:
		*e = openElement{}
		return true
	}
	return false
}

// A chatPage collects the messages of a page.
type chatPage struct {
	list  turn.List
	times []string // of the turns, as they are written

	sender, at string
	inMessage  bool
	forwarded  bool // what follows in the message names somebody else

	part   chatPart // of the element that is open
	open   openElement
	remark openElement // within the words
	text   strings.Builder
}

// parseChatPage reads the messages. It returns false for a page without any that have a sender.
func parseChatPage(page string) (turn.List, bool) {
	var p chatPage
	tokens := html.NewTokenizer(strings.NewReader(page))
	tokens.SetMaxBuf(format.MaxBytes)
	for !p.list.Exceeded {
		kind := tokens.Next()
		if kind == html.ErrorToken {
			break
		}
		p.add(kind, tokens)
	}
	p.readTimes()
	named := 0
	for _, t := range p.list.Turns {
		if t.Speaker != "" {
			named++
		}
	}
	return p.list, named > 0 && named*2 >= len(p.list.Turns) || p.list.Exceeded
}

func (p *chatPage) add(kind html.TokenType, tokens *html.Tokenizer) {
	if kind == html.TextToken {
		if p.part != noChatPart && p.remark.tag == 0 {
			p.text.WriteString(html.UnescapeString(string(tokens.Text())))
		}
		return
	}
	name, _ := tokens.TagName()
	tag := atom.Lookup(name)
	if p.part == noChatPart {
		if kind == html.StartTagToken {
			p.start(tag, attributesOf(tokens))
		}
		return
	}
	p.remark.ends(kind, tag)
	if p.open.ends(kind, tag) {
		p.end()
		return
	}
	if tag == atom.Br || isBlockElement(tag) {
		p.text.WriteByte('\n')
	}
	if kind == html.StartTagToken && p.remark.tag == 0 {
		if part, _ := chatPartOf(attributesOf(tokens)["class"]); part == chatRemark || part == chatTime {
			p.remark.tag = tag
		}
	}
}

// chatPartOf returns the kind of content that an element's classes declare, and whether it is joined to the
// one before.
func chatPartOf(classes string) (part chatPart, joined bool) {
	for class := range strings.FieldsSeq(classes) {
		if part == noChatPart {
			part = chatClasses[class]
		}
		joined = joined || class == "joined"
	}
	return part, joined
}

// start reads the first tag of an element.
func (p *chatPage) start(tag atom.Atom, attributes map[string]string) {
	part, joined := chatPartOf(attributes["class"])
	switch {
	case part == noChatPart || part == chatRemark:
	case part == chatOne || part == chatGroup:
		p.inMessage, p.forwarded, p.at = true, false, ""
		if !joined {
			p.sender = ""
		}
	case part == chatForward:
		p.forwarded = true
	case !p.inMessage || p.forwarded && part != chatWords:
	default:
		if title := attributes["title"]; part == chatTime && title != "" {
			p.at = title
		}
		p.part, p.open = part, openElement{tag: tag}
	}
}

// end takes the text of the element that was open.
func (p *chatPage) end() {
	text := strings.TrimSpace(p.text.String())
	switch p.part {
	case chatSender:
		p.sender, _, _ = strings.Cut(text, " via @") // Telegram's name of a bot that sent it
	case chatTime:
		if p.at == "" {
			p.at = text
		}
	case chatWords:
		p.list.Add(turn.Turn{Speaker: p.sender, Text: text})
		p.times = append(p.times, withoutWeekday(p.at))
		p.at = ""
	}
	p.text.Reset()
	p.part, p.remark = noChatPart, openElement{}
}

// withoutWeekday removes the name of the day before a date: "Thursday, August 17, 2023 5:09 PM".
func withoutWeekday(at string) string {
	day, date, ok := strings.Cut(at, ", ")
	if !ok || strings.ContainsFunc(day, unicode.IsDigit) {
		return at
	}
	return date
}

// readTimes makes the times count from the first one.
func (p *chatPage) readTimes() {
	_, order := clock.Count(strings.Join(p.times, "\n"))
	wall := clock.Wall{Dates: order}
	for i, at := range p.times[:min(len(p.times), len(p.list.Turns))] {
		if c, _, ok := clock.Parse(at); ok && c.Wall {
			t := &p.list.Turns[i]
			t.Start, t.Timed = wall.Elapsed(c), true
		}
	}
}
