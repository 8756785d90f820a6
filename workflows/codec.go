package workflows

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"strings"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/proto"
)

// How an encrypted payload is marked, as in Temporal's own samples of codecs.
const (
	encryptedEncoding = "binary/encrypted"
	keyIDMetadata     = "encryption-key-id"
)

// A Keyring encrypts what goes into Temporal's histories with AES-256-GCM, and decrypts it: a converter.PayloadCodec. Payloads that are not encrypted are
// decoded as they are, so that encryption can be switched on while runs are under way.
type Keyring struct {
	first string // its key encrypts
	keys  map[string]cipher.AEAD
}

// goodKeyID is short and without the separators of PAYLOAD_KEYS.
var goodKeyID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,32}$`)

// keyBytes make AES-256.
const keyBytes = 32

// ParseKeys reads keys as PAYLOAD_KEYS has them: "id:base64" with 32 bytes each, separated by commas. The first encrypts; all of them decrypt, so that keys can be
// replaced. An empty text is no keyring. Its errors never repeat a key.
func ParseKeys(text string) (*Keyring, error) {
	if text == "" {
		return nil, nil
	}
	k := &Keyring{keys: map[string]cipher.AEAD{}}
	for i, one := range strings.Split(text, ",") {
		id, encoded, ok := strings.Cut(strings.TrimSpace(one), ":")
		if !ok || !goodKeyID.MatchString(id) {
			return nil, fmt.Errorf("key %d is not written as id:base64", i+1)
		}
		raw, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil || len(raw) != keyBytes {
			return nil, fmt.Errorf("key %d is not the base64 of 32 bytes (make one by: openssl rand -base64 32)", i+1)
		}
		if _, twice := k.keys[id]; twice {
			return nil, fmt.Errorf("two keys have the same id, the second of them is key %d", i+1)
		}
		block, err := aes.NewCipher(raw)
		if err != nil {
			return nil, fmt.Errorf("key %d cannot be used", i+1)
		}
		if k.keys[id], err = cipher.NewGCM(block); err != nil {
			return nil, fmt.Errorf("key %d cannot be used", i+1)
		}
		if i == 0 {
			k.first = id
		}
	}
	return k, nil
}

// Encode encrypts payloads with the first key.
func (k *Keyring) Encode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	out := make([]*commonpb.Payload, len(payloads))
	aead := k.keys[k.first]
	for i, p := range payloads {
		plain, err := proto.Marshal(p)
		if err != nil {
			return nil, errors.New("a payload cannot be marshalled")
		}
		nonce := make([]byte, aead.NonceSize(), aead.NonceSize()+len(plain)+aead.Overhead())
		_, _ = rand.Read(nonce) // it never fails
		out[i] = &commonpb.Payload{
			Metadata: map[string][]byte{converter.MetadataEncoding: []byte(encryptedEncoding), keyIDMetadata: []byte(k.first)},
			Data:     aead.Seal(nonce, nonce, plain, []byte(k.first)),
		}
	}
	return out, nil
}

// Decode decrypts payloads. Its errors say which key is missing or wrong.
func (k *Keyring) Decode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	out := make([]*commonpb.Payload, len(payloads))
	for i, p := range payloads {
		if string(p.GetMetadata()[converter.MetadataEncoding]) != encryptedEncoding {
			out[i] = p
			continue
		}
		id := string(p.GetMetadata()[keyIDMetadata])
		aead, known := k.keys[id]
		if !known {
			return nil, fmt.Errorf("the payload is encrypted with the key %q, which is not in PAYLOAD_KEYS", id)
		}
		if len(p.GetData()) < aead.NonceSize() {
			return nil, fmt.Errorf("the payload is damaged: it is shorter than its nonce")
		}
		nonce, sealed := p.GetData()[:aead.NonceSize()], p.GetData()[aead.NonceSize():]
		plain, err := aead.Open(nil, nonce, sealed, []byte(id))
		if err != nil {
			return nil, fmt.Errorf("the payload cannot be decrypted: the key %q in PAYLOAD_KEYS is another than the one it was encrypted with, or the payload is damaged", id)
		}
		out[i] = &commonpb.Payload{}
		if err := proto.Unmarshal(plain, out[i]); err != nil {
			return nil, errors.New("the payload is damaged: what it decrypts to is no payload")
		}
	}
	return out, nil
}

// patient is a Keyring for workers. The SDK fails a workflow for good whose payloads cannot be decoded, but only the task, which it tries again, where the codec panics: a
// worker with a wrong key must not end imports that the next one can go on with. In activities the SDK turns the panic into an error that is retried.
type patient struct{ *Keyring }

func (p patient) Decode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	out, err := p.Keyring.Decode(payloads)
	if err != nil {
		panic(err)
	}
	return out, nil
}
