package modeltest

import (
	"cmp"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// An OpenReply is what a well-behaved model writes of a chunk that it reads for what is not known.
type OpenReply struct {
	Findings []OpenFinding `json:"findings"`
}

// An OpenFinding is a finding of an OpenReply.
type OpenFinding struct {
	Utterances []string `json:"utterances"`
	Quote      string   `json:"quote"`
	Label      string   `json:"label"`
}

// JSON returns the reply as a model writes it.
func (r OpenReply) JSON() string { return mustJSON(r) }

// A GroupReply is what a well-behaved model makes of labels.
type GroupReply struct {
	Groups []Group `json:"groups"`
}

// A Group is a group of a GroupReply.
type Group struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Labels      []string `json:"labels"` // ids
}

// JSON returns the reply as a model writes it.
func (r GroupReply) JSON() string { return mustJSON(r) }

// AsksForFindings reports whether a call asks for what is about nothing that is known.
func AsksForFindings(c Call) bool {
	return strings.HasSuffix(c.User, "\nReport the findings that are about nothing of this as one JSON object.")
}

// AsksForGroups reports whether a call asks for groups of labels.
func AsksForGroups(c Call) bool {
	return strings.HasSuffix(c.User, "\n\nReport the groups of these labels as one JSON object.")
}

var (
	labelOfTheme     = regexp.MustCompile(`(?m)^(l\d+): (.*)$`)
	knownLine        = regexp.MustCompile(`(?m)^- (.*)$`)
	interviewersLine = regexp.MustCompile(`(?m)^Interviewers: (.*)\. Their own words`)
)

// Labels returns the labels of a prompt, with their ids.
func Labels(prompt string) []Line {
	var lines []Line
	for _, m := range labelOfTheme.FindAllStringSubmatch(prompt, -1) {
		lines = append(lines, Line{m[1], m[2]})
	}
	return lines
}

// KnownOf returns the hypotheses and themes of a prompt.
func KnownOf(c Call) []string {
	var known []string
	_, after, _ := strings.Cut(c.User, "\n</transcript>\n")
	for _, m := range knownLine.FindAllStringSubmatch(after, -1) {
		known = append(known, m[1])
	}
	return known
}

// maxOpenFindings is how many findings a well-behaved model reports.
const maxOpenFindings = 8

// FindOpen quotes the first lines of interviewees that have no long word in common with what is known. A
// label has the longest word of its line. The same prompt always has the same reply.
func FindOpen(c Call) OpenReply {
	reply := OpenReply{Findings: []OpenFinding{}}
	known := longWords(strings.Join(KnownOf(c), " "))
	var interviewers []string
	if m := interviewersLine.FindStringSubmatch(c.User); m != nil {
		interviewers = strings.Split(m[1], ", ")
	}
	for _, line := range Lines(c.User) {
		speaker, text, named := strings.Cut(line.Text, ": ")
		if !named {
			text = line.Text
		}
		words := longWords(text)
		shared := slices.ContainsFunc(slices.Collect(maps.Keys(words)), func(w string) bool { return known[w] })
		if named && slices.Contains(interviewers, speaker) || shared || len(words) == 0 {
			continue
		}
		reply.Findings = append(reply.Findings, OpenFinding{
			Utterances: []string{line.ID}, Quote: passage(line.Text), Label: "About " + longest(words),
		})
		if len(reply.Findings) == maxOpenFindings {
			break
		}
	}
	return reply
}

// longest returns the longest word, the first of them in the alphabet.
func longest(words map[string]bool) string {
	all := slices.Sorted(maps.Keys(words))
	return slices.MaxFunc(all, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
}

// GroupLabels groups equal labels. A label without an equal one is in no group.
func GroupLabels(c Call) GroupReply {
	reply := GroupReply{Groups: []Group{}}
	byText := map[string][]string{}
	var order []string
	for _, line := range Labels(c.User) {
		if byText[line.Text] == nil {
			order = append(order, line.Text)
		}
		byText[line.Text] = append(byText[line.Text], line.ID)
	}
	for _, text := range order {
		if len(byText[text]) > 1 {
			reply.Groups = append(reply.Groups, Group{
				Name: strings.TrimPrefix(text, "About "), Description: "People speak of it.", Labels: byText[text],
			})
		}
	}
	return reply
}

// ChangeFindings reads for what is not known honestly, after a change of the reply, and answers other calls
// honestly.
func ChangeFindings(change func(Call, *OpenReply)) Behavior {
	return func(w http.ResponseWriter, x *Exchange) {
		if !AsksForFindings(x.Call) {
			Honest()(w, x)
			return
		}
		reply := FindOpen(x.Call)
		change(x.Call, &reply)
		Say(reply.JSON())(w, x)
	}
}

// AboutGroups answers calls for groups in a way, and other calls honestly.
func AboutGroups(group Behavior) Behavior {
	return func(w http.ResponseWriter, x *Exchange) {
		if AsksForGroups(x.Call) {
			group(w, x)
		} else {
			Honest()(w, x)
		}
	}
}

// ChangeGroups groups labels honestly, after a change of the reply, and answers other calls honestly.
func ChangeGroups(change func(Call, *GroupReply)) Behavior {
	return AboutGroups(func(w http.ResponseWriter, x *Exchange) {
		reply := GroupLabels(x.Call)
		change(x.Call, &reply)
		Say(reply.JSON())(w, x)
	})
}

// GroupsCareless drops the last id of each group, names the first one of the first group in all others, and
// invents an id.
func GroupsCareless() Behavior {
	return ChangeGroups(func(_ Call, r *GroupReply) {
		for i := range r.Groups {
			ids := r.Groups[i].Labels
			r.Groups[i].Labels = append(append([]string{}, ids[:len(ids)-1]...), r.Groups[0].Labels[0], "l9999")
		}
	})
}
