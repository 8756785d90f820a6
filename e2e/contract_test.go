package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/uuid"
	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/require"

	"research/api/reference/contract"
)

// A documentedCall is a request of the API's reference. What is not set comes from the examples there.
type documentedCall struct {
	operation   string
	token       string            // as Authorization: Bearer
	noKey       bool              // without the header apikey
	parameters  map[string]string // of the path and the query
	unknown     bool              // with a parameter that is not documented
	header      http.Header
	fields      map[string]any // of the body, beside those of its example; nil leaves one of these out
	body        string         // instead of the example; its type is contentType
	contentType string
	status      int
}

// A caller sends documented calls to a service, and compares the answers with the reference.
type caller struct {
	*service
	contract *contract.Contract
	calls    map[string]*openapi3.Operation
	methods  map[string]string // by operation
	paths    map[string]string // by operation
	sent     map[string]bool
}

func newCaller(t testing.TB, s *service) *caller {
	t.Helper()
	described, err := contract.New()
	require.NoError(t, err)
	c := &caller{
		service: s, contract: described, calls: map[string]*openapi3.Operation{}, methods: map[string]string{},
		paths: map[string]string{}, sent: map[string]bool{},
	}
	for path, item := range described.Document.Paths.Map() {
		for method, operation := range item.Operations() {
			operation.Parameters = append(operation.Parameters, item.Parameters...)
			c.calls[operation.OperationID] = operation
			c.methods[operation.OperationID], c.paths[operation.OperationID] = method, path
		}
	}
	return c
}

// address is the path and the query of a call.
func (c *caller) address(call documentedCall) string {
	path, query := c.paths[call.operation], url.Values{}
	for _, ref := range c.calls[call.operation].Parameters {
		p := ref.Value
		value, given := call.parameters[p.Name]
		switch {
		case p.In == openapi3.ParameterInPath && !given:
			path = strings.Replace(path, "{"+p.Name+"}", uuid.NewString(), 1)
		case p.In == openapi3.ParameterInPath:
			path = strings.Replace(path, "{"+p.Name+"}", value, 1)
		case p.In == openapi3.ParameterInQuery && given:
			query.Set(p.Name, value)
		case p.In == openapi3.ParameterInQuery && p.Required && p.Example != nil:
			query.Set(p.Name, p.Example.(string))
		}
	}
	if call.unknown {
		query.Set("nonsense", "1")
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return path
}

// content is the body of a call and its type.
func (c *caller) content(t testing.TB, call documentedCall) (contentType string, body []byte) {
	t.Helper()
	if call.contentType != "" {
		return call.contentType, []byte(call.body)
	}
	request := c.calls[call.operation].RequestBody
	if request == nil {
		return "", nil
	}
	for _, contentType := range []string{"application/json", "multipart/form-data"} {
		media := request.Value.Content[contentType]
		if media == nil {
			continue
		}
		fields := map[string]any{}
		if example, ok := media.Example.(map[string]any); ok {
			maps.Copy(fields, example)
		}
		maps.Copy(fields, call.fields)
		maps.DeleteFunc(fields, func(_ string, value any) bool { return value == nil })
		if contentType == "application/json" {
			body, err := json.Marshal(fields)
			require.NoError(t, err)
			return contentType, body
		}
		return formOf(t, fields)
	}
	t.Fatalf("%s has no example", call.operation)
	return "", nil
}

// formOf encodes the fields of an upload; the file is the last one.
func formOf(t testing.TB, fields map[string]any) (contentType string, body []byte) {
	t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	for name, value := range fields {
		if name != "file" {
			require.NoError(t, w.WriteField(name, fmt.Sprint(value)))
		}
	}
	file, err := w.CreateFormFile("file", "interview.txt")
	require.NoError(t, err)
	content := fields["file"]
	if example, is := content.([]any); is { // of the documentation, which permits several files
		content = example[0]
	}
	_, err = fmt.Fprint(file, content)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return w.FormDataContentType(), form.Bytes()
}

// call sends a call, requires its status and that the answer is documented, and returns its JSON.
func (c *caller) call(t testing.TB, call documentedCall) map[string]any {
	t.Helper()
	require.Contains(t, c.calls, call.operation)
	c.sent[call.operation] = true
	address := c.address(call)
	contentType, content := c.content(t, call)
	resp := c.send(t, call, address, contentType, content)
	for deadline := time.Now().Add(timeout); isBusy(call, resp) && time.Now().Before(deadline); {
		require.NoError(t, resp.Body.Close())
		resp = c.send(t, call, address, contentType, content)
	}
	defer func() { _ = resp.Body.Close() }()
	var body io.Reader = resp.Body
	if resp.Header.Get("Content-Type") == "text/event-stream" {
		body = io.LimitReader(body, 1) // it has no end
	}
	answer, err := io.ReadAll(body)
	require.NoError(t, err)
	require.Equalf(t, call.status, resp.StatusCode, "%s: %s", call.operation, answer)
	require.NotEmpty(t, resp.Header.Get("X-Request-Id"))
	require.NoError(t, c.contract.Check(contract.Exchange{
		Method: c.methods[call.operation], Path: address,
		Status: resp.StatusCode, Header: resp.Header, Body: answer,
	}))
	var fields map[string]any
	_ = json.Unmarshal(answer, &fields) // pages and lists have none
	return fields
}

// isBusy reports whether the answer asks to repeat the call: Temporal may be slow while the machine is busy.
func isBusy(call documentedCall, resp *http.Response) bool {
	return resp.StatusCode != call.status &&
		(resp.StatusCode == http.StatusServiceUnavailable || resp.StatusCode == http.StatusAccepted)
}

// send sends a call. The caller closes the body of the answer.
func (c *caller) send(
	t testing.TB, call documentedCall, address, contentType string, content []byte,
) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), c.methods[call.operation], c.url()+address,
		bytes.NewReader(content))
	require.NoError(t, err)
	if call.header != nil {
		req.Header = call.header.Clone()
	}
	if !call.noKey {
		req.Header.Set("apikey", anonKey)
	}
	if call.token != "" {
		req.Header.Set("Authorization", "Bearer "+call.token)
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	client := &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	resp, err := client.Do(req)
	require.NoError(t, err)
	return resp
}

