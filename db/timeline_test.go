package db_test

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

// facts are the rows of a project from which its timeline follows, and what the database says follows.
type facts struct {
	Imports      []factImport
	Speakers     []factSpeaker
	Participants []factPerson
	Hypotheses   []factPerson
	Evidence     []factEvidence
	Links        []factLink
	Reads        []factRead

	Timeline []moment
	People   []struct {
		ID                                                           uuid.UUID `json:"hypothesis_id"`
		Supporting, Contradicting, Mixed, Neutral, Silent, Unmatched int
	}
}

type factImport struct {
	ID            uuid.UUID
	Title         string
	InterviewedOn *string    `json:"interviewed_on"`
	CreatedAt     time.Time  `json:"created_at"`
	PersonaID     *uuid.UUID `json:"persona_id"`
}

type factSpeaker struct {
	ImportID      uuid.UUID `json:"import_id"`
	Speaker       string
	DisplayName   string `json:"display_name"`
	Role          string
	ParticipantID *uuid.UUID `json:"participant_id"`
}

// A factPerson is a participant, or whom a hypothesis is about.
type factPerson struct {
	ID        uuid.UUID
	PersonaID *uuid.UUID `json:"persona_id"`
}

type factEvidence struct {
	ID        uuid.UUID
	ImportID  uuid.UUID `json:"import_id"`
	Speaker   string
	Confirmed bool `json:"speaker_confirmed"`
	Review    string
}

type factLink struct {
	EvidenceID   uuid.UUID `json:"evidence_id"`
	HypothesisID uuid.UUID `json:"hypothesis_id"`
	Stance       string
}

type factRead struct {
	ImportID     uuid.UUID `json:"import_id"`
	HypothesisID uuid.UUID `json:"hypothesis_id"`
	coverage
}

// coverage is how much of an interview was read for a hypothesis.
type coverage struct {
	Coverage float64
	Model    float64 `json:"model_coverage"`
}

// A moment is a row of hypothesis_timeline.
type moment struct {
	HypothesisID                             uuid.UUID `json:"hypothesis_id"`
	ImportID                                 uuid.UUID `json:"import_id"`
	Title                                    string
	InterviewedOn                            *string `json:"interviewed_on"`
	Position                                 int
	Supporting, Contradicting, Mixed, Silent int
	Changed                                  bool
	coverage
}

const readFacts = `
	select jsonb_build_object(
		'Imports', (select jsonb_agg(x) from imports x where x.project_id = $1),
		'Speakers', (select jsonb_agg(x) from import_speakers x where x.project_id = $1),
		'Participants', (select jsonb_agg(x) from participants x where x.project_id = $1),
		'Hypotheses', (select jsonb_agg(x) from hypotheses x where x.project_id = $1),
		'Evidence', (select jsonb_agg(x) from evidence x where x.project_id = $1),
		'Links', (select jsonb_agg(x) from evidence_hypotheses x where x.project_id = $1),
		'Reads', (select jsonb_agg(x) from import_hypotheses x where x.project_id = $1),
		'Timeline', (
			select jsonb_agg(x order by x.hypothesis_id, x.position) from hypothesis_timeline($1) x
		),
		'People', (select jsonb_agg(x) from hypothesis_people x where x.project_id = $1)
	)`

// timeline computes what hypothesis_timeline returns, from all facts for every row.
func (f facts) timeline() []moment {
	slices.SortFunc(f.Imports, func(a, b factImport) int {
		return cmp.Or(cmp.Compare(a.day(), b.day()), a.CreatedAt.Compare(b.CreatedAt),
			cmp.Compare(a.ID.String(), b.ID.String()))
	})
	slices.SortFunc(f.Hypotheses, func(a, b factPerson) int { return cmp.Compare(a.ID.String(), b.ID.String()) })
	var all []moment
	for _, h := range f.Hypotheses {
		var so facts // the facts of the interviews so far
		before := map[string]string{}
		position := 0
		for _, i := range f.Imports {
			so.Imports = append(so.Imports, i)
			said := f.stances(h, so.Imports)
			if !f.isAbout(h, i, said) {
				continue
			}
			position++
			m := moment{
				HypothesisID: h.ID, ImportID: i.ID, Title: i.Title, InterviewedOn: i.InterviewedOn, Position: position,
				coverage: f.readOf(i.ID, h.ID),
			}
			for person, stance := range said {
				switch stance {
				case "for":
					m.Supporting++
				case "against":
					m.Contradicting++
				case "mixed":
					m.Mixed++
				default:
					m.Silent++
				}
				m.Changed = m.Changed || stance != "" && stance != before[person]
			}
			before = said
			all = append(all, m)
		}
	}
	return all
}

