package guide_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/projects/guide"
	"research/transcript/craft"
)

func TestOurQuestions(t *testing.T) {
	t.Parallel()
	require.ElementsMatch(t, craft.Languages(), guide.Languages())
	for _, language := range guide.Languages() {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			byCategory := guide.OursIn(language)
			require.Len(t, byCategory, 7, "six categories, and general ones")
			seen, past := map[string]bool{}, 0
			for category, questions := range byCategory {
				require.GreaterOrEqual(t, len(questions), 2, category)
				for _, text := range questions {
					kinds := guide.KindsOf(text, language)
					require.False(t, kinds.Leading, text)
					require.False(t, kinds.Hypothetical, text)
					require.False(t, seen[text], text)
					if kinds.Past {
						past++
					}
					seen[text] = true
				}
			}
			require.Equal(t, language, craft.Language(byCategory["general"]))
			require.Greater(t, past*4, len(seen)*3, "most are recognised as questions about the past")
			require.GreaterOrEqual(t, len(byCategory["general"]), 6, "so that a guide is never too short")
		})
	}
}

// asked are questions as strangers plan them, in several languages; many suggest their answer.
var asked = []string{
	"Don't you think receipts are a pain?", "You hate receipts, right?", "Would you pay for this?",
	"If you had a magic wand, what would you change?", "When did you last lose a receipt?",
	"how do you do it today", "Tell me about your last trip", "Isn't it annoying to wait?",
	"Finden Sie nicht auch, dass Belege nerven?", "Das ist doch ärgerlich, oder?",
	"Würden Sie dafür bezahlen?", "Wann haben Sie zuletzt einen Beleg verloren?",
	"Vous n'aimez pas ça, n'est-ce pas ?", "Paieriez-vous pour cela ?", "¿No cree que es molesto?",
	"¿Pagaría por esto?", "Non è vero che è noioso?", "Você pagaria por isso?", "Vindt u het niet vervelend?",
	"Czy zapłacił(a)by Pan(i) za to?", "Вам ведь это не нравится, правда?", "您不觉得很麻烦吗？", "お金を払いますか。",
	"?", "...", "🙂", "budget", "# Title\n\n<script>alert(1)</script>", strings.Repeat("why ", 400) + "?",
	"WHEN DID YOU LAST LOSE A RECEIPT", "\u202eWould you buy it?",
}

var statements = []string{
	"People lose receipts when they travel for work.",
	"Finance leads wait for receipts at the end of the month.",
	"Menschen verlieren ihre Belege auf Reisen, und das kostet sie viel Zeit.",
	"Les gens perdent leurs reçus quand ils voyagent pour leur travail.",
	"La gente pierde los recibos cuando viaja por su trabajo.", "Люди теряют чеки, когда они ездят по работе.",
	"人们在出差的时候经常弄丢收据。", "出張のときに領収書をなくす人が多い。", "xyz", "ihmiset kadottavat kuittinsa matkoilla",
}

func pick(r *rand.Rand, from ...string) string { return from[r.IntN(len(from))] }

// project returns a random project.
func project(r *rand.Rand) guide.Project {
	p := guide.Project{ID: uuid.New(), People: r.IntN(30)}
	for i := range r.IntN(4) {
		people := r.IntN(p.People + 1)
		p.Personas = append(p.Personas, guide.Persona{
			ID: uuid.New(), Name: fmt.Sprint("Persona ", i), People: people, Heard: r.IntN(people + 1),
		})
	}
	for range r.IntN(12) {
		people := r.IntN(12)
		supporting := r.IntN(people + 1)
		contradicting := r.IntN(people - supporting + 1)
		mixed := r.IntN(people - supporting - contradicting + 1)
		h := guide.Hypothesis{
			ID: uuid.New(), Statement: pick(r, statements...), People: people, Supporting: supporting,
			Contradicting: contradicting, Mixed: mixed, Silent: people - supporting - contradicting - mixed,
			Falsifiable: r.IntN(2) == 0,
			Category:    pick(r, "problem", "problem", "customer", "value", "channel", "pricing", "other"),
			Importance:  pick(r, "high", "medium", "low"), Reopened: r.IntN(2) == 0,
			Status: pick(r, "untested", "testing", "validated", "invalidated", "inconclusive", "parked"),
		}
		if len(p.Personas) > 0 && r.IntN(2) == 0 {
			h.PersonaID = &p.Personas[r.IntN(len(p.Personas))].ID
		}
		p.Hypotheses = append(p.Hypotheses, h)
	}
	for range r.IntN(15) {
		planned := guide.Planned{
			ID: uuid.New(), Text: pick(r, asked...), Priority: pick(r, "high", "medium", "low"),
		}
		if len(p.Hypotheses) > 0 && r.IntN(4) > 0 {
			planned.HypothesisID = &p.Hypotheses[r.IntN(len(p.Hypotheses))].ID
		}
		p.Planned = append(p.Planned, planned)
	}
	return p
}

