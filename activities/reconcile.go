package activities

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	enumspb "go.temporal.io/api/enums/v1"
	"golang.org/x/sync/errgroup"

	"research/db"
	"research/internal/outage"
	"research/outcome"
)

// Runs describes, starts and terminates the runs that parse imports, answer questions and propose themes.
// *temporalclient.Client implements it.
type Runs interface {
	// CheckNamespace returns an error unless the namespace is the one that belongs to the database.
	CheckNamespace(ctx context.Context) error
	// DescribeParse returns the latest run of an import. It returns ErrNoRun if Temporal has no record of one,
	// and any other error if Temporal cannot be asked.
	DescribeParse(ctx context.Context, importID uuid.UUID) (ParseRun, error)
	// StartMissing starts the run of a claim. It returns ErrRunOpen if any run of the import is open.
	StartMissing(ctx context.Context, missing MissingRun) (ParseRun, error)
	// TerminateParse terminates a run of an import. A run that has ended is no error.
	TerminateParse(ctx context.Context, importID uuid.UUID, runID, reason string) error

	// DescribeAnswer, StartMissingAnswer and TerminateAnswer are the same for an answer.
	DescribeAnswer(ctx context.Context, answerID uuid.UUID) (ParseRun, error)
	StartMissingAnswer(ctx context.Context, missing MissingAnswer) (ParseRun, error)
	TerminateAnswer(ctx context.Context, answerID uuid.UUID, runID, reason string) error

	// DescribeThemes, StartMissingThemes and TerminateThemes are the same for the themes of a project.
	DescribeThemes(ctx context.Context, projectID uuid.UUID) (ParseRun, error)
	StartMissingThemes(ctx context.Context, missing MissingThemes) (ParseRun, error)
	TerminateThemes(ctx context.Context, projectID uuid.UUID, runID, reason string) error
}

var (
	// ErrNoRun means that Temporal has no record of a run.
	ErrNoRun = errors.New("temporal has no record of a run")
	// ErrRunOpen means that a run of the workflow is open.
	ErrRunOpen = errors.New("a run is open")
)

// A MissingRun is that of a claim, which was never started.
type MissingRun struct {
	ParseRef
	WorkspaceID, ProjectID uuid.UUID
	CheckSpeakers          bool // a model is asked about speakers in doubt first
}

// A ParseRun is a run as Temporal describes it.
type ParseRun struct {
	WorkflowID string
	RunID      string
	Status     enumspb.WorkflowExecutionStatus

	CancelRequested bool

	Version      string // the worker version that it is pinned to, as deployment:build; empty for none
	TaskAttempts int    // of the workflow task that is pending; 0 for none
	Running      int    // activities that a worker has taken
	Paused       int    // activities that an operator paused
	Waiting      int    // activities that wait for a worker
	BackingOff   int    // activities whose next attempt is not due
}

// A Reconciler compares open imports, answers and proposals of themes with their runs. It is no activity, and
// needs no worker: neither a bad deploy nor the absence of workers stops it.
type Reconciler struct {
	ender   *importEnder
	answers *answerEnder
	themes  *themeEnder
	runs    Runs
	cfg     ReconcilerConfig
	log     *slog.Logger

	unknown *outage.Log // of what has a state that could not be determined
}

// ReconcilerConfig configures a Reconciler. The durations are required.
type ReconcilerConfig struct {
	Interval      time.Duration // between two looks at the database, by any process
	ParseTimeout  time.Duration
	AnswerTimeout time.Duration
	// Looked is called for each look at the database, and Reconciled for each page of imports that were
	// compared; nil means no call.
	Looked     func(context.Context)
	Reconciled func(context.Context, ReconcilePageResult)
}

// NewReconciler returns a reconciler. All dependencies are required.
func NewReconciler(store *db.Store, runs Runs, cfg ReconcilerConfig, log *slog.Logger) (*Reconciler, error) {
	if store == nil || runs == nil || log == nil || min(cfg.Interval, cfg.ParseTimeout, cfg.AnswerTimeout) <= 0 {
		return nil, errors.New("activities: a dependency of Reconciler is missing")
	}
	return &Reconciler{
		ender: newImportEnder(store, log), answers: &answerEnder{store, log}, themes: &themeEnder{store, log},
		runs: runs, cfg: cfg, log: log, unknown: outage.New(log, "imports, answers or themes not reconciled"),
	}, nil
}

