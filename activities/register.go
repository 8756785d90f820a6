package activities

// A Registry takes activities: a worker, or a test environment.
type Registry interface {
	RegisterActivity(a any)
}

// Register registers every activity. A nil part is left out: a worker of one task queue needs only its own.
func Register(r Registry, imports *Imports) {
	if imports != nil {
		r.RegisterActivity(imports)
	}
}