// key is equal for questions that a person would call the same.
func key(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return strings.ContainsRune(" ?.!¿？。\n", r)
	}), " ")
}

func TestGuidesOfRandomProjects(t *testing.T) {
	t.Parallel()
	for seed := range uint64(1000) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			p := project(rand.New(rand.NewPCG(seed, 39)))
			made := guide.Make(p)
			require.Equal(t, made, guide.Make(p), "the same project has the same guide")
			requireFit(t, p, made)
			requireLeftOut(t, p, made)
			requireMostUrgent(t, p, made)
			if len(made.Hypotheses) == 0 {
				require.NotContains(t, made.Ask, "what matters most")
			}
		})
	}
}

// requireFit checks what every guide promises.
func requireFit(t *testing.T, p guide.Project, made guide.Guide) {
	t.Helper()
	require.Contains(t, guide.Languages(), made.Language)
	require.GreaterOrEqual(t, len(made.Questions), 6)
	require.LessOrEqual(t, len(made.Questions), 8)
	require.NotEmpty(t, made.Ask)
	open, seen, hypothetical := map[uuid.UUID]bool{}, map[string]bool{}, false
	for _, r := range made.Hypotheses {
		require.True(t, r.Uncertainty > 0 && r.Uncertainty <= 1, "%v", r)
		open[r.ID] = true
	}
	for _, h := range p.Hypotheses {
		decided := h.Status == "validated" || h.Status == "invalidated"
		require.Equal(t, h.Status != "parked" && (!decided || h.Reopened), open[h.ID], "%v", h)
	}
	for _, q := range made.Questions {
		for _, language := range []string{made.Language, craft.Language([]string{q.Text})} {
			for _, found := range craft.Questions(q.Text, language) {
				require.False(t, found.Leading, q.Text)
			}
		}
		isHypothetical := guide.KindsOf(q.Text, made.Language).Hypothetical
		require.False(t, q.Past && hypothetical, "what happened comes first: %s", q.Text)
		hypothetical = hypothetical || isHypothetical
		require.False(t, seen[key(q.Text)], "twice: %s", q.Text)
		seen[key(q.Text)] = true
		require.Equal(t, q.HypothesisID != nil, q.Statement != "")
		if q.HypothesisID != nil {
			require.True(t, open[*q.HypothesisID])
		}
	}
}

// requireLeftOut checks that planned questions are left out if and only if they suggest their answer, and
// nobody parked or decided what they are about.
func requireLeftOut(t *testing.T, p guide.Project, made guide.Guide) {
	t.Helper()
	want, got := []uuid.UUID{}, []uuid.UUID{}
	read := map[uuid.UUID]int{} // of each hypothesis, ten are; without one, too
	for _, q := range p.Planned {
		var of uuid.UUID
		if q.HypothesisID != nil {
			of = *q.HypothesisID
		}
		if read[of]++; read[of] > 10 {
			continue
		}
		about := func(r guide.Ranked) bool { return r.ID == of }
		open := q.HypothesisID == nil || slices.ContainsFunc(made.Hypotheses, about)
		if open && guide.KindsOf(q.Text, made.Language).Leading {
			want = append(want, q.ID)
		}
	}
	for _, left := range made.LeftOut {
		got = append(got, left.QuestionID)
	}
	require.Equal(t, want, got)
}