const (
	// reconcilePageSize bounds the requests of one page to Temporal, however many imports are open.
	reconcilePageSize    = 300
	reconcileConcurrency = 8 // concurrent requests to Temporal
	// reconcileTimeout bounds a page, so that the next one is not held up.
	reconcileTimeout = time.Minute
	// startGrace is how long a request may take from its claim to its run: 5 s for Temporal, 10 s to release the
	// claim, and a margin.
	startGrace = 20 * time.Second
	// cancelGrace is how long a run may take to cancel itself. Afterwards it is terminated: no worker can.
	cancelGrace = 15 * time.Second
	// timeoutGrace is how long a run may take to end itself at its deadline. Afterwards it is terminated.
	timeoutGrace = time.Minute
)

// silence is how long a run may go unseen before it is compared. An activity that reads is seen every five
// seconds.
func (r *Reconciler) silence() time.Duration { return 2 * r.cfg.Interval }

// ReconcilePageResult counts the imports, answers and proposals of themes of a page.
type ReconcilePageResult struct {
	Open     int
	Repaired int // ended or started
	Unknown  int // left open, because Temporal or the database could not be asked

	Ended        []ParseEnd  // of the repaired imports
	EndedAnswers []AnswerEnd // of the repaired answers
	EndedThemes  []ThemesEnd // of the repaired proposals
}

// Poll compares a page of open imports and answers if any was not seen for a while and no other process has
// claimed the interval.
func (r *Reconciler) Poll(ctx context.Context) error {
	claimed, err := db.AsService(ctx, r.ender.store, func(q *db.Queries) (int64, error) {
		return q.ClaimReconciliation(ctx, db.ClaimReconciliationParams{
			// Less than the interval, because tickers are not exact.
			IntervalSeconds: r.cfg.Interval.Seconds() / 2,
			SilenceSeconds:  r.silence().Seconds(),
			CancelSeconds:   cancelGrace.Seconds(),
		})
	})
	if err != nil {
		return err
	}
	if r.cfg.Looked != nil {
		r.cfg.Looked(ctx)
	}
	if claimed == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, reconcileTimeout)
	defer cancel()
	page, err := r.ReconcilePage(ctx)
	if err == nil && r.cfg.Reconciled != nil {
		r.cfg.Reconciled(ctx, page)
	}
	return err
}

// ReconcilePage compares the open imports that were not seen for longest with their runs. It ends imports
// whose run ended without updating them, in the same way and with what was found, starts imports that were
// claimed and never started, records the runs of those that no worker has begun, and says what the others
// wait for. A run that does not end itself when it is cancelled or at its deadline is terminated. Imports
// whose state cannot be determined are unchanged. Each write names the claim and the statuses it may leave.
//
// Open answers and proposals of themes are compared in the same way. In a namespace of Temporal that does not
// belong to the database it fails and changes nothing.
func (r *Reconciler) ReconcilePage(ctx context.Context) (ReconcilePageResult, error) {
	if err := r.runs.CheckNamespace(ctx); err != nil {
		return ReconcilePageResult{}, err
	}
	var workers []db.ListWorkersRow
	var answers []db.ListSilentAnswersRow
	var themes []db.ListSilentThemeRunsRow
	page, err := db.AsService(ctx, r.ender.store, func(q *db.Queries) (_ []db.ListSilentRunsRow, err error) {
		if workers, err = q.ListWorkers(ctx); err != nil {
			return nil, err
		}
		if answers, err = r.listSilentAnswers(ctx, q); err != nil {
			return nil, err
		}
		if themes, err = r.listSilentThemeRuns(ctx, q); err != nil {
			return nil, err
		}
		return q.ListSilentRuns(ctx, db.ListSilentRunsParams{
			GraceSeconds: startGrace.Seconds(), SilenceSeconds: r.silence().Seconds(),
			CancelSeconds: cancelGrace.Seconds(), PageSize: reconcilePageSize,
		})
	})
	if err != nil {
		return ReconcilePageResult{}, err
	}
	versions := VersionsOf(workers)
	var open []openRun
	for _, row := range page {
		open = append(open, openRun{"import", row.ID, func() (repair, error) {
			return r.reconcile(ctx, row, versions)
		}})
	}
	for _, row := range answers {
		open = append(open, openRun{"answer", row.ID, func() (repair, error) {
			return r.reconcileAnswer(ctx, row, versions)
		}})
	}
	for _, row := range themes {
		open = append(open, openRun{"theme run", row.ID, func() (repair, error) {
			return r.reconcileThemes(ctx, row, versions)
		}})
	}
	result := r.reconcileAll(ctx, open)
	if ctx.Err() != nil {
		return ReconcilePageResult{}, ctx.Err()
	}
	return result, r.markSeen(ctx, page, answers, themes)
}

// An openRun is what must have a run: an import, an answer or proposals of themes.
type openRun struct {
	kind    string
	id      uuid.UUID
	compare func() (repair, error)
}