// correct calls what changes a transcript.
func (c *caller) correct(t testing.TB, id map[string]string, editor, viewer string) {
	t.Helper()
	told := c.call(t, documentedCall{
		operation: "listCorrections", token: viewer, parameters: id, status: http.StatusOK,
	})
	redaction := map[string]any{"base": told["base"], "words": "nobody of this name"}
	correction := map[string]any{
		"base": told["base"], "changes": []any{map[string]any{"ordinal": 0, "speaker": "Dana"}},
	}
	for _, call := range []documentedCall{
		{operation: "redactTranscript", token: viewer, fields: redaction, status: http.StatusForbidden},
		{operation: "redactTranscript", token: editor, fields: redaction, status: http.StatusOK},
		{operation: "correctTranscript", token: viewer, fields: correction, status: http.StatusForbidden},
		{operation: "correctTranscript", token: editor, fields: correction, status: http.StatusOK},
	} {
		call.parameters = id
		c.call(t, call)
	}
}

// notCalled are documented statuses that these calls do not meet, and where they are met instead.
var notCalled = map[string]string{
	" 5XX": "dependencies that fail: TestWithoutTemporalNothingChanges, and the tests of each package below api",
	" 429": "limits: tests of api/account, api/answers, api/auth, api/imports, api/notifications, " +
		"api/projects",
	" 409": "concurrent requests with one key: tests of api/imports",

	"GET /api/import/{importId}/reading 422": "files that are gone: tests of api/imports",
	"PUT /api/import/{importId}/reading 422": "the same",

	"POST /api/import/{importId}/corrections 422": "thousands of corrections of one import: none in a test",
	"POST /api/import/{importId}/redactions 422":  "what a correction meets: the same",

	"POST /api/answer/{answerId}/cancel 200": "a run that goes on: tests of questions and of api/answers",

	"POST /api/project/{projectId}/themes/propose 202":  "a model: tests of proposals and of api/themes",
	"POST /api/project/{projectId}/themes/estimate 200": "the same",
	"POST /api/project/{projectId}/themes/cancel 200":   "the same",

	"GET /api/project/{projectId}/refi.qdpx 422":    "100,000 quotes: none in a test",
	"GET /api/project/{projectId}/codebook.qdc 422": "the same",

	"GET /api/findings/shared 422":           "findings of a megabyte: tests of api/findings",
	"POST /api/import/{importId}/cancel 200": "a run that goes on: tests of how runs end",

	"POST /api/notifications/digest 202":         "a run that takes long: tests of api/notifications",
	"POST /api/notifications/digest/preview 202": "news: tests of previews",
	"POST /api/notifications/digest/preview 404": "an account without preferences: tests of api/notifications",
	"GET /api/notifications/digest/preview 404":  "the same",
	"POST /api/notifications/unsubscribe 200":    "a token of a mail: the same",
	"GET /api/notifications/unsubscribe 200":     "the same",

	"GET /auth/v1/authorize 302":                 "a provider: the tests of sign-in with providers",
	"GET /auth/v1/user/identities/authorize 200": "the same",
	"GET /auth/v1/user/identities/authorize 302": "the same",
	"DELETE /auth/v1/user/identities/{id} 200":   "the same",
	"DELETE /auth/v1/user/identities/{id} 422":   "the same",

	"POST /auth/v1/verify 200":                              "links of mails: tests of api/auth",
	"POST /auth/v1/verify 303":                              "the same",
	"POST /auth/v1/verify 422":                              "the same",
	"GET /auth/v1/verify 200":                               "the same",
	"GET /auth/v1/undo 200":                                 "the same",
	"POST /auth/v1/undo 200":                                "the same",
	"POST /auth/v1/token 422":                               "a code that has expired: the same",
	"GET /auth/v1/reauthenticate 422":                       "a user without an address: the same",
	"POST /auth/v1/invite 422":                              "an account that exists: the same",
	"POST /auth/v1/factors/recovery-codes 422":              "an account without factors: the same",
	"POST /auth/v1/factors/{id}/challenge 422":              "a factor of another session: the same",
	"DELETE /auth/v1/factors/{id} 422":                      "a session without its second factor: the same",
	"DELETE /auth/v1/admin/users/{id}/factors/{factor} 200": "a user with a factor: the same",
}

