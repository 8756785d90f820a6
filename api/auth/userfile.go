package auth

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// An importedUser is a line of a file of users.
type importedUser struct {
	id                        uuid.UUID
	email                     string
	hash                      *string // nil: no password yet
	confirmed                 *bool   // nil: the file does not say
	createdAt, bannedUntil    *time.Time
	appMetadata, userMetadata json.RawMessage
}

// columns that are understood, by the names that systems give them: ours, Supabase's auth.users, Auth0's export.
var userColumns = map[string]string{
	"id": "id", "email": "email",
	"password_hash": "hash", "encrypted_password": "hash", "passwordHash": "hash",
	"email_confirmed": "confirmed", "email_verified": "confirmed", "email_confirmed_at": "confirmed_at",
	"created_at": "created_at", "banned_until": "banned_until",
	"user_metadata": "user_metadata", "raw_user_meta_data": "user_metadata",
	"app_metadata": "app_metadata", "raw_app_meta_data": "app_metadata",
}

// maxProblems is how many bad lines are named.
const maxProblems = 20

// parseUsers reads users as CSV with a row of names, as JSON objects one after the other, or as a JSON array of them. It returns no user unless all are good; its error then
// names the bad ones by number, without what they hold. ignored are columns of other names.
func parseUsers(from io.Reader) (users []importedUser, ignored []string, err error) {
	records, err := readRecords(from)
	if err != nil {
		return nil, nil, err
	}
	unknown, hashes := map[string]bool{}, false
	var problems []error
	for i, record := range records {
		fields := map[string]string{}
		for name, value := range record {
			field, known := userColumns[name]
			if !known {
				unknown[name] = true
				continue
			}
			hashes = hashes || field == "hash"
			switch {
			case value != "":
				fields[field] = value
			case field == "confirmed_at" && fields["confirmed"] == "":
				fields["confirmed"] = "false"
			}
		}
		u, err := parseUser(fields)
		if err != nil {
			problems = append(problems, fmt.Errorf("user %d: %w", i+1, err))
			continue
		}
		users = append(users, u)
	}
	switch {
	case len(records) == 0:
		return nil, nil, errors.New("the file holds no user")
	case !hashes:
		return nil, nil, errors.New("no column of password hashes: name it password_hash or encrypted_password (it may be empty)")
	case len(problems) > maxProblems:
		problems = append(problems[:maxProblems], fmt.Errorf("and %d more", len(problems)-maxProblems))
		fallthrough
	case len(problems) > 0:
		return nil, nil, errors.Join(append([]error{errors.New("nothing was imported")}, problems...)...)
	}
	return users, slices.Sorted(maps.Keys(unknown)), nil
}

func parseUser(fields map[string]string) (u importedUser, err error) {
	if u.id, err = uuid.Parse(fields["id"]); err != nil {
		if fields["id"] != "" {
			return u, errors.New("id is no UUID")
		}
		u.id = uuid.New()
	}
	if u.email, err = emailAddress(fields["email"]); err != nil {
		return u, errors.New("email is no address")
	}
	if hash := fields["hash"]; hash != "" {
		if err := CheckHash(hash); err != nil {
			return u, fmt.Errorf("the password hash %w", err)
		}
		u.hash = &hash
	}
	switch strings.ToLower(fields["confirmed"]) {
	case "":
	case "true", "t", "1":
		u.confirmed = pointer(true)
	case "false", "f", "0":
		u.confirmed = pointer(false)
	default:
		return u, errors.New("email_confirmed is neither true nor false")
	}
	for field, to := range map[string]**time.Time{"created_at": &u.createdAt, "banned_until": &u.bannedUntil} {
		if *to, err = parseTime(fields[field]); err != nil {
			return u, fmt.Errorf("%s is no time", field)
		}
	}
	if at, err := parseTime(fields["confirmed_at"]); err != nil {
		return u, errors.New("email_confirmed_at is no time")
	} else if at != nil {
		u.confirmed = pointer(true)
	}
	if u.userMetadata, err = metadataOf(fields["user_metadata"], nil); err != nil {
		return u, fmt.Errorf("user_metadata: %w", err)
	}
	if u.appMetadata, err = metadataOf(fields["app_metadata"], emailProvider); err != nil {
		return u, fmt.Errorf("app_metadata: %w", err)
	}
	return u, nil
}

func pointer[T any](v T) *T { return &v }

// parseTime reads RFC 3339, and what PostgreSQL writes into CSV.
func parseTime(s string) (*time.Time, error) {
	if s == "" {
		return nil, nil
	}
	for _, form := range []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999Z07", "2006-01-02 15:04:05.999999999Z07:00"} {
		if at, err := time.Parse(form, s); err == nil {
			return &at, nil
		}
	}
	return nil, errors.New("no time")
}

// readRecords reads objects by name, whatever the form.
func readRecords(from io.Reader) ([]map[string]string, error) {
	in := bufio.NewReader(from)
	if mark, _ := in.Peek(3); string(mark) == "\ufeff" {
		_, _ = in.Discard(3)
	}
	for {
		first, err := in.Peek(1)
		switch {
		case errors.Is(err, io.EOF):
			return nil, nil
		case err != nil:
			return nil, err
		case first[0] == '[' || first[0] == '{':
			return readJSONRecords(in, first[0] == '[')
		case first[0] > ' ':
			return readCSVRecords(in)
		}
		_, _ = in.Discard(1)
	}
}

func readCSVRecords(in io.Reader) ([]map[string]string, error) {
	r := csv.NewReader(in)
	names, err := r.Read()
	if err != nil {
		return nil, errors.New("the first line is no row of column names")
	}
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
	}
	var records []map[string]string
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return records, nil
		}
		if err != nil {
			return nil, fmt.Errorf("user %d: a row of another length than the first, or a quote that does not end", len(records)+1)
		}
		record := map[string]string{}
		for i, name := range names {
			record[name] = row[i]
		}
		records = append(records, record)
	}
}

func readJSONRecords(in io.Reader, array bool) ([]map[string]string, error) {
	d := json.NewDecoder(in)
	if array {
		if _, err := d.Token(); err != nil {
			return nil, errors.New("the file is no JSON")
		}
	}
	var records []map[string]string
	for {
		if array && !d.More() {
			return records, nil
		}
		var object map[string]json.RawMessage
		if err := d.Decode(&object); errors.Is(err, io.EOF) && !array {
			return records, nil
		} else if err != nil || object == nil {
			return nil, fmt.Errorf("user %d: no JSON object", len(records)+1)
		}
		record := map[string]string{}
		for name, raw := range object {
			var s string
			switch {
			case json.Unmarshal(raw, &s) == nil: // null is empty
				record[name] = s
			default:
				record[name] = string(bytes.TrimSpace(raw))
			}
		}
		records = append(records, record)
	}
}
