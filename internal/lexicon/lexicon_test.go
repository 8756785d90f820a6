package lexicon_test

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"research/internal/lexicon"
)

func TestEntries(t *testing.T) {
	t.Parallel()
	colours := []byte("# Colours.\nred\n\n  dark green \n#blue\nr#d\r\nlast")
	files := fstest.MapFS{"data/colours.txt": {Data: colours}}
	require.Equal(t, []string{"red", "dark green", "r#d", "last"}, lexicon.Entries(files, "colours"))
	require.Panics(t, func() { lexicon.Entries(files, "shapes") }, "the names of lists are constants")
}
