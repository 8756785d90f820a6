package telemetry

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"research/outcome"
)

// An ImportState counts the imports with a status.
type ImportState struct {
	Status outcome.Status
	Count  int64
	// Oldest is how long the oldest of them has had the status. It is 0 for final statuses.
	Oldest time.Duration
}

// Scrapes must neither wait for a slow database nor add load to it.
const (
	importStatesMaxAge = 10 * time.Second
	gaugeTimeout       = 2 * time.Second
)

// ObserveImports exports the number of imports by status. If count fails, the scrape omits it.
func (m *Metrics) ObserveImports(count func(context.Context) ([]ImportState, error)) error {
	number, err := m.meter.Int64ObservableGauge("research_imports",
		metric.WithDescription("Imports by status, up to 10,000 of each that is not open. "+
			"All processes of serve report the same number: use the maximum."))
	if err != nil {
		return fmt.Errorf("create the gauge of imports: %w", err)
	}
	oldest, err := m.meter.Float64ObservableGauge("research_import_oldest", metric.WithUnit("s"),
		metric.WithDescription("How long the oldest import has had its status."))
	if err != nil {
		return fmt.Errorf("create the gauge of waiting imports: %w", err)
	}
	cached := cachedGauge[[]ImportState]{read: count, maxAge: importStatesMaxAge}
	_, err = m.meter.RegisterCallback(func(ctx context.Context, o metric.Observer) error {
		states, _ := cached.get(ctx)
		for _, s := range states {
			o.ObserveInt64(number, s.Count, label("state", string(s.Status)))
			if s.Oldest > 0 {
				o.ObserveFloat64(oldest, s.Oldest.Seconds(), label("state", string(s.Status)))
			}
		}
		return nil
	}, number, oldest)
	return err
}

// Capacity is the forecast of whether the workers can read the open imports in time.
type Capacity struct {
	LateImports    int // imports that will miss PARSE_TIMEOUT
	MissingWorkers int
}

// capacityMaxAge is long, because a forecast reads every open import.
const capacityMaxAge = time.Minute

// ObserveCapacity exports the capacity forecast. If the forecast fails, the scrape omits it.
func (m *Metrics) ObserveCapacity(forecast func(context.Context) (Capacity, error)) error {
	late, err := m.meter.Int64ObservableGauge("research_imports_late", metric.WithDescription(
		"Open imports that will miss PARSE_TIMEOUT. All workers report the same number: use the maximum."))
	if err != nil {
		return fmt.Errorf("create the gauge of late imports: %w", err)
	}
	missing, err := m.meter.Int64ObservableGauge("research_workers_missing", metric.WithDescription(
		"Workers that the open imports need beyond those that read. "+
			"All workers report the same number: use the maximum."))
	if err != nil {
		return fmt.Errorf("create the gauge of missing workers: %w", err)
	}
	cached := cachedGauge[Capacity]{read: forecast, maxAge: capacityMaxAge}
	_, err = m.meter.RegisterCallback(func(ctx context.Context, o metric.Observer) error {
		if capacity, ok := cached.get(ctx); ok {
			o.ObserveInt64(late, int64(capacity.LateImports))
			o.ObserveInt64(missing, int64(capacity.MissingWorkers))
		}
		return nil
	}, late, missing)
	return err
}

// A Usage is an amount that workspaces use: of storage, or of a quota of the day.
type Usage struct {
	Kind           string
	Total, Largest int64 // of all workspaces, and of the one that uses most
}

// usageMaxAge is long, because the sum of the storage reads every import.
const usageMaxAge = 5 * time.Minute

// ObserveUsage exports what all workspaces use, and the one that uses most. If usage fails, the scrape omits
// it.
func (m *Metrics) ObserveUsage(usage func(context.Context) ([]Usage, error)) error {
	used, err := m.meter.Int64ObservableGauge("research_usage", metric.WithDescription(
		"What all workspaces use, and the one that uses most: bytes of storage, rows that clients have "+
			"inserted, uploads and tokens of today. All processes of serve report the same numbers: use the maximum."))
	if err != nil {
		return fmt.Errorf("create the gauge of usage: %w", err)
	}
	cached := cachedGauge[[]Usage]{read: usage, maxAge: usageMaxAge}
	_, err = m.meter.RegisterCallback(func(ctx context.Context, o metric.Observer) error {
		usages, _ := cached.get(ctx)
		for _, u := range usages {
			of := func(name string) metric.MeasurementOption {
				return metric.WithAttributes(attribute.String("kind", u.Kind), attribute.String("of", name))
			}
			o.ObserveInt64(used, u.Total, of("all"))
			o.ObserveInt64(used, u.Largest, of("largest"))
		}
		return nil
	}, used)
	return err
}

// A cachedGauge caches values of the database, so that scrapes neither wait for it nor add load to it.
type cachedGauge[T any] struct {
	read   func(context.Context) (T, error)
	maxAge time.Duration

	mu     sync.Mutex
	value  T
	readAt time.Time
}

// get returns false if the database does not respond; other metrics show that it is down.
func (g *cachedGauge[T]) get(ctx context.Context) (value T, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if time.Since(g.readAt) < g.maxAge {
		return g.value, true
	}
	ctx, cancel := context.WithTimeout(ctx, gaugeTimeout)
	defer cancel()
	read, err := g.read(ctx)
	if err != nil {
		return value, false
	}
	g.value, g.readAt = read, time.Now()
	return read, true
}

// A polledGauge is a value that is read beside the scrapes, which export the last one. During a scrape no
// instrument can be created, and a request to Temporal may create one, for its own metrics.
type polledGauge[T any] struct {
	read   func(context.Context) (T, error)
	maxAge time.Duration

	mu      sync.Mutex
	value   T
	ok      bool
	readAt  time.Time
	reading bool
}

// get returns the last value, and begins to read another one if that is old. It returns false before the
// first value, and if the last one could not be read.
func (g *polledGauge[T]) get() (value T, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.reading && time.Since(g.readAt) >= g.maxAge {
		g.reading = true
		go g.poll()
	}
	return g.value, g.ok
}

func (g *polledGauge[T]) poll() {
	ctx, cancel := context.WithTimeout(context.Background(), gaugeTimeout)
	defer cancel()
	read, err := g.read(ctx)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.value, g.ok, g.readAt, g.reading = read, err == nil, time.Now(), false
}

// ObservePool exports the use of a pool of database connections. A process may have several pools.
func (m *Metrics) ObservePool(pool string, stat func() *pgxpool.Stat) error {
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
		state := func(name string) metric.MeasurementOption {
			return metric.WithAttributes(attribute.String("pool", pool), attribute.String("state", name))
		}
		o.ObserveInt64(connections, int64(s.AcquiredConns()), state("used"))
		o.ObserveInt64(connections, int64(s.IdleConns()), state("idle"))
		o.ObserveInt64(connections, int64(s.MaxConns()), state("max"))
		o.ObserveFloat64(waited, s.AcquireDuration().Seconds(), label("pool", pool))
		return nil
	}, connections, waited)
	return err
}