func (i factImport) day() string {
	if i.InterviewedOn != nil {
		return *i.InterviewedOn
	}
	return i.CreatedAt.UTC().Format(time.DateOnly)
}

// stances returns what each counted person said about a hypothesis in some interviews.
func (f facts) stances(h factPerson, interviews []factImport) map[string]string {
	said := map[string]string{}
	for _, i := range interviews {
		for _, s := range f.Speakers {
			if s.ImportID != i.ID || s.Role != "participant" || !f.isCounted(h, s, i) {
				continue
			}
			isFor, isAgainst, isNeutral := f.saidBy(s, h.ID)
			if !isFor && !isAgainst && !isNeutral && !f.isRead(i.ID, h.ID) {
				continue
			}
			before := said[person(s)]
			isFor = isFor || before == "for" || before == "mixed"
			isAgainst = isAgainst || before == "against" || before == "mixed"
			switch {
			case isFor && isAgainst:
				said[person(s)] = "mixed"
			case isFor:
				said[person(s)] = "for"
			case isAgainst:
				said[person(s)] = "against"
			default:
				said[person(s)] = ""
			}
		}
	}
	return said
}

// isAbout reports whether somebody who counts spoke in an interview that was read for a hypothesis, or said
// something about it.
func (f facts) isAbout(h factPerson, i factImport, said map[string]string) bool {
	return slices.ContainsFunc(f.Speakers, func(s factSpeaker) bool {
		if s.ImportID != i.ID || s.Role != "participant" {
			return false
		}
		if _, isCounted := said[person(s)]; !isCounted {
			return false
		}
		isFor, isAgainst, isNeutral := f.saidBy(s, h.ID)
		return isFor || isAgainst || isNeutral || f.isRead(i.ID, h.ID)
	})
}

func person(s factSpeaker) string {
	if s.ParticipantID != nil {
		return s.ParticipantID.String()
	}
	return s.ImportID.String() + s.DisplayName
}

func (f facts) isCounted(h factPerson, s factSpeaker, i factImport) bool {
	persona := i.PersonaID
	if s.ParticipantID != nil {
		persona = f.personaOf(*s.ParticipantID)
	}
	return persona == nil || h.PersonaID == nil || *persona == *h.PersonaID
}

// personaOf returns the persona of a participant, or that of the first interview that has one.
func (f facts) personaOf(participant uuid.UUID) *uuid.UUID {
	for _, p := range f.Participants {
		if p.ID == participant && p.PersonaID != nil {
			return p.PersonaID
		}
	}
	var first *factImport
	for _, s := range f.Speakers {
		for _, i := range f.Imports {
			if s.ImportID == i.ID && s.Role == "participant" && s.ParticipantID != nil &&
				*s.ParticipantID == participant && i.PersonaID != nil &&
				(first == nil || i.CreatedAt.Before(first.CreatedAt)) {
				first = &i
			}
		}
	}
	if first == nil {
		return nil
	}
	return first.PersonaID
}

func (f facts) saidBy(s factSpeaker, hypothesis uuid.UUID) (isFor, isAgainst, isNeutral bool) {
	for _, e := range f.Evidence {
		if e.ImportID != s.ImportID || e.Speaker != s.Speaker || !e.Confirmed || e.Review == "rejected" {
			continue
		}
		for _, l := range f.Links {
			if l.EvidenceID == e.ID && l.HypothesisID == hypothesis {
				isFor = isFor || l.Stance == "supports"
				isAgainst = isAgainst || l.Stance == "contradicts"
				isNeutral = isNeutral || l.Stance == "neutral"
			}
		}
	}
	return isFor, isAgainst, isNeutral
}

func (f facts) isRead(interview, hypothesis uuid.UUID) bool {
	return f.readOf(interview, hypothesis).Coverage > 0
}

func (f facts) readOf(interview, hypothesis uuid.UUID) coverage {
	for _, r := range f.Reads {
		if r.ImportID == interview && r.HypothesisID == hypothesis && r.Coverage > 0 {
			return r.coverage
		}
	}
	return coverage{}
}

