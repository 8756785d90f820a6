package config

import "strings"

// MCP configures what assistants may use.
type MCP struct {
	On    bool
	Limit int    // tool calls of one user within an hour; 0 means no limit
	Token string // of the person who runs `research mcp` or `research import`
}

func readMCP(r *reader) MCP {
	r.group = "Assistants"
	m := MCP{
		On: r.onOff("MCP", true,
			"Whether assistants such as Claude and ChatGPT can be connected, at `PUBLIC_URL/mcp`. It needs "+
				"`IDENTITY=on`."),
		Limit: r.number("MCP_LIMIT", 600, 0, 1_000_000,
			"Calls of tools by the assistants of one user within an hour. Above it, a call is answered with an error "+
				"that says when the next one is possible. `0`: no limit."),
		Token: r.secret("RESEARCH_TOKEN", 0,
			"A [personal access token](api.md#personal-access-tokens). `research mcp` presents it to the service at "+
				"`PUBLIC_URL` ([assistants](assistants.md#research-mcp)), and `research import` instead of "+
				"`SERVICE_ROLE_KEY`."),
	}
	if m.Token != "" && !strings.HasPrefix(m.Token, "rsp_") {
		r.problem("RESEARCH_TOKEN", "must be a personal access token, which begins with rsp_")
	}
	return m
}
