package identity

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// The assurance levels of a session (NIST SP 800-63B), as in the claim aal.
const (
	AAL1 = "aal1" // one factor: a password or a link
	AAL2 = "aal2" // a second factor as well
)

// The methods of authentication that raise a session to AAL2. The first has GoTrue's name.
const (
	methodTOTP         = "totp"
	methodRecoveryCode = "mfa/recovery_code"
	methodProviderMFA  = "mfa/oauth" // a sign-in with a provider whose second factor counts here
)

// An authentication is an entry of the claim amr (RFC 8176).
type authentication struct {
	Method    string `json:"method"`
	Timestamp int64  `json:"timestamp"` // seconds since 1970
}

func (a authentication) isSecondFactor() bool {
	return a.Method == methodTOTP || a.Method == methodRecoveryCode || a.Method == methodProviderMFA
}

// authentications are the claim amr of a session, the newest first.
type authentications []authentication

func parseAMR(raw json.RawMessage) (authentications, error) {
	var all authentications
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, fmt.Errorf("read the methods of a session: %w", err)
	}
	return all, nil
}

// level returns the assurance level.
func (a authentications) level() string {
	if slices.ContainsFunc(a, authentication.isSecondFactor) {
		return AAL2
	}
	return AAL1
}

// with adds a method, replacing an earlier entry of the same method.
func (a authentications) with(method string, now time.Time) authentications {
	all := authentications{{method, now.Unix()}}
	for _, one := range a {
		if one.Method != method {
			all = append(all, one)
		}
	}
	return all
}

// withoutSecondFactor returns the methods of AAL1.
func (a authentications) withoutSecondFactor() authentications {
	return slices.DeleteFunc(slices.Clone(a), authentication.isSecondFactor)
}

// AAL returns the assurance level of the session.
func (s Session) AAL() string {
	all, err := parseAMR(s.AMR)
	if err != nil {
		return AAL1
	}
	return all.level()
}