func TestTheServiceAnswersAsDocumented(t *testing.T) {
	t.Parallel()
	s := startService(t, "MAIL_EVENTS_SECRET="+relaySecret)
	c := newCaller(t, s)
	h := s.Hypothesis(t, s.Tenant, "Closing the books takes days because of missing receipts")
	c.signsInAndOut(t)
	c.imports(t, h)
	c.sharesFindings(t, h)
	c.readsGuide(t)
	c.exchanges(t)
	c.asksQuestions(t)
	c.proposesThemes(t)
	c.digestsAndMail(t)
	c.administers(t)
	c.registersApps(t)
	c.connectsApps(t)
	c.rejects(t)
	c.bans(t)
	c.leaves(t)

	for operation := range c.calls {
		require.Truef(t, c.sent[operation], "%s is documented and was not called", operation)
	}
	coverage := c.contract.Coverage()
	require.Empty(t, coverage.Routes.Unseen)
	require.Empty(t, coverage.Statuses.Unexplained(notCalled), "documented, and not met by any call")
	t.Log(coverage)
	t.Log("fields that were not seen: ", strings.Join(coverage.Fields.Unseen, ", "))
}

// signsInAndOut calls what users do with their own account.
func (c *caller) signsInAndOut(t testing.TB) {
	t.Helper()
	for _, operation := range []string{"getKeySet", "getDiscovery", "getOpenAPI", "showVerifyPage"} {
		status := http.StatusOK
		parameters := map[string]string{}
		if operation == "showVerifyPage" { // there is no such link
			status, parameters = http.StatusForbidden, map[string]string{"token": "x", "type": "recovery"}
		}
		c.call(t, documentedCall{operation: operation, noKey: true, parameters: parameters, status: status})
	}
	c.call(t, documentedCall{operation: "getHealth", status: http.StatusOK})
	c.call(t, documentedCall{operation: "getSettings", status: http.StatusOK})
	c.call(t, documentedCall{operation: "authorize", noKey: true, status: http.StatusBadRequest})
	c.call(t, documentedCall{operation: "receiveProviderAnswer", noKey: true, status: http.StatusFound})
	c.call(t, documentedCall{
		operation: "receiveProviderAnswer", noKey: true, status: http.StatusBadRequest,
		parameters: map[string]string{"code": strings.Repeat("x", 20_000)},
	})
	for body, status := range map[string]int{
		"state=x": http.StatusSeeOther, "code=x": http.StatusBadRequest,
	} {
		c.call(t, documentedCall{
			operation: "receiveProviderForm", noKey: true, body: body,
			contentType: "application/x-www-form-urlencoded", status: status,
		})
	}
	c.call(t, documentedCall{operation: "verify", noKey: true, status: http.StatusForbidden})
	c.call(t, documentedCall{
		operation: "showUndoPage", noKey: true, parameters: map[string]string{"token": "x"},
		status: http.StatusForbidden,
	})
	c.call(t, documentedCall{
		operation: "undo", noKey: true, body: "token=x", contentType: "application/x-www-form-urlencoded",
		status: http.StatusForbidden,
	})
	c.call(t, documentedCall{operation: "recoverPassword", status: http.StatusOK})
	c.call(t, documentedCall{operation: "resend", status: http.StatusOK})
	c.call(t, documentedCall{operation: "mailOneTimeCode", status: http.StatusOK})
	c.call(t, documentedCall{operation: "mailMagicLink", status: http.StatusOK})

	session := c.call(t, documentedCall{operation: "signUp", status: http.StatusOK})
	c.call(t, documentedCall{operation: "signUp", status: http.StatusUnprocessableEntity})
	session = c.call(t, documentedCall{
		operation: "grantToken", parameters: map[string]string{"grant_type": "refresh_token"},
		fields: map[string]any{"refresh_token": session["refresh_token"]}, status: http.StatusOK,
	})
	access := session["access_token"].(string)
	signedIn := func(operation string, status int, with ...documentedCall) map[string]any {
		call := documentedCall{}
		if len(with) > 0 {
			call = with[0]
		}
		call.operation, call.token, call.status = operation, access, status
		return c.call(t, call)
	}
	signedIn("getUser", http.StatusOK)
	signedIn("updateUser", http.StatusOK)
	signedIn("updateUser", http.StatusUnprocessableEntity,
		documentedCall{fields: map[string]any{"password": "short"}})
	signedIn("listSessions", http.StatusOK)
	signedIn("beginIdentityLink", http.StatusNotFound)
	signedIn("unlinkIdentity", http.StatusNotFound)
	c.makesTokens(t, access)
	signedIn("mailNonce", http.StatusOK)
	signedIn("reauthenticate", http.StatusBadRequest) // the password of the example is wrong
	signedIn("reauthenticate", http.StatusUnprocessableEntity,
		documentedCall{fields: map[string]any{"password": nil, "nonce": "000000"}})
	signedIn("reauthenticate", http.StatusOK,
		documentedCall{fields: map[string]any{"password": "a long and unusual phrase"}})

	signedIn("enrollFactor", http.StatusUnprocessableEntity,
		documentedCall{fields: map[string]any{"factor_type": "phone"}})
	factor := signedIn("enrollFactor", http.StatusOK)
	id := map[string]string{"id": factor["id"].(string)}
	challenge := signedIn("challengeFactor", http.StatusOK, documentedCall{parameters: id})
	code, err := totp.GenerateCode(factor["totp"].(map[string]any)["secret"].(string), time.Now())
	require.NoError(t, err)
	answer := map[string]any{"challenge_id": challenge["id"], "code": code}
	wrong := map[string]any{"challenge_id": challenge["id"], "code": "000000"}
	signedIn("verifyFactor", http.StatusUnprocessableEntity, documentedCall{parameters: id, fields: wrong})
	verified := signedIn("verifyFactor", http.StatusOK, documentedCall{parameters: id, fields: answer})
	access = verified["access_token"].(string)
	signedIn("getUser", http.StatusOK)
	signedIn("createRecoveryCodes", http.StatusOK)
	signedIn("countRecoveryCodes", http.StatusOK)
	signedIn("unenrollFactor", http.StatusOK, documentedCall{parameters: id})

	other := c.call(t, documentedCall{
		operation: "grantToken", parameters: map[string]string{"grant_type": "password"}, status: http.StatusOK,
		fields: map[string]any{"email": "omar@example.com", "password": "a long and unusual phrase"},
	})
	sessions := signedIn("listSessions", http.StatusOK)["sessions"].([]any)
	for _, one := range sessions {
		if listed := one.(map[string]any); listed["current"] == false {
			signedIn("revokeSession", http.StatusNoContent,
				documentedCall{parameters: map[string]string{"id": listed["id"].(string)}})
		}
	}
	c.call(t, documentedCall{
		operation: "getUser", token: other["access_token"].(string), status: http.StatusForbidden,
	})
	signedIn("signOut", http.StatusNoContent)
	c.call(t, documentedCall{
		operation: "grantToken", fields: map[string]any{"password": "wrong"}, status: http.StatusBadRequest,
	})
	c.call(t, documentedCall{
		operation: "grantToken", parameters: map[string]string{"grant_type": "pkce"},
		fields: map[string]any{"auth_code": "x", "code_verifier": strings.Repeat("x", 43)},
		status: http.StatusNotFound,
	})
}

