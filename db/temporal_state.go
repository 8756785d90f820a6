package db

import "context"

// RecordNamespace records the id of the namespace of Temporal that belongs to the database, unless there is
// one, and returns the id on record.
func (s *Store) RecordNamespace(ctx context.Context, id string) (recorded string, err error) {
	return AsService(ctx, s, func(q *Queries) (string, error) { return q.RecordNamespace(ctx, id) })
}

// AdoptNamespace records a namespace in place of the one on record.
func (s *Store) AdoptNamespace(ctx context.Context, id string) error {
	return s.AsService(ctx, func(q *Queries) error { return q.AdoptNamespace(ctx, id) })
}
