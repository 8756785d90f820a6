package db

import "bytes"

// HasNUL reports whether JSON has an escaped NUL character, which jsonb cannot store.
func HasNUL(raw []byte) bool {
	for i := 0; i+1 < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		if bytes.HasPrefix(raw[i:], []byte(`\u0000`)) {
			return true
		}
		i++ // skip the escaped character, which may be a backslash
	}
	return false
}
