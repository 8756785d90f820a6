// Package e2e tests the whole service, as operators run it and clients use it.
//
// Most tests start `research serve` and `research worker` inside the test process: see startService. Those
// that kill processes, or stop them as a deployment does, start separate processes: see
// startInstallation. `make test PKG=./e2e` runs them; they need PostgreSQL and Temporal.
package e2e
