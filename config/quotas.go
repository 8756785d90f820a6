package config

// Quotas bound what workspaces store and use. 0 means no limit. Those of an account are for all workspaces
// that it created.
type Quotas struct {
	WorkspaceStorage       int64 // bytes
	AccountStorage         int64 // bytes
	WorkspaceUploadsPerDay int64
	AccountUploadsPerDay   int64
	WorkspaceTokensPerDay  int64
	AccountTokensPerDay    int64
}

func readQuotas(r *reader) Quotas {
	r.group = "Quotas"
	const most = 1 << 50
	return Quotas{
		WorkspaceStorage: int64(r.number("WORKSPACE_STORAGE", 10<<30, 0, most,
			"Bytes that the transcripts of a workspace may take in the database, with all that is derived from "+
				"them; an interview of an hour takes about 600,000. Above it, an upload is answered with 413 "+
				"`storage_quota_exceeded`. `serve` keeps the quotas in the database for all programs. `0`, here and "+
				"below: no limit.")),
		AccountStorage: int64(r.number("ACCOUNT_STORAGE", 20<<30, 0, most,
			"The same for all workspaces together that one account created.")),
		WorkspaceUploadsPerDay: int64(r.number("WORKSPACE_UPLOADS_PER_DAY", 5000, 0, most,
			"Uploads to a workspace on a day, which begins at 00:00 UTC. Above it, an upload is answered with 429. "+
				"Deleted interviews count.")),
		AccountUploadsPerDay: int64(r.number("ACCOUNT_UPLOADS_PER_DAY", 10_000, 0, most,
			"The same for all workspaces together that one account created.")),
		WorkspaceTokensPerDay: int64(r.number("WORKSPACE_TOKENS_PER_DAY", 20_000_000, 0, most,
			"Tokens that the model may use for a workspace on a day, in UTC; an interview of an hour takes about "+
				"20,000. Above it, imports wait until the next day, with the waiting reason `token_budget`.")),
		AccountTokensPerDay: int64(r.number("ACCOUNT_TOKENS_PER_DAY", 40_000_000, 0, most,
			"The same for all workspaces together that one account created.")),
	}
}