// A story is what happens in a project by chance, as statements.
type story struct {
	*rand.Rand
	project                                              uuid.UUID
	personas, people, hypotheses, imports, aside, quotes []string
	sql                                                  strings.Builder
}

func (s *story) add(format string, args ...any) { fmt.Fprintf(&s.sql, format+";\n", args...) }

func (s *story) one(of []string) string { return of[s.IntN(len(of))] }

// maybe returns one of some ids as a literal, or null.
func (s *story) maybe(of []string) string {
	if s.IntN(3) == 0 {
		return "null"
	}
	return s.one(of)
}

func (s *story) id() string { return "'" + uuid.NewString() + "'" }

func (s *story) date() string {
	if s.IntN(3) == 0 {
		return "null"
	}
	return fmt.Sprintf("date '2026-11-%02d'", 1+s.IntN(5))
}

// tell returns the statements of a history. Its beginning is counted once, as a run counts, and without
// activity, which takes most of the time otherwise.
func (s *story) tell() string {
	s.add("select set_config('research.removing', 'on', true), set_config('research.ending', 'on', true)")
	for range 2 {
		s.personas = append(s.personas, s.id())
		s.add("insert into personas (id, project_id, name) values (%s, '%s', 'P')", s.personas[len(s.personas)-1],
			s.project)
	}
	for range 3 {
		s.people = append(s.people, s.id())
		s.add("insert into participants (id, project_id, name, persona_id) values (%s, '%s', 'N', %s)",
			s.people[len(s.people)-1], s.project, s.maybe(append(s.personas, "null")))
	}
	for range 2 {
		s.hypotheses = append(s.hypotheses, s.id())
		s.add("insert into hypotheses (id, project_id, statement, persona_id) values (%s, '%s', 'H', %s)",
			s.hypotheses[len(s.hypotheses)-1], s.project, s.maybe(append(s.personas, "null", "null")))
	}
	for range 3 {
		s.upload()
	}
	for range 5 {
		s.quote()
	}
	s.add("select private.update_results(array[%s]::uuid[]), set_config('research.ending', '', true)",
		strings.Join(s.imports, ","))
	for range 10 {
		s.step()
	}
	return s.sql.String()
}

func (s *story) upload() {
	id := s.id()
	s.imports = append(s.imports, id)
	s.add(`insert into imports (id, project_id, title, format, size_bytes, sha256, interviewed_on, created_at,
			persona_id)
		values (%s, '%s', 'T%d', 'vtt', 1, '', %s,
			'2026-11-%02d 12:00Z'::timestamptz + %d * interval '1 minute', %s)`,
		id, s.project, s.IntN(1000), s.date(), 1+s.IntN(5), s.IntN(1000), s.maybe(append(s.personas, "null")))
	for _, label := range []string{"A", "B", "C"}[:1+s.IntN(3)] {
		s.add(`insert into import_speakers (import_id, speaker, project_id, display_name, role, participant_id)
			values (%s, '%s', '%s', '%s', '%s', %s)`, id, label, s.project, label, s.role(),
			s.maybe(append(s.people, "null")))
	}
	for _, h := range s.hypotheses {
		if s.IntN(3) > 0 {
			all := s.IntN(4) / 2
			s.add(`insert into import_hypotheses
					(import_id, hypothesis_id, project_id, statement, coverage, model_coverage)
				select %s, h.id, h.project_id, 'H', %d, %g from hypotheses h where h.id = %s`,
				id, all, float64(all*s.IntN(3))/2, h)
		}
	}
}

func (s *story) role() string {
	return s.one([]string{"participant", "participant", "participant", "interviewer", "other"})
}

func (s *story) quote() {
	id := s.id()
	s.quotes = append(s.quotes, id)
	s.add(`insert into evidence (id, project_id, import_id, quote, speaker, origin)
		select %s, i.project_id, i.id, 'Q', '%s', 'ai' from imports i where i.id = %s`,
		id, s.one([]string{"A", "A", "B", "C"}), s.one(s.imports))
	for _, h := range s.hypotheses {
		if s.IntN(3) > 0 {
			s.add(`insert into evidence_hypotheses (evidence_id, hypothesis_id, project_id, stance)
				select e.id, h.id, h.project_id, '%s' from evidence e, hypotheses h where e.id = %s and h.id = %s`,
				s.stance(), id, h)
		}
	}
}

