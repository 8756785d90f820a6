package query

import "fmt"

// An Error describes an invalid request. The packages below api/rest share the type; api/rest maps it to a
// status.
type Error struct {
	Code    string
	Message string
	Details any    // a string, or a list of objects; nil means none
	Hint    string // empty means none
}

func (e *Error) Error() string { return e.Code + ": " + e.Message }

// The codes of requests that the grammar or the catalog rejects
// (https://docs.postgrest.org/en/stable/references/errors.html).
const (
	CodeSyntax                  = "PGRST100" // a query parameter does not follow the grammar
	CodeInvalidFunctionMethod   = "PGRST101"
	CodeInvalidBody             = "PGRST102"
	CodeInvalidRange            = "PGRST103"
	CodeInvalidPutFilters       = "PGRST105"
	CodeInvalidSchema           = "PGRST106"
	CodeNotAcceptable           = "PGRST107"
	CodeNotEmbedded             = "PGRST108" // a filter, order or limit names a resource that is not selected
	CodeLimitedPut              = "PGRST114"
	CodePutMismatch             = "PGRST115"
	CodeNotSingular             = "PGRST116"
	CodeUnsupportedMethod       = "PGRST117"
	CodeUnrelatedOrder          = "PGRST118"
	CodeInvalidPreference       = "PGRST122"
	CodeNoAggregates            = "PGRST123"
	CodeMaxAffected             = "PGRST124"
	CodeInvalidPath             = "PGRST125"
	CodeNoDescription           = "PGRST126"
	CodeNotImplemented          = "PGRST127"
	CodeMaxAffectedNeedsSet     = "PGRST128"
	CodeUnknownRelationship     = "PGRST200"
	CodeAmbiguousRelationship   = "PGRST201"
	CodeUnknownFunction         = "PGRST202"
	CodeAmbiguousFunction       = "PGRST203"
	CodeUnknownColumn           = "PGRST204"
	CodeUnknownTable            = "PGRST205"
	CodeUnfilteredWrite         = "21000" // the SQLSTATE of pg-safeupdate
	CodeDuplicateEmbeddingAlias = "42712" // PostgreSQL's SQLSTATE, which PostgREST returns
)

func newError(code, message string) *Error { return &Error{Code: code, Message: message} }

func (e *Error) with(details any, hint string) *Error {
	e.Details, e.Hint = details, hint
	return e
}

// UnsupportedMethod is the error of a method that a resource does not have.
func UnsupportedMethod(method string) *Error {
	return newError(CodeUnsupportedMethod, "Unsupported HTTP method: "+method)
}

func invalidBody(message string) *Error { return newError(CodeInvalidBody, message) }

// syntaxError is the error of a parameter that does not follow the grammar from a position on, counted in
// bytes.
func syntaxError(parameter, value string, position int, problem string) *Error {
	message := fmt.Sprintf("failed to parse %s (%s)", parameter, value)
	return newError(CodeSyntax, fmt.Sprintf("%q (line 1, column %d)", message, position+1)).with(problem, "")
}
