package activities

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/activity"
	"golang.org/x/sync/errgroup"

	"research/activities/mail"
	"research/db"
)

const (
	// planPage is how many members are planned by one activity: two statements of about a tenth of a second each.
	planPage = 2000
	// deliverPage is how many planned deliveries are read at once.
	deliverPage = 100
	// deliverFor is how long one activity goes on before it reports: short, so that runs take turns and a history shows progress.
	deliverFor = 20 * time.Second
	// sendTimeout ends the talk with a mail server; an attempt is given up for lost only long after that.
	sendTimeout  = 5 * time.Minute
	claimLease   = 15 * time.Minute
	finishWithin = 30 * time.Second // for writing what became of an attempt while the database is away
	// toleratedRefusals: that many refusals for good in a row, each in a period of its own, suppress an address.
	toleratedRefusals = 3
)

// digestSender sends mails; *mail.Sender is one.
type digestSender interface {
	// Send sends a mail. Its error is a *mail.PermanentError, a *mail.TemporaryError, mail.ErrUncertain or mail.ErrUnavailable.
	Send(ctx context.Context, m mail.Message) error
	// MessageID is the Message-ID of the mail that has this ID.
	MessageID(id string) string
}

// DigestConfig says how digests go out.
type DigestConfig struct {
	PublicURL   string
	Concurrency int     // mails that this worker hands over at once; as many more are being written; 0: one
	Rate        float64 // mails a second over all workers; 0: no limit
	// Ended is told how many deliveries came to an end, by their status; nil: nobody counts.
	Ended func(ctx context.Context, status string, n int)
}

// Digests are the activities that plan and send digests. Their methods are registered with Temporal by name.
type Digests struct {
	store  *db.Store
	sender digestSender
	cfg    DigestConfig
	log    *slog.Logger
	writer digestWriter
	slots  chan struct{} // one for each mail that is being handed over: what is claimed is on its way, and a dying worker leaves no more than these uncertain
}

// NewDigests makes the activities. All dependencies are required; links begin with the public URL.
func NewDigests(store *db.Store, sender digestSender, cfg DigestConfig, log *slog.Logger) (*Digests, error) {
	if store == nil || sender == nil || cfg.PublicURL == "" || log == nil {
		return nil, errors.New("activities: a dependency of Digests is missing")
	}
	cfg.Concurrency = max(cfg.Concurrency, 1)
	if cfg.Ended == nil {
		cfg.Ended = func(context.Context, string, int) {}
	}
	return &Digests{store: store, sender: sender, cfg: cfg, log: log, writer: digestWriter{store: store, base: cfg.PublicURL}, slots: make(chan struct{}, cfg.Concurrency)}, nil
}

// BeginDigestsInput names the digests, daily or weekly.
type BeginDigestsInput struct{ Frequency string }

// BeginDigestsResult counts what was put right.
type BeginDigestsResult struct{ Lost, Expired int64 }

// BeginDigests puts right what earlier runs left: what a vanished process was sending is uncertain, and what is stale is not sent any more. Its key is the rows' state.
func (d *Digests) BeginDigests(ctx context.Context, in BeginDigestsInput) (BeginDigestsResult, error) {
	var result BeginDigestsResult
	err := d.store.AsService(ctx, func(q *db.Queries) (err error) {
		if result.Lost, err = q.LoseStaleDigests(ctx, claimLease.Seconds()); err != nil {
			return err
		}
		result.Expired, err = q.ExpireDigests(ctx, db.DigestFrequency(in.Frequency))
		return err
	})
	if err == nil {
		d.ended(ctx, db.DeliveryStatusUncertain, result.Lost)
		d.ended(ctx, db.DeliveryStatusFailed, result.Expired)
	}
	return result, d.failed(ctx, "settle what earlier runs left", err)
}

// ended counts deliveries that came to an end. One that was given up for lost, and then says that it was sent, is counted as both.
func (d *Digests) ended(ctx context.Context, status db.DeliveryStatus, n int64) {
	if n > 0 {
		d.cfg.Ended(ctx, string(status), int(n))
	}
}

// PlanDigestsInput names a page of members.
type PlanDigestsInput struct {
	Frequency string
	At        time.Time // what is due is judged by: the time of the tick
	Now       time.Time // what is stale is judged by
	Everyone  bool      // whoever's period is closed, whether the member's hour has come or not
	After     uuid.UUID // the key of the page
}

// PlanDigestsResult says how far it came.
type PlanDigestsResult struct {
	Members int
	Planned int
	Next    uuid.UUID // the key of the next page
	Done    bool
}