// reconcileAll compares what must have a run, several at a time.
func (r *Reconciler) reconcileAll(ctx context.Context, open []openRun) ReconcilePageResult {
	repairs, errs := make([]repair, len(open)), make([]error, len(open))
	var each errgroup.Group
	each.SetLimit(reconcileConcurrency)
	for i, of := range open {
		each.Go(func() error {
			repairs[i], errs[i] = of.compare()
			return nil
		})
	}
	_ = each.Wait() // errs has the error of each
	result := ReconcilePageResult{Open: len(open)}
	var failed error // the first one, for the log
	for i, of := range open {
		if errs[i] != nil {
			result.Unknown++
			if failed == nil {
				failed = fmt.Errorf("%s %s: %w", of.kind, of.id, errs[i])
			}
			continue
		}
		result.add(repairs[i])
	}
	if ctx.Err() == nil {
		r.unknown.Report(failed)
	}
	return result
}

// markSeen moves what was compared to the end of the order, so that what cannot be compared does not block
// others.
func (r *Reconciler) markSeen(
	ctx context.Context, page []db.ListSilentRunsRow, answers []db.ListSilentAnswersRow,
	themes []db.ListSilentThemeRunsRow,
) error {
	var imported, asked, proposed []uuid.UUID
	for _, row := range page {
		imported = append(imported, row.ClaimID)
	}
	for _, row := range answers {
		asked = append(asked, row.ClaimID)
	}
	for _, row := range themes {
		proposed = append(proposed, row.ClaimID)
	}
	return r.ender.store.AsService(ctx, func(q *db.Queries) error {
		if len(imported) > 0 {
			if err := q.MarkRunsSeen(ctx, imported); err != nil {
				return err
			}
		}
		if len(asked) > 0 {
			if err := q.MarkAnswersSeen(ctx, asked); err != nil {
				return err
			}
		}
		if len(proposed) > 0 {
			return q.MarkThemeRunsSeen(ctx, proposed)
		}
		return nil
	})
}

// A repair is the change that the reconciler made to an import, an answer or proposals of themes. The zero
// value is none.
type repair struct {
	started   bool
	end       *ParseEnd  // nil if no import was ended
	answerEnd *AnswerEnd // nil if no answer was ended
	themesEnd *ThemesEnd // nil if no proposals were ended
}

func (r *ReconcilePageResult) add(done repair) {
	if done.started || done.end != nil || done.answerEnd != nil || done.themesEnd != nil {
		r.Repaired++
	}
	if done.end != nil {
		r.Ended = append(r.Ended, *done.end)
	}
	if done.answerEnd != nil {
		r.EndedAnswers = append(r.EndedAnswers, *done.answerEnd)
	}
	if done.themesEnd != nil {
		r.EndedThemes = append(r.EndedThemes, *done.themesEnd)
	}
}

// reconcile compares one import with its latest run, and repairs it if they disagree.
func (r *Reconciler) reconcile(
	ctx context.Context, row db.ListSilentRunsRow, workers RunningVersions,
) (repair, error) {
	if row.RunID == nil && !row.Overdue {
		return repair{}, nil // the request that claimed the import may be about to start its run
	}
	run, err := r.runs.DescribeParse(ctx, row.ID)
	if err != nil && !errors.Is(err, ErrNoRun) {
		return repair{}, err
	}
	switch due := compareRun(row.RunID, row.PreviousRunID, run, err != nil); due.action {
	case actionStart:
		return r.start(ctx, row)
	case actionEnd:
		return r.end(ctx, row, run, due.status, due.code)
	}
	switch {
	case row.CancelOverdue:
		return r.stop(ctx, row, run, outcome.StatusCanceled, outcome.CodeCanceled)
	case row.ReadingSeconds > (r.cfg.ParseTimeout + timeoutGrace).Seconds():
		return r.stop(ctx, row, run, outcome.StatusTimedOut, outcome.CodeTimedOut)
	}
	if row.RunID == nil {
		err = r.recordRun(ctx, row, run)
	}
	if run.CancelRequested {
		err = errors.Join(err, r.recordCancel(ctx, row))
	}
	return repair{}, errors.Join(err, r.recordWait(ctx, row, run, run.WaitsFor(workers)))
}

// stop ends a run that does not end itself, and its import.
func (r *Reconciler) stop(
	ctx context.Context, row db.ListSilentRunsRow, run ParseRun, status outcome.Status, code outcome.Code,
) (repair, error) {
	reason := "it did not end by itself: " + string(code)
	if err := r.runs.TerminateParse(ctx, row.ID, run.RunID, reason); err != nil {
		return repair{}, err
	}
	return r.end(ctx, row, run, status, code)
}

