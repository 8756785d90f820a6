package transcript_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTelegramsPagesHaveNamesBelowTheInitials(t *testing.T) {
	t.Parallel()
	message := func(class, at, name, text string) string {
		if name != "" {
			name = `<div class="from_name">` + "\n" + name + "\n</div>"
		}
		return `<div class="message ` + class + `"><div class="pull_left userpic_wrap"><div class="userpic ` +
			`userpic1"><div class="initials" style="line-height: 42px">` + "\nD\n</div></div></div>" +
			`<div class="body"><div class="pull_right date details" title="04.11.2024 ` + at +
			` UTC+01:00">` + at[:5] + `</div>` + name + `<div class="text">` + "\n" + text + "\n</div></div></div>\n"
	}
	page := `<!DOCTYPE html><html><head><title>Exported Data</title></head><body><div class="page_wrap">` +
		`<div class="page_header"><div class="content"><div class="text bold">Filing</div></div></div>` +
		`<div class="message service"><div class="body details">4 November 2024</div></div>` +
		message("default clearfix", "23:59:50", "Dana Weber ", "Who files <b>them</b>?<br>And where?") +
		message("default clearfix joined", "23:59:55", "", "Anyone?") +
		`<div class="message service"><div class="body details">Omar Haddad pinned a message</div></div>` +
		message("default clearfix", "23:59:58", "Omar Haddad", "I do &amp; you don't.") +
		`<div class="message default clearfix"><div class="body"><div class="pull_right date details" ` +
		`title="05.11.2024 00:00:10 UTC+01:00">00:00</div><div class="from_name">Dana Weber</div>` +
		`<div class="reply_to details">In reply to <a href="">this message</a></div>` +
		`<div class="forwarded body"><div class="from_name">Ella <span class="date details" ` +
		`title="01.02.2020 10:00:00 UTC+01:00">01.02.2020</span></div><div class="text">Use a box.</div></div>` +
		`<div class="media_wrap"><div class="title bold">Sticker</div></div></div></div></div></body></html>`
	require.Equal(t, []string{
		"Dana Weber (0s): Who files them? And where?", "Dana Weber (5s): Anyone?",
		"Omar Haddad (8s): I do & you don't.", "Dana Weber (20s): Use a box.",
	}, spoken(t, page))
}

func TestDiscordsPagesHaveNamesAboveTheirMessages(t *testing.T) {
	t.Parallel()
	words := func(head, text, tail string) string {
		return `<div class=chatlog__message-container><div class=chatlog__message>` + head +
			`<div class="chatlog__content chatlog__markdown"><span class=chatlog__markdown-preserve>` + text +
			`</span></div>` + tail + `</div></div>`
	}
	head := func(name, at string) string {
		return `<div class=chatlog__header><span class=chatlog__author title=x>` + name + `</span> <span ` +
			`class=chatlog__timestamp title="Monday, November 4, 2024 ` + at + `"><a href=#m>11/4/2024 ` + at +
			`</a></span></div>`
	}
	page := `<!DOCTYPE html><html lang=en><head><title>Filing</title><meta charset=utf-8><style>a{}</style>` +
		`<body><div class=preamble><div class=preamble__entry>Filing</div></div><div class=chatlog>` +
		`<div class=chatlog__message-group>` +
		words(head("Dana Weber", "5:09 PM"), "Who files <strong>them</strong>?",
			`<div class=chatlog__reactions>3</div>`) +
		words(`<div class=chatlog__short-timestamp title="Monday, November 4, 2024 5:10 PM">5:10 PM</div>`,
			"Anyone? <span class=chatlog__edited-timestamp>(edited)</span>",
			`<div class=chatlog__embed><div class=chatlog__markdown>A box</div></div>`) +
		`</div><div class=chatlog__message-group><div class=chatlog__message-container>` +
		`<div class=chatlog__message><span class=chatlog__system-notification-content>joined the server.</span>` +
		`</div></div></div><div class=chatlog__message-group>` +
		words(`<div class=chatlog__reply><div class=chatlog__reply-author>Dana Weber</div>`+
			`<div class=chatlog__reply-content>Anyone?</div></div>`+head("omar", "5:12 PM"), "I do.", "") +
		`</div></div><div class=postamble>Exported 3 message(s)</div>`
	require.Equal(t, []string{
		"Dana Weber (0s): Who files them?", "Dana Weber (1m0s): Anyone?", "omar (3m0s): I do.",
	}, spoken(t, page))
}
