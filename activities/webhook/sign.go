package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// sign returns the header webhook-signature: a signature for each secret, separated by spaces. They are of
// version 1 of the specification, HMAC-SHA256 over id, time and body. A secret is the prefix whsec_ and a key
// in base64.
func sign(secrets []string, id string, at time.Time, body []byte) (string, error) {
	signatures := make([]string, len(secrets))
	for i, secret := range secrets {
		encoded, found := strings.CutPrefix(secret, "whsec_")
		key, err := base64.StdEncoding.DecodeString(encoded)
		if !found || err != nil {
			return "", errors.New("the secret of a webhook is malformed")
		}
		mac := hmac.New(sha256.New, key)
		_, _ = fmt.Fprintf(mac, "%s.%s.", id, timestamp(at)) // never fails, see package hash
		_, _ = mac.Write(body)
		signatures[i] = "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	}
	return strings.Join(signatures, " "), nil
}

// timestamp is the header webhook-timestamp, in seconds.
func timestamp(at time.Time) string { return strconv.FormatInt(at.Unix(), 10) }
