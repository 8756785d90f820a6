// Package dev runs everything on one machine: PostgreSQL, Temporal with its UI, migrations, demo data, the
// API and the worker.
//
// It looks for each part before it makes one. PostgreSQL: DATABASE_URL, else binaries on this machine with a
// private cluster in the state folder, else downloaded binaries. Temporal: TEMPORAL_ADDRESS, else the
// temporal CLI on PATH, else the same CLI, built once from the pinned tools. What it starts ends with it,
// even after kill -9. Tests get their PostgreSQL and Temporal from the same code, through Exec.
package dev