// requireMostUrgent checks that a hypothesis is passed over only if everything is asked that could test it:
// what was planned, and our questions for its category. A general question tests none.
func requireMostUrgent(t *testing.T, p guide.Project, made guide.Guide) {
	t.Helper()
	ours, categories := guide.OursIn(made.Language), map[uuid.UUID]string{}
	for _, h := range p.Hypotheses {
		categories[h.ID] = h.Category
	}
	asked, tested := map[string]bool{}, map[uuid.UUID]bool{}
	for _, q := range made.Questions {
		asked[key(q.Text)] = true
		if q.HypothesisID != nil {
			tested[*q.HypothesisID] = true
			require.True(t, q.QuestionID != nil || slices.Contains(ours[categories[*q.HypothesisID]], q.Text), "%v", q)
		}
	}
	for _, r := range made.Hypotheses[:min(len(made.Hypotheses), 8)] {
		if tested[r.ID] {
			continue
		}
		possible := slices.Clone(ours[categories[r.ID]])
		for _, q := range p.Planned {
			if q.HypothesisID != nil && *q.HypothesisID == r.ID && !guide.KindsOf(q.Text, made.Language).Leading {
				possible = append(possible, q.Text)
			}
		}
		for _, text := range possible {
			require.True(t, asked[key(text)], "%q could test %q", text, r.Statement)
		}
	}
}

func hypothesis(change func(*guide.Hypothesis)) guide.Hypothesis {
	h := guide.Hypothesis{
		ID: uuid.New(), Statement: "People lose receipts.", Category: "problem", Importance: "medium",
		Status: "untested", Falsifiable: true,
	}
	change(&h)
	return h
}

func TestRank(t *testing.T) {
	t.Parallel()
	uncertainty := func(people, supporting, contradicting, silent int) float64 {
		return guide.Rank([]guide.Hypothesis{hypothesis(func(h *guide.Hypothesis) {
			h.People, h.Supporting, h.Contradicting, h.Silent = people, supporting, contradicting, silent
		})})[0].Uncertainty
	}
	require.InDelta(t, 1, uncertainty(0, 0, 0, 0), 1e-9, "nobody was asked")
	require.Less(t, uncertainty(8, 8, 0, 0), uncertainty(2, 2, 0, 0), "people who agree settle it")
	require.Greater(t, uncertainty(8, 4, 4, 0), uncertainty(8, 8, 0, 0), "people who disagree do not")
	require.Greater(t, uncertainty(8, 0, 8, 0), uncertainty(8, 8, 0, 0), "a contradiction is a reason to ask")
	require.Greater(t, uncertainty(8, 4, 0, 4), uncertainty(4, 4, 0, 0), "so is silence")

	one := hypothesis(func(h *guide.Hypothesis) { h.People, h.Mixed = 1, 1 })
	mixed := guide.Rank([]guide.Hypothesis{one})[0]
	require.InDelta(t, uncertainty(1, 1, 1, 0), mixed.Uncertainty, 1e-9, "who does both is on both sides")

	names := func(hypotheses ...guide.Hypothesis) (statements []string) {
		for _, r := range guide.Rank(hypotheses) {
			statements = append(statements, r.Statement)
		}
		return statements
	}
	require.Equal(t, []string{"high", "medium", "agreed", "low"}, names(
		hypothesis(func(h *guide.Hypothesis) { h.Statement, h.Importance = "low", "low" }),
		hypothesis(func(h *guide.Hypothesis) {
			h.Statement, h.Importance, h.People, h.Supporting = "agreed", "high", 5, 5
		}),
		hypothesis(func(h *guide.Hypothesis) { h.Statement = "medium" }),
		hypothesis(func(h *guide.Hypothesis) { h.Statement, h.Importance = "high", "high" }),
		hypothesis(func(h *guide.Hypothesis) { h.Statement, h.Status = "parked", "parked" }),
		hypothesis(func(h *guide.Hypothesis) { h.Statement, h.Status = "decided", "validated" }),
	))
}

