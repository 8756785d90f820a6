package cli

import (
	"io"

	"github.com/spf13/cobra"

	"research/api/rest"
	"research/api/rest/typescript"
)

func newTypesCommand(sys System) *cobra.Command {
	group := newGroup("types", "Prints the types of the data API for programs that use it",
		newTypesTypeScriptCommand(sys))
	group.Long = "types prints the types of the data API, read from the database of DATABASE_URL."
	return group
}

func newTypesTypeScriptCommand(sys System) *cobra.Command {
	return &cobra.Command{
		Use:   "typescript",
		Short: "Prints the type that createClient<Database>(…) of supabase-js takes",
		Long: `typescript prints the schemas of REST_SCHEMAS as the type Database, in the form of
` + "`supabase gen types`" + `. Pass it to createClient<Database>(…) of supabase-js, and TypeScript knows
the columns, relationships and functions of every query:

  research types typescript > database.types.ts`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := sys.Settings()
			if err != nil {
				return err
			}
			store, err := openStore(cmd.Context(), cfg, "research types", nil)
			if err != nil {
				return err
			}
			defer store.Close()
			document, err := typescript.Generate(cmd.Context(), rest.CatalogQuery(store), cfg.Data.Schemas)
			if err != nil {
				return err
			}
			_, err = io.WriteString(cmd.OutOrStdout(), document)
			return err
		},
	}
}
