// Package bench measures the whole: a real worker as a process of its own, a database, Temporal, and what stands at the other end. `make bench` runs it. Each
// figure stands beside its limit, and a benchmark that misses one fails.
package bench
