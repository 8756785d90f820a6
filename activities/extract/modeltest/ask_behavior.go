package modeltest

import (
	"net/http"
	"strings"
)

// AboutAnswers composes answers in a way, and answers other calls honestly.
func AboutAnswers(compose Behavior) Behavior {
	return func(w http.ResponseWriter, x *Exchange) {
		if AsksToCompose(x.Call) {
			compose(w, x)
		} else {
			Honest()(w, x)
		}
	}
}

// ChangeAnswer composes answers honestly, after a change of the reply.
func ChangeAnswer(change func(Call, *AskReply)) Behavior {
	return AboutAnswers(func(w http.ResponseWriter, x *Exchange) {
		reply := ComposeAnswer(x.Call)
		change(x.Call, &reply)
		write(w, x, strings.Join(reply.Lines(), ""))
	})
}

// changeCites composes answers honestly, after a change of each quote.
func changeCites(change func(Call, *Cite)) Behavior {
	return ChangeAnswer(func(c Call, r *AskReply) {
		for i := range r.Sentences {
			for j := range r.Sentences[i].Cites {
				change(c, &r.Sentences[i].Cites[j])
			}
		}
	})
}

// write answers with a text: streamed, if the call requests that.
func write(w http.ResponseWriter, x *Exchange, text string) {
	if !x.Stream {
		Say(text)(w, x)
		return
	}
	stream := startStream(w)
	stream.write(text)
	stream.end(x, text)
}

// AskInvented proves sentences by what nobody said.
func AskInvented() Behavior {
	return changeCites(func(_ Call, c *Cite) {
		c.Quote = "Purple giraffes reconcile our quarterly spreadsheets underneath the lighthouse."
	})
}

// AskStitched proves sentences by a quote that is made of two lines.
func AskStitched() Behavior {
	return changeCites(func(call Call, c *Cite) {
		for _, p := range Passages(call.User) {
			for _, line := range p.Lines {
				if other := passage(line.Text); other != c.Quote {
					c.Quote = firstHalf(c.Quote) + " " + strings.TrimPrefix(other, firstHalf(other))
					return
				}
			}
		}
	})
}

// firstHalf returns the first half of the words of a text, with the space after them.
func firstHalf(text string) string {
	words := strings.SplitAfter(text, " ")
	return strings.Join(words[:len(words)/2], "")
}

// AskElsewhere quotes what was said in another interview than that of the passage which it cites.
func AskElsewhere() Behavior {
	return changeCites(func(call Call, c *Cite) {
		passages := Passages(call.User)
		interview := 0
		for _, p := range passages {
			if p.ID == c.ID {
				interview = p.Interview
			}
		}
		for _, p := range passages {
			if p.Interview != interview && len(p.Lines) > 0 {
				c.Quote = passage(p.Lines[0].Text)
				return
			}
		}
	})
}

// AskUnknownID cites a passage that the prompt does not have.
func AskUnknownID() Behavior {
	return changeCites(func(_ Call, c *Cite) { c.ID = "p9999" })
}

// AskMostUsers says of most users what one quote says.
func AskMostUsers() Behavior {
	return ChangeAnswer(func(_ Call, r *AskReply) {
		for i, s := range r.Sentences {
			r.Sentences[i].Text = "Most users say: " + s.Cites[0].Quote
		}
	})
}

// AskWorldKnowledge says what no interview says, with a quote and without one.
func AskWorldKnowledge() Behavior {
	return ChangeAnswer(func(call Call, r *AskReply) {
		r.End = AskEnd{Result: "answered"}
		r.Sentences = []Sentence{{Text: "This is a common trouble all over the world.", Cites: []Cite{}}}
		for _, p := range Passages(call.User) {
			if len(p.Lines) > 0 {
				r.Sentences = append(r.Sentences, Sentence{
					Text:  "According to studies of 2019, 83 percent of companies have this trouble.",
					Cites: []Cite{{ID: p.ID, Quote: passage(p.Lines[0].Text)}},
				})
				return
			}
		}
	})
}

// AskFenced puts the lines of an honest answer into a Markdown code fence, with prose around it.
func AskFenced() Behavior {
	return AboutAnswers(func(w http.ResponseWriter, x *Exchange) {
		write(w, x, "Sure! Here is {what} I found:\n\n```json\n"+strings.Join(ComposeAnswer(x.Call).Lines(), "")+
			"```\n\nLet me know {if} you need more.")
	})
}

// AskProse answers in prose.
func AskProse() Behavior {
	return AboutAnswers(func(w http.ResponseWriter, x *Exchange) {
		var b strings.Builder
		for _, s := range ComposeAnswer(x.Call).Sentences {
			b.WriteString("* " + s.Text + " [" + s.Cites[0].ID + "]\n")
		}
		write(w, x, b.String()+"In short, the answer is yes.")
	})
}

// AskObject answers with one object that has all sentences.
func AskObject() Behavior {
	return AboutAnswers(func(w http.ResponseWriter, x *Exchange) {
		reply := ComposeAnswer(x.Call)
		write(w, x, mustJSON(map[string]any{
			"sentences": reply.Sentences, "result": reply.End.Result, "missing": reply.End.Missing,
		}))
	})
}

// AskWhole answers without a stream.
func AskWhole() Behavior {
	return AboutAnswers(func(w http.ResponseWriter, x *Exchange) {
		Say(strings.Join(ComposeAnswer(x.Call).Lines(), ""))(w, x)
	})
}

// AskSlowly waits before each line of an honest answer until it receives from gate, or gate is closed.
func AskSlowly(gate <-chan struct{}) Behavior {
	return AboutAnswers(func(w http.ResponseWriter, x *Exchange) {
		stream := startStream(w)
		lines := ComposeAnswer(x.Call).Lines()
		for _, line := range lines {
			select {
			case <-gate:
			case <-x.Gone:
				return
			case <-x.closing:
				return
			}
			stream.write(line)
		}
		stream.end(x, strings.Join(lines, ""))
	})
}

// AskCutOff closes the connection in the middle of the third line of an honest answer, or of its last one.
func AskCutOff() Behavior {
	return AboutAnswers(func(w http.ResponseWriter, x *Exchange) {
		lines := ComposeAnswer(x.Call).Lines()
		lines = lines[:min(len(lines), 3)]
		last := lines[len(lines)-1]
		startStream(w).write(strings.Join(lines[:len(lines)-1], "") + last[:len(last)/2])
		panic(http.ErrAbortHandler)
	})
}

// AskEndless writes an honest answer, and then its sentences with a number without end.
func AskEndless() Behavior {
	return AboutAnswers(func(w http.ResponseWriter, x *Exchange) {
		stream := startStream(w)
		sentences := ComposeAnswer(x.Call).Sentences
		for n := 0; len(sentences) > 0; n++ {
			select {
			case <-x.Gone:
				return
			case <-x.closing:
				return
			default:
			}
			s := sentences[n%len(sentences)]
			s.Text += strings.Repeat(" again", n/len(sentences))
			if !stream.write(jsonLine(s)) {
				return
			}
		}
	})
}

// Written streams a text, if the call requests that, a few bytes in each event.
func Written(text string) Behavior {
	return func(w http.ResponseWriter, x *Exchange) { write(w, x, text) }
}
