package telemetry

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.opentelemetry.io/otel/metric"
)

// ImportState counts the imports in a state.
type ImportState struct {
	State string
	Count int64
	// Oldest is since when the oldest of them has waited for the state to end; zero for states that are ends.
	Oldest time.Duration
}

// How the gauges of the database are read: a scrape must neither wait for a slow database nor keep it busy.
const (
	importsKeptFor = 10 * time.Second
	importsTimeout = 2 * time.Second
)

// ObserveImports has every scrape show the imports by state, as the function counts them. Where it fails, the scrape shows none.
func (m *Metrics) ObserveImports(count func(context.Context) ([]ImportState, error)) error {
	number, err := m.meter.Int64ObservableGauge("research_imports", metric.WithDescription("Imports by state. Every process of serve shows the same: take the maximum."))
	if err != nil {
		return fmt.Errorf("make the gauge of imports: %w", err)
	}
	oldest, err := m.meter.Float64ObservableGauge("research_import_oldest", metric.WithUnit("s"), metric.WithDescription("How long the oldest import has been in its state."))
	if err != nil {
		return fmt.Errorf("make the gauge of waiting imports: %w", err)
	}
	var mu sync.Mutex
	var states []ImportState
	var readAt time.Time
	_, err = m.meter.RegisterCallback(func(ctx context.Context, o metric.Observer) error {
		mu.Lock()
		defer mu.Unlock()
		if time.Since(readAt) > importsKeptFor {
			ctx, cancel := context.WithTimeout(ctx, importsTimeout)
			defer cancel()
			var err error
			if states, err = count(ctx); err != nil {
				return nil // the database's absence shows elsewhere
			}
			readAt = time.Now()
		}
		for _, s := range states {
			o.ObserveInt64(number, s.Count, label("state", s.State))
			if s.Oldest > 0 {
				o.ObserveFloat64(oldest, s.Oldest.Seconds(), label("state", s.State))
			}
		}
		return nil
	}, number, oldest)
	return err
}

// ObservePool has every scrape show how the database's connections are used.
func (m *Metrics) ObservePool(stat func() *pgxpool.Stat) error {
	connections, err := m.meter.Int64ObservableGauge("research_db_connections", metric.WithDescription("Connections of the pool: in use, idle, and how many there may be."))
	if err != nil {
		return fmt.Errorf("make the gauge of connections: %w", err)
	}
	waited, err := m.meter.Float64ObservableCounter("research_db_wait", metric.WithUnit("s"), metric.WithDescription("Time that was spent on getting a connection."))
	if err != nil {
		return fmt.Errorf("make the counter of waiting: %w", err)
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
