package dev

import (
	"bufio"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// What throw-away databases may take: those of the tests have half a gigabyte at most.
const (
	memoryFolderBytes = 2 << 30
	memoryBytes       = 6 << 30
)

// memoryFolder returns a folder whose files are in memory, or "" where there is none, or too little memory.
// A database has hundreds of files, which tests create and drop many times: on a disk that takes ten times as
// long.
func memoryFolder() string {
	const folder = "/dev/shm"
	var fs unix.Statfs_t
	if unix.Statfs(folder, &fs) != nil || fs.Type != unix.TMPFS_MAGIC {
		return ""
	}
	if fs.Bavail*uint64(fs.Bsize) < memoryFolderBytes || availableMemory() < memoryBytes {
		return ""
	}
	return folder
}

// availableMemory is how many bytes programs can take without swapping, or 0 where the kernel does not say.
func availableMemory() uint64 {
	file, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0
	}
	defer func() { _ = file.Close() }()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var kilobytes uint64
		if _, err := fmt.Sscanf(lines.Text(), "MemAvailable: %d kB", &kilobytes); err == nil {
			return kilobytes << 10
		}
	}
	return 0
}
