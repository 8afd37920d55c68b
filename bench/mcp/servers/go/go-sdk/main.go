// The official Go SDK with plain JSON responses: `session` or `stateless`. The latter serves 2026-07-28 too.
package main

import (
	"context"
	"net/http"
	"os"

	"bench/control"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type numbers struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
}

type answer struct {
	Sum float64 `json:"sum"`
}

func add(_ context.Context, _ *mcp.CallToolRequest, in numbers) (*mcp.CallToolResult, answer, error) {
	return nil, answer{in.A + in.B}, nil
}

func main() {
	app := mcp.NewServer(&mcp.Implementation{Name: "bench", Version: "1.0.0"}, nil)
	mcp.AddTool(app, &mcp.Tool{Name: "add", Description: "Adds two numbers"}, add)
	options := &mcp.StreamableHTTPOptions{JSONResponse: true, Stateless: os.Args[1] == "stateless"}
	control.Serve(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return app }, options))
}
