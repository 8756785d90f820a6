package main

var fairness = subject{
	title:      "Fairness",
	benchmarks: []string{"Turns", "CallLimit", "Fairness"},
	setup: `What others notice of a user who takes everything. Imports: an interview of an hour is requested
while another workspace has just requested a hundred. Calls: an interview is requested behind thirty others,
where the model may be called thirty times a minute. Data API: one user sends the worst requests that are
known over 60 connections for 30 seconds, while another one reads a row and signs in.`,
	rows: []row{
		{
			name: "all evidence of an interview beside a hundred", benchmark: "Turns", bound: "without the hundred",
			figure: "the hundred took {s-flood} s", ratio: "{of-quiet}", limit: "at most {limit-of-quiet}",
		},
		{
			name: "calls of others before the first of one's own", benchmark: "CallLimit", figure: "{calls-before}",
			limit: "at most {limit-calls-before}",
		},
		{
			name: "a read during the flood, 95th percentile", benchmark: "Fairness", figure: "{read-p95-ms} ms",
			limit: "at most {limit-read-p95-ms} ms",
		},
		{
			name: "a sign-in during the flood, 95th percentile", benchmark: "Fairness", figure: "{sign-in-p95-ms} ms",
			limit: "at most {limit-sign-in-p95-ms} ms",
		},
	},
	silent: `Attackers with many accounts: [sizing](sizing.md#what-one-account-can-cost) has the bounds of each
account and of all. The flood runs on the same two cores as what it slows down.`,
}

var digests = subject{
	title:      "Digests",
	benchmarks: []string{"Digests", "PlanDigests"},
	flags:      []string{"-digest", "-planning"},
	setup: `A worker plans and sends a digest to each member of workspaces of ten, in which three quotes were
found. The mail server takes 50 ms for a mail, which bounds the rate. Nobody may get two mails. The other
measurement is the hourly tick, at which one member in fifty is due.`,
	rows: []row{
		{
			name: "{members} digests", benchmark: "Digests",
			figure: "{s} s, {mails/s} a second", bound: "the mail server: {sink-mails/s} a second", ratio: "{of-sink}",
			limit: "at least {limit-of-sink}",
		},
		{name: "… of which are uncertain, and nobody got two", benchmark: "Digests", figure: "{uncertain}"},
		{
			name: "… longest history in Temporal", benchmark: "Digests", figure: "{events-longest} events",
			limit: "at most {limit-events-longest}",
		},
		{
			name: "planning a tick: {due} due of {members} members", benchmark: "PlanDigests", figure: "{s-tick} s",
			limit: "at most {limit-s-tick} s",
		},
		{name: "… nobody due", benchmark: "PlanDigests", figure: "{ms-idle-tick} ms"},
	},
	silent: `Mail servers that refuse, delay and limit: tests cover these. "MAIL_RATE" is off here, and ten
mails a second by default. A short run has fewer members; "make bench-digests" sends 100,000 digests,
kills the worker four times meanwhile, and plans for a million members.`,
}

var largeData = subject{
	title:      "Large data",
	benchmarks: []string{"LargeData"},
	flags:      []string{"-large"},
	setup: `The statements of the page's requests, for a member of the workspace with the most data, in a
database that is filled in sets. PostgreSQL plans and runs each three times, and the fastest counts. No plan
of these statements, and none of the queries of the service, may read a large table whole.`,
	rows: []row{
		{
			name: "{utterances} utterances, {GB} GB: slowest statement", benchmark: "LargeData",
			figure: "{ms-slowest} ms", limit: "at most {limit-ms-slowest} ms",
		},
		{name: "… median of the statements", benchmark: "LargeData", figure: "{ms-median} ms"},
	},
	silent: `The time of HTTP, and of many users at once. The database fits into memory; one that does not also
waits for the disk. "make bench-large" fills ten million utterances.`,
}

var start = subject{
	title:      "Start",
	benchmarks: []string{"Start", "StartDev"},
	setup: `The time from the start of a process until its "/readyz" answers 200, with a migrated database and
the binary in the page cache: the median of nine starts. The development stack is "research dev" with an
existing state folder: PostgreSQL, Temporal with its UI, the API, a worker and the demo data, the median of
three.`,
	rows: []row{
		ready("`research serve`", "serve"), ready("`research worker`", "worker"),
		{
			name: "`research dev`", benchmark: "StartDev", figure: "{s-ready} s", limit: "at most {limit-s-ready} s",
		},
	},
	silent: `The first start: "make dev" then also builds, and makes the database. "make" itself takes a second
to find that the binary is current. Migrations of an upgrade are not part of a start.`,
}

func ready(name, benchmark string) row {
	return row{
		name: name, benchmark: "Start/" + benchmark, figure: "{ms-ready} ms, {ms-cpu} ms of CPU",
		limit: "at most {limit-ms-ready} ms",
	}
}

var memoryOf = subject{
	title:      "Memory",
	benchmarks: []string{"Memory"},
	setup: `Resident memory as Linux counts it: when idle, after reads of the data API by eight clients and
imports of an hour each, and the peak. The other rows are the peaks of the runs above.`,
	rows: []row{
		resident("`serve`", "serve"), resident("`worker`", "worker"),
		peak("`serve` during the flood of one user", "Fairness", "{serve-MB} MB", "{limit-serve-MB}"),
		peak("`worker` that reads a hundred interviews", "Turns", "{worker-MB} MB", "256"),
		peak("`worker` that sends {members} digests", "Digests", "{worker-MB} MB", "{limit-worker-MB}"),
		peakOfPeer("`serve` and smoothdb, data API", "DataAPIPeer/transactions/50_rows_with_an_embed", "smoothdb"),
		peakOfPeer("`serve` and GoTrue, sign-ins and refreshes", "IdentityPeer/refresh", "GoTrue"),
	},
	silent: `PostgreSQL's and Temporal's memory. "serve" and "worker" have caches and pools that grow with
users and workspaces, within limits ([sizing](sizing.md#what-one-account-can-cost)). The peers offer a part
of what "serve" does in one process.`,
}

func resident(name, process string) row {
	return row{
		name: name, benchmark: "Memory",
		figure: "{" + process + "-MB-idle} MB idle, {" + process + "-MB-after} MB after {reads} reads and " +
			"{imports} imports, at most {" + process + "-MB-peak} MB",
		limit: "at most {limit-MB-idle} MB idle, {limit-MB-peak} MB in all",
	}
}

func peak(name, benchmark, figure, limit string) row {
	return row{name: name, benchmark: benchmark, figure: figure, limit: "at most " + limit + " MB"}
}

func peakOfPeer(name, benchmark, peer string) row {
	return row{
		name: name, benchmark: benchmark, figure: "{serve-MB} MB", bound: peer + ": {peer-MB} MB", peer: true,
	}
}
