// Package procmem reads the memory of processes for tests and benchmarks.
package procmem

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// MB returns a figure of a process's memory in MB, such as VmHWM, from /proc/PID/status of Linux. There
// is none if the process has ended, or runs on another machine.
func MB(pid int, figure string) (mb float64, found bool) {
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, figure+":"); ok {
			kB, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 64)
			return kB / 1024, err == nil
		}
	}
	return 0, false
}
