package temporalclient

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

// The metadata of an encrypted payload, as in Temporal's samples of codecs.
const (
	encryptedEncoding = "binary/encrypted"
	keyIDMetadata     = "encryption-key-id"
)

// A Keyring is a converter.PayloadCodec that encrypts payloads with AES-256-GCM. Payloads that are not
// encrypted decode unchanged, so that encryption can be turned on while runs are open.
type Keyring struct {
	first string // the id of the key that encrypts
	keys  map[string]cipher.AEAD
}

// validKeyID is short and contains none of the separators of PAYLOAD_KEYS.
var validKeyID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,32}$`)

// keyBytes is the length of a key of AES-256.
const keyBytes = 32

// ParseKeys parses PAYLOAD_KEYS: "id:base64" of 32 bytes each, separated by commas. The first key encrypts
// and all of them decrypt, so that keys can be rotated. An empty text returns nil. Its errors never repeat a
// key.
func ParseKeys(text string) (*Keyring, error) {
	if text == "" {
		return nil, nil
	}
	k := &Keyring{keys: map[string]cipher.AEAD{}}
	for i, entry := range strings.Split(text, ",") {
		id, encoded, ok := strings.Cut(strings.TrimSpace(entry), ":")
		if !ok || !validKeyID.MatchString(id) {
			return nil, fmt.Errorf("key %d does not have the form id:base64", i+1)
		}
		if _, duplicate := k.keys[id]; duplicate {
			return nil, fmt.Errorf("key %d has the id of an earlier key", i+1)
		}
		raw, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil || len(raw) != keyBytes {
			return nil, fmt.Errorf(
				"key %d is not the base64 of 32 bytes (create one with: openssl rand -base64 32)", i+1)
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
		_, _ = rand.Read(nonce) // never fails, see crypto/rand
		out[i] = &commonpb.Payload{
			Metadata: map[string][]byte{
				converter.MetadataEncoding: []byte(encryptedEncoding),
				keyIDMetadata:              []byte(k.first),
			},
			Data: aead.Seal(nonce, nonce, plain, []byte(k.first)),
		}
	}
	return out, nil
}

// Decode decrypts payloads. Its errors name the key that is missing or wrong.
func (k *Keyring) Decode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	out := make([]*commonpb.Payload, len(payloads))
	for i, p := range payloads {
		if !isEncrypted(p) {
			out[i] = p
			continue
		}
		plain, err := k.open(p)
		if err != nil {
			return nil, err
		}
		out[i] = &commonpb.Payload{}
		if err := proto.Unmarshal(plain, out[i]); err != nil {
			return nil, errors.New("the payload is damaged: its plain text is not a payload")
		}
	}
	return out, nil
}

func isEncrypted(p *commonpb.Payload) bool {
	return string(p.GetMetadata()[converter.MetadataEncoding]) == encryptedEncoding
}

func (k *Keyring) open(p *commonpb.Payload) ([]byte, error) {
	id := string(p.GetMetadata()[keyIDMetadata])
	aead, known := k.keys[id]
	if !known {
		return nil, fmt.Errorf("the payload is encrypted with the key %q, which is not in PAYLOAD_KEYS", id)
	}
	if len(p.GetData()) < aead.NonceSize() {
		return nil, errors.New("the payload is damaged: it is shorter than its nonce")
	}
	nonce, sealed := p.GetData()[:aead.NonceSize()], p.GetData()[aead.NonceSize():]
	plain, err := aead.Open(nil, nonce, sealed, []byte(id))
	if err != nil {
		return nil, fmt.Errorf("the payload cannot be decrypted: the key %q in PAYLOAD_KEYS is not the one that "+
			"encrypted it, or the payload is damaged", id)
	}
	return plain, nil
}

// A retryingCodec is a Keyring for workers. If a codec returns an error, the SDK fails the workflow. If it
// panics, the SDK fails only the task, which Temporal retries. It panics, because a worker with a wrong key
// must not end runs that another worker can continue. In activities, the SDK turns the panic into a retryable
// error.
type retryingCodec struct{ *Keyring }

func (c retryingCodec) Decode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	out, err := c.Keyring.Decode(payloads)
	if err != nil {
		panic(err)
	}
	return out, nil
}
