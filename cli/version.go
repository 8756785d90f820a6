package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"research/db"
)

// release is the version of a release. `make release` sets it with -ldflags. It is empty in other builds.
var release string

// A buildVersion describes the source and the platform of a binary.
type buildVersion struct {
	Version   string `json:"version"`          // of the release, or else the main module's
	Commit    string `json:"commit,omitempty"` // "" if Go recorded none: go run, -buildvcs=false
	Modified  bool   `json:"modified"`         // the source had uncommitted changes
	Go        string `json:"go"`
	Platform  string `json:"platform"`
	Migration string `json:"migration"` // the last one
}

func newVersionCommand() *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use:   "version",
		Short: "Prints the version of this binary, and its last migration",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			version, err := readVersion()
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(version)
			}
			_, err = fmt.Fprint(cmd.OutOrStdout(), version)
			return err
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}

// String returns the lines that the command prints.
func (v buildVersion) String() string {
	commit := cmp.Or(v.Commit, "not recorded by the build")
	if v.Modified {
		commit += ", with uncommitted changes"
	}
	return fmt.Sprintf("version    %s\ncommit     %s\ngo         %s %s\nmigration  %s\n",
		v.Version, commit, v.Go, v.Platform, v.Migration)
}

func readVersion() (buildVersion, error) {
	migration, err := db.LastMigration()
	if err != nil {
		return buildVersion{}, err
	}
	v := buildVersion{
		Version:   programVersion(),
		Go:        runtime.Version(),
		Platform:  runtime.GOOS + "/" + runtime.GOARCH,
		Migration: migration,
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		v.Commit, v.Modified = commitOf(info)
	}
	return v, nil
}

// programVersion returns the version of the release, or else the main module's.
func programVersion() string {
	var module string
	if info, ok := debug.ReadBuildInfo(); ok {
		module = info.Main.Version
	}
	return cmp.Or(release, module, "unknown")
}

// commitOf returns the commit that Go recorded in a binary, and whether the source had uncommitted changes.
func commitOf(info *debug.BuildInfo) (commit string, modified bool) {
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			commit = setting.Value
		case "vcs.modified":
			modified = setting.Value == "true"
		}
	}
	return commit, modified
}
