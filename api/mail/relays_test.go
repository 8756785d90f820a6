package mail_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// sns wraps a notification as Amazon SNS does.
func sns(t *testing.T, message string) string {
	t.Helper()
	text, err := json.Marshal(message)
	require.NoError(t, err)
	return fmt.Sprintf(`{"Type": "Notification", "TopicArn": "arn:aws:sns:eu-west-1:1:bounces", "Message": %s,
		"Signature": "x", "SigningCertURL": "https://sns.eu-west-1.amazonaws.com/cert.pem"}`, text)
}

func TestAmazonSES(t *testing.T) {
	t.Parallel()
	const plainText = "text/plain; charset=UTF-8" // as SNS sends its JSON

	t.Run("a permanent bounce suppresses the address and fails the digest", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		viewer := f.address(t, f.Viewer)
		bounce := fmt.Sprintf(`{"notificationType": "Bounce",
			"mail": {"messageId": "0100", "commonHeaders": {"messageId": "<%s>"}},
			"bounce": {"bounceType": "Permanent", "bounceSubType": "General", "bouncedRecipients": [
				{"emailAddress": %q, "action": "failed", "status": "5.1.1",
					"diagnosticCode": "smtp; 550 5.1.1 <%s>: unknown"}]}}`,
			f.sentDigest(t, f.Viewer), viewer, viewer)
		_, recorded := f.post(t, plainText, sns(t, bounce))
		require.Equal(t, 1, recorded)
		require.Equal(t, "hard_bounce", f.cause(t, f.Viewer))
		require.Equal(t, "failed bounced_5.1.1: 550 5.1.1 <[address]>: unknown", f.digestStatus(t, f.Viewer))
	})

	t.Run("a transient bounce changes nothing", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		events, _ := f.post(t, plainText, sns(t, `{"eventType": "Bounce", "bounce": {"bounceType": "Transient",
			"bouncedRecipients": [{"emailAddress": "`+f.address(t, f.Viewer)+`"}]}}`))
		require.Zero(t, events)
	})

	t.Run("a complaint suppresses the address, but not one that takes it back", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		complaint := func(feedback string) string {
			return `{"eventType": "Complaint", "complaint": {"complaintFeedbackType": "` + feedback + `",
				"complainedRecipients": [{"emailAddress": "` + f.address(t, f.Viewer) + `"}]}}`
		}
		f.post(t, plainText, sns(t, complaint("not-spam")))
		require.Empty(t, f.cause(t, f.Viewer))
		f.post(t, "application/json", complaint("abuse")) // as EventBridge sends it, without SNS
		require.Equal(t, "complaint", f.cause(t, f.Viewer))
	})

	t.Run("deliveries and other events are accepted", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		events, _ := f.post(t, plainText,
			sns(t, `{"eventType": "Delivery", "delivery": {"recipients": ["`+f.address(t, f.Viewer)+`"]}}`))
		require.Equal(t, 1, events)
		events, _ = f.post(t, plainText, sns(t, `{"eventType": "Open"}`))
		require.Zero(t, events)
		f.requireRejected(t, plainText, sns(t, `no JSON`))
	})
}

func TestSubscriptionsOfAmazonSNS(t *testing.T) {
	t.Parallel()
	confirmation := func(url string) string {
		return `{"Type": "SubscriptionConfirmation", "TopicArn": "arn:aws:sns:eu-west-1:1:bounces", "Token": "t",
			"SubscribeURL": "` + url + `"}`
	}
	const url = "https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&Token=t"

	t.Run("are confirmed", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		f.post(t, "text/plain", confirmation(url))
		require.Equal(t, []string{url}, f.opened)
		f.post(t, "text/plain", `{"Type": "UnsubscribeConfirmation", "TopicArn": "arn", "SubscribeURL": "`+url+`"}`)
		require.Len(t, f.opened, 1, "the end of one is left alone")
	})

	t.Run("are reported if Amazon does not accept them, so that it tries again", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		for _, f.answer = range []int{0, http.StatusForbidden, http.StatusFound} {
			w := f.request(t, "text/plain", confirmation(url), withSecret)
			require.Equal(t, http.StatusBadGateway, w.Code)
		}
	})

	t.Run("open no other URL", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		for _, other := range []string{
			"http://sns.eu-west-1.amazonaws.com/", "https://sns.eu-west-1.amazonaws.com.example.com/",
			"https://sns.eu-west-1.amazonaws.com:8443/", "https://user@sns.eu-west-1.amazonaws.com/",
			"https://127.0.0.1/", "https://s3.amazonaws.com/", "", ":",
		} {
			f.requireRejected(t, "text/plain", confirmation(other))
		}
		require.Empty(t, f.opened)
	})
}

func TestPostmark(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for name, tt := range map[string]struct {
		fields string
		events int
		cause  string
	}{
		"a hard bounce": {`"RecordType": "Bounce", "Type": "HardBounce", "Email": %q`, 1, "hard_bounce"},
		"a bounce that deactivates": {
			`"RecordType": "Bounce", "Type": "Blocked", "Inactive": true, "Email": %q`, 1, "hard_bounce",
		},
		"a bounce that does not": {`"RecordType": "Bounce", "Type": "Transient", "Email": %q`, 0, ""},
		"a complaint":            {`"RecordType": "SpamComplaint", "Email": %q`, 1, "complaint"},
		"a recipient who wants none": {
			`"RecordType": "SubscriptionChange", "SuppressSending": true,
				"SuppressionReason": "ManualSuppression", "Recipient": %q`, 1, "complaint",
		},
		"a suppression by a bounce": {
			`"RecordType": "SubscriptionChange", "SuppressSending": true,
				"SuppressionReason": "HardBounce", "Recipient": %q`, 1, "hard_bounce",
		},
		"a reactivation": {
			`"RecordType": "SubscriptionChange", "SuppressSending": false, "Recipient": %q`, 0, "",
		},
		"a delivery":    {`"RecordType": "Delivery", "Recipient": %q`, 1, ""},
		"another event": {`"RecordType": "Open", "Recipient": %q`, 0, ""},
	} {
		f.Exec(t, `delete from private.mail_refusals`)
		events, _ := f.post(t, "application/json", "{"+fmt.Sprintf(tt.fields, f.address(t, f.Viewer))+"}")
		require.Equal(t, tt.events, events, name)
		require.Equal(t, tt.cause, f.cause(t, f.Viewer), name)
	}
}