// recordWait records what an import waits for. Without a reason, what its last attempt recorded stays unless
// the import is read again.
func (r *Reconciler) recordWait(
	ctx context.Context, row db.ListSilentRunsRow, run ParseRun, reason string,
) error {
	if reason == valueOf(row.WaitingReason) || reason == "" && run.Running == 0 {
		return nil
	}
	return r.ender.store.AsService(ctx, func(q *db.Queries) error {
		return q.RecordWait(ctx, db.RecordWaitParams{
			ImportID: row.ID, ClaimID: row.ClaimID, WaitingReason: reason, ReasonBefore: row.WaitingReason,
		})
	})
}

// recordCancel records that an operator asked Temporal to cancel the run, for the case that no worker can.
func (r *Reconciler) recordCancel(ctx context.Context, row db.ListSilentRunsRow) error {
	return r.ender.store.AsService(ctx, func(q *db.Queries) error { return q.RequestCancel(ctx, row.ID) })
}

// recordRun records the run of an import that no worker has begun. If the first response to a request was
// lost, the API answers its repetition from this record.
func (r *Reconciler) recordRun(ctx context.Context, row db.ListSilentRunsRow, run ParseRun) error {
	err := r.ender.store.AsService(ctx, func(q *db.Queries) error {
		_, err := lockImport(ctx, q, refOf(row), importRun{workflowID: run.WorkflowID, runID: run.RunID})
		return err
	})
	if errors.Is(err, db.ErrNotFound) { // claimed again meanwhile
		return nil
	}
	return err
}

// A dueRepair is the change that an open import needs. The zero value is none.
type dueRepair struct {
	action repairAction
	status outcome.Status // with actionEnd
	code   outcome.Code   // with actionEnd
}

type repairAction int

const (
	actionNone repairAction = iota
	actionStart
	actionEnd
)

// compareRun compares an open import with its latest run. runID is the run that the import names, and
// previousRunID the last run of an earlier claim. noRun means that Temporal has no record of a run.
func compareRun(runID, previousRunID *string, run ParseRun, noRun bool) dueRepair {
	switch {
	case runID == nil && (noRun || isRun(previousRunID, run)):
		return dueRepair{action: actionStart}
	case noRun:
		return dueRepair{actionEnd, outcome.StatusTerminated, outcome.CodeHistoryDeleted}
	case !run.IsOpen():
		status, code := endedAs(run.Status)
		return dueRepair{actionEnd, status, code}
	}
	return dueRepair{}
}

func isRun(id *string, run ParseRun) bool { return id != nil && *id == run.RunID }

// start starts the run of a claim that has none.
func (r *Reconciler) start(ctx context.Context, row db.ListSilentRunsRow) (repair, error) {
	run, err := r.runs.StartMissing(ctx, MissingRun{
		ParseRef: refOf(row), WorkspaceID: row.WorkspaceID, ProjectID: row.ProjectID,
		CheckSpeakers: row.CheckSpeakers,
	})
	if errors.Is(err, ErrRunOpen) {
		return repair{}, nil // another program was faster
	}
	if err != nil {
		return repair{}, err
	}
	r.log.WarnContext(ctx, "import repaired", "import_id", row.ID,
		"workflow_id", run.WorkflowID, "run_id", run.RunID, "found", "never started", "done", "started")
	return repair{started: true}, nil
}

// end ends an import in the same way as its run.
func (r *Reconciler) end(
	ctx context.Context, row db.ListSilentRunsRow, run ParseRun, status outcome.Status, code outcome.Code,
) (repair, error) {
	by := importRun{workflowID: run.WorkflowID, runID: run.RunID}
	end, wrote, err := r.ender.finishImport(ctx, refOf(row), by, status, code)
	if isSuperseded(err) || err == nil && !wrote {
		return repair{}, nil // it ended, or was claimed again, meanwhile
	}
	if err != nil {
		return repair{}, err
	}
	found := run.Status.String()
	if code == outcome.CodeHistoryDeleted {
		found = "history deleted"
	}
	r.log.WarnContext(ctx, "import repaired", "import_id", row.ID,
		"workflow_id", run.WorkflowID, "run_id", run.RunID, "found", found, "done", end.Status)
	return repair{end: &end}, nil
}

func refOf(row db.ListSilentRunsRow) ParseRef {
	return ParseRef{ImportID: row.ID, ClaimID: row.ClaimID}
}

// endedAs returns the end of an import whose run closed without updating it.
func endedAs(status enumspb.WorkflowExecutionStatus) (outcome.Status, outcome.Code) {
	switch status {
	case enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED:
		return outcome.StatusCanceled, outcome.CodeCanceled
	case enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED:
		return outcome.StatusTerminated, outcome.CodeTerminated
	case enumspb.WORKFLOW_EXECUTION_STATUS_TIMED_OUT:
		return outcome.StatusTimedOut, outcome.CodeTimedOut
	}
	return outcome.StatusFailed, outcome.CodeInternal
}
