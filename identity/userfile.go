package identity

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

// An importedUser is one user of a file.
type importedUser struct {
	id                        uuid.UUID
	email                     string
	hash                      *string // nil means no password yet
	confirmed                 *bool   // nil means that the file does not specify it
	createdAt, bannedUntil    *time.Time
	appMetadata, userMetadata json.RawMessage
}

// The fields of an importedUser.
const (
	fieldID           = "id"
	fieldEmail        = "email"
	fieldHash         = "password hash"
	fieldConfirmed    = "email_confirmed"
	fieldConfirmedAt  = "email_confirmed_at"
	fieldCreatedAt    = "created_at"
	fieldBannedUntil  = "banned_until"
	fieldUserMetadata = "user_metadata"
	fieldAppMetadata  = "app_metadata"
)

// userColumns are the names of the fields in files: ours, those of Supabase's auth.users, and those of
// Auth0's export.
var userColumns = map[string]string{
	"id":                 fieldID,
	"email":              fieldEmail,
	"password_hash":      fieldHash,
	"encrypted_password": fieldHash,
	"passwordHash":       fieldHash,
	"email_confirmed":    fieldConfirmed,
	"email_verified":     fieldConfirmed,
	"email_confirmed_at": fieldConfirmedAt,
	"created_at":         fieldCreatedAt,
	"banned_until":       fieldBannedUntil,
	"user_metadata":      fieldUserMetadata,
	"raw_user_meta_data": fieldUserMetadata,
	"app_metadata":       fieldAppMetadata,
	"raw_app_meta_data":  fieldAppMetadata,
}

// maxProblems is the number of invalid users that an error lists.
const maxProblems = 20

// parseUsers reads users from CSV with a row of column names, a sequence of JSON objects, or a JSON array of
// objects. It returns no user unless all are valid. Its error lists the invalid ones by number, without their
// content. ignored are the columns with other names.
func parseUsers(file io.Reader) (users []importedUser, ignored []string, err error) {
	records, err := readRecords(file)
	if err != nil {
		return nil, nil, err
	}
	unknown, hasHashes := map[string]bool{}, false
	var problems []error
	for i, record := range records {
		fields := map[string]string{}
		for column, value := range record {
			field, known := userColumns[column]
			if !known {
				unknown[column] = true
				continue
			}
			hasHashes = hasHashes || field == fieldHash
			switch {
			case value != "":
				fields[field] = value
			case field == fieldConfirmedAt && fields[fieldConfirmed] == "":
				fields[fieldConfirmed] = "false"
			}
		}
		user, err := parseUser(fields)
		if err != nil {
			problems = append(problems, fmt.Errorf("user %d: %w", i+1, err))
			continue
		}
		users = append(users, user)
	}
	switch {
	case len(records) == 0:
		return nil, nil, errors.New("the file has no user")
	case !hasHashes:
		return nil, nil, errors.New("the file has no column of password hashes: " +
			"name it password_hash or encrypted_password (it may be empty)")
	case len(problems) > 0:
		return nil, nil, importError(problems)
	}
	return users, slices.Sorted(maps.Keys(unknown)), nil
}

func importError(problems []error) error {
	errs := []error{errors.New("nothing was imported")}
	if more := len(problems) - maxProblems; more > 0 {
		problems = append(problems[:maxProblems], fmt.Errorf("and %d more", more))
	}
	return errors.Join(append(errs, problems...)...)
}

func parseUser(fields map[string]string) (u importedUser, err error) {
	if id := fields[fieldID]; id == "" {
		u.id = uuid.New()
	} else if u.id, err = uuid.Parse(id); err != nil {
		return u, errors.New("id is not a UUID")
	}
	if u.email, err = parseEmail(fields[fieldEmail]); err != nil {
		return u, errors.New("email is not a valid address")
	}
	if hash := fields[fieldHash]; hash != "" {
		if err := CheckHash(hash); err != nil {
			return u, err
		}
		u.hash = &hash
	}
	if u.confirmed, err = parseConfirmed(fields); err != nil {
		return u, err
	}
	if u.createdAt, err = parseTime(fields, fieldCreatedAt); err != nil {
		return u, err
	}
	if u.bannedUntil, err = parseTime(fields, fieldBannedUntil); err != nil {
		return u, err
	}
	if u.userMetadata, err = parseMetadata(fields[fieldUserMetadata], nil); err != nil {
		return u, fmt.Errorf("user_metadata: %w", err)
	}
	if u.appMetadata, err = parseMetadata(fields[fieldAppMetadata], emailProvider); err != nil {
		return u, fmt.Errorf("app_metadata: %w", err)
	}
	return u, nil
}

