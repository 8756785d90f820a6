// Package mcp serves /mcp: the tools that assistants such as Claude and ChatGPT use for a person (Model
// Context Protocol, streamable HTTP without sessions).
//
// A request passes the door, which checks its origin, its token, its size, and the scope of the tool that it
// calls. Then the SDK decodes it, and handle runs the tool. Tools read and write in the name of the person
// whose token it is, so that row-level security decides what they see. What interviewees said is marked as
// quoted.
package mcp
