package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
)

// The shares that must pass at least. The main files hold what every client uses.
const (
	leastCore   = 0.90
	leastStrict = 0.80
	leastMain   = 0.95
)

var mainFiles = []string{
	"QuerySpec.hs", "AndOrParamsSpec.hs", "EmbedDisambiguationSpec.hs", "EmbedInnerJoinSpec.hs", "RangeSpec.hs",
	"SingularSpec.hs", "InsertSpec.hs", "UpdateSpec.hs", "UpsertSpec.hs", "DeleteSpec.hs", "ErrorSpec.hs",
	"RpcSpec.hs",
}

// A score counts cases. A case passes core if statuses and bodies agree, and strict if the headers agree as
// well.
type score struct{ all, core, strict int }

func (s *score) add(core, strict bool) {
	s.all++
	if core {
		s.core++
	}
	if strict {
		s.strict++
	}
}

func share(part, whole int) float64 { return float64(part) / float64(max(whole, 1)) }

// runCases loads the fixtures, runs the cases and prints what failed and how many passed. It fails if too few
// pass.
func runCases(out io.Writer, database, file, checkout, known string) error {
	cases, err := readCases(file)
	if err != nil {
		return err
	}
	listed, err := os.ReadFile(known)
	if err != nil {
		return err
	}
	if database, err = loadFixtures(database, checkout); err != nil {
		return err
	}
	printf := func(format string, args ...any) { _, _ = fmt.Fprintf(out, format, args...) }
	scores, total := map[string]*score{}, &score{}
	for _, group := range groups(cases) {
		if err := runGroup(group, database, func(c *testCase, core, headers error) {
			name := filepath.Base(c.File)
			if scores[name] == nil {
				scores[name] = &score{}
			}
			for _, s := range []*score{scores[name], total} {
				s.add(core == nil, core == nil && headers == nil)
			}
			if failed := errors.Join(core, headers); failed != nil {
				note := "NOT LISTED in " + known
				if bytes.Contains(listed, []byte("`"+c.ID+"`")) {
					note = "listed"
				}
				printf("%s (%s): %.300s\n", c.ID, note, failed)
			}
		}); err != nil {
			return err
		}
	}
	var low []error
	for _, name := range slices.Sorted(maps.Keys(scores)) {
		s := scores[name]
		printf("%-32s %4d cases, core %4d, strict %4d\n", name, s.all, s.core, s.strict)
		if slices.Contains(mainFiles, name) && share(s.core, s.all) < leastMain {
			low = append(low, fmt.Errorf("%s: fewer than %.0f %% pass", name, 100*leastMain))
		}
	}
	core, strict := share(total.core, total.all), share(total.strict, total.all)
	printf("%-32s %4d cases, core %4d (%.1f %%), strict %4d (%.1f %%)\n",
		"all", total.all, total.core, 100*core, total.strict, 100*strict)
	if core < leastCore || strict < leastStrict {
		low = append(low,
			fmt.Errorf("fewer than %.0f %% core or %.0f %% strict pass", 100*leastCore, 100*leastStrict))
	}
	return errors.Join(low...)
}

// runGroup serves with the settings of a group of cases, and runs them.
func runGroup(group []*testCase, database string, report func(c *testCase, core, headers error)) error {
	server := httptest.NewUnstartedServer(nil)
	address := server.Listener.Addr().String()
	handler, closeStore, err := open(context.Background(), database, address, group[0].Config)
	if err != nil {
		server.Close()
		return fmt.Errorf("serve with %s: %w", group[0].Config, err)
	}
	defer closeStore()
	server.Config.Handler = handler
	server.Start()
	defer server.Close()
	for _, c := range group {
		core, headers := c.run(server.URL)
		report(c, core, headers)
	}
	return nil
}
