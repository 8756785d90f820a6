//go:build !linux

package dev

import (
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// unprivileged lets a command run as another user when we are root: PostgreSQL refuses to run as root. It returns the user's ids, or false where nothing changes.
func unprivileged(cmd *exec.Cmd) (uid, gid int, changed bool) {
	if os.Geteuid() != 0 {
		return 0, 0, false
	}
	u, err := user.Lookup("nobody")
	if err != nil {
		return 0, 0, false
	}
	uid, _ = strconv.Atoi(u.Uid)
	gid, _ = strconv.Atoi(u.Gid)
	if cmd != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	}
	return uid, gid, true
}
