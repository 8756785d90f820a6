package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"regexp"
	"time"

	"research/dev"
)

// nginxPlaces are where packages put the binary, which need not be on the PATH of an ordinary user.
var nginxPlaces = []string{"nginx", "/usr/sbin/nginx", "/usr/local/sbin/nginx", "/opt/homebrew/bin/nginx"}

// installNginx are the commands on Debian and Ubuntu.
var installNginx = [][]string{
	{"apt-get", "update"},
	{"apt-get", "install", "--yes", "--no-install-recommends", "nginx-light"},
}

var errNoNginx = errors.New(
	"nginx is missing: install it (Debian and Ubuntu: apt-get install nginx-light; macOS: brew install nginx)")

// ensureNginx finds nginx. Where it is missing and we are root on a Debian machine, it installs the package,
// and says so.
func ensureNginx(ctx context.Context, say func(format string, args ...any)) (string, error) {
	if path, err := findNginx(); err == nil {
		return path, nil
	}
	if _, err := exec.LookPath("apt-get"); err != nil || os.Geteuid() != 0 {
		return "", errNoNginx
	}
	say("nginx is missing: installing the package nginx-light.")
	for _, args := range installNginx {
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%w; apt-get: %w: %s", errNoNginx, err, out)
		}
	}
	return findNginx()
}

func findNginx() (string, error) {
	for _, name := range nginxPlaces {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errNoNginx
}

var nginxVariable = regexp.MustCompile(`\$\{([A-Z0-9_]+)\}`)

// nginxConf is nginx.conf.template with its variables filled in, as envsubst does it in a container. nginx's
// own variables have no braces.
func nginxConf(variables settings) (string, error) {
	template, err := files.ReadFile("nginx.conf.template")
	if err != nil {
		return "", err
	}
	var errs []error
	conf := nginxVariable.ReplaceAllStringFunc(string(template), func(match string) string {
		name := nginxVariable.FindStringSubmatch(match)[1]
		value, set := variables[name]
		if !set {
			errs = append(errs, fmt.Errorf("nginx.conf.template: %s is not set", name))
		}
		return value
	})
	return conf, errors.Join(errs...)
}

// newBalancer is nginx.
func (c *cluster) newBalancer() *dev.Service {
	directives := "daemon off;"
	if os.Geteuid() == 0 {
		directives += " user root;" // another user may not reach the state folder
	}
	return c.folder.NewService(dev.ServiceConfig{
		Name: "nginx", Grace: 10 * time.Second,
		Command: func() *exec.Cmd {
			return newCommand(c.nginx, "-e", "stderr", "-p", c.path("nginx"),
				"-c", c.path("nginx", "nginx.conf"), "-g", directives)
		},
		Ready: func(ctx context.Context) error { return checkPort(ctx, c.at.api) },
	})
}

// drainFile keeps nginx from sending new requests to serve i while it exists.
func (c *cluster) drainFile(i int) string { return c.path("nginx", fmt.Sprintf("serve-%d.drain", i+1)) }

// checkPort returns nil once somebody listens.
func checkPort(ctx context.Context, address string) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return conn.Close()
}