func (s *story) stance() string {
	return s.one([]string{"supports", "supports", "contradicts", "contradicts", "neutral"})
}

// step is something that people do. What it is about may be gone.
func (s *story) step() {
	of := s.one(s.imports)
	label := s.one([]string{"A", "B", "C"})
	switch s.IntN(17) {
	case 0:
		s.upload()
	case 1, 2:
		s.quote()
	case 3:
		s.add("update evidence set review = '%s' where id = %s",
			s.one([]string{"accepted", "rejected", "rejected"}),
			s.one(s.quotes))
	case 4:
		s.add("update evidence_hypotheses set stance = '%s' where evidence_id = %s", s.stance(), s.one(s.quotes))
	case 5:
		s.add("delete from evidence where id = %s", s.one(s.quotes))
	case 6:
		s.add("delete from evidence_hypotheses where evidence_id = %s and hypothesis_id = %s", s.one(s.quotes),
			s.one(s.hypotheses))
	case 7:
		s.add("update import_speakers set role = '%s' where import_id = %s and speaker = '%s'", s.role(), of, label)
	case 8:
		s.add("update import_speakers set participant_id = %s where import_id = %s and speaker = '%s'",
			s.maybe(s.people), of, label)
	case 9:
		s.add("update import_speakers set display_name = 'A', participant_id = null where import_id = %s", of)
	case 10:
		s.add("update imports set interviewed_on = %s, persona_id = %s where id = %s",
			s.date(), s.maybe(s.personas), of)
	case 11:
		s.add("update participants set persona_id = %s where id = %s", s.maybe(s.personas), s.one(s.people))
	case 12:
		s.add("update hypotheses set persona_id = %s where id = %s", s.maybe(s.personas), s.one(s.hypotheses))
	case 13:
		if !slices.Contains(s.aside, of) {
			s.aside = append(s.aside, of)
			s.add("select private.%s(%s)",
				s.one([]string{"set_import_aside", "set_import_aside", "delete_import"}), of)
		}
	case 14:
		if len(s.aside) > 0 {
			s.add("select private.restore_import(%s)", s.one(s.aside))
		}
	case 15:
		s.add("update evidence set speaker_confirmed = not speaker_confirmed where id = %s", s.one(s.quotes))
	case 16: // a label is corrected to another one
		s.add("update evidence set speaker = 'A' where import_id = %s and speaker = '%s'", of, label)
		s.add("delete from import_speakers where import_id = %s and speaker = '%s' and '%s' <> 'A'",
			of, label, label)
		s.add("select private.update_results(array[%s::uuid])", of)
	}
}

var histories = flag.Int("histories", 100, "how many projects have a history by chance")

func TestTimelineIsThatOfItsFacts(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	n := d.Tenant(t)
	editor := asUser(t, d, n.Editor)
	changes, unread := 0, 0
	for seed := range uint64(*histories) {
		s := &story{Rand: rand.New(rand.NewPCG(39, seed)), project: uuid.New()}
		s.add("insert into projects (id, workspace_id, name) values ('%s', '%s', 'P')", s.project, n.Workspace)
		sql := s.tell()
		d.AsOwner(t, func(c *pgx.Conn) {
			_, err := c.Exec(t.Context(), sql)
			require.NoError(t, err, sql)
		})
		var f facts
		require.NoError(t, json.Unmarshal(value[[]byte](t, editor, readFacts, s.project), &f))
		require.ElementsMatch(t, f.timeline(), f.Timeline, "seed %d\n%s", seed, sql)
		last := map[uuid.UUID]moment{}
		for _, m := range f.Timeline {
			last[m.HypothesisID] = m
			if m.Changed {
				changes++
			}
			if m.Coverage > m.Model {
				unread++
			}
		}
		for _, p := range f.People {
			m := last[p.ID]
			require.Equal(t, []int{p.Supporting, p.Contradicting, p.Mixed, p.Neutral + p.Silent + p.Unmatched},
				[]int{m.Supporting, m.Contradicting, m.Mixed, m.Silent}, "the people of now: seed %d", seed)
		}
	}
	require.Greater(t, changes, *histories, "the histories are not trivial")
	require.Greater(t, unread, *histories/2, "nor read by a model alone")
}
