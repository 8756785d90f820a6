package transcript_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/transcript"
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

func TestPagesNeedNotEndTheirHeads(t *testing.T) {
	t.Parallel()
	require.Equal(t,
		[]string{"Dana: Who files them?", "Omar: I do.", "Dana: Where?", "Omar: In a box."}, spoken(t,
			"<!DOCTYPE html><html><head><title>Filing</title><style>a{}</style><body><p>Dana: Who files them?<p>"+
				"Omar: I do.<p>Dana: Where?<p>Omar: In a box.</body></html>"))
}

func TestTimesOnPagesBeginTurnsWithinParagraphs(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{
		"Dana (0s): Who files them?", "Omar (4s): I do.", "Dana (1m0s): Where?", "Omar (1m2s): In a box.",
		"Dana (1m4s): Which box [00:01:06] of all?",
	}, spoken(t, "<p>[00:00:00] <b>Dana:</b> Who files them?\n[00:00:04] <b>Omar:</b> I do.</p>\n\n"+
		"<p>[00:01:00] [00:01:00] <b>Dana:</b> Where?</p>\n\n<p>[00:01:02] <b>Omar:</b> In a box.</p>\n\n"+
		"<p>[00:01:04] <b>Dana:</b> Which box\n[00:01:06] of all?</p>\n"))
}

func TestPagesInMarkdownMayBeHTML(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"DW: Who files them?", "OH: I do.", "DW: Where?", "OH: In a box."}, spoken(t,
		"---\ntitle: Filing\nlayout: page\n---\n\n<h3 id=\"a\">Filing</h3>\n<p>DW: Who files them?</p>\n"+
			"<p>OH: I do.</p>\n<p>DW: Where?</p>\n<p>OH: In a box.</p>\n"))
}

func TestBreaksWithinCellsOfTablesInMarkdown(t *testing.T) {
	t.Parallel()
	require.Equal(t,
		[]string{"Dana (3s): Who files them? And where?", "Omar (6s): I do. In a box. Mostly."}, spoken(t,
			"| Time | Speaker | Text |\n|---|---|---|\n| 00:03 | Dana | Who files them?<br>And where? |\n"+
				"| 00:06 | Omar | I do.<br/>In a box.<br />Mostly. |\n"))
}

func TestSlacksNoticesAreNotMessages(t *testing.T) {
	t.Parallel()
	const message = `{"type":"message","subtype":%q,"user":"U1DANA","text":%q,"ts":"17303040%02d.000100"},`
	got, err := transcript.Parse([]byte(`[` +
		fmt.Sprintf(message, "channel_join", "<@U1DANA> has joined the channel", 0) +
		fmt.Sprintf(message, "channel_purpose", "<@U1DANA> set the channel purpose: filing", 1) +
		fmt.Sprintf(message, "", "boxes &gt; drawers &amp; &lt;desks&gt;", 2) +
		fmt.Sprintf(message, "file_share", "<@U1DANA> uploaded a file: <https://a.example|box>", 3) +
		fmt.Sprintf(message, "thread_broadcast", "and shelves", 4) +
		`{"type":"message","subtype":"bot_message","username":"filer","text":"I filed it.",` +
		`"ts":"1730504009.000100"}]`))
	require.NoError(t, err)
	require.Equal(t, "boxes > drawers & <desks>\nand shelves\nI filed it.", got.Text)
	require.Equal(t, []string{"U1DANA", "filer"}, got.Speakers())
}

func TestMessengersBytesAreUTF8(t *testing.T) {
	t.Parallel()
	const message = `{"sender_name":"Zo\u00c3\u00ab","timestamp_ms":%d,"content":"%s","type":"%s"},`
	text := `{"participants":[],"messages":[`
	for i, content := range []string{
		"Sur l'\u00c3\u00a9tag\u00c3\u00a8re \u00f0\u009f\u0093\u00a6", "caf\u00e9", "Où ? 📦", "Oui.",
	} {
		text += fmt.Sprintf(message, 1730500000000-i*400000000, content, "Generic")
	}
	text += fmt.Sprintf(message, 1700000000000, "Zo\u00c3\u00ab added Omar to the group.", "Subscribe")
	got, err := transcript.Parse([]byte(text[:len(text)-1] + `]}`))
	require.NoError(t, err)
	require.Equal(t, []string{"Zoë"}, got.Speakers())
	require.Equal(t, "Oui.\nOù ? 📦\ncafé\nSur l'étagère 📦", got.Text)
	require.NotContains(t, fmt.Sprint(got.Warnings), transcript.WarnTimes)
}

