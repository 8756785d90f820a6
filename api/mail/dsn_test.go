package mail_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// crlf ends lines as mails do.
func crlf(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }

// deliveryStatus is the part for programs of a notification about one recipient.
func deliveryStatus(fields string) string {
	return crlf("Reporting-MTA: dns; relay.example.net\nArrival-Date: Sat, 21 Nov 2026 08:00:00 +0000\n\n" +
		fields)
}

func TestDeliveryStatusNotifications(t *testing.T) {
	t.Parallel()
	failed := func(f *fixture, user uuid.UUID, status string) string {
		return "Final-Recipient: rfc822; " + f.address(t, user) + "\nAction: failed\nStatus: " + status + "\n"
	}

	t.Run("the part for programs alone", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		events, recorded := f.post(t, "message/delivery-status",
			deliveryStatus(failed(f, f.Viewer, "5.1.1")+"\n\n"+failed(f, f.Editor, "5.2.1 (disabled)")))
		require.Equal(t, 2, events)
		require.Equal(t, 2, recorded)
		require.Equal(t, "hard_bounce", f.cause(t, f.Viewer))
		require.Equal(t, "hard_bounce", f.cause(t, f.Editor))
	})

	t.Run("the address that we mailed counts, wherever it was forwarded", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		f.post(t, "message/delivery-status", deliveryStatus("Original-Recipient: rfc822;"+f.address(t, f.Viewer)+
			"\nFinal-Recipient: rfc822; elsewhere@example.com\nAction: failed\nStatus: 5.1.1\n"))
		require.Equal(t, "hard_bounce", f.cause(t, f.Viewer))
	})

	t.Run("only what is final and permanent counts", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		for fields, events := range map[string]int{
			"Action: delayed\nStatus: 4.4.1\n":   0,
			"Action: failed\nStatus: 4.4.7\n":    0, // the relay has given up
			"Action: relayed\nStatus: 2.0.0\n":   0,
			"Action: failed\n":                   0,
			"Action: failed\nStatus: 5.7.1\n":    1,
			"Action: failed\nStatus: 5.1.8\n":    1,
			"Action: delivered\nStatus: 2.1.5\n": 1,
		} {
			read, _ := f.post(t, "message/delivery-status",
				deliveryStatus("Final-Recipient: rfc822; "+f.address(t, f.Viewer)+"\n"+fields))
			require.Equal(t, events, read, fields)
			require.Empty(t, f.cause(t, f.Viewer), fields)
		}
	})

	t.Run("a report with the mail that it is about fails its digest", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		report := crlf("--b\nContent-Type: text/plain\n\nSorry.\n--b\nContent-Type: message/delivery-status\n\n") +
			deliveryStatus(failed(f, f.Viewer, "5.7.1")+"Diagnostic-Code: smtp; 550 5.7.1 "+f.address(t, f.Viewer)+
				"\n    is blocked; ask us\n") +
			crlf("\n--b\nContent-Type: text/rfc822-headers\n\nMessage-ID: <"+f.sentDigest(t,
				f.Viewer)+">\nTo: x\n--b--\n")
		events, _ := f.post(t, `multipart/report; report-type=delivery-status; boundary="b"`, report)
		require.Equal(t, 1, events)
		require.Equal(t, "failed bounced_5.7.1: 550 5.7.1 [address] is blocked; ask us",
			f.digestStatus(t, f.Viewer))
		require.Empty(t, f.cause(t, f.Viewer), "the address may be correct")
	})

	t.Run("a whole mail", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		whole := crlf("From: mailer-daemon@example.net\nContent-Type: multipart/report; boundary=b\n\n"+
			"--b\nContent-Type: message/delivery-status\n\n") + deliveryStatus(failed(f, f.Viewer, "5.1.1")) +
			crlf("\n--b--\n")
		f.post(t, "message/rfc822", whole)
		require.Equal(t, "hard_bounce", f.cause(t, f.Viewer))
	})

	t.Run("anything else is rejected", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		for _, body := range []string{"", "\r\n\r\n", "hello", "Reporting-MTA: dns; x\r\n\r\n", ": x\r\n"} {
			f.requireRejected(t, "message/delivery-status", body)
			f.requireRejected(t, "message/rfc822", body)
			f.requireRejected(t, "multipart/report", body)
			f.requireRejected(t, "multipart/report; boundary=b", body)
		}
		f.requireRejected(t, "message/rfc822", crlf("Content-Type: text/plain\n\nI am away.\n"))
		f.requireRejected(t, "multipart/report; boundary=b", crlf("--b\nContent-Type: text/plain\n\nx\n--b--\n"))
	})
}
