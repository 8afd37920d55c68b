// mcp-go: `session` or `stateless`.
package main

import (
	"context"
	"os"

	"bench/control"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

type numbers struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
}

type answer struct {
	Sum float64 `json:"sum"`
}

func main() {
	app := server.NewMCPServer("bench", "1.0.0")
	tool := mcp.NewTool("add", mcp.WithDescription("Adds two numbers"),
		mcp.WithNumber("a", mcp.Required()), mcp.WithNumber("b", mcp.Required()))
	app.AddTool(tool, mcp.NewStructuredToolHandler(
		func(_ context.Context, _ mcp.CallToolRequest, in numbers) (answer, error) { return answer{in.A + in.B}, nil }))
	control.Serve(server.NewStreamableHTTPServer(app, server.WithStateLess(os.Args[1] == "stateless")))
}