// imports uploads an interview and parses it.
func (c *caller) imports(t testing.TB, h uuid.UUID) {
	t.Helper()
	editor, viewer := c.signIn(t, c.Editor), c.signIn(t, c.Viewer)
	project := map[string]any{"project_id": c.Project}
	c.call(t, documentedCall{
		operation: "createImport", token: editor, fields: project, status: http.StatusOK,
		parameters: map[string]string{"dry_run": "true"},
	})
	once := http.Header{"Idempotency-Key": {uuid.NewString()}}
	uploaded := c.call(t, documentedCall{
		operation: "createImport", token: editor, fields: project, header: once, status: http.StatusCreated,
	})
	again := c.call(t, documentedCall{
		operation: "createImport", token: editor, fields: project, header: once, status: http.StatusCreated,
	})
	require.Equal(t, uploaded, again)
	c.call(t, documentedCall{
		operation: "createImport", token: editor, fields: project, status: http.StatusCreated,
	})
	unreadable := map[string]any{"project_id": c.Project, "file": "00:00:01\n00:00:05\n00:00:09\n"}
	c.call(t, documentedCall{
		operation: "createImport", token: editor, fields: unreadable, status: http.StatusUnprocessableEntity,
	})
	c.call(t, documentedCall{
		operation: "createImport", token: viewer, fields: project, status: http.StatusForbidden,
	})

	id := map[string]string{"importId": uploaded["importId"].(string)}
	wanted := map[string]any{"hypothesisIds": []uuid.UUID{h}}
	c.call(t, documentedCall{operation: "getImport", token: viewer, parameters: id, status: http.StatusOK})
	c.call(t, documentedCall{
		operation: "parseImport", token: viewer, parameters: id, fields: wanted, status: http.StatusForbidden,
	})
	c.call(t, documentedCall{
		operation: "estimateImport", token: viewer, parameters: id, fields: wanted, status: http.StatusForbidden,
	})
	c.call(t, documentedCall{
		operation: "estimateImport", token: editor, parameters: id, fields: wanted, status: http.StatusOK,
	})
	c.call(t, documentedCall{
		operation: "parseImport", token: editor, parameters: id, fields: wanted, status: http.StatusOK,
	})
	c.waitForStatus(t, editor, id["importId"], "parsed")
	for _, operation := range []string{"parseImport", "estimateImport"} {
		c.call(t, documentedCall{
			operation: operation, token: editor, parameters: id, fields: wanted,
			status: http.StatusUnprocessableEntity,
		})
	}
	c.call(t, documentedCall{operation: "getImport", token: viewer, parameters: id, status: http.StatusOK})
	c.call(t, documentedCall{operation: "followEvents", token: viewer, status: http.StatusOK})
	c.call(t, documentedCall{operation: "followImport", token: viewer, parameters: id, status: http.StatusOK})
	wrong := http.Header{"Last-Event-Id": {"first"}}
	c.call(t, documentedCall{
		operation: "followEvents", token: viewer, header: wrong, status: http.StatusBadRequest,
	})
	c.call(t, documentedCall{
		operation: "followImport", token: viewer, parameters: id, header: wrong, status: http.StatusBadRequest,
	})
	c.call(t, documentedCall{operation: "listRuns", token: viewer, parameters: id, status: http.StatusOK})
	c.call(t, documentedCall{operation: "getCraft", token: viewer, parameters: id, status: http.StatusOK})
	c.call(t, documentedCall{
		operation: "cancelImport", token: viewer, parameters: id, status: http.StatusForbidden,
	})
	c.call(t, documentedCall{
		operation: "cancelImport", token: editor, parameters: id, status: http.StatusUnprocessableEntity,
	})

	c.call(t, documentedCall{operation: "getReading", token: viewer, parameters: id, status: http.StatusOK})
	c.call(t, documentedCall{operation: "putReading", token: editor, parameters: id, status: http.StatusOK})
	c.correct(t, id, editor, viewer)
	c.call(t, documentedCall{
		operation: "putReading", token: viewer, parameters: id, status: http.StatusForbidden,
	})

	several := map[string]any{"project_id": c.Project, "hypothesis_ids": h, "title": nil}
	results := c.call(t, documentedCall{
		operation: "createImport", token: editor, fields: several, status: http.StatusOK,
	})
	require.EqualValues(t, 1, results["created"])
	several["file"] = unreadable["file"]
	results = c.call(t, documentedCall{
		operation: "createImport", token: editor, fields: several, status: http.StatusOK,
	})
	require.EqualValues(t, 1, results["failed"])
	c.call(t, documentedCall{
		operation: "deleteImport", token: viewer, parameters: id, status: http.StatusForbidden,
	})
	kept := map[string]string{"importId": id["importId"], "keep": "true"}
	c.call(t, documentedCall{operation: "deleteImport", token: editor, parameters: kept, status: http.StatusOK})
	c.call(t, documentedCall{
		operation: "restoreImport", token: viewer, parameters: id, status: http.StatusForbidden,
	})
	c.call(t, documentedCall{operation: "restoreImport", token: editor, parameters: id, status: http.StatusOK})
	c.call(t, documentedCall{operation: "deleteImport", token: editor, parameters: kept, status: http.StatusOK})
	c.call(t, documentedCall{
		operation: "forgetImport", token: viewer, parameters: id, status: http.StatusForbidden,
	})
	c.call(t, documentedCall{operation: "forgetImport", token: editor, parameters: id, status: http.StatusOK})
}

