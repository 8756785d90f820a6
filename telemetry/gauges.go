package telemetry

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.opentelemetry.io/otel/metric"

	"research/outcome"
)

// An ImportState counts the imports with a status.
type ImportState struct {
	Status outcome.Status
	Count  int64
	// Oldest is how long the oldest of them has had the status; 0 for statuses that are ends.
	Oldest time.Duration
}

// A scrape must neither wait for a slow database nor load it.
const (
	importStatesMaxAge  = 10 * time.Second
	importStatesTimeout = 2 * time.Second
)

// ObserveImports shows the imports by status in every scrape. If count fails, the scrape shows none.
func (m *Metrics) ObserveImports(count func(context.Context) ([]ImportState, error)) error {
	number, err := m.meter.Int64ObservableGauge("research_imports",
		metric.WithDescription("Imports by status. All processes of serve report the same number: use the maximum."))
	if err != nil {
		return fmt.Errorf("create the gauge of imports: %w", err)
	}
	oldest, err := m.meter.Float64ObservableGauge("research_import_oldest", metric.WithUnit("s"),
		metric.WithDescription("How long the oldest import has had its status."))
	if err != nil {
		return fmt.Errorf("create the gauge of waiting imports: %w", err)
	}
	cached := importStates{count: count}
	_, err = m.meter.RegisterCallback(func(ctx context.Context, o metric.Observer) error {
		for _, s := range cached.get(ctx) {
			o.ObserveInt64(number, s.Count, label("state", string(s.Status)))
			if s.Oldest > 0 {
				o.ObserveFloat64(oldest, s.Oldest.Seconds(), label("state", string(s.Status)))
			}
		}
		return nil
	}, number, oldest)
	return err
}

// importStates caches the counts of the database.
type importStates struct {
	count func(context.Context) ([]ImportState, error)

	mu     sync.Mutex
	states []ImportState
	readAt time.Time
}

// get returns the counts, or nil if the database does not answer; other metrics show that it is down.
func (s *importStates) get(ctx context.Context) []ImportState {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.readAt) < importStatesMaxAge {
		return s.states
	}
	ctx, cancel := context.WithTimeout(ctx, importStatesTimeout)
	defer cancel()
	states, err := s.count(ctx)
	if err != nil {
		return nil
	}
	s.states, s.readAt = states, time.Now()
	return states
}

// ObservePool shows the use of database connections in every scrape.
func (m *Metrics) ObservePool(stat func() *pgxpool.Stat) error {
	connections, err := m.meter.Int64ObservableGauge("research_db_connections",
		metric.WithDescription("Connections of the pool: used, idle, and the maximum."))
	if err != nil {
		return fmt.Errorf("create the gauge of connections: %w", err)
	}
	waited, err := m.meter.Float64ObservableCounter("research_db_wait", metric.WithUnit("s"),
		metric.WithDescription("Time spent waiting for a connection of the pool."))
	if err != nil {
		return fmt.Errorf("create the counter of waiting: %w", err)
	}
	_, err = m.meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		s := stat()
		o.ObserveInt64(connections, int64(s.AcquiredConns()), label("state", "used"))
		o.ObserveInt64(connections, int64(s.IdleConns()), label("state", "idle"))
		o.ObserveInt64(connections, int64(s.MaxConns()), label("state", "max"))
		o.ObserveFloat64(waited, s.AcquireDuration().Seconds())
		return nil
	}, connections, waited)
	return err
}
