package main

// A subject is a section of the page: benchmarks, and what is to be known about their figures.
type subject struct {
	title      string
	benchmarks []string // without the prefix Benchmark
	flags      []string // how the flags of package bench begin that set their size
	setup      string   // what is measured, and its bound
	rows       []row
	silent     string // what the figures do not say
}

// A row is a line of a table. In each cell, {requests/s} is the benchmark's value with this unit.
type row struct {
	name      string
	benchmark string
	figure    string
	bound     string
	ratio     string
	limit     string
	peer      bool // left out if the run had no such peer
}

const introduction = `The figures of one run on one machine, written by "make bench-report": do not edit
them. A run in which a figure misses its limit becomes no page, unless the page says so. Ratios compare what
took turns in the same run, so they hold on other machines as well; absolute figures hold on this one.
PostgreSQL, Temporal, the service and its clients share the machine, and PostgreSQL does not wait for the
disk ("fsync=off"), as in all tests. [Sizing](sizing.md) uses the figures, and
[bench/RESULTS.md](../bench/RESULTS.md) has those behind decisions.`

const howToGetPeers = `To measure peers, build sted/smoothdb and supabase/auth from checkouts of their
repositories with "go build", put the folder "migrations" of supabase/auth beside its binary, and name both
binaries: "make bench-report SMOOTHDB=… GOTRUE=…", or the flags "-smoothdb" and "-gotrue" of the commands
above. Nothing of them is part of this repository.`

var subjects = []subject{dataAPI, signIn, evidence, fairness, digests, largeData, start, memoryOf}

const byCPU = "rate {of-peer}, by CPU time {cpu-of-peer}"

var dataAPI = subject{
	title:      "Data API",
	benchmarks: []string{"DataAPI", "DataAPIPeer"},
	setup: `Eight clients send the same request again and again, over 100,000 hypotheses in 100 workspaces with
row-level security. pgbench sends the same SQL with the same role and claims in one pipeline. The handler is
written by hand with pgx: it has the same checks of key, token and session and the same policies, but no
log, metrics, timeouts or limits, and sets only role and claims. The ratio by CPU time is the other's CPU
time for a request, with PostgreSQL's and the client's, divided by ours: that of the rates on an idle
machine. smoothdb offers the same API. By default it keeps a connection for each access token, with its role
and claims, and begins no transaction; with transactions, it does for each request what we do.`,
	rows: []row{
		ofPgbench("one row by id", "DataAPI/one_row_by_id"),
		ofHand("one row by id", "DataAPI/one_row_by_id"),
		ofSmoothdb("one row by id", "default/one_row_by_id", "smoothdb, default"),
		ofSmoothdb("one row by id", "transactions/one_row_by_id", "smoothdb, transactions"),
		ofPgbench("50 rows with an embed", "DataAPI/50_rows_with_an_embed"),
		ofHand("50 rows with an embed", "DataAPI/50_rows_with_an_embed"),
		ofSmoothdb("50 rows with an embed", "default/50_rows_with_an_embed", "smoothdb, default"),
		ofSmoothdb("50 rows with an embed", "transactions/50_rows_with_an_embed", "smoothdb, transactions"),
	},
	silent: `Two reads of one user are no workload: writes, functions, large answers and many users are not
measured. Clients on a machine of their own would leave more of it to the servers. smoothdb checks neither
an API key nor whether the session still exists, and has no limits for users, so that it does less for a
request. [Decision 0298](decisions/0298-what-a-read-costs.md) says where the CPU time of a read goes.`,
}

func ofPgbench(name, benchmark string) row {
	return row{
		name: name, benchmark: benchmark, figure: "{requests/s} a second", bound: "pgbench: {pgbench/s} a second",
		ratio: "rate {of-pgbench}", limit: "rate at least {limit-of-pgbench}",
	}
}

func ofHand(name, benchmark string) row {
	return row{
		name: name, benchmark: benchmark, figure: "{requests/s} a second",
		bound: "handler by hand: {hand/s} a second", ratio: "rate {of-hand}, by CPU time {cpu-of-hand}",
		limit: "by CPU time at least {limit-cpu-of-hand}",
	}
}

