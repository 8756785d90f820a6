package digest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCalendar(t *testing.T) {
	t.Parallel()
	at := moment(t, "2026-11-20T05:30:00Z") // half past six in Berlin

	t.Run("DueBy waits for the member's hour", func(t *testing.T) {
		t.Parallel()
		calendar := DueBy(at, false)
		require.Equal(t, "2026-11-18", calendar.Period("Europe/Berlin", 8, 1).Name)
		require.Equal(t, "2026-11-19", calendar.Period("Europe/Berlin", 6, 1).Name)
	})

	t.Run("ClosedBy does not", func(t *testing.T) {
		t.Parallel()
		calendar := ClosedBy(at, false)
		require.Equal(t, "2026-11-19", calendar.Period("Europe/Berlin", 8, 1).Name)
		require.Equal(t, "2026-11-18", calendar.Period("America/Los_Angeles", 8, 1).Name)
	})

	t.Run("weekly periods are due on the member's weekday", func(t *testing.T) {
		t.Parallel()
		calendar := DueBy(at, true)
		require.Equal(t, "2026-W46", calendar.Period("UTC", 0, 5).Name)
		require.Equal(t, "2026-W45", calendar.Period("UTC", 0, 6).Name)
	})

	t.Run("an unknown zone counts as UTC", func(t *testing.T) {
		t.Parallel()
		calendar := ClosedBy(at, false)
		require.Equal(t, calendar.Period("UTC", 8, 1), calendar.Period("Europe/Nowhere", 8, 1))
	})
}
