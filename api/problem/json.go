package problem

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"strings"
)

// ReadJSON decodes the body of a request: exactly one JSON value without unknown fields. A byte order mark
// before it is skipped. Its error is an *Error that names the field, or the place of what is not JSON; 413 if
// the body has more than maxBytes, 503 if there is no memory for it. If the body is empty or another kind of
// value, it is another error, and io.EOF if the body is empty.
func ReadJSON(w http.ResponseWriter, r *http.Request, maxBytes int64, into any) error {
	body := bufio.NewReader(http.MaxBytesReader(w, r.Body, maxBytes))
	if start, _ := body.Peek(len(byteOrderMark)); bytes.Equal(start, byteOrderMark) {
		_, _ = body.Discard(len(byteOrderMark))
	}
	err := DecodeJSON(body, into)
	var tooLarge *http.MaxBytesError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &tooLarge):
		return &Error{
			Status: http.StatusRequestEntityTooLarge, Code: "too_large",
			Message: fmt.Sprintf("The body is larger than %d KB.", maxBytes>>10),
		}
	case IsUnavailable(err):
		return Edge{}.Answer(r, err)
	}
	if rejected := jsonError(err, into); rejected != nil {
		return rejected
	}
	return err
}

var byteOrderMark = []byte("\ufeff")

// DecodeJSON decodes exactly one JSON value without unknown fields. Its error is io.EOF if body is empty.
func DecodeJSON(body io.Reader, into any) error {
	decoder := json.NewDecoder(body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	switch _, err := decoder.Token(); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return err
	}
	return errors.New("more than one value")
}

// jsonError returns the response to an error of DecodeJSON that has a field or a place, or else nil. into is
// a pointer to what was decoded.
func jsonError(err error, into any) *Error {
	var wrongType *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &wrongType) && wrongType.Field != "":
		return Invalid(wrongType.Field, fmt.Sprintf("%s must be %s; it has %s.", wrongType.Field,
			expectedKind(reflect.TypeOf(into), wrongType), kindOfValue(wrongType.Value)))
	case errors.As(err, &syntax):
		return Invalid("body",
			fmt.Sprintf("The body is not JSON: it is not well-formed at byte %d.", syntax.Offset))
	case errors.Is(err, io.ErrUnexpectedEOF):
		return Invalid("body", "The body is not JSON: it ends too early.")
	}
	// The package has no type for this error.
	if quoted, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		if name, err := strconv.Unquote(quoted); err == nil {
			return unknown("field", name, fieldsOf(reflect.TypeOf(into)))
		}
	}
	return nil
}

// InvalidJSON is the response to an error of DecodeJSON for the JSON in a field of a form. If the error does
// not say what is wrong, the message is the expected one.
func InvalidJSON(field string, err error, into any, expected string) *Error {
	if rejected := jsonError(err, into); rejected != nil {
		expected = field + ": " + strings.Replace(rejected.Message, "The body", "the text", 1)
	}
	return Invalid(field, expected)
}

// fieldsOf returns the names that a type has in JSON, with those of the types of its fields.
func fieldsOf(t reflect.Type) (names []string) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	for field := range t.Fields() {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" && name != "-" {
			names = append(names, name)
			names = append(names, fieldsOf(field.Type)...)
		}
	}
	return names
}

// expectedKind names what a field must be. The error of an element of a list has the type of elements.
func expectedKind(t reflect.Type, wrong *json.UnmarshalTypeError) string {
	if t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct {
		for field := range t.Elem().Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if kind := kindOf(field.Type); name == wrong.Field && kind == "a list" && kind != kindOf(wrong.Type) {
				return "a list of " + kindOf(wrong.Type)
			}
		}
	}
	return kindOf(wrong.Type)
}

// kindOf names a type for a person.
func kindOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Pointer:
		return kindOf(t.Elem())
	case reflect.Float32, reflect.Float64:
		return "a number"
	default:
		return "a whole number"
	}
}

// kindOfValue names what json.UnmarshalTypeError calls the kind of a value. A number's text is left out.
func kindOfValue(value string) string {
	switch kind, _, _ := strings.Cut(value, " "); kind {
	case "string":
		return "text"
	case "bool":
		return "true or false"
	case "array":
		return "a list"
	case "object":
		return "an object"
	default:
		return "a number"
	}
}