func TestLinesWithDesignationsOfSpeakers(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"Speaker 1 (4.62s): Who files them?", "Dana (5.68s): I do."}, spoken(t,
		`{"lines":[{"startTime":"00:00:04,620","endTime":"00:00:05,300","speakerDesignation":"Speaker 1",`+
			`"text":"Who files them?"},{"startTime":"00:00:05,680","endTime":"00:00:06,180",`+
			`"speakerDesignation":"Dana","text":"I do."}]}`))
}

func TestTimedTextOfYouTube(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`<?xml version="1.0"?><transcript><text start="2.5" dur="3">Who files &amp;quot;them&amp;quot;?</text>` +
			`<text start="6" dur="1.5">I don&amp;#39;t.</text></transcript>`,
		`<?xml version="1.0" encoding="utf-8" ?><timedtext format="3"><head><ws id="0"/></head><body>` +
			`<p t="2500" d="3000"><s>Who</s><s t="300"> files</s><s t="600"> &quot;them&quot;?</s></p>` +
			`<p t="4000" d="100" a="1">` + "\n" + `</p><p t="6000" d="1500"><s>I</s><s> don't.</s></p></body>` +
			`</timedtext>`,
	} {
		require.Equal(t, []string{` (2.5s): Who files "them"?`, " (6s): I don't."}, spoken(t, text))
	}
}

func TestMeetsClosingLinesInOtherLanguages(t *testing.T) {
	t.Parallel()
	for _, lines := range [][]string{
		{
			"4 nov. 2024", "Rangement (2024-11-04 09:30 GMT+1) - Transcription", "Participants",
			"Dana Weber, Omar Haddad", "Transcription", "00:00:00", "Dana Weber: Qui les range ?", "Omar Haddad: Moi.",
			"00:01:00", "Dana Weber: Où ?", "Omar Haddad: Dans une boîte.", "Fin de la réunion après 00:01:30 👋",
			"Cette transcription modifiable a été générée par ordinateur.",
		},
		{
			"4. Nov. 2024", "Ablage (2024-11-04 09:30 MEZ) – Transkript", "Teilnehmer", "Dana Weber, Omar Haddad",
			"Transkript", "00:00:00", "Dana Weber: Qui les range ?", "Omar Haddad: Moi.", "00:01:00",
			"Dana Weber: Où ?", "Omar Haddad: Dans une boîte.", "Die Besprechung endete nach 00:01:30",
			"Dieses bearbeitbare Transkript wurde maschinell erstellt und kann Fehler enthalten.",
		},
	} {
		got, err := transcript.Parse(docxOf(documentOf(lines...)))
		require.NoError(t, err)
		require.Equal(t, transcript.MeetDocx, got.Format)
		require.Equal(t, "Qui les range ?\nMoi.\nOù ?\nDans une boîte.", got.Text)
		require.Empty(t, got.Warnings)
		require.Len(t, spoken(t, strings.Join(lines, "\n\n")), 4)
	}
	// Where each turn has a time, the last one may be about the transcript.
	require.Equal(t,
		[]string{"Dana Weber (1s): Will you send it?", "Omar Haddad (4s): I shall send the transcript."},
		spoken(t, "Dana Weber  00:00:01\nWill you send it?\n\n"+
			"Omar Haddad  00:00:04\nI shall send the transcript.\n"))
}

func TestTablesWhoseSpeakersHaveAnUnknownHeading(t *testing.T) {
	t.Parallel()
	for _, heading := range []string{"Wie", "Kuka"} {
		var rows strings.Builder
		for _, row := range [][3]string{
			{"Tijd", heading, "Tekst"}, {"00:04", "DW", "Who files them, and where are they?"},
			{"00:07", "OH", "I do, in a box below the desk."}, {"00:09", "DW", "Which box is it?"},
			{"00:12", "OH", "The blue one."},
		} {
			fmt.Fprintf(&rows, "<w:tr><w:tc>%s</w:tc><w:tc>%s</w:tc><w:tc>%s</w:tc></w:tr>",
				documentOf(row[0]), documentOf(row[1]), documentOf(row[2]))
		}
		got, err := transcript.Parse(docxOf("<w:tbl>" + rows.String() + "</w:tbl>"))
		require.NoError(t, err)
		require.Equal(t, []string{"DW", "OH"}, got.Speakers(), heading)
		require.Len(t, got.Utterances, 4)
		require.Empty(t, got.Warnings)
	}
}
