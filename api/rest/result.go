package rest

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"research/api/problem"
	"research/api/rest/openapi"
	"research/api/rest/plan"
	"research/api/rest/sqlgen"
	"research/db"
)

// A result is what a statement returned.
type result struct {
	sqlgen.Row
	header     http.Header // set by the transaction; its values replace ours
	status     int         // set by the transaction; 0 means none
	estimated  *int64      // PostgreSQL's estimate of the rows; nil if not requested
	explained  bool        // the body is PostgreSQL's plan
	privileges openapi.Privileges
}

// decode reads the results of a plan's statement: its rows and, if there is one, those of its estimate.
func decode(p plan.Plan, results []db.Rows) (result, error) {
	rows := results[0]
	if _, ok := p.(*plan.Description); ok {
		privileges, err := openapi.DecodePrivileges(rows.Values)
		return result{privileges: privileges}, err
	}
	format := formatOf(p)
	if format.Explain != nil { // a row for each line
		res := result{explained: true}
		for _, row := range rows.Values {
			res.Body = append(append(res.Body, row[0]...), '\n')
		}
		return res, nil
	}
	res := result{}
	if len(results) > 1 {
		if explained := explainedPlan(results[1].Values); explained != nil {
			res.estimated = &explained.Rows
		}
	}
	var err error
	if res.Row, err = sqlgen.DecodeRow(rows.Columns, rows.Values); err != nil {
		return result{}, err
	}
	if format.Handler != nil && format.Handler.Bytes {
		if res.Body, err = decodeBytes(res.Body); err != nil {
			return result{}, err
		}
	}
	if res.header, err = decodeHeader(res.Headers); err != nil {
		return result{}, err
	}
	res.status, err = decodeStatus(res.Status)
	return res, err
}

// formatOf returns the format of the plan's response.
func formatOf(p plan.Plan) plan.Format {
	switch p := p.(type) {
	case *plan.Read:
		return p.Format
	case *plan.Write:
		return p.Format
	case *plan.Call:
		return p.Format
	}
	return plan.Format{}
}

// decodeBytes reads bytea as PostgreSQL writes it: \x and hexadecimal digits.
func decodeBytes(text []byte) ([]byte, error) {
	digits, ok := strings.CutPrefix(string(text), `\x`)
	if !ok {
		return text, nil
	}
	raw, err := hex.DecodeString(digits)
	if err != nil {
		return nil, fmt.Errorf("decode the answer: %w", err)
	}
	return raw, nil
}

// decodeHeader reads the setting response.headers.
func decodeHeader(text []byte) (http.Header, error) {
	header := http.Header{}
	if text == nil {
		return header, nil
	}
	var list []map[string]string
	notOne := func(members map[string]string) bool { return len(members) != 1 }
	if json.Unmarshal(text, &list) != nil || slices.ContainsFunc(list, notOne) {
		return nil, &problem.Error{
			Status: http.StatusInternalServerError,
			Code:   "PGRST111",
			Message: "response.headers guc must be a JSON array composed of objects with a single key " +
				"and a string value",
		}
	}
	for _, members := range list {
		for name, value := range members {
			header.Add(name, value)
		}
	}
	return header, nil
}

// decodeStatus reads the setting response.status.
func decodeStatus(text []byte) (int, error) {
	if text == nil {
		return 0, nil
	}
	status, err := strconv.Atoi(string(text))
	if err != nil || status < 100 || status > 599 {
		return 0, &problem.Error{
			Status:  http.StatusInternalServerError,
			Code:    "PGRST112",
			Message: "response.status guc must be a valid status code",
		}
	}
	return status, nil
}

// An estimate is PostgreSQL's estimate of a statement.
type estimate struct {
	Rows int64   `json:"Plan Rows"`
	Cost float64 `json:"Total Cost"` // in PostgreSQL's units
}

// explainedPlan reads a plan as JSON. Nil means that there is none.
func explainedPlan(rows [][][]byte) *estimate {
	if len(rows) == 0 {
		return nil
	}
	var plans []struct{ Plan estimate }
	if json.Unmarshal(rows[0][0], &plans) != nil || len(plans) == 0 {
		return nil
	}
	return &plans[0].Plan
}
