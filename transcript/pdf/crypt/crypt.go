// Package crypt decrypts the streams of PDF files that no password is required to open: those whose user
// password is empty, and that only restrict what a viewer offers. It follows section 7.6 of ISO 32000-2 and,
// for revision 5, Adobe's extension level 3. It tries no passwords, and knows neither certificates nor
// strings.
package crypt

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/rc4"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
)

// A Method is how streams are encrypted.
type Method int

// The methods that PDF has.
const (
	None Method = iota
	RC4
	AES128
	AES256
)

// Settings are the entries of a file's encryption dictionary, with their names in it.
type Settings struct {
	Method          Method
	Revision        int    // R
	KeyBytes        int    // Length, in bytes
	Owner, User     []byte // O, U
	UserKey         []byte // UE, of revision 5 and 6
	Permissions     int32  // P
	MetadataIsPlain bool   // EncryptMetadata is false
	ID              []byte // the first one of the file
}

// A Key decrypts the streams of a file.
type Key struct {
	method Method
	bytes  []byte
}

// padding is what passwords are filled with. The empty one is nothing else.
const padding = "\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08" +
	"\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A"

// Open returns the key of a file. It is false if the file requires a password, or its settings make no sense.
func Open(s Settings) (*Key, bool) {
	switch {
	case s.Revision >= 5:
		return open256(s)
	case s.Revision < 2, len(s.Owner) < 32, len(s.User) < 16, s.KeyBytes < 5, s.KeyBytes > 16:
		return nil, false
	}
	message := append([]byte(padding), s.Owner[:32]...)
	message = binary.LittleEndian.AppendUint32(message, uint32(s.Permissions))
	message = append(message, s.ID...)
	if s.Revision >= 4 && s.MetadataIsPlain {
		message = append(message, 0xFF, 0xFF, 0xFF, 0xFF)
	}
	sum := md5.Sum(message)
	if s.Revision >= 3 {
		for range 50 {
			sum = md5.Sum(sum[:s.KeyBytes])
		}
	}
	key := &Key{method: s.Method, bytes: bytes.Clone(sum[:s.KeyBytes])}
	return key, bytes.HasPrefix(s.User, checkOf(key.bytes, s))
}

// checkOf returns what the user entry begins with if a key is right.
func checkOf(key []byte, s Settings) []byte {
	if s.Revision == 2 {
		return xorRC4(key, []byte(padding))[:16]
	}
	sum := md5.Sum(append([]byte(padding), s.ID...))
	check := sum[:]
	for i := range 20 {
		other := bytes.Clone(key)
		for j := range other {
			other[j] ^= byte(i)
		}
		check = xorRC4(other, check)
	}
	return check
}

// open256 opens files of revision 5 and 6. The user entry has a hash and two salts.
func open256(s Settings) (*Key, bool) {
	const hash, check, end = 32, 40, 48
	if len(s.User) < end || len(s.UserKey) < hash ||
		!bytes.Equal(hashOf(s.User[hash:check], s.Revision), s.User[:hash]) {
		return nil, false
	}
	block, err := aes.NewCipher(hashOf(s.User[check:end], s.Revision))
	if err != nil {
		return nil, false
	}
	key := make([]byte, hash)
	cipher.NewCBCDecrypter(block, make([]byte, aes.BlockSize)).CryptBlocks(key, s.UserKey[:hash])
	return &Key{method: s.Method, bytes: key}, true
}

// hashOf returns the hash of the empty password and a salt: algorithm 2.B of the standard, and its first step
// for revision 5.
func hashOf(salt []byte, revision int) []byte {
	sum := sha256.Sum256(salt)
	k := sum[:]
	if revision < 6 {
		return k
	}
	for i := 0; ; i++ {
		block, err := aes.NewCipher(k[:16])
		if err != nil {
			return nil
		}
		e := bytes.Repeat(k, 64)
		cipher.NewCBCEncrypter(block, k[16:32]).CryptBlocks(e, e)
		remainder := 0
		for _, b := range e[:16] {
			remainder += int(b)
		}
		switch remainder % 3 {
		case 0:
			sum := sha256.Sum256(e)
			k = sum[:]
		case 1:
			sum := sha512.Sum384(e)
			k = sum[:]
		default:
			sum := sha512.Sum512(e)
			k = sum[:]
		}
		if i >= 63 && int(e[len(e)-1]) <= i-31 {
			return k[:32]
		}
	}
}

// Stream decrypts a stream of an object.
func (k *Key) Stream(number, generation int, data []byte) []byte {
	key := k.bytes
	if k.method == RC4 || k.method == AES128 {
		message := append(bytes.Clone(key), byte(number), byte(number>>8), byte(number>>16),
			byte(generation), byte(generation>>8))
		if k.method == AES128 {
			message = append(message, "sAlT"...)
		}
		sum := md5.Sum(message)
		key = sum[:min(len(key)+5, 16)]
	}
	switch k.method {
	case None:
		return data
	case RC4:
		return xorRC4(key, data)
	}
	block, err := aes.NewCipher(key)
	n := len(data) / aes.BlockSize * aes.BlockSize
	if err != nil || n < 2*aes.BlockSize {
		return nil
	}
	out := make([]byte, n-aes.BlockSize)
	cipher.NewCBCDecrypter(block, data[:aes.BlockSize]).CryptBlocks(out, data[aes.BlockSize:n])
	if fill := int(out[len(out)-1]); fill <= aes.BlockSize {
		return out[:len(out)-fill]
	}
	return out
}

func xorRC4(key, data []byte) []byte {
	c, err := rc4.NewCipher(key)
	if err != nil {
		return nil
	}
	out := make([]byte, len(data))
	c.XORKeyStream(out, data)
	return out
}
