package mail

import (
	"regexp"
	"strconv"
	"strings"
)

// A kind is the outcome of a mail.
type kind int

const (
	delivered  kind = iota
	bounced         // permanently, but not because of the address: a full mailbox, a policy
	hardBounce      // the address does not exist, or no longer accepts mail
	complaint       // the recipient reported the mail as spam
)

// An event is a relay's report about one recipient.
type event struct {
	kind      kind
	recipient string
	status    string // enhanced status code (RFC 3463): 5.1.1; empty if not known
	reply     string // the response of the recipient's server, as the relay reports it
	messageID string // Message-ID of our mail, without angle brackets; empty if not known
}

// failureKind classifies an enhanced status code. permanent is false for a temporary failure: the relay has
// given up on this mail, but the next one may arrive.
func failureKind(status string) (k kind, permanent bool) {
	switch {
	case !strings.HasPrefix(status, "5."):
		return bounced, false
	case status == "5.1.7", status == "5.1.8": // about the sender's address
		return bounced, true
	case strings.HasPrefix(status, "5.1."), status == "5.2.1":
		return hardBounce, true
	}
	return bounced, true
}

var (
	statusPattern = regexp.MustCompile(`\b[245]\.\d{1,3}\.\d{1,3}\b`)
	codePattern   = regexp.MustCompile(`^[245]\d\d\b`)
)

// enhancedStatus returns the status code in status, or else the one in reply.
func enhancedStatus(status, reply string) string {
	if statusPattern.MatchString(status) {
		return statusPattern.FindString(status)
	}
	return statusPattern.FindString(reply)
}

// replyCode returns the SMTP reply code with which the reply begins, or 0.
func (e event) replyCode() int32 {
	code, err := strconv.Atoi(codePattern.FindString(e.reply))
	if err != nil {
		return 0
	}
	return int32(code)
}

// withoutType returns a diagnostic code without its type: "smtp; 550 no such user" is "550 no such user".
func withoutType(diagnostic string) string {
	if kind, reply, typed := strings.Cut(diagnostic, ";"); typed &&
		strings.EqualFold(strings.TrimSpace(kind), "smtp") {
		diagnostic = reply
	}
	return strings.TrimSpace(diagnostic)
}