// PlanDigests plans the digests that have become due for one page of members, one row each. Its key is the member and the period.
func (d *Digests) PlanDigests(ctx context.Context, in PlanDigestsInput) (PlanDigestsResult, error) {
	var result PlanDigestsResult
	err := d.store.AsService(ctx, func(q *db.Queries) error {
		result = PlanDigestsResult{Done: true}
		rows, err := q.ListDigestCandidates(ctx, db.ListDigestCandidatesParams{Wanted: db.DigestFrequency(in.Frequency), After: in.After, Size: planPage})
		if err != nil || len(rows) == 0 {
			return err
		}
		result.Members, result.Next, result.Done = len(rows), rows[len(rows)-1].UserID, len(rows) < planPage
		plan := db.PlanDigestsParams{Frequency: db.DigestFrequency(in.Frequency)}
		calendar := calendar{in: in, known: map[calendarKey]period{}}
		for _, r := range rows {
			p := calendar.period(r)
			// Who joined, or whose pause ended, after the hour waits for the next one, unless everybody is asked for.
			if !p.Expires.After(in.Now) || !in.Everyone && r.Since.After(p.Due) {
				continue
			}
			plan.UserIds = append(plan.UserIds, r.UserID)
			plan.Periods = append(plan.Periods, p.Name)
			plan.WindowStarts = append(plan.WindowStarts, p.Start)
			plan.WindowEnds = append(plan.WindowEnds, p.End)
			plan.Expiries = append(plan.Expiries, p.Expires)
		}
		planned, err := q.PlanDigests(ctx, plan)
		result.Planned = int(planned)
		return err
	})
	return result, d.failed(ctx, "plan digests", err)
}

// A calendar remembers periods, since a page's members share few combinations of zone and hour.
type calendar struct {
	in    PlanDigestsInput
	known map[calendarKey]period
}

type calendarKey struct {
	zone          string
	hour, weekday int16
}

func (c calendar) period(r db.ListDigestCandidatesRow) period {
	key := calendarKey{r.Timezone, r.Hour, r.Weekday}
	p, known := c.known[key]
	if known {
		return p
	}
	zone, err := time.LoadLocation(r.Timezone)
	if err != nil { // PostgreSQL checked the name; its list may be newer than ours
		zone = time.UTC
	}
	rhythm := rhythm{Zone: zone, Weekly: c.in.Frequency == string(db.DigestFrequencyWeekly), Hour: int(r.Hour), Weekday: int(r.Weekday)}
	p = rhythm.latestDue(c.in.At)
	if c.in.Everyone {
		p = rhythm.latestClosed(c.in.At)
	}
	c.known[key] = p
	return p
}

// DeliverDigestsInput names the planned deliveries of a lane: those with ids between two.
type DeliverDigestsInput struct {
	Frequency string
	RunID     string // of the workflow's first run: claims carry it
	From      uuid.UUID
	Through   uuid.UUID // inclusive
	After     uuid.UUID // where the last call stopped
}

// DeliverDigestsResult says how far it came.
type DeliverDigestsResult struct {
	Handled int
	After   uuid.UUID
	Done    bool
}

// DeliverDigests sends what is planned and due in its lane, for about twenty seconds. Its key is the row, claimed before the mail goes out: an attempt that died
// leaves at most the mails it was just sending, and these become uncertain here, since they may have gone out.
func (d *Digests) DeliverDigests(ctx context.Context, in DeliverDigestsInput) (DeliverDigestsResult, error) {
	defer heartbeat(ctx)()
	result := DeliverDigestsResult{After: in.After}
	var key []byte
	var lost int64
	err := d.store.AsService(ctx, func(q *db.Queries) (err error) {
		if key, err = q.GetSecret(ctx, db.SecretUnsubscribe); err != nil {
			return err
		}
		lost, err = q.LoseDigests(ctx, db.LoseDigestsParams{RunID: in.RunID, After: in.From, Through: in.Through})
		return err
	})
	if err != nil {
		return result, d.failed(ctx, "prepare a lane", err)
	}
	if lost > 0 {
		d.log.WarnContext(ctx, "digests are uncertain: their worker was lost", "run_id", in.RunID, "digests", lost)
		d.ended(ctx, db.DeliveryStatusUncertain, lost)
	}
	until := time.Now().Add(deliverFor)
	for time.Now().Before(until) && !stopping(ctx) {
		var page []db.ListPlannedDigestsRow
		err := d.store.AsService(ctx, func(q *db.Queries) (err error) {
			page, err = q.ListPlannedDigests(ctx, db.ListPlannedDigestsParams{Frequency: db.DigestFrequency(in.Frequency), After: result.After, Through: in.Through, Size: deliverPage})
			return err
		})
		if err != nil {
			return result, d.failed(ctx, "list planned digests", err)
		}
		handled, err := d.deliverPage(ctx, in.RunID, key, page, until)
		if err != nil {
			return result, err
		}
		result.Handled += handled
		if handled > 0 {
			result.After = page[handled-1].ID
		}
		if len(page) < deliverPage && handled == len(page) {
			result.Done = true
			break
		}
	}
	return result, nil
}

