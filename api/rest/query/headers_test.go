package query

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func number(n int64) *int64 { return &n }

func TestPreferences(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		lines []string
		want  Preferences
	}{
		{"none", nil, Preferences{}},
		{"several in one line", []string{"return=representation, count=exact"},
			Preferences{Return: "representation", Count: "exact"}},
		{"several lines", []string{"tx=commit", "missing=default,handling=lenient"},
			Preferences{Transaction: "commit", Missing: "default", Handling: "lenient"}},
		{"the first of two counts", []string{"count=planned,count=exact"}, Preferences{Count: "planned"}},
		{"a time zone", []string{"timezone=Europe/Berlin"}, Preferences{Timezone: "Europe/Berlin"}},
		{"max-affected", []string{"max-affected=5"}, Preferences{MaxAffected: number(5)}},
		{"max-affected that is not a number is ignored", []string{"max-affected=x"}, Preferences{}},
		{"unknown ones", []string{"return=all, foo, timezone="},
			Preferences{Unknown: []string{"return=all", "foo", "timezone="}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, parsePreferences(tt.lines))
		})
	}
	in := Input{Method: MethodGet, Path: "/a", Prefer: []string{"handling=strict, foo, bar=1"}}
	_, err := Parse(in, []string{"public"})
	requireError(t, err, CodeInvalidPreference, "Invalid preferences given with handling=strict",
		"Invalid preferences: foo, bar=1")
	require.Nil(t, Preferences{MaxAffected: number(5)}.Limit(), "a limit counts only with handling=strict")
	require.Equal(t, number(5), Preferences{MaxAffected: number(5), Handling: "strict"}.Limit())
}

func TestAccept(t *testing.T) {
	t.Parallel()
	for header, want := range map[string][]string{
		"":                              {"*/*"},
		"text/csv":                      {"text/csv"},
		"text/csv;q=0.5, image/png":     {"image/png", "text/csv"},
		"*/*, application/json":         {"application/json", "*/*"},
		"application/json;q=x,text/csv": {"application/json", "text/csv"},
		"application/vnd.pgrst.object":  {"application/vnd.pgrst.object+json"},
		"application/vnd.pgrst.array":   {"application/json"},
		"application/vnd.pgrst.array+json;nulls=stripped": {"application/vnd.pgrst.array+json;nulls=stripped"},
		`application/vnd.pgrst.plan+json; for="text/csv"; options=analyze|nothing`: {
			`application/vnd.pgrst.plan+json; for="text/csv"; options=analyze`,
		},
	} {
		var got []string
		for _, m := range parseAccept([]string{header}) {
			got = append(got, m.String())
		}
		require.Equal(t, want, got, header)
	}
	require.Equal(t, "text/csv; charset=utf-8", ParseMediaType("Text/CSV; charset=latin1").ContentType())
	require.Equal(t, "image/png", ParseMediaType("image/png").ContentType())
}

func TestRanges(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]Range{
		"":                      {},
		"0-9":                   {Limit: number(10)},
		"items=5-":              {Offset: 5},
		"5-5":                   {Offset: 5, Limit: number(1)},
		"-5":                    {},
		"a-b":                   {},
		"5-x":                   {},
		"0-9223372036854775807": {Limit: number(math.MaxInt64)},
	} {
		got, err := parseRange(header)
		require.NoError(t, err, header)
		require.Equal(t, want, got, header)
	}
	_, err := parseRange("3-1")
	requireError(t, err, CodeInvalidRange, "Requested range not satisfiable",
		"The lower boundary must be lower than or equal to the upper boundary in the Range header.")
}

func TestPages(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		header Range
		limit  *int64
		offset int64
		want   Range
	}{
		{"all rows", Range{}, nil, 0, Range{}},
		{"limit and offset", Range{}, number(2), 1, Range{Offset: 1, Limit: number(2)}},
		{"a header", Range{Offset: 5, Limit: number(3)}, nil, 0, Range{Offset: 5, Limit: number(3)}},
		{"the rows of both", Range{Offset: 5, Limit: number(10)}, number(4), 8, Range{Offset: 8, Limit: number(4)}},
		{"no rows of both", Range{Offset: 5, Limit: number(2)}, number(4), 20, Range{Offset: 20, Limit: number(0)}},
		{"a negative offset", Range{}, number(4), -1, Range{Limit: number(3)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := tt.header.Page(tt.limit, tt.offset)
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
		})
	}
	_, err := Range{}.Page(number(-1), 0)
	requireError(t, err, CodeInvalidRange, "Requested range not satisfiable",
		"Limit should be greater than or equal to zero.")
}

func TestPayloads(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, contentType, body string
		columns                 []string // of ?columns=
		wantJSON                string
		wantColumns             []string
	}{
		{"an object", "", `{"b":1,"a":2}`, nil, `{"b":1,"a":2}`, []string{"a", "b"}},
		{"objects", "application/json", `[{"a":1},{"a":null}]`, nil, `[{"a":1},{"a":null}]`, []string{"a"}},
		{"no objects", "", `[]`, nil, `[]`, nil},
		{"an empty object", "", `{}`, nil, `{}`, []string{}},
		{"what is not a row", "", `"x"`, nil, `[]`, nil},
		{"the columns that the URL names", "", `not JSON`, []string{"a"}, `not JSON`, []string{"a"}},
		{"CSV", "text/csv", "a,b\n1,NULL\n", nil, `[{"a":"1","b":null}]`, []string{"a", "b"}},
		{"a form", "application/x-www-form-urlencoded", "a=x+y&b=%21", nil, `{"a":"x y","b":"!"}`,
			[]string{"a", "b"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, err := parsePayload(Input{ContentType: tt.contentType, Body: []byte(tt.body)}, tt.columns)
			require.NoError(t, err)
			require.Equal(t, tt.wantJSON, string(p.JSON))
			require.Equal(t, tt.wantColumns, p.Columns)
			require.Equal(t, tt.wantJSON[0] == '{', p.IsObject())
		})
	}
	for _, tt := range []struct{ contentType, body, message string }{
		{"", `{"a":`, "Empty or invalid json"},
		{"", ``, "Empty or invalid json"},
		{"", `[{"a":1},{"b":1}]`, "All object keys must match"},
		{"", `[{"a":1},null]`, "All object keys must match"},
		{"", `[1]`, "All object keys must match"},
		{"text/csv", "a,b\n1\n", "All lines must have same number of fields"},
		{"image/png", "x", "Content-Type not acceptable: image/png"},
	} {
		_, err := parsePayload(Input{ContentType: tt.contentType, Body: []byte(tt.body)}, nil)
		requireError(t, err, CodeInvalidBody, tt.message, nil)
	}
}

func TestPutIgnoresColumns(t *testing.T) {
	t.Parallel()
	in := Input{Method: MethodPut, Path: "/a", RawQuery: "id=eq.1&columns=b", Body: []byte(`{"id":1}`)}
	r, err := Parse(in, []string{"public"})
	require.NoError(t, err)
	require.Equal(t, []string{"id"}, r.Payload.Columns)
}