func ofSmoothdb(name, benchmark, peer string) row {
	return row{
		name: name, benchmark: "DataAPIPeer/" + benchmark, peer: true,
		figure: "{requests/s} a second, {ms-cpu} ms of CPU",
		bound:  peer + ": {peer/s} a second, {peer-ms-cpu} ms of CPU",
		ratio:  byCPU,
	}
}

var signIn = subject{
	title:      "Sign-in",
	benchmarks: []string{"SignIn", "Refresh", "Refusals", "IdentityPeer"},
	setup: `Sign-ins with a password are bound by bcrypt at cost 10 on all cores, and refreshes by the
statement that replaces a refresh token, without HTTP. Known and unknown addresses must be refused in the
same time. GoTrue is the server of Supabase Auth. Both servers are processes of their own, with databases of
their own, bcrypt at cost 10, eight clients and their defaults, but for GoTrue's connections: it keeps 20 of
them like ours, since with its default of two it opens others again and again.`,
	rows: []row{
		{
			name: "sign-ins", benchmark: "SignIn", figure: "{sign-ins/s} a second",
			bound: "bcrypt alone: {bound/s} a second",
			ratio: "{of-bound}", limit: "at least {limit-of-bound}",
		},
		{
			name: "refreshes", benchmark: "Refresh", figure: "{refreshes/s} a second",
			bound: "the statement alone: {bound/s} a second", ratio: "{of-bound}", limit: "at least {limit-of-bound}",
		},
		{
			name: "a wrong password", benchmark: "Refusals", figure: "{known-ms} ms",
			bound: "an unknown address: {unknown-ms} ms", ratio: "{known/unknown}", limit: "0.90 to 1.10",
		},
		ofGoTrue("sign-ins", "sign-in"), ofGoTrue("refreshes", "refresh"),
	},
	silent: `Links and codes by mail, TOTP, providers and sign-ups are not measured, and neither is the
database of a million users. A session refreshes once an hour: a thousand refreshes a second are those of
three million people.`,
}

func ofGoTrue(name, benchmark string) row {
	return row{
		name: name, benchmark: "IdentityPeer/" + benchmark, peer: true,
		figure: "{requests/s} a second, {ms-cpu} ms of CPU",
		bound:  "GoTrue: {peer/s} a second, {peer-ms-cpu} ms of CPU",
		ratio:  byCPU,
	}
}

var evidence = subject{
	title:      "Time to evidence",
	benchmarks: []string{"Evidence"},
	setup: `What a user sees of an interview after the request to read it, with a simulated model that takes
2.5 to 7.5 seconds for a call, and a look at the evidence every 50 ms. The first evidence is compared with
the call that was answered first. All evidence is compared with the ideal: the longest call, or all calls
divided by the eight that are made at the same time.`,
	rows: []row{
		first("10 minutes, 1,500 words", "10m", ""),
		first("1 hour, 9,000 words", "1h", "at most {limit-of-first-call}"),
		first("3 hours, 27,000 words", "3h", ""),
		all("10 minutes", "10m", ""), all("1 hour", "1h", "at most {limit-of-ideal}"), all("3 hours", "3h", ""),
		{
			name: "1 hour: history in Temporal", benchmark: "Evidence/1h",
			figure: "{events} events, {actions} actions as Temporal Cloud counts them, without heartbeats",
		},
	},
	silent: `How good the evidence is: [extraction](extraction.md) says how to measure a model. Real models are
slower or faster, and limit the rate. The calls of three hours cannot be divided evenly among eight, so that
they exceed the ideal even with no time between them.`,
}

func first(name, benchmark, limit string) row {
	return row{
		name: name + ": first evidence", benchmark: "Evidence/" + benchmark, figure: "{s-first} s",
		bound: "the call that was answered first", ratio: "{of-first-call}", limit: limit,
	}
}

func all(name, benchmark, limit string) row {
	return row{
		name: name + ": all evidence", benchmark: "Evidence/" + benchmark, figure: "{s-all} s", bound: "the ideal",
		ratio: "{of-ideal}", limit: limit,
	}
}