// digestsAndMail calls what schedulers, members and relays do about mails.
func (c *caller) digestsAndMail(t testing.TB) {
	t.Helper()
	c.call(t, documentedCall{operation: "sendDigests", noKey: true, token: cronSecret, status: http.StatusOK})
	editor := c.signIn(t, c.Editor)
	c.call(t, documentedCall{operation: "previewDigest", token: editor, status: http.StatusOK})
	c.call(t, documentedCall{operation: "mailPreview", token: editor, status: http.StatusUnprocessableEntity})
	forged := map[string]string{"token": "forged"}
	c.call(t, documentedCall{
		operation: "askUnsubscribe", noKey: true, parameters: forged, status: http.StatusBadRequest,
	})
	c.call(t, documentedCall{
		operation: "unsubscribe", noKey: true, parameters: forged, status: http.StatusBadRequest,
	})

	c.call(t, documentedCall{
		operation: "receiveMailEvents", noKey: true, token: relaySecret, status: http.StatusOK,
	})
	c.call(t, documentedCall{
		operation: "receiveMailEvents", noKey: true, token: relaySecret,
		contentType: "image/png", body: "x", status: http.StatusUnsupportedMediaType,
	})
}

// administers calls what holders of the secret key do.
func (c *caller) administers(t testing.TB) {
	t.Helper()
	admin := func(operation string, status int, call documentedCall) map[string]any {
		call.operation, call.token, call.status = operation, serviceKey, status
		return c.call(t, call)
	}
	user := admin("createUser", http.StatusOK, documentedCall{})
	admin("createUser", http.StatusUnprocessableEntity, documentedCall{})
	id := map[string]string{"id": user["id"].(string)}
	admin("inviteUser", http.StatusOK, documentedCall{})
	admin("generateLink", http.StatusOK, documentedCall{})
	admin("generateLink", http.StatusNotFound,
		documentedCall{fields: map[string]any{"type": "recovery", "email": "nobody@example.com"}})
	admin("generateLink", http.StatusUnprocessableEntity,
		documentedCall{fields: map[string]any{"type": "invite", "email": c.email(t, c.Editor)}})
	admin("listUsers", http.StatusOK, documentedCall{})
	admin("getUserById", http.StatusOK, documentedCall{parameters: id})
	admin("changeUser", http.StatusOK, documentedCall{parameters: id})
	admin("changeUser", http.StatusUnprocessableEntity,
		documentedCall{parameters: id, fields: map[string]any{"email": c.email(t, c.Editor)}})
	admin("listUserFactors", http.StatusOK, documentedCall{parameters: id})
	admin("listUserFactors", http.StatusBadRequest, documentedCall{parameters: id, unknown: true})
	admin("removeUserFactor", http.StatusNotFound, documentedCall{parameters: id})
	admin("deleteUser", http.StatusOK, documentedCall{parameters: id})
}

