// Runs Starlark programs with go.starlark.net, one JSON request per line, one JSON answer per line.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	starlarkjson "go.starlark.net/lib/json"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

type request struct {
	Source   string
	Steps    uint64
	Standard bool // only the standard dialect: no set, no while, no recursion ...
}

type answer struct {
	Output    string `json:"output"`
	Error     string `json:"error"`
	Backtrace string `json:"backtrace"`
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var req request
		if err := json.Unmarshal(line, &req); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		encoded, _ := json.Marshal(execute(req))
		out.Write(encoded)
		out.WriteByte('\n')
		out.Flush()
	}
}

func execute(req request) (result answer) {
	// A few arguments make starlark-go itself panic; that is an answer too.
	defer func() {
		if problem := recover(); problem != nil {
			result.Error = fmt.Sprint("panic: ", problem)
		}
	}()
	var printed strings.Builder
	thread := &starlark.Thread{Print: func(_ *starlark.Thread, message string) {
		printed.WriteString(message)
		printed.WriteByte('\n')
	}}
	if req.Steps > 0 {
		thread.SetMaxExecutionSteps(req.Steps)
	}
	dialect := &syntax.FileOptions{Set: true, While: true, TopLevelControl: true, GlobalReassign: true, Recursion: true}
	if req.Standard {
		dialect = &syntax.FileOptions{Set: true}
	}
	namespaces := starlark.StringDict{"json": starlarkjson.Module}
	_, err := starlark.ExecFileOptions(dialect, thread, "main.star", req.Source, namespaces)
	result.Output = printed.String()
	if err != nil {
		result.Error = err.Error()
		var failure *starlark.EvalError
		if errors.As(err, &failure) {
			result.Backtrace = failure.Backtrace()
		}
	}
	return result
}
