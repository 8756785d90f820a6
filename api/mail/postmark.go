package mail

import "encoding/json"

// A postmarkEvent is a webhook of Postmark, with the fields of all kinds.
// https://postmarkapp.com/developer/webhooks/webhooks-overview
type postmarkEvent struct {
	RecordType        string
	Type              string // of a Bounce
	Inactive          bool   // of a Bounce: Postmark sends no more mails to the address
	Email             string // of a Bounce or SpamComplaint
	Recipient         string // of a Delivery or SubscriptionChange
	Details           string
	SuppressSending   bool // of a SubscriptionChange
	SuppressionReason string
}

func readPostmark(body []byte) ([]event, error) {
	var p postmarkEvent
	if err := json.Unmarshal(body, &p); err != nil {
		return nil, errUnreadable("The body is not a webhook of Postmark.")
	}
	bounce := event{
		kind: hardBounce, recipient: p.Email, status: enhancedStatus("", p.Details), reply: p.Details,
	}
	switch p.RecordType {
	case "Bounce":
		if p.Inactive || p.Type == "HardBounce" || p.Type == "BadEmailAddress" {
			return []event{bounce}, nil
		}
	case "SpamComplaint":
		return []event{{kind: complaint, recipient: p.Email}}, nil
	case "SubscriptionChange":
		switch {
		case !p.SuppressSending:
		case p.SuppressionReason == "HardBounce":
			return []event{{kind: hardBounce, recipient: p.Recipient}}, nil
		default: // a complaint, or the recipient unsubscribed
			return []event{{kind: complaint, recipient: p.Recipient}}, nil
		}
	case "Delivery":
		return []event{{kind: delivered, recipient: p.Recipient}}, nil
	}
	return nil, nil
}