// parseConfirmed returns nil if the file does not specify whether the address is confirmed.
func parseConfirmed(fields map[string]string) (*bool, error) {
	var confirmed *bool
	yes, no := true, false
	switch strings.ToLower(fields[fieldConfirmed]) {
	case "":
	case "true", "t", "1":
		confirmed = &yes
	case "false", "f", "0":
		confirmed = &no
	default:
		return nil, errors.New("email_confirmed is neither true nor false")
	}
	at, err := parseTime(fields, fieldConfirmedAt)
	if at != nil {
		confirmed = &yes
	}
	return confirmed, err
}

// timeLayouts are RFC 3339, and the format of PostgreSQL's CSV.
var timeLayouts = []string{
	time.RFC3339Nano,
	"2006-01-02 15:04:05.999999999Z07",
	"2006-01-02 15:04:05.999999999Z07:00",
}

// parseTime returns nil for an empty field.
func parseTime(fields map[string]string, field string) (*time.Time, error) {
	if fields[field] == "" {
		return nil, nil
	}
	for _, layout := range timeLayouts {
		if at, err := time.Parse(layout, fields[field]); err == nil {
			return &at, nil
		}
	}
	return nil, fmt.Errorf("%s is not a time", field)
}

func parseMetadata(text string, initial json.RawMessage) (json.RawMessage, error) {
	var metadata Metadata
	if text != "" {
		if err := json.Unmarshal([]byte(text), &metadata); err != nil {
			return nil, errors.New("not a JSON object")
		}
	}
	return metadata.applyNew(initial)
}

// readRecords reads the values of each user by column name, in any of the formats.
func readRecords(file io.Reader) ([]map[string]string, error) {
	in := bufio.NewReader(file)
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
		case first[0] == '[':
			return readJSONArray(in)
		case first[0] == '{':
			return readJSONObjects(json.NewDecoder(in))
		case first[0] > ' ':
			return readCSV(in)
		}
		_, _ = in.Discard(1)
	}
}

func readCSV(in io.Reader) ([]map[string]string, error) {
	r := csv.NewReader(in)
	columns, err := r.Read()
	if err != nil {
		return nil, errors.New("the first line is not a row of column names")
	}
	for i := range columns {
		columns[i] = strings.TrimSpace(columns[i])
	}
	var records []map[string]string
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return records, nil
		}
		if err != nil {
			return nil, fmt.Errorf("user %d: a row of another length than the first, or an unclosed quote",
				len(records)+1)
		}
		record := map[string]string{}
		for i, column := range columns {
			record[column] = row[i]
		}
		records = append(records, record)
	}
}

func readJSONArray(in io.Reader) ([]map[string]string, error) {
	d := json.NewDecoder(in)
	if _, err := d.Token(); err != nil {
		return nil, errors.New("the file is not JSON")
	}
	var records []map[string]string
	for d.More() {
		record, err := readJSONObject(d)
		if err != nil {
			return nil, fmt.Errorf("user %d: not a JSON object", len(records)+1)
		}
		records = append(records, record)
	}
	return records, nil
}

func readJSONObjects(d *json.Decoder) ([]map[string]string, error) {
	var records []map[string]string
	for {
		record, err := readJSONObject(d)
		if errors.Is(err, io.EOF) {
			return records, nil
		}
		if err != nil {
			return nil, fmt.Errorf("user %d: not a JSON object", len(records)+1)
		}
		records = append(records, record)
	}
}

func readJSONObject(d *json.Decoder) (map[string]string, error) {
	var object map[string]json.RawMessage
	if err := d.Decode(&object); err != nil {
		return nil, err
	}
	if object == nil {
		return nil, errors.New("null")
	}
	record := map[string]string{}
	for column, raw := range object {
		var text string // null is empty
		if json.Unmarshal(raw, &text) != nil {
			text = string(bytes.TrimSpace(raw))
		}
		record[column] = text
	}
	return record, nil
}
