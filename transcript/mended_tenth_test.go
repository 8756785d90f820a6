package transcript_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNotesInBracketsBetweenTurnsHaveNoSpeaker(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{
		"Dana: What do you do?", "Omar: I run the desk. [laughs]", ": [The phone rings; the recording is paused]",
		"Dana: Since when?", "Omar: Since May.",
	}, spoken(t, "Dana: What do you do?\n\nOmar: I run the desk.\n[laughs]\n\n"+
		"[The phone rings; the recording is paused]\n\n"+
		"Dana: Since when?\n\nOmar: Since May.\n"))
}

func TestTitlesWithANumberInUkrainianAreNoSpeakers(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{
		": Інтерв'ю 10: пасіка", "Оксана: Скільки їх?", "Степан: Сорок два.", "Оксана: А торік?", "Степан: Більше.",
	}, spoken(t, "Інтерв'ю 10: пасіка\n\nОксана: Скільки їх?\nСтепан: Сорок два.\n"+
		"Оксана: А торік?\nСтепан: Більше.\n"))
}

func TestAFormBelowATitleWithAColonIsNoTurn(t *testing.T) {
	t.Parallel()
	turns := spoken(t, "Entretien 4 : le marché\n\nEnquêtrice: Lucie Fontaine\nRépondant: Karim Benali\n"+
		"Date: 12 mai 2026\n\n"+
		"Enquêtrice : Combien ?\n\nRépondant : Trois.\n\nEnquêtrice : Et puis ?\n\nRépondant : Rien.\n")
	require.Equal(t, []string{
		"Enquêtrice: Combien ?", "Répondant: Trois.", "Enquêtrice: Et puis ?", "Répondant: Rien.",
	}, turns[len(turns)-4:])
}

func TestNamesBesideNumbersOfPagesStay(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{
		"Dana (3s): How?", "Omar (7s): So.", "Dana (13s): Why?", "Omar (16s): Nobody knows.",
		"Dana (20s): And then?", "Omar (23s): Nothing.",
	}, spoken(t, "Dana\n0:03\nHow?\n\nOmar\n0:07\nSo.\n\nDana\n0:13\nWhy?\n\nPage 1 of 2\n\nOmar\n0:16\n"+
		"Nobody knows.\n\nDana\n0:20\nAnd then?\n\nOmar\n0:23\nNothing.\n\nPage 2 of 2\n"))
}
