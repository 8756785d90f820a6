package temporalclient_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/proto"

	"research/temporalclient"
)

// payloadKey is a key of PAYLOAD_KEYS, made from a letter.
func payloadKey(id string, letter byte) string {
	return id + ":" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat(string(letter), 32)))
}

func keyring(t testing.TB, keys ...string) *temporalclient.Keyring {
	t.Helper()
	k, err := temporalclient.ParseKeys(strings.Join(keys, ","))
	require.NoError(t, err)
	return k
}

func TestKeyring(t *testing.T) {
	t.Parallel()
	plain, err := converter.GetDefaultDataConverter().ToPayloads("the receipts are missing", 7)
	require.NoError(t, err)

	t.Run("decrypts what it encrypts, and reveals nothing", func(t *testing.T) {
		t.Parallel()
		k := keyring(t, payloadKey("a", 'x'))
		sealed, err := k.Encode(plain.GetPayloads())
		require.NoError(t, err)
		for i, p := range sealed {
			raw, err := proto.Marshal(p)
			require.NoError(t, err)
			require.NotContains(t, string(raw), "receipts")
			require.NotContains(t, string(raw), "json/plain")
			require.NotEqual(t, plain.GetPayloads()[i].GetData(), p.GetData())
		}
		opened, err := k.Decode(sealed)
		require.NoError(t, err)
		requirePayloads(t, plain.GetPayloads(), opened)
	})

	t.Run("encrypts the same payload differently each time", func(t *testing.T) {
		t.Parallel()
		k := keyring(t, payloadKey("a", 'x'))
		first, err := k.Encode(plain.GetPayloads())
		require.NoError(t, err)
		second, err := k.Encode(plain.GetPayloads())
		require.NoError(t, err)
		require.NotEqual(t, first[0].GetData(), second[0].GetData())
	})

	t.Run("encrypts with the first key and decrypts with all, so that keys can be rotated", func(t *testing.T) {
		t.Parallel()
		old, err := keyring(t, payloadKey("a", 'x')).Encode(plain.GetPayloads())
		require.NoError(t, err)
		both := keyring(t, payloadKey("b", 'y'), payloadKey("a", 'x'))
		opened, err := both.Decode(old)
		require.NoError(t, err)
		requirePayloads(t, plain.GetPayloads(), opened)
		sealed, err := both.Encode(plain.GetPayloads())
		require.NoError(t, err)
		require.Equal(t, "b", string(sealed[0].GetMetadata()["encryption-key-id"]))
	})

	t.Run("leaves a payload that is not encrypted unchanged", func(t *testing.T) {
		t.Parallel()
		opened, err := keyring(t, payloadKey("a", 'x')).Decode(plain.GetPayloads())
		require.NoError(t, err)
		requirePayloads(t, plain.GetPayloads(), opened)
	})

	t.Run("distinguishes a missing key, a wrong key and damage", func(t *testing.T) {
		t.Parallel()
		k := keyring(t, payloadKey("a", 'x'))
		sealed, err := k.Encode(plain.GetPayloads())
		require.NoError(t, err)
		_, err = keyring(t, payloadKey("b", 'x')).Decode(sealed)
		require.ErrorContains(t, err, `the key "a", which is not in PAYLOAD_KEYS`)
		_, err = keyring(t, payloadKey("a", 'y')).Decode(sealed)
		require.ErrorContains(t, err, `the key "a" in PAYLOAD_KEYS is not the one`)
		for _, damage := range []func(*commonpb.Payload){
			func(p *commonpb.Payload) { p.Data = p.GetData()[:5] },
			func(p *commonpb.Payload) { p.Data[len(p.GetData())-1] ^= 1 },
			func(p *commonpb.Payload) { p.Data[0] ^= 1 },
		} {
			broken := proto.Clone(sealed[0]).(*commonpb.Payload)
			damage(broken)
			_, err = k.Decode([]*commonpb.Payload{broken})
			require.ErrorContains(t, err, "damaged")
		}
	})

	t.Run("rejects a payload whose key id was changed", func(t *testing.T) {
		t.Parallel()
		k := keyring(t, payloadKey("a", 'x'), payloadKey("b", 'x'))
		sealed, err := k.Encode(plain.GetPayloads())
		require.NoError(t, err)
		sealed[0].Metadata["encryption-key-id"] = []byte("b")
		_, err = k.Decode(sealed[:1])
		require.Error(t, err)
	})
}

func TestParseKeys(t *testing.T) {
	t.Parallel()
	none, err := temporalclient.ParseKeys("")
	require.NoError(t, err)
	require.Nil(t, none)
	short := base64.StdEncoding.EncodeToString([]byte("sekret-sekret-sekret"))
	for _, bad := range []string{
		"sekret", ":" + short, "a b:" + short, "a:" + short, "a:sekret!",
		payloadKey("a", 'x') + ",", payloadKey("a", 'x') + "," + payloadKey("a", 'y'),
	} {
		_, err := temporalclient.ParseKeys(bad)
		require.Error(t, err, bad)
		require.NotContains(t, err.Error(), "sekret")
		require.NotContains(t, err.Error(), short)
	}
}

func requirePayloads(t *testing.T, want, got []*commonpb.Payload) {
	t.Helper()
	require.Len(t, got, len(want))
	for i := range want {
		require.True(t, proto.Equal(want[i], got[i]))
	}
}

// Our payloads are ids and counts of about this size.
func BenchmarkKeyring(b *testing.B) {
	k := keyring(b, payloadKey("a", 'x'))
	payloads, err := converter.GetDefaultDataConverter().ToPayloads(strings.Repeat("0123456789abcdef", 20))
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		sealed, err := k.Encode(payloads.GetPayloads())
		require.NoError(b, err)
		_, err = k.Decode(sealed)
		require.NoError(b, err)
	}
}
