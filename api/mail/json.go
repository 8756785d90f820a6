package mail

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"research/api/problem"
)

// readJSON reads a body. It recognizes each format by fields that no other format has.
func (s *server) readJSON(ctx context.Context, body []byte) ([]event, error) {
	var form struct {
		TopicArn         string          // Amazon SNS
		NotificationType string          // Amazon SES, as identities publish it
		EventType        string          // Amazon SES, as configuration sets publish it
		RecordType       string          // Postmark
		Events           json.RawMessage // our own
	}
	if err := json.Unmarshal(body, &form); err != nil {
		return nil, errUnreadable("The body is not a JSON object.")
	}
	switch {
	case form.TopicArn != "":
		return s.readSNS(ctx, body)
	case form.NotificationType != "" || form.EventType != "":
		return readSES(body)
	case form.RecordType != "":
		return readPostmark(body)
	case form.Events != nil:
		return readOwn(body)
	}
	return nil, errUnreadable(`The body has no known form: {"events": […]}, or that of Amazon SES or Postmark.`)
}

// An ownEvent is an event in our own form, for relays that we do not know.
type ownEvent struct {
	Type      string `json:"type"` // bounce, complaint or delivery
	Recipient string `json:"recipient"`
	// of a bounce: send no more mail to the address; default: derived from status
	Permanent *bool  `json:"permanent"`
	Status    string `json:"status"`
	Reply     string `json:"reply"`
	MessageID string `json:"messageId"`
}

func readOwn(body []byte) ([]event, error) {
	var own struct{ Events []ownEvent }
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&own); err != nil {
		return nil, errUnreadable("An event has an unknown field, or a field of the wrong type.")
	}
	var events []event
	for i, one := range own.Events {
		e := event{
			recipient: one.Recipient,
			status:    enhancedStatus(one.Status, one.Reply),
			reply:     one.Reply,
			messageID: bareMessageID(one.MessageID),
		}
		if !strings.Contains(e.recipient, "@") {
			return nil, invalidEvent(i, "recipient", "must be an address")
		}
		relevant := true
		switch one.Type {
		case "bounce":
			e.kind, relevant = one.bounceKind(e.status)
		case "complaint":
			e.kind = complaint
		case "delivery":
			e.kind = delivered
		default:
			return nil, invalidEvent(i, "type", "must be bounce, complaint or delivery")
		}
		if relevant {
			events = append(events, e)
		}
	}
	return events, nil
}

func (o ownEvent) bounceKind(status string) (k kind, permanent bool) {
	if o.Permanent != nil {
		return hardBounce, *o.Permanent
	}
	return failureKind(status)
}

func invalidEvent(i int, field, message string) *problem.Error {
	return problem.Invalid(fmt.Sprintf("events[%d].%s", i, field), message)
}

func bareMessageID(id string) string { return strings.Trim(strings.TrimSpace(id), "<>") }
