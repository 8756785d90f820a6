package digest

import "research/activities/mail"

// A Preview is a digest that is shown instead of sent.
type Preview struct {
	Period   Period
	Obstacle string // why the member would not get it; empty if nothing prevents it
	Mailable bool   // its address is confirmed and not suppressed: the member can have the preview sent
	Empty    bool   // not worth a mail
	Message  mail.Message
}

// NewPreview composes a member's digest of a period, which has the news of a window. Its unsubscribe link
// works if there is a token. The caller sets what is known of the member.
func NewPreview(
	weekly bool, period Period, window Window, news News, publicURL, unsubscribeToken string,
) (Preview, error) {
	composed, worthMail := Compose(Input{
		Weekly:           weekly,
		Window:           window,
		News:             news,
		PublicURL:        publicURL,
		UnsubscribeToken: unsubscribeToken,
	})
	message, err := composed.Message()
	return Preview{Period: period, Empty: !worthMail, Message: message}, err
}
