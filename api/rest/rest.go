package rest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"research/api/token"
	"research/db"
)

// Config is what can be set; names in parentheses are PostgREST's.
type Config struct {
	Schemas         []string // exposed, the first by default (db-schemas)
	SearchPath      []string // added to the request's schema (db-extra-search-path)
	MaxRows         int64    // in one answer; 0: no limit (db-max-rows)
	Aggregates      bool     // db-aggregates-enabled
	Plan            bool     // db-plan-enabled
	Rollback        bool     // writes are rolled back unless the client asks otherwise (db-tx-end=rollback-allow-override)
	TxOverride      bool     // clients may ask for tx=commit or tx=rollback
	PreRequest      string   // a function to call before each request (db-pre-request)
	TerseErrors     bool     // without details and hints (client-error-verbosity=minimal)
	AllowUnfiltered bool     // UPDATE and DELETE without a filter are let through
	MaxBodyBytes    int64    // 0: 10 MB
	// StatementTimeout ends a statement of a role that has no statement_timeout of its own (`alter role … set`); 0: none.
	StatementTimeout time.Duration
	// Upstream is the address of a PostgREST that answers instead; empty: we do.
	Upstream  string
	Prefix    string  // of paths, as /rest/v1, for Location headers
	Anonymous string  // the role that errors of rights answer with 401
	OpenAPI   OpenAPI // what the root answers
}

// Deps are what the handler needs; all are required.
type Deps struct {
	Store *db.Store
	Log   *slog.Logger
}

// A Handler answers /rest/v1; paths are those after it.
type Handler struct {
	cfg    Config
	store  *db.Store
	log    *slog.Logger
	schema atomic.Pointer[schema]
	failed atomic.Pointer[error] // of the latest reload
	reload sync.Mutex            // so that an older schema never replaces a newer one

	upstream *upstream
}

// defaultMaxBody is room for some ten thousand rows.
const defaultMaxBody = 10 << 20

// New loads the schema and makes the handler.
func New(ctx context.Context, cfg Config, d Deps) (*Handler, error) {
	if d.Store == nil || d.Log == nil || len(cfg.Schemas) == 0 {
		return nil, errors.New("rest: a dependency is missing")
	}
	if cfg.MaxBodyBytes == 0 {
		cfg.MaxBodyBytes = defaultMaxBody
	}
	if cfg.Anonymous == "" {
		cfg.Anonymous = db.RoleAnon
	}
	h := &Handler{cfg: cfg, store: d.Store, log: d.Log}
	if cfg.Upstream != "" {
		var err error
		h.upstream, err = newUpstream(h, cfg.Upstream)
		return h, err
	}
	if err := h.Reload(ctx); err != nil {
		return nil, err
	}
	return h, nil
}

// Reload loads the schema anew. Requests go on with the old one until the new one is whole; if it fails, the old one stays, and Ready says so.
func (h *Handler) Reload(ctx context.Context) error {
	if h.upstream != nil {
		return nil // it follows by itself
	}
	h.reload.Lock()
	defer h.reload.Unlock()
	s, err := loadSchema(ctx, h.store, h.cfg.Schemas)
	h.failed.Store(&err)
	if err != nil {
		h.log.ErrorContext(ctx, "schema not reloaded", "error", err)
		return err
	}
	h.store.ForgetPrepared()
	h.schema.Store(s)
	return nil
}

// Ready tells whether the latest reload worked, or the upstream answers.
func (h *Handler) Ready(ctx context.Context) error {
	if h.upstream != nil {
		return h.upstream.ready(ctx)
	}
	if failed := h.failed.Load(); failed != nil && *failed != nil {
		return *failed
	}
	return nil
}

// Follow reloads the schema whenever a migration says `notify pgrst`, until the context ends.
func (h *Handler) Follow(ctx context.Context) {
	for ctx.Err() == nil && h.upstream == nil {
		err := h.store.Listen(ctx, "pgrst", func(payload string) {
			if payload == "" || payload == "reload schema" {
				_ = h.Reload(ctx) // Ready tells
			}
		})
		if ctx.Err() == nil {
			h.log.WarnContext(ctx, "not listening for schema changes", "error", err)
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}
	}
}

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer := h.answer
	if h.upstream != nil {
		answer = h.upstream.answer
	}
	if err := answer(w, r); err != nil {
		h.WriteError(w, r, err)
	}
}