func TestWhomToAsk(t *testing.T) {
	t.Parallel()
	lead := guide.Persona{ID: uuid.New(), Name: "Finance leads", People: 1}
	other := guide.Persona{ID: uuid.New(), Name: "Travellers", People: 7, Heard: 6}
	cooks := func(people, heard int) []guide.Persona {
		return []guide.Persona{{ID: uuid.New(), Name: "Cooks", People: people, Heard: heard}}
	}
	about := func(persona *uuid.UUID) guide.Hypothesis {
		return hypothesis(func(h *guide.Hypothesis) { h.PersonaID = persona })
	}
	for name, c := range map[string]struct {
		project guide.Project
		want    string
	}{
		"without personas": {
			guide.Project{},
			"There are no personas yet. With them, the guide says whom to talk to next.",
		},
		"who was heard least": {
			guide.Project{
				Hypotheses: []guide.Hypothesis{about(nil)}, Personas: []guide.Persona{other, lead}, People: 11,
			},
			"Talk to “Finance leads” next: 1 of 11 people has this persona, and did not speak about what matters " +
				"most.",
		},
		"whom the hypotheses are about": {
			guide.Project{
				Hypotheses: []guide.Hypothesis{about(&other.ID)}, Personas: []guide.Persona{lead, other}, People: 11,
			},
			"Talk to “Travellers” next: 7 of 11 people have this persona, and 6 of these spoke about what matters " +
				"most.",
		},
		"a single one who spoke": {
			guide.Project{Hypotheses: []guide.Hypothesis{about(nil)}, Personas: cooks(1, 1), People: 1},
			"Talk to “Cooks” next: 1 of 1 person has this persona, and spoke about what matters most.",
		},
		"some of whom one spoke": {
			guide.Project{Hypotheses: []guide.Hypothesis{about(nil)}, Personas: cooks(3, 1), People: 11},
			"Talk to “Cooks” next: 3 of 11 people have this persona, and 1 of these spoke about what matters most.",
		},
		"some of whom none spoke": {
			guide.Project{Hypotheses: []guide.Hypothesis{about(nil)}, Personas: cooks(2, 0), People: 11},
			"Talk to “Cooks” next: 2 of 11 people have this persona, and none of these spoke about what matters most.",
		},
		"without open hypotheses": {
			guide.Project{Personas: cooks(3, 0), People: 11},
			"Talk to “Cooks” next: 3 of 11 people have this persona.",
		},
		"before the first interview": {
			guide.Project{Personas: cooks(0, 0)}, "Talk to “Cooks” next: nobody has been interviewed so far.",
		},
		"none of one yet": {
			guide.Project{Personas: cooks(0, 0), People: 1},
			"Talk to “Cooks” next: the only person so far does not have this persona.",
		},
		"none yet": {
			guide.Project{Personas: cooks(0, 0), People: 2},
			"Talk to “Cooks” next: none of 2 people has this persona.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, guide.Make(c.project).Ask)
		})
	}
}

func TestKindsOf(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, advice string }{
		{"Don't you think receipts are a pain?", "This suggests the answer."},
		{"Would you pay for this?", "This asks what somebody would do."},
		{"When did you last lose a receipt? What happened?", ""},
		{"Tell me about the last time you lost a receipt.", ""},
		{
			"Do you use a spreadsheet to keep all of the receipts that you get when you travel?",
			"Yes or no answers this.",
		},
		{"Could you tell me how you handled the last receipt?", ""},
	} {
		kinds := guide.KindsOf(test.text, "en")
		require.Equal(t, "en", kinds.Language, test.text)
		if test.advice == "" {
			require.Empty(t, kinds.Advice, test.text)
		} else {
			require.Contains(t, kinds.Advice, test.advice, test.text)
		}
	}
	short := guide.KindsOf("Would you pay for this?", "")
	require.True(t, short.Hypothetical && short.Language == "en", "%v", short)
}

