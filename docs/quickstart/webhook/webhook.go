// Command webhook receives events from the service, verifies their signatures, and prints them. It is an
// example of a receiver, and uses the standard library alone.
//
//	WEBHOOK_SECRET=whsec_… go run ./docs/quickstart/webhook 8080
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: WEBHOOK_SECRET=whsec_… webhook PORT")
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("WEBHOOK_SECRET"), "whsec_"))
	if err != nil || len(key) == 0 { // everybody can sign with an empty key
		log.Fatal("WEBHOOK_SECRET must be the secret that the service showed: whsec_…")
	}
	server := &http.Server{
		Addr: "127.0.0.1:" + os.Args[1], Handler: receiver{key}, ReadTimeout: 10 * time.Second,
	}
	log.Fatal(server.ListenAndServe())
}

// A receiver accepts events that are signed with its key.
type receiver struct{ key []byte }

func (r receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, 1<<20))
	if err == nil {
		err = r.verify(req.Header, body, time.Now())
	}
	var event struct{ ID, Type string }
	if err == nil {
		err = json.Unmarshal(body, &event)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	// An event may arrive again with the same id. Store it, answer, and do the work afterwards.
	log.Println(event.Type, event.ID)
	w.WriteHeader(http.StatusNoContent)
}

// tolerance is how old a signature may be, so that a recorded request cannot be sent again later.
const tolerance = 5 * time.Minute

// verify returns an error unless the service has signed the body just now.
func (r receiver) verify(header http.Header, body []byte, now time.Time) error {
	timestamp := header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > tolerance {
		return errors.New("the timestamp is missing or too old")
	}
	mac := hmac.New(sha256.New, r.key)
	_, _ = fmt.Fprintf(mac, "%s.%s.%s", header.Get("webhook-id"), timestamp, body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for signature := range strings.FieldsSeq(header.Get("webhook-signature")) {
		if hmac.Equal([]byte(signature), []byte(expected)) {
			return nil
		}
	}
	return errors.New("the signature is not valid")
}