// sharesFindings makes a link to the findings of a hypothesis, and opens it.
func (c *caller) sharesFindings(t testing.TB, hypothesis uuid.UUID) {
	t.Helper()
	fields := map[string]any{"hypothesisId": hypothesis}
	c.call(t, documentedCall{
		operation: "shareFindings", token: c.signIn(t, c.Viewer), fields: fields, status: http.StatusForbidden,
	})
	editor := c.signIn(t, c.Editor)
	c.call(t, documentedCall{operation: "shareFindings", token: editor, status: http.StatusNotFound})
	share := c.call(t, documentedCall{
		operation: "shareFindings", token: editor, fields: fields, status: http.StatusCreated,
	})
	read := documentedCall{
		operation: "readSharedFindings", token: share["token"].(string), noKey: true, status: http.StatusOK,
	}
	require.Contains(t, c.call(t, read), "findings")
	read.token, read.status = "guessed", http.StatusNotFound
	c.call(t, read)
}

// readsGuide reads what to ask next, in both forms, and checks a question.
func (c *caller) readsGuide(t testing.TB) {
	t.Helper()
	viewer := c.signIn(t, c.Viewer)
	read := documentedCall{
		operation: "readGuide", token: viewer, parameters: map[string]string{"projectId": c.Project.String()},
		status: http.StatusOK,
	}
	require.Contains(t, c.call(t, read), "questions")
	read.parameters["format"] = "markdown"
	c.call(t, read)
	checked := c.call(t, documentedCall{
		operation: "checkQuestion", token: viewer, parameters: map[string]string{"projectId": c.Project.String()},
		status: http.StatusOK,
	})
	require.Equal(t, true, checked["hypothetical"])
	require.Contains(t, c.call(t, documentedCall{
		operation: "findWords", token: viewer, parameters: map[string]string{"projectId": c.Project.String()},
		status: http.StatusOK,
	}), "words")
}