// statusGone is nginx's for a client that did not wait; nobody reads it but the log.
const statusGone = 499

// WriteError answers with an error in PostgREST's shape.
func (h *Handler) WriteError(w http.ResponseWriter, r *http.Request, err error) {
	var e *Error
	var invalid *token.ValidationError
	switch {
	case errors.As(err, &e):
	case errors.Is(err, token.ErrExpired):
		e = badToken("PGRST303", "JWT expired")
	case errors.As(err, &invalid):
		code := "PGRST301"
		if invalid.InClaims {
			code = "PGRST303"
		}
		e = badToken(code, invalid.Message).with(text(invalid.Detail), nil)
	case errors.Is(err, token.ErrInvalid):
		e = badToken("PGRST301", err.Error())
	case errors.Is(err, token.ErrNoAPIKey), errors.Is(err, token.ErrBadAPIKey), errors.Is(err, token.ErrNoToken):
		e = &Error{Status: http.StatusUnauthorized, Code: "PGRST302", Message: err.Error(), Header: http.Header{"Www-Authenticate": {"Bearer"}}}
	case errors.Is(err, db.ErrUnavailable): // while asking about the token
		errors.As(h.sqlError(err, token.From(r.Context())), &e)
	case errors.Is(err, context.Canceled) && r.Context().Err() != nil:
		e = failure(statusGone, "PGRSTX01", "The client is gone")
	case errors.Is(err, context.DeadlineExceeded):
		e = failure(http.StatusGatewayTimeout, "PGRST003", "The request took too long")
	default:
		h.log.ErrorContext(r.Context(), "request failed", "path", r.URL.Path, "error", err)
		e = failure(http.StatusInternalServerError, "PGRSTX00", "Something went wrong on our side. It is logged.")
	}
	for name, values := range e.Header {
		w.Header()[http.CanonicalHeaderKey(name)] = values
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Proxy-Status", "PostgREST; error="+e.Code)
	if r.Method == http.MethodHead {
		w.WriteHeader(e.Status)
		return
	}
	var body bytes.Buffer
	out := json.NewEncoder(&body)
	out.SetEscapeHTML(false)
	fields := map[string]any{"code": e.Code, "message": e.Message}
	if !h.cfg.TerseErrors {
		fields["details"], fields["hint"] = e.Details, e.Hint
	}
	_ = out.Encode(fields)        // texts, and lists of them
	body.Truncate(body.Len() - 1) // the line's end
	w.Header().Set("Content-Length", strconv.Itoa(body.Len()))
	w.WriteHeader(e.Status)
	_, _ = w.Write(body.Bytes()) // the client may be gone
}

// answer takes a request through the four steps.
func (h *Handler) answer(w http.ResponseWriter, r *http.Request) error {
	q, err := h.read(w, r)
	if err != nil {
		return err
	}
	if q == nil { // answered
		return nil
	}
	p := &planner{schema: h.schema.Load(), cfg: &h.cfg, exposed: q.schema}
	if q.function != "" {
		return h.call(w, r, q, p)
	}
	t, err := p.table(q.table)
	if err != nil {
		return err
	}
	switch q.method {
	case http.MethodGet, http.MethodHead:
		return h.get(w, r, q, p, t)
	case http.MethodPost:
		return h.insert(w, r, q, p, t)
	case http.MethodPatch:
		return h.update(w, r, q, p, t)
	case http.MethodPut:
		return h.put(w, r, q, p, t)
	case http.MethodDelete:
		return h.remove(w, r, q, p, t)
	case http.MethodOptions:
		return h.options(w, t)
	}
	return failure(http.StatusMethodNotAllowed, "PGRST117", "Unsupported HTTP method: "+r.Method)
}

// read is the first step.
func (h *Handler) read(w http.ResponseWriter, r *http.Request) (*request, error) {
	q := &request{method: r.Method, headers: r.Header, prefer: readPreferences(r.Header), accept: readAccept(r.Header), path: r.URL.EscapedPath()}
	if q.prefer.handling == "strict" && len(q.prefer.invalid) > 0 {
		return nil, failure(http.StatusBadRequest, "PGRST122", "Invalid preferences given with handling=strict").with("Invalid preferences: "+strings.Join(q.prefer.invalid, ", "), nil)
	}
	if !slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPatch, http.MethodPut, http.MethodDelete, http.MethodOptions}, r.Method) {
		return nil, failure(http.StatusMethodNotAllowed, "PGRST117", "Unsupported HTTP method: "+r.Method)
	}
	q.schema = h.cfg.Schemas[0]
	profile := r.Header.Get("Accept-Profile")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		profile = r.Header.Get("Content-Profile")
	}
	if profile != "" {
		if !slices.Contains(h.cfg.Schemas, profile) {
			return nil, failure(http.StatusNotAcceptable, "PGRST106", "Invalid schema: "+profile).with(nil, "Only the following schemas are exposed: "+strings.Join(h.cfg.Schemas, ", "))
		}
		q.schema = profile
	}
	q.profiled = len(h.cfg.Schemas) > 1 || profile != ""
	segments := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case len(segments) == 1 && segments[0] == "" && h.cfg.OpenAPI.Root != "":
		q.function = h.cfg.OpenAPI.Root
	case len(segments) == 1 && segments[0] == "":
		return nil, h.openAPI(w, r, q)
	case len(segments) == 1:
		q.table = segments[0]
	case len(segments) == 2 && segments[0] == "rpc":
		q.function = segments[1]
	default:
		return nil, failure(http.StatusNotFound, "PGRST125", "Invalid path specified in request URL")
	}
	rpcRead := q.function != "" && (r.Method == http.MethodGet || r.Method == http.MethodHead)
	if err := q.readQuery(r.URL.RawQuery, rpcRead); err != nil {
		return nil, err
	}
	var err error
	if q.rows, err = readRange(r); err != nil {
		return nil, err
	}
	if r.Method == http.MethodPost || r.Method == http.MethodPatch || r.Method == http.MethodPut {
		q.body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, h.cfg.MaxBodyBytes))
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			return nil, bodyTooLarge(h.cfg.MaxBodyBytes)
		}
		if err != nil {
			return nil, badBody("The body could not be read")
		}
		q.bodyType = typeJSON
		if given := r.Header.Get("Content-Type"); given != "" {
			q.bodyType = decodeMedia(given).String()
		}
	}
	return q, nil
}