// deliverPage delivers from the first on, several at a time, until the page or the time is over; it returns how many of the page it took up.
func (d *Digests) deliverPage(ctx context.Context, run string, key []byte, page []db.ListPlannedDigestsRow, until time.Time) (int, error) {
	var group errgroup.Group
	group.SetLimit(d.cfg.Concurrency)
	var broken atomic.Bool
	taken := 0
	for _, row := range page {
		if broken.Load() || ctx.Err() != nil || stopping(ctx) || !time.Now().Before(until) {
			break
		}
		taken++
		group.Go(func() error {
			err := d.deliver(ctx, run, key, row)
			if err != nil {
				broken.Store(true)
			}
			return err
		})
	}
	err := group.Wait()
	switch {
	case errors.Is(err, mail.ErrUnavailable):
		d.log.WarnContext(ctx, "digests wait: the mail server is unavailable", "run_id", run, "error", err)
		return taken, mailError(err)
	case err != nil:
		return taken, d.failed(ctx, "deliver digests", err)
	}
	return taken, nil
}

// deliver brings one delivery to an end, or to a later attempt. It returns only errors that would meet the next one as well.
func (d *Digests) deliver(ctx context.Context, run string, key []byte, row db.ListPlannedDigestsRow) error {
	digest, worth, err := d.writer.write(ctx, key, row.UserID, row.Frequency, row.Period, row.WindowStart, row.WindowEnd)
	if err == nil && !worth {
		return d.skip(ctx, run, row.ID, "nothing_new")
	}
	var message mail.Message
	if err == nil {
		message, err = digest.Message()
	}
	if err != nil {
		if errors.Is(err, db.ErrUnavailable) || ctx.Err() != nil {
			return err
		}
		d.log.ErrorContext(ctx, "digest cannot be written", "delivery_id", row.ID, "error", err)
		return d.end(ctx, db.DeliveryStatusFailed, func(q *db.Queries) (int64, error) {
			return q.FailPlannedDigest(ctx, db.FailPlannedDigestParams{ID: row.ID, RunID: run, Reason: "unwritable"})
		})
	}
	if err := d.awaitTurn(ctx); err != nil {
		return err
	}
	select {
	case d.slots <- struct{}{}:
		defer func() { <-d.slots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	message.ID = "digest." + row.ID.String()
	var claim db.ClaimDigestRow
	err = d.store.AsService(ctx, func(q *db.Queries) (err error) {
		claim, err = q.ClaimDigest(ctx, db.ClaimDigestParams{ID: row.ID, RunID: run, MessageID: d.sender.MessageID(message.ID)})
		return err
	})
	if errors.Is(err, db.ErrNotFound) { // somebody else's, or not wanted any more
		return d.skip(ctx, run, row.ID, "")
	}
	if err != nil {
		return err
	}
	// From here on the end of the activity does not cut in: an answer that is waited for is worth more than a quick stop.
	apart := context.WithoutCancel(ctx)
	sending, cancel := context.WithTimeout(apart, sendTimeout)
	defer cancel()
	message.To = claim.Email
	sent := d.sender.Send(sending, message)
	return errors.Join(d.finish(apart, row.ID, claim, sent), onlyUnavailable(sent))
}

func onlyUnavailable(err error) error {
	if errors.Is(err, mail.ErrUnavailable) {
		return err
	}
	return nil
}

// skip ends a delivery without a mail. Without a reason of ours the recipient's own holds; where there is none, the row is left alone.
func (d *Digests) skip(ctx context.Context, run string, id uuid.UUID, reason string) error {
	return d.end(ctx, db.DeliveryStatusSkipped, func(q *db.Queries) (int64, error) {
		return q.SkipDigest(ctx, db.SkipDigestParams{ID: id, RunID: run, Reason: reason})
	})
}

// end writes that a delivery came to its end, and counts it.
func (d *Digests) end(ctx context.Context, status db.DeliveryStatus, write func(*db.Queries) (int64, error)) error {
	var n int64
	err := d.store.AsService(ctx, func(q *db.Queries) (err error) {
		n, err = write(q)
		return err
	})
	if err == nil {
		d.ended(ctx, status, n)
	}
	return err
}

// awaitTurn waits until the rate of all workers allows another mail.
func (d *Digests) awaitTurn(ctx context.Context) error {
	if d.cfg.Rate <= 0 {
		return nil
	}
	var seconds float64
	err := d.store.AsService(ctx, func(q *db.Queries) (err error) {
		seconds, err = q.TakeMailTurn(ctx, 1/d.cfg.Rate)
		return err
	})
	if err != nil || seconds <= 0 {
		return err
	}
	select {
	case <-time.After(time.Duration(seconds * float64(time.Second))):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// finish writes what became of an attempt. What cannot be written because the database is away stays "sending", and becomes uncertain.
func (d *Digests) finish(ctx context.Context, id uuid.UUID, claim db.ClaimDigestRow, sent error) error {
	ctx, cancel := context.WithTimeout(ctx, finishWithin)
	defer cancel()
	outcome := db.FinishDigestParams{ID: id, Attempts: claim.Attempts}
	because := func(status db.DeliveryStatus, reason string) {
		outcome.Status, outcome.Reason = status, &reason
	}
	var permanent *mail.PermanentError
	var temporary *mail.TemporaryError
	switch {
	case sent == nil:
		outcome.Status = db.DeliveryStatusSent
	case errors.As(sent, &permanent):
		because(db.DeliveryStatusFailed, fmt.Sprintf("refused_%d", permanent.Code))
	case errors.As(sent, &temporary) && temporary.Code == 0:
		because(db.DeliveryStatusPlanned, "connection_lost")
	case errors.As(sent, &temporary):
		because(db.DeliveryStatusPlanned, fmt.Sprintf("refused_%d", temporary.Code))
	case errors.Is(sent, mail.ErrUncertain):
		because(db.DeliveryStatusUncertain, "connection_lost")
	}
	if outcome.Status == db.DeliveryStatusPlanned {
		at := time.Now().Add(backoff(id, claim.Attempts))
		outcome.NextAttemptAt = &at
	}
	write := func(q *db.Queries) (int64, error) {
		switch {
		case sent == nil:
			if _, err := q.ForgetMailRefusals(ctx, claim.Email); err != nil {
				return 0, err
			}
		case permanent != nil:
			if _, err := q.CountMailRefusal(ctx, db.CountMailRefusalParams{Address: claim.Email, Code: int32(permanent.Code), Tolerated: toleratedRefusals}); err != nil {
				return 0, err
			}
		case outcome.Status == "": // no attempt at all: the server was away
			_, err := q.ReleaseDigest(ctx, db.ReleaseDigestParams{ID: id, Attempts: claim.Attempts})
			return 0, err
		}
		n, err := q.FinishDigest(ctx, outcome)
		if outcome.Status == db.DeliveryStatusPlanned {
			n = 0 // no end yet
		}
		return n, err
	}
	for wait := 100 * time.Millisecond; ; wait *= 2 {
		err := d.end(ctx, outcome.Status, write)
		if err == nil || !errors.Is(err, db.ErrUnavailable) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(wait):
		}
	}
}

// backoff is how long a recipient's server that refuses for now is left alone: five minutes, which greylisting asks for, then three times as long each time up to
// four hours, and up to a fifth more so that many recipients do not come back at once.
func backoff(id uuid.UUID, attempts int32) time.Duration {
	wait := 5 * time.Minute
	for range min(attempts-1, 4) {
		wait *= 3
	}
	wait = min(wait, 4*time.Hour)
	return wait + wait/5*time.Duration(id[15])/255
}

// CountDigestsInput names a run.
type CountDigestsInput struct {
	Frequency string
	RunID     string
}

// CountDigestsResult is what a run did, and what is left to do.
type CountDigestsResult struct {
	Due     int       // planned, and to be sent now
	RetryAt time.Time // when the first of those is to be sent that were refused for now; zero where there is none

	Sent, Skipped, Failed, Uncertain int
}

// CountDigests counts what a run did. It changes nothing.
func (d *Digests) CountDigests(ctx context.Context, in CountDigestsInput) (CountDigestsResult, error) {
	var result CountDigestsResult
	err := d.store.AsService(ctx, func(q *db.Queries) error {
		planned, err := q.CountPlannedDigests(ctx, db.DigestFrequency(in.Frequency))
		if err != nil {
			return err
		}
		result = CountDigestsResult{Due: int(planned.Due)}
		if planned.NextAt.Unix() > 0 {
			result.RetryAt = planned.NextAt
		}
		counts, err := q.CountDigestRun(ctx, in.RunID)
		for _, c := range counts {
			switch c.Status {
			case db.DeliveryStatusSent:
				result.Sent = int(c.Deliveries)
			case db.DeliveryStatusSkipped:
				result.Skipped = int(c.Deliveries)
			case db.DeliveryStatusFailed:
				result.Failed = int(c.Deliveries)
			case db.DeliveryStatusUncertain:
				result.Uncertain = int(c.Deliveries)
			}
		}
		return err
	})
	return result, d.failed(ctx, "count digests", err)
}

// failed logs an error where it is met, and returns it as Temporal may store it.
func (d *Digests) failed(ctx context.Context, doing string, err error) error {
	if err == nil {
		return nil
	}
	info := activity.GetInfo(ctx)
	d.log.ErrorContext(ctx, "activity failed", "doing", doing, "workflow_id", info.WorkflowExecution.ID, "run_id", info.WorkflowExecution.RunID, "attempt", info.Attempt, "error", err)
	return dbError(doing, err)
}

// stopping tells whether the worker is about to stop: nothing new is begun then.
func stopping(ctx context.Context) bool {
	select {
	case <-activity.GetWorkerStopChannel(ctx):
		return true
	default:
		return false
	}
}

// A digestWriter writes digests from what the recipient may see.
type digestWriter struct {
	store *db.Store
	base  string
}

// write reads the news of a window as the recipient; it tells whether they are worth a mail. The recipient's address is left to who sends it.
func (w digestWriter) write(ctx context.Context, key []byte, user uuid.UUID, frequency db.DigestFrequency, name string, since, until time.Time) (mail.Digest, bool, error) {
	digest := mail.Digest{
		Weekly: frequency == db.DigestFrequencyWeekly, Period: describePeriod(frequency, name),
		HomeURL: w.base + "/", SettingsURL: w.base + "/settings",
		UnsubscribeURL: w.base + "/api/notifications/unsubscribe?" + url.Values{"token": {db.UnsubscribeToken(key, db.ListDigest, user)}}.Encode(),
	}
	var worth bool
	err := w.store.AsUser(ctx, db.User(user), func(q *db.Queries) (err error) {
		digest.Workspaces, worth, err = newsreader{q: q, since: since, until: until, base: w.base}.read(ctx)
		return err
	})
	return digest, worth, err
}

// A DigestPreview is a digest as it would go out, sent to nobody.
type DigestPreview struct {
	Period   string
	Due      time.Time // when a tick sends it
	Obstacle string    // why the recipient would not get it; empty for none
	Empty    bool      // nothing worth a mail
	Message  mail.Message
}

// PreviewDigest writes a recipient's digest about the period that closed last at a moment, as the recipient would read it then. Its link does not unsubscribe. Who is
// an e-mail address or an id. Its errors are those of Store.
func PreviewDigest(ctx context.Context, store *db.Store, publicURL, who string, frequency db.DigestFrequency, at time.Time) (DigestPreview, error) {
	var to db.GetDigestRecipientRow
	err := store.AsService(ctx, func(q *db.Queries) (err error) {
		to, err = q.GetDigestRecipient(ctx, db.GetDigestRecipientParams{Who: who, Wanted: frequency})
		return err
	})
	if err != nil {
		return DigestPreview{}, fmt.Errorf("find the recipient: %w", err)
	}
	calendar := calendar{in: PlanDigestsInput{Frequency: string(frequency), At: at, Everyone: true}, known: map[calendarKey]period{}}
	p := calendar.period(db.ListDigestCandidatesRow{Timezone: to.Timezone, Hour: to.Hour, Weekday: to.Weekday})
	digest, worth, err := digestWriter{store: store, base: publicURL}.write(ctx, nil, to.ID, frequency, p.Name, p.Start, p.End)
	if err != nil {
		return DigestPreview{}, err
	}
	message, err := digest.Message()
	message.To = to.Email
	return DigestPreview{Period: p.Name, Due: p.Due, Obstacle: to.Obstacle, Empty: !worth, Message: message}, err
}
