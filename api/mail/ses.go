package mail

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
)

// An snsMessage is what Amazon SNS posts.
// https://docs.aws.amazon.com/sns/latest/dg/http-notification-json.html
type snsMessage struct {
	Type         string
	Message      string // of a Notification: the JSON of SES
	SubscribeURL string // of a SubscriptionConfirmation
}

func (s *server) readSNS(ctx context.Context, body []byte) ([]event, error) {
	var message snsMessage
	if err := json.Unmarshal(body, &message); err != nil {
		return nil, errUnreadable("The body is not a message of Amazon SNS.")
	}
	switch message.Type {
	case "Notification":
		return readSES([]byte(message.Message))
	case "SubscriptionConfirmation":
		return nil, s.confirmSubscription(ctx, message.SubscribeURL)
	}
	return nil, nil // UnsubscribeConfirmation: an operator has ended the subscription
}

// snsHost matches the hosts of Amazon SNS. Only they are called.
var snsHost = regexp.MustCompile(`^sns\.[a-z0-9-]+\.amazonaws\.com(\.cn)?$`)

// confirmSubscription requests the URL that confirms a subscription to SNS.
func (s *server) confirmSubscription(ctx context.Context, address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" || u.User != nil || !snsHost.MatchString(u.Host) {
		return errUnreadable("The SubscribeURL is not one of Amazon SNS.")
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return err
	}
	response, err := s.client.Do(request)
	if err != nil {
		s.Log.WarnContext(ctx, "subscription of Amazon SNS not confirmed", "host", u.Host)
		return errNotConfirmed
	}
	if err := response.Body.Close(); err != nil || response.StatusCode != http.StatusOK {
		s.Log.WarnContext(ctx, "subscription of Amazon SNS not confirmed", "host", u.Host, "status",
			response.StatusCode)
		return errNotConfirmed
	}
	s.Log.InfoContext(ctx, "subscription of Amazon SNS confirmed", "host", u.Host)
	return nil
}

// A sesEvent is a notification of Amazon SES.
// https://docs.aws.amazon.com/ses/latest/dg/notification-contents.html
type sesEvent struct {
	NotificationType string
	EventType        string
	Mail             struct {
		CommonHeaders struct{ MessageID string }
	}
	Bounce struct {
		BounceType        string // Permanent, Transient or Undetermined
		BouncedRecipients []struct{ EmailAddress, Status, DiagnosticCode string }
	}
	Complaint struct {
		ComplaintFeedbackType string
		ComplainedRecipients  []struct{ EmailAddress string }
	}
	Delivery struct{ Recipients []string }
}

func readSES(body []byte) ([]event, error) {
	var ses sesEvent
	if err := json.Unmarshal(body, &ses); err != nil {
		return nil, errUnreadable("The message is not a notification of Amazon SES.")
	}
	var events []event
	add := func(k kind, recipient, status, reply string) {
		events = append(events, event{
			kind:      k,
			recipient: recipient,
			status:    enhancedStatus(status, reply),
			reply:     reply,
			messageID: bareMessageID(ses.Mail.CommonHeaders.MessageID),
		})
	}
	switch ses.NotificationType + ses.EventType {
	case "Bounce":
		if ses.Bounce.BounceType != "Permanent" {
			break
		}
		for _, r := range ses.Bounce.BouncedRecipients {
			add(hardBounce, r.EmailAddress, r.Status, withoutType(r.DiagnosticCode))
		}
	case "Complaint":
		if ses.Complaint.ComplaintFeedbackType == "not-spam" {
			break
		}
		for _, r := range ses.Complaint.ComplainedRecipients {
			add(complaint, r.EmailAddress, "", "")
		}
	case "Delivery":
		for _, recipient := range ses.Delivery.Recipients {
			add(delivered, recipient, "", "")
		}
	}
	return events, nil
}
