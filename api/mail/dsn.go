package mail

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"net/textproto"
	"strings"
)

// errNotification is the response to a body that is not a delivery status notification.
var errNotification = errUnreadable("The body is not a delivery status notification (RFC 3464).")

// readNotification reads a delivery status notification: a whole mail (message/rfc822), its body
// (multipart/report), or the part for programs alone (message/delivery-status).
func readNotification(mediaType string, parameters map[string]string, body []byte) ([]event, error) {
	switch mediaType {
	case "message/rfc822":
		message, err := mail.ReadMessage(bytes.NewReader(body))
		if err != nil {
			return nil, errNotification
		}
		mediaType, parameters, err = mime.ParseMediaType(message.Header.Get("Content-Type"))
		if err != nil || mediaType != "multipart/report" {
			return nil, errNotification
		}
		return readReport(message.Body, parameters["boundary"])
	case "multipart/report":
		return readReport(bytes.NewReader(body), parameters["boundary"])
	}
	return readStatus(body, "")
}

// readReport reads the parts of a multipart/report (RFC 6522): the status, and the mail that it is about.
func readReport(body io.Reader, boundary string) ([]event, error) {
	if boundary == "" {
		return nil, errNotification
	}
	var status []byte
	var messageID string
	for parts := multipart.NewReader(body, boundary); ; {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, errNotification
		}
		var content io.Reader = part
		if strings.EqualFold(part.Header.Get("Content-Transfer-Encoding"), "quoted-printable") {
			content = quotedprintable.NewReader(part)
		}
		mediaType, _, _ := mime.ParseMediaType(part.Header.Get("Content-Type"))
		switch mediaType {
		case "message/delivery-status", "message/global-delivery-status":
			if status, err = io.ReadAll(content); err != nil {
				return nil, errNotification
			}
		case "message/rfc822", "text/rfc822-headers", "message/global", "message/global-headers":
			// It may be cut short anywhere.
			header, _ := textproto.NewReader(bufio.NewReader(content)).ReadMIMEHeader()
			messageID = bareMessageID(header.Get("Message-Id"))
		}
	}
	if status == nil {
		return nil, errNotification
	}
	return readStatus(status, messageID)
}

// readStatus reads message/delivery-status: a group of fields about the mail, and one about each recipient.
func readStatus(body []byte, messageID string) ([]event, error) {
	groups := textproto.NewReader(bufio.NewReader(bytes.NewReader(body)))
	var events []event
	recipients := 0
	for {
		fields, err := groups.ReadMIMEHeader()
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, errNotification
		}
		if fields.Get("Final-Recipient") != "" {
			recipients++
			if e, relevant := recipientEvent(fields); relevant {
				e.messageID = messageID
				events = append(events, e)
			}
		}
		if err != nil {
			break
		}
	}
	if recipients == 0 {
		return nil, errNotification
	}
	return events, nil
}

// recipientEvent returns the event that a group describes. relevant is false if the event is not final or not
// permanent.
func recipientEvent(fields textproto.MIMEHeader) (e event, relevant bool) {
	e.recipient = typedValue(fields.Get("Original-Recipient"))
	if e.recipient == "" {
		e.recipient = typedValue(fields.Get("Final-Recipient"))
	}
	e.reply = withoutType(fields.Get("Diagnostic-Code"))
	e.status = enhancedStatus(fields.Get("Status"), e.reply)
	switch action, _, _ := strings.Cut(fields.Get("Action"), " "); strings.ToLower(action) {
	case "failed":
		e.kind, relevant = failureKind(e.status)
	case "delivered":
		e.kind, relevant = delivered, true
	}
	return e, relevant
}

// typedValue returns the value of a field with a type, such as that of "rfc822; ada@example.com".
func typedValue(field string) string {
	_, value, _ := strings.Cut(field, ";")
	return strings.TrimSpace(value)
}
