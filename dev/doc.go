// Package dev brings up everything on one machine: PostgreSQL, Temporal with its UI, migrations, demo data, the API and the worker.
//
// Each part is looked for before it is made: DATABASE_URL, else the machine's own binaries with a private cluster under the state folder, else downloaded ones;
// TEMPORAL_ADDRESS, else the temporal CLI on PATH, else the same CLI built once from the pinned tools. What it starts dies with it, even by kill -9. The tests use the
// same code for their PostgreSQL and Temporal (Exec).
package dev
