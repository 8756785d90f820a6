package dev

import (
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// Capabilities of capabilities(7): with them an unprivileged user reaches a state folder below a folder that is root's alone, as /root.
const (
	capDACOverride   = 1
	capDACReadSearch = 2
)

// unprivileged lets a command run as another user when we are root: PostgreSQL refuses to run as root. It returns the user's ids, or false where nothing changes.
func unprivileged(cmd *exec.Cmd) (uid, gid int, changed bool) {
	if os.Geteuid() != 0 {
		return 0, 0, false
	}
	uid, gid = 65534, 65534
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			uid, _ = strconv.Atoi(u.Uid)
			gid, _ = strconv.Atoi(u.Gid)
			break
		}
	}
	if cmd != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Credential:  &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)},
			AmbientCaps: []uintptr{capDACOverride, capDACReadSearch},
		}
	}
	return uid, gid, true
}
