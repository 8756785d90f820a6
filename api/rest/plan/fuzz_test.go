package plan

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"research/api/rest/query"
)

func FuzzRange(f *testing.F) {
	for _, seed := range []string{
		"0-9", "items=0-9", "5-", "-5", "9-0", "0-9223372036854775807", "9223372036854775807-9223372036854775807",
		"a-b", "",
	} {
		f.Add(seed, int64(10), int64(0), int64(5))
	}
	f.Fuzz(func(t *testing.T, header string, limit, offset, most int64) {
		in := query.Input{Method: query.MethodGet, Path: "/a", Range: header}
		request, err := query.Parse(in, []string{"public"})
		if err != nil {
			requireCode(t, query.CodeInvalidRange, err)
			return
		}
		page, err := request.Range.Page(&limit, max(offset, 0))
		if err != nil {
			requireCode(t, query.CodeInvalidRange, err)
			return
		}
		w := window(page, max(most, 0))
		require.GreaterOrEqual(t, w.Offset, int64(0))
		require.NotNil(t, w.Limit)
		require.GreaterOrEqual(t, *w.Limit, int64(0), "%q limit=%d offset=%d", header, limit, offset)
		require.LessOrEqual(t, *w.Limit, limit)
		if most > 0 {
			require.LessOrEqual(t, *w.Limit, most)
		}
	})
}

func requireCode(t *testing.T, code string, err error) {
	t.Helper()
	var rejected *query.Error
	require.True(t, errors.As(err, &rejected), "%v", err)
	require.Equal(t, code, rejected.Code, rejected.Message)
}
