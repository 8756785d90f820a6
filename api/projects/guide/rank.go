package guide

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// weights are how much depends on a hypothesis. Importance has an order and no unit, so its steps are equal.
var weights = map[string]float64{"high": 3, "medium": 2, "low": 1}

// Rank returns the hypotheses that are open: those of which most depends, and least is known, first. Of the
// others nothing needs to be asked: they are parked, or decided and not contradicted since.
func Rank(hypotheses []Hypothesis) []Ranked {
	ranked := []Ranked{}
	for _, h := range hypotheses {
		if !h.open() {
			continue
		}
		ranked = append(ranked, Ranked{
			ID: h.ID, Statement: h.Statement, Importance: h.Importance, Uncertainty: h.uncertainty(),
			People: h.People, Supporting: h.Supporting, Contradicting: h.Contradicting, Mixed: h.Mixed,
			Ready: h.Falsifiable, category: h.Category, persona: h.PersonaID,
		})
	}
	slices.SortStableFunc(ranked, func(a, b Ranked) int { return cmp.Compare(b.urgency(), a.urgency()) })
	return ranked
}

func (h Hypothesis) open() bool {
	switch h.Status {
	case "parked":
		return false
	case "validated", "invalidated":
		return h.Reopened
	default:
		return true
	}
}

func (r Ranked) urgency() float64 { return weights[r.Importance] * r.Uncertainty }

// uncertainty is how wide the plausible shares of people are who would support a hypothesis: the standard
// deviation of Beta(1 + for, 1 + against), of which that without anybody is 1. The share of those who
// contradict it or had nothing to say closes up to half of the distance to 1: they are the reason to ask on.
func (h Hypothesis) uncertainty() float64 {
	contradicting := h.Contradicting + h.Mixed // who does both is on both sides
	a, b := float64(1+h.Supporting+h.Mixed), float64(1+contradicting)
	n := a + b
	width := math.Sqrt(12 * a * b / (n * n * (n + 1))) // 12 is 1 / the variance of Beta(1, 1)
	if h.People > 0 {
		doubt := min(1, float64(contradicting+h.Silent)/float64(h.People))
		width += (1 - width) * doubt / 2
	}
	return math.Round(width*1000) / 1000
}

// knownOf says who spoke about a hypothesis.
func knownOf(r Ranked) string {
	if r.Supporting+r.Contradicting+r.Mixed == 0 {
		return "Nobody is for it or against it so far."
	}
	return "So far " + r.stances() + "."
}

// stances says how many people are on each side. Who does both is mixed, as on the board.
func (r Ranked) stances() string {
	stances := fmt.Sprintf("%d for, %d against", r.Supporting, r.Contradicting)
	if r.Mixed > 0 {
		stances += fmt.Sprintf(", %d mixed", r.Mixed)
	}
	return stances
}

// whomToAsk is the sentence on whom to talk to: the people of the persona that was heard least.
func whomToAsk(p Project, top []Ranked) string {
	wanted, anybody := map[string]bool{}, len(top) == 0
	for _, r := range top {
		if r.persona == nil {
			anybody = true
		} else {
			wanted[r.persona.String()] = true
		}
	}
	var next *Persona
	for i, one := range p.Personas {
		if !anybody && !wanted[one.ID.String()] {
			continue
		}
		if next == nil || one.Heard < next.Heard || one.Heard == next.Heard && one.People < next.People {
			next = &p.Personas[i]
		}
	}
	if next == nil {
		return "There are no personas yet. With them, the guide says whom to talk to next."
	}
	return fmt.Sprintf("Talk to “%s” next: %s", next.Name, heardOf(*next, p.People, len(top) > 0))
}

// heardOf says how many of some people have a persona and, if something is open, were heard about it.
func heardOf(one Persona, people int, open bool) string {
	switch {
	case people == 0:
		return "nobody has been interviewed so far."
	case people == 1 && one.People == 0:
		return "the only person so far does not have this persona."
	case one.People == 0:
		return fmt.Sprintf("none of %d people has this persona.", people)
	}
	have := "have"
	if one.People == 1 {
		have = "has"
	}
	some := fmt.Sprintf("%d of %s %s this persona", one.People, peopleOf(people), have)
	switch {
	case !open:
		return some + "."
	case one.People == 1 && one.Heard == 0:
		return some + ", and did not speak about what matters most."
	case one.People == 1:
		return some + ", and spoke about what matters most."
	case one.Heard == 0:
		return some + ", and none of these spoke about what matters most."
	default:
		return fmt.Sprintf("%s, and %d of these spoke about what matters most.", some, one.Heard)
	}
}

func peopleOf(n int) string {
	if n == 1 {
		return "1 person"
	}
	return fmt.Sprintf("%d people", n)
}
