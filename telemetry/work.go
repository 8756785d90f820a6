package telemetry

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// Work is what the database says of the work of all processes.
type Work struct {
	Waiting    map[string]int64 // open imports, by what they wait for
	Workers    map[string]int64 // worker processes, by version; empty without worker versioning
	LastBackup time.Time        // when the last recorded backup began
	// UnplannedDigests and UnsentDigests are for how long the oldest digest that is due has not been planned,
	// and the oldest that is planned has not been sent.
	UnplannedDigests, UnsentDigests time.Duration
	// WaitingMails is for how long the oldest mail about an account, which could be sent, has not been.
	WaitingMails time.Duration
}

// ObserveWork exports the work of all processes. If read fails, the scrape omits it.
func (m *Metrics) ObserveWork(read func(context.Context) (Work, error)) error {
	waiting, err1 := m.meter.Int64ObservableGauge("research_imports_waiting", metric.WithDescription(
		"Open imports that wait, by reason. All processes of serve report the same number: use the maximum."))
	workers, err2 := m.meter.Int64ObservableGauge("research_workers", metric.WithDescription(
		"Worker processes that run, by version. All processes of serve report the same number: use the maximum."))
	backup, err3 := m.meter.Float64ObservableGauge("research_last_backup_timestamp", metric.WithUnit("s"),
		metric.WithDescription("When the last backup by `research backup` began; 0 if there is none."))
	overdue, err4 := m.meter.Float64ObservableGauge("research_digest_overdue", metric.WithUnit("s"),
		metric.WithDescription("For how long the oldest digest that is due has not been planned, or sent."))
	mails, err5 := m.meter.Float64ObservableGauge("research_account_mail_overdue", metric.WithUnit("s"),
		metric.WithDescription("For how long the oldest mail about an account that can be sent has waited."))
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		return err
	}
	cached := cachedGauge[Work]{read: read, maxAge: importStatesMaxAge}
	_, err := m.meter.RegisterCallback(func(ctx context.Context, o metric.Observer) error {
		work, ok := cached.get(ctx)
		if !ok {
			return nil
		}
		for reason, n := range work.Waiting {
			o.ObserveInt64(waiting, n, label("reason", reason))
		}
		if len(work.Workers) == 0 {
			o.ObserveInt64(workers, 0, label("version", ""))
		}
		for version, n := range work.Workers {
			o.ObserveInt64(workers, n, label("version", version))
		}
		o.ObserveFloat64(backup, float64(work.LastBackup.Unix()))
		o.ObserveFloat64(overdue, work.UnplannedDigests.Seconds(), label("step", "planning"))
		o.ObserveFloat64(overdue, work.UnsentDigests.Seconds(), label("step", "sending"))
		o.ObserveFloat64(mails, work.WaitingMails.Seconds())
		return nil
	}, waiting, workers, backup, overdue, mails)
	return err
}

// A ScheduleState is the state of one of Temporal's schedules.
type ScheduleState struct {
	ID     string
	Paused bool
	// DueAt is when its next run should start, or should have started.
	DueAt time.Time
}

// temporalMaxAge bounds the requests to Temporal for metrics.
const temporalMaxAge = 30 * time.Second

// ObserveSchedules exports the states of the schedules. If read fails, scrapes omit them.
func (m *Metrics) ObserveSchedules(read func(context.Context) ([]ScheduleState, error)) error {
	paused, err1 := m.meter.Int64ObservableGauge("research_schedule_paused",
		metric.WithDescription("1 if an operator paused the schedule."))
	late, err2 := m.meter.Float64ObservableGauge("research_schedule_late", metric.WithUnit("s"),
		metric.WithDescription("For how long the next run of a schedule that is not paused has been due."))
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	polled := polledGauge[[]ScheduleState]{read: read, maxAge: temporalMaxAge}
	_, err := m.meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		schedules, ok := polled.get()
		if !ok {
			return nil
		}
		for _, s := range schedules {
			isPaused, lateness := int64(0), max(0, time.Since(s.DueAt))
			if s.Paused {
				isPaused, lateness = 1, 0
			}
			o.ObserveInt64(paused, isPaused, label("schedule", s.ID))
			o.ObserveFloat64(late, lateness.Seconds(), label("schedule", s.ID))
		}
		return nil
	}, paused, late)
	return err
}

// A QueueBacklog is what waits in a task queue of Temporal for a worker.
type QueueBacklog struct {
	Queue string
	Kind  string // workflow or activity
	Tasks int64
	Age   time.Duration // of the oldest task
}

// ObserveBacklogs exports the backlogs of the task queues. If read fails, scrapes omit them.
func (m *Metrics) ObserveBacklogs(read func(context.Context) ([]QueueBacklog, error)) error {
	tasks, err1 := m.meter.Int64ObservableGauge("research_task_queue_backlog", metric.WithDescription(
		"Tasks in a task queue of Temporal that no worker has taken. "+
			"All processes of serve report the same number: use the maximum."))
	age, err2 := m.meter.Float64ObservableGauge("research_task_queue_backlog_age", metric.WithUnit("s"),
		metric.WithDescription("How long the oldest of these tasks has waited."))
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	polled := polledGauge[[]QueueBacklog]{read: read, maxAge: temporalMaxAge}
	_, err := m.meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		backlogs, ok := polled.get()
		if !ok {
			return nil
		}
		for _, b := range backlogs {
			of := metric.WithAttributes(attribute.String("task_queue", b.Queue), attribute.String("task_type", b.Kind))
			o.ObserveInt64(tasks, b.Tasks, of)
			o.ObserveFloat64(age, b.Age.Seconds(), of)
		}
		return nil
	}, tasks, age)
	return err
}