// asksQuestions asks the interviews that are left. There is no model, so that only passages are shown.
func (c *caller) asksQuestions(t testing.TB) {
	t.Helper()
	editor, viewer := c.signIn(t, c.Editor), c.signIn(t, c.Viewer)
	project := map[string]string{"projectId": c.Project.String()}
	ask := func(token string, status int, fields map[string]any) map[string]any {
		return c.call(t, documentedCall{
			operation: "ask", token: token, parameters: project, fields: fields, status: status,
		})
	}
	asked := ask(editor, http.StatusAccepted, nil)
	ask(viewer, http.StatusForbidden, nil)
	ask(editor, http.StatusUnprocessableEntity, map[string]any{"mode": "thorough"})

	id := map[string]string{"answerId": asked["answerId"].(string)}
	wrong := http.Header{"Last-Event-Id": {"first"}}
	call := func(operation, token string, status int, with documentedCall) map[string]any {
		with.operation, with.token, with.parameters, with.status = operation, token, id, status
		return c.call(t, with)
	}
	call("followAnswer", viewer, http.StatusOK, documentedCall{})
	call("followAnswer", viewer, http.StatusBadRequest, documentedCall{header: wrong})
	c.waitForAnswer(t, viewer, id["answerId"], "answered")
	call("getAnswer", viewer, http.StatusOK, documentedCall{})
	for _, operation := range []string{"askAgain", "estimateAnswer", "cancelAnswer", "deleteAnswer"} {
		call(operation, viewer, http.StatusForbidden, documentedCall{})
	}
	thorough := documentedCall{fields: map[string]any{"mode": "thorough"}}
	call("estimateAnswer", editor, http.StatusUnprocessableEntity, thorough)
	call("estimateAnswer", editor, http.StatusOK, documentedCall{})
	call("cancelAnswer", editor, http.StatusUnprocessableEntity, documentedCall{})
	call("askAgain", editor, http.StatusUnprocessableEntity, thorough)
	call("askAgain", editor, http.StatusAccepted, documentedCall{})
	call("deleteAnswer", editor, http.StatusOK, documentedCall{})
}

// proposesThemes is rejected: there is no model.
func (c *caller) proposesThemes(t testing.TB) {
	t.Helper()
	editor := c.signIn(t, c.Editor)
	for _, operation := range []string{"proposeThemes", "estimateThemes", "cancelThemes"} {
		c.call(t, documentedCall{
			operation: operation, token: editor, parameters: map[string]string{"projectId": c.Project.String()},
			status: http.StatusUnprocessableEntity,
		})
	}
}

// answersLinks are the operations of links in mails, which may have more parameters.
var answersLinks = map[string]bool{"askUnsubscribe": true, "unsubscribe": true}

