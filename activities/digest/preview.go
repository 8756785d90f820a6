package digest

import "research/activities/mail"

// A Preview is a digest that is shown instead of sent.
type Preview struct {
	Period   Period
	Obstacle string // why the member would not get it; empty if nothing prevents it
	Empty    bool   // not worth a mail
	Message  mail.Message
}

// NewPreview composes a member's digest about a period. Its unsubscribe link does not work. The caller sets
// the address and the obstacle.
func NewPreview(weekly bool, period Period, news News, publicURL string) (Preview, error) {
	composed, worthMail := Compose(Input{Weekly: weekly, Period: period.Name, News: news, PublicURL: publicURL})
	message, err := composed.Message()
	return Preview{Period: period, Empty: !worthMail, Message: message}, err
}