// Without lists of its language, or with too few words to tell it, too little is known of a question to say
// that yes or no answers it.
func TestKindsOfUnknownLanguages(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Varför valde du det systemet?", "Miten te hoidatte kuitit nykyään?", "Hvorfor valgte du det system?",
		"Mitä teitte viimeksi, kun kuitti katosi matkalla?", "Jak to dnes řešíte s účtenkami?",
		"Neden bu sistemi seçtiniz?", "Proč jste si vybrali tento systém?", "Hur gör ni med kvitton i dag",
		"budget for the tool", "Nutzen Sie Excel?", "Do you like it?",
	} {
		require.Equal(t, guide.Kinds{}, guide.KindsOf(text, ""), text)
		kinds := guide.KindsOf(text, "de")
		require.False(t, kinds.Closed, text)
		require.Empty(t, kinds.Advice, text)
	}
	require.Equal(t, guide.Kinds{}, guide.KindsOf("Warum ist das so wichtig für Sie?", ""))
	require.True(t, guide.KindsOf("Warum ist das so wichtig für Sie?", "de").Open)

	note := "the receipts that people get when they travel, and what they do with all of them after that"
	kinds := guide.KindsOf(note, "en")
	require.False(t, kinds.Closed, "it was not written as a question: %v", kinds)
	require.Empty(t, kinds.Advice)
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	h := hypothesis(func(h *guide.Hypothesis) {
		h.Statement, h.Falsifiable = "<b>People</b>\n# lose [receipts](x)", false
	})
	text := guide.Make(guide.Project{
		Hypotheses: []guide.Hypothesis{h},
		Planned: []guide.Planned{
			{ID: uuid.New(), HypothesisID: &h.ID, Text: "When did you last lose *one*?\n1. x", Priority: "high"},
			{ID: uuid.New(), HypothesisID: &h.ID, Text: "You hate receipts, don't you?", Priority: "low"},
			{ID: uuid.New(), HypothesisID: &h.ID, Text: "1. It is month-end, right?", Priority: "low"},
			{ID: uuid.New(), HypothesisID: &h.ID, Text: "# It is slow, right?", Priority: "low"},
		},
	}).Markdown("Receipts & <i>more</i>")
	require.True(t, strings.HasPrefix(text, "# Next interview: Receipts \\& \\<i\\>more\\</i\\>\n"), text)
	require.Contains(t, text, "When did you last lose \\*one\\*? 1. x\n")
	require.Contains(t, text, "- Tests: \\<b\\>People\\</b\\> # lose \\[receipts\\](x)\n")
	require.Contains(t, text, "Say first what would prove it wrong.")
	require.Contains(t, text, "## Left out\n\n- You hate receipts, don't you?: It suggests its answer.\n"+
		"- 1\\. It is month-end, right?: It suggests its answer.\n"+
		"- \\# It is slow, right?: It suggests its answer.\n")
	require.NotContains(t, text, "<b>")
}

func TestQuestionsTakeTurns(t *testing.T) {
	t.Parallel()
	first := hypothesis(func(h *guide.Hypothesis) { h.Statement, h.Importance = "First.", "high" })
	second := hypothesis(func(h *guide.Hypothesis) { h.Statement, h.Category = "Second.", "pricing" })
	plan := func(of *uuid.UUID, texts ...string) (planned []guide.Planned) {
		for _, text := range texts {
			planned = append(planned, guide.Planned{ID: uuid.New(), HypothesisID: of, Text: text, Priority: "high"})
		}
		return planned
	}
	about := func(made guide.Guide) (statements []string) {
		for _, q := range made.Questions {
			statements = append(statements, q.Statement)
		}
		return statements
	}
	both := []guide.Hypothesis{second, first}
	require.Equal(t, []string{"First.", "Second.", "First.", "Second.", "First.", ""},
		about(guide.Make(guide.Project{Hypotheses: both})), "ours, until those of their categories are used up")

	made := guide.Make(guide.Project{Hypotheses: both, Planned: slices.Concat(
		plan(nil, "What did you do last year?"),
		plan(&first.ID, "Would you change it?", "What did you do yesterday?", "what did you do  yesterday"),
	)})
	require.Equal(t, "What did you do yesterday?", made.Questions[0].Text, "what happened comes first")
	require.Equal(t, "Would you change it?", made.Questions[len(made.Questions)-1].Text)
	require.Len(t, made.Questions, 6, "the same question is asked once")
	require.Contains(t, about(made), "Second.", "none was planned for it")
}