// rejects sends each documented request without credentials, with those of others, with unknown ids and
// parameters, and with bodies that are malformed or too large, wherever the reference lists the status of
// that.
func (c *caller) rejects(t testing.TB) {
	t.Helper()
	large := strings.Repeat("x", 11<<20)
	reads, asks := c.makeToken(t, c.signIn(t, c.Editor), "research:read"),
		c.makeToken(t, c.signIn(t, c.Editor), "research:ask")
	for operation, described := range c.calls {
		has := func(status string) bool { return described.Responses.Value(status) != nil }
		token := c.tokenFor(t, described)
		useless := reads // a personal access token without the scope
		if c.methods[operation] == http.MethodGet {
			useless = asks
		}
		if has("401") {
			c.call(t, documentedCall{operation: operation, noKey: true, status: http.StatusUnauthorized})
		}
		if has("403") && strings.HasPrefix(c.paths[operation], "/auth/v1/") && described.Security == nil {
			c.call(t, documentedCall{operation: operation, token: "forged", status: http.StatusForbidden})
		}
		if has("403") && strings.HasPrefix(c.paths[operation], "/api/") && described.Security == nil {
			c.call(t, documentedCall{operation: operation, token: useless, status: http.StatusForbidden})
		}
		if has("403") && token == serviceKey {
			editor := c.signIn(t, c.Editor)
			c.call(t, documentedCall{operation: operation, token: editor, status: http.StatusForbidden})
		}
		if has("404") && strings.Contains(c.paths[operation], "{") {
			c.call(t, documentedCall{operation: operation, token: token, status: http.StatusNotFound})
		}
		if has("400") && described.RequestBody != nil {
			c.call(t, documentedCall{
				operation: operation, token: token, contentType: "application/json", body: "{",
				status: http.StatusBadRequest,
			})
		}
		if has("400") && described.RequestBody == nil && !answersLinks[operation] &&
			strings.HasPrefix(c.paths[operation], "/api/") {
			c.call(t, documentedCall{
				operation: operation, token: token, unknown: true, status: http.StatusBadRequest,
			})
		}
		if has("413") && operation != "importProject" { // it looks for the project first
			contentType, body := "application/json", `{"x":"`+large+`"}`
			if operation == "createImport" {
				var form []byte
				contentType, form = formOf(t, map[string]any{"project_id": c.Project, "file": large})
				body = string(form)
			}
			c.call(t, documentedCall{
				operation: operation, token: token, contentType: contentType, body: body,
				status: http.StatusRequestEntityTooLarge,
			})
		}
	}
	editor := c.signIn(t, c.Editor)
	for _, operation := range []string{"sendDigests", "previewDigest", "mailPreview"} {
		token := editor
		if operation == "sendDigests" {
			token = cronSecret
		}
		c.call(t, documentedCall{
			operation: operation, token: token, parameters: map[string]string{"frequency": "hourly"},
			status: http.StatusBadRequest,
		})
	}
	c.call(t, documentedCall{
		operation: "listUsers", token: serviceKey, parameters: map[string]string{"page": "0"},
		status: http.StatusBadRequest,
	})
	c.call(t, documentedCall{
		operation: "signOut", token: editor, parameters: map[string]string{"scope": "some"},
		status: http.StatusBadRequest,
	})
}

// bans a user, and calls what users do with their own account.
func (c *caller) bans(t testing.TB) {
	t.Helper()
	banned := c.signIn(t, c.Viewer)
	// A ban by an administrator also ends the sessions.
	c.Exec(t, "update auth.users set banned_until = now() + interval '1 day' where id = $1", c.Viewer)
	for operation, described := range c.calls {
		if described.Security == nil && strings.HasPrefix(c.paths[operation], "/auth/v1/") {
			c.call(t, documentedCall{operation: operation, token: banned, status: http.StatusBadRequest})
		}
	}
}

// leaves exports the data of an account and deletes it.
func (c *caller) leaves(t testing.TB) {
	t.Helper()
	for _, operation := range []string{"exportAccount", "deleteAccount"} {
		c.call(t, documentedCall{operation: operation, token: serviceKey, status: http.StatusForbidden})
	}
	owner := c.signIn(t, c.Owner)
	c.call(t, documentedCall{operation: "exportAccount", token: owner, status: http.StatusOK})
	c.Exec(t, "update auth.sessions set created_at = now() - interval '2 days' where user_id = $1", c.Owner)
	c.call(t, documentedCall{
		operation: "deleteAccount", token: owner, fields: map[string]any{"nonce": "000000"},
		status: http.StatusUnprocessableEntity,
	})
	c.call(t, documentedCall{operation: "deleteAccount", token: c.signIn(t, c.Owner), status: http.StatusOK})
}

// tokenFor returns a token that an operation accepts.
func (c *caller) tokenFor(t testing.TB, operation *openapi3.Operation) string {
	t.Helper()
	if operation.Security == nil {
		return c.signIn(t, c.Editor)
	}
	for _, requirement := range *operation.Security {
		switch {
		case requirement["secretKey"] != nil:
			return serviceKey
		case requirement["mailEventsSecret"] != nil:
			return relaySecret
		case requirement["cronSecret"] != nil:
			return cronSecret
		}
	}
	return ""
}
