package pdf

import "research/transcript/pdf/crypt"

// unlock finds the key of an encrypted file that no password is required to open. It is false if one is, or
// a certificate. What the file restricts is for viewers: who uploads a transcript has to have the right to.
func (f *file) unlock() bool {
	d := f.dict(f.encrypt)
	if f.resolve(d["Filter"]) != name("Standard") {
		return false
	}
	bytesOf := func(key name) []byte {
		s, _ := f.resolve(d[key]).(text)
		return s
	}
	plain, _ := f.resolve(d["EncryptMetadata"]).(keyword)
	s := crypt.Settings{
		Method: crypt.RC4, Revision: int(f.number(d["R"])), KeyBytes: 5, Owner: bytesOf("O"), User: bytesOf("U"),
		UserKey: bytesOf("UE"), Permissions: int32(int64(f.number(d["P"]))), MetadataIsPlain: plain == "false",
		ID: f.id,
	}
	switch version := f.number(d["V"]); {
	case version >= 4:
		filter, _ := f.resolve(d["StmF"]).(name)
		s.Method, s.KeyBytes = f.method(f.dict(f.dict(d["CF"])[filter])), 16
	case d["Length"] != nil:
		s.KeyBytes = int(f.number(d["Length"])) / 8
	}
	key, ok := crypt.Open(s)
	f.key = key
	return ok
}

// method returns the method of a filter for encryption. The one without a dictionary leaves all as it is.
func (f *file) method(filter dict) crypt.Method {
	switch f.resolve(filter["CFM"]) {
	case name("V2"):
		return crypt.RC4
	case name("AESV2"):
		return crypt.AES128
	case name("AESV3"):
		return crypt.AES256
	}
	return crypt.None
}

// decrypt decrypts a stream of an object, if the file is encrypted.
func (f *file) decrypt(number, generation int, body []byte) []byte {
	if f.key == nil {
		return body
	}
	f.spend(len(body))
	return f.key.Stream(number, generation, body)
}
