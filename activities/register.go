package activities

// A Registry registers activities: a worker or a test environment.
type Registry interface {
	RegisterActivity(a any)
}

// Deps are the activities, by dependency. A nil field is left out: the worker of a task queue needs only its
// own.
type Deps struct {
	Imports   *Imports
	Answers   *Answers
	Themes    *Themes
	Accounts  *Accounts
	Deletions *Deletions
	Digests   *Digests
	Retention *Retention
	Webhooks  *Webhooks
}

// Register registers every activity.
func Register(r Registry, d Deps) {
	if d.Imports != nil {
		r.RegisterActivity(d.Imports)
	}
	if d.Answers != nil {
		r.RegisterActivity(d.Answers)
	}
	if d.Themes != nil {
		r.RegisterActivity(d.Themes)
	}
	if d.Accounts != nil {
		r.RegisterActivity(d.Accounts)
	}
	if d.Deletions != nil {
		r.RegisterActivity(d.Deletions)
	}
	if d.Retention != nil {
		r.RegisterActivity(d.Retention)
	}
	if d.Digests != nil {
		r.RegisterActivity(d.Digests)
	}
	if d.Webhooks != nil {
		r.RegisterActivity(d.Webhooks)
	}
}
