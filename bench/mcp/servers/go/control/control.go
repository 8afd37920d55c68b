// Package control reports the port to the Node process that started this one, and the CPU time on request.
package control

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"syscall"
)

// Serve serves on a free port until the parent is gone. Node's channel is lines of JSON on a descriptor.
func Serve(handler http.Handler) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	descriptor, err := strconv.Atoi(os.Getenv("NODE_CHANNEL_FD"))
	if err != nil {
		panic("NODE_CHANNEL_FD is not set: start this program with npm run bench:mcp")
	}
	channel := os.NewFile(uintptr(descriptor), "channel")
	go func() { panic(http.Serve(listener, handler)) }()
	fmt.Fprintf(channel, "{\"port\":%d}\n", listener.Addr().(*net.TCPAddr).Port)
	for lines := bufio.NewScanner(channel); lines.Scan(); {
		var usage syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
			panic(err)
		}
		fmt.Fprintf(channel, "{\"cpu\":{\"user\":%d,\"system\":%d}}\n", micros(usage.Utime), micros(usage.Stime))
	}
}

func micros(time syscall.Timeval) int64 {
	return time.Sec*1_000_000 + time.Usec
}
