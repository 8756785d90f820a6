package cli

import (
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"research/cli/stdio"
)

func newMCPCommand(sys System) *cobra.Command {
	return &cobra.Command{
		Use:   "mcp",
		Short: "Connects an assistant on this machine to the service, over standard input and output",
		Long: `mcp is the MCP server of PUBLIC_URL for assistants that start a command instead of opening a URL. It
reads messages from standard input, passes them on with the personal access token RESEARCH_TOKEN, and
writes the answers to standard output. Errors are returned as JSON-RPC errors and also written to
standard error. RESEARCH_TOKEN_FILE names a file with the token instead.

The settings are those of the assistant's configuration:

  {"mcpServers": {"research": {
    "command": "research", "args": ["mcp"],
    "env": {"PUBLIC_URL": "https://research.example.com", "RESEARCH_TOKEN": "rsp_…"}
  }}}`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := sys.Settings()
			if err != nil {
				return err
			}
			if err := cfg.Require("RESEARCH_TOKEN"); err != nil {
				return err
			}
			// The assistant may close standard error. Without this, a write to it would end the process.
			signal.Ignore(syscall.SIGPIPE)
			bridge := stdio.Bridge{
				Endpoint: cfg.HTTP.PublicURL + "/mcp", Token: cfg.MCP.Token,
				Stdin: cmd.InOrStdin(), Stdout: cmd.OutOrStdout(), Stderr: cmd.ErrOrStderr(),
			}
			return bridge.Run(cmd.Context())
		},
	}
}
