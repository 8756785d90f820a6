package transcript_test

import (
	"errors"
	"fmt"
	"strings"

	"research/transcript"
)

func ExampleParse() {
	t, err := transcript.Parse(
		[]byte("[00:01:23] Dana: How often do you do it?\n[00:01:30] Omar: Every week: on Monday.\n"),
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(t.Format)
	for _, u := range t.Utterances {
		fmt.Println(u.Start, u.Speaker, "said", t.Text[u.ByteStart:u.ByteEnd])
	}
	// Output:
	// text
	// 1m23s Dana said How often do you do it?
	// 1m30s Omar said Every week: on Monday.
}

func ExampleParse_rejected() {
	_, err := transcript.Parse([]byte("%PDF-1.7 …"))
	var rejected *transcript.FormatError
	if errors.As(err, &rejected) {
		whatItIs, _, _ := strings.Cut(rejected.Reason, ". ")
		fmt.Println(whatItIs)
	}
	// Output: It is a PDF that is damaged, or made in a way that cannot be read
}

func ExampleTranscript_Speakers() {
	t, err := transcript.Parse(
		[]byte("WEBVTT\n\n00:01.000 --> 00:02.000\n<v Dana>Hi.</v>\n<v Omar>Hello.</v>\n"),
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(t.Speakers())
	// Output: [Dana Omar]
}