// statement puts around SQL what PostgREST's contract sets.
func (h *Handler) statement(r *http.Request, q *request, b *builder, sql string, readOnly bool) db.Statement {
	path := make([]string, 0, len(h.cfg.SearchPath)+1)
	for _, s := range append([]string{q.schema}, h.cfg.SearchPath...) {
		path = append(path, quote(s))
	}
	headers := map[string]string{}
	for name, values := range r.Header {
		headers[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	cookies := map[string]string{}
	for _, c := range r.Cookies() {
		cookies[c.Name] = c.Value
	}
	headersJSON, _ := json.Marshal(headers) // strings only
	cookiesJSON, _ := json.Marshal(cookies)
	st := db.Statement{ReadOnly: readOnly, SQL: sql, Args: b.args, Settings: []db.Setting{
		{Name: "search_path", Value: strings.Join(path, ", ")}, {Name: "request.method", Value: q.method}, {Name: "request.path", Value: "/" + strings.TrimPrefix(r.URL.Path, "/")},
		{Name: "request.headers", Value: string(headersJSON)}, {Name: "request.cookies", Value: string(cookiesJSON)},
	}}
	if q.prefer.timezone != "" {
		st.Settings = append(st.Settings, db.Setting{Name: "timezone", Value: q.prefer.timezone})
	}
	role := cmp.Or(token.From(r.Context()).Role, h.cfg.Anonymous)
	own := h.schema.Load().settings[role]
	if h.cfg.StatementTimeout > 0 && !slices.ContainsFunc(own, func(s db.Setting) bool { return s.Name == "statement_timeout" }) {
		st.Settings = append(st.Settings, db.Setting{Name: "statement_timeout", Value: strconv.FormatInt(h.cfg.StatementTimeout.Milliseconds(), 10)})
	}
	st.Settings = append(st.Settings, own...)
	if h.cfg.PreRequest != "" {
		parts := strings.SplitN(h.cfg.PreRequest, ".", 2)
		for i := range parts {
			parts[i] = quote(parts[i])
		}
		st.PreSQL = "select " + strings.Join(parts, ".") + "()"
	}
	return st
}