// Who is for it and against it is counted once, and apart.
func TestMixedPeople(t *testing.T) {
	t.Parallel()
	h := hypothesis(func(h *guide.Hypothesis) { h.People, h.Supporting, h.Mixed = 2, 1, 1 })
	made := guide.Make(guide.Project{Hypotheses: []guide.Hypothesis{h}})
	ranked := made.Hypotheses[0]
	require.Equal(t, []int{2, 1, 0, 1}, []int{
		ranked.People, ranked.Supporting, ranked.Contradicting, ranked.Mixed,
	})
	require.Contains(t, whyOf(t, made, "One of ours: "), "So far 1 for, 0 against, 1 mixed.")
	require.Contains(t, made.Markdown("Receipts"), "(medium importance; 1 for, 0 against, 1 mixed)")

	h = hypothesis(func(h *guide.Hypothesis) { h.People, h.Mixed = 1, 1 })
	made = guide.Make(guide.Project{Hypotheses: []guide.Hypothesis{h}})
	require.Contains(t, whyOf(t, made, "One of ours: "), "So far 0 for, 0 against, 1 mixed.")
}

// whyOf returns the first why of a guide that begins with a text.
func whyOf(t *testing.T, made guide.Guide, begin string) string {
	t.Helper()
	for _, q := range made.Questions {
		if strings.HasPrefix(q.Why, begin) {
			return q.Why
		}
	}
	t.Fatalf("none begins with %q: %v", begin, made.Questions)
	return ""
}

func TestWhyOneOfOurs(t *testing.T) {
	t.Parallel()
	h, other := hypothesis(func(*guide.Hypothesis) {}), hypothesis(func(h *guide.Hypothesis) {
		h.Importance = "high"
	})
	plan := func(of uuid.UUID, texts ...string) (planned []guide.Planned) {
		for _, text := range texts {
			planned = append(planned, guide.Planned{ID: uuid.New(), HypothesisID: &of, Text: text})
		}
		return planned
	}
	const (
		leading = "You hate receipts, don't you?"
		past    = "When did you last lose a receipt?"
	)
	why := func(hypotheses []guide.Hypothesis, planned ...guide.Planned) string {
		return whyOf(t, guide.Make(guide.Project{Hypotheses: hypotheses, Planned: planned}), "One of ours: ")
	}
	alone := []guide.Hypothesis{h}
	require.Contains(t, why(alone), "no other was planned for it.")
	require.Contains(t, why(alone, plan(h.ID, past)...), "no other was planned for it.")
	require.Contains(t, why(alone, plan(h.ID, leading)...), "those planned for it suggest their answer.")
	require.Contains(t, why(alone, plan(h.ID, leading, past)...),
		"the others planned for it suggest their answer.")
	require.Contains(t, why([]guide.Hypothesis{h, other}, slices.Concat(
		plan(other.ID, past, "What happened then?"), plan(h.ID, past))...,
	), "those planned for it are asked already.")
	require.Contains(t, why(alone, plan(h.ID, slices.Repeat([]string{leading}, 11)...)...),
		"more were planned for it than are read.")
}

// A general question tests no hypothesis.
func TestManyHypothesesOfOneCategory(t *testing.T) {
	t.Parallel()
	var p guide.Project
	for i := range 7 {
		p.Hypotheses = append(p.Hypotheses, hypothesis(func(h *guide.Hypothesis) {
			h.Statement = fmt.Sprint("Problem ", i)
			if i == 6 {
				h.Statement, h.Category, h.Importance = "Price", "pricing", "low"
			}
		}))
	}
	made := guide.Make(p)
	tested := map[string]int{}
	for _, q := range made.Questions {
		require.Equal(t, strings.HasPrefix(q.Why, "A general question."), q.HypothesisID == nil, q.Text)
		tested[q.Statement]++
	}
	require.Equal(t, map[string]int{
		"Problem 0": 1, "Problem 1": 1, "Problem 2": 1, "Price": 2, "": 1,
	}, tested, "those of which there are questions, the most urgent first")
}

// A project with as many questions as are read, each as long as the database permits.
func BenchmarkLargeProject(b *testing.B) {
	text := strings.Repeat("would you not say that it is so, right? ", 50)
	var p guide.Project
	for range 2000 {
		h := hypothesis(func(h *guide.Hypothesis) { h.Statement = text })
		p.Hypotheses = append(p.Hypotheses, h)
		p.Planned = append(p.Planned, guide.Planned{ID: uuid.New(), HypothesisID: &h.ID, Text: text[:1990]})
	}
	for b.Loop() {
		guide.Make(p)
	}
}
