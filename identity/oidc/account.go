package oidc

import (
	"net/mail"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An Account is what a provider says about a person. All texts are bounded valid UTF-8 without NUL.
type Account struct {
	// Issuer and Subject identify the account. Subject has 1 to 255 bytes.
	Issuer, Subject string
	// Email is as the provider has it. It is empty if there is none, or none that is plausible.
	Email string
	// EmailProven means that the provider vouches for Email by the rules of docs/sign-in.md.
	EmailProven bool
	// Name and Picture are empty if there are none. Picture is an https URL.
	Name, Picture string
	// MFA means that the provider says that it has required several factors, and is trusted with that.
	MFA bool
}

const (
	maxSubjectBytes = 255 // OpenID Connect Core 1.0, section 2
	maxEmailBytes   = 255
	maxNameRunes    = 200
	maxPictureBytes = 2000
)

// describe fills what claims say about a person. The address, and whether it is proven, come from the same
// claims: a statement about one address is none about another.
func (c Config) describe(a *Account, said claims) {
	if email := said.text("email"); isPlausibleEmail(email) {
		a.Email = email
		a.EmailProven = c.proves(email, said)
	}
	if name := plainName(said); name != "" {
		a.Name = name
	}
	if picture := said.text("picture"); isPicture(picture) {
		a.Picture = picture
	}
}

// proves reports whether claims prove that a person has an address. Decision 0431 has the reasons.
func (c Config) proves(email string, said claims) bool {
	verified := said.isOneOf("email_verified", "true", `"true"`)
	switch c.Name {
	case NameGoogle:
		// Google is the mail server of these alone. Another address was verified once, and may since belong to
		// somebody else.
		_, domain, _ := strings.Cut(LowerASCII(email), "@")
		return verified && (domain == "gmail.com" || domain == "googlemail.com" || said.text("hd") != "")
	case NameAzure:
		// The administrators of a tenant may set any address for its users, and email_verified is not Azure's.
		return said.isOneOf("xms_edov", "true", `"true"`, "1", `"1"`)
	}
	return verified && c.TrustsEmail
}

// LowerASCII maps A to Z alone, for addresses that are to be proven. Other letters must not become those of
// ASCII: strings.ToLower makes an i of U+0130 and a k of U+212A, which are letters of other domains.
func LowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// hasMFA reports whether the claims say that several factors were required (RFC 8176, section 2).
func (c Config) hasMFA(said claims) bool {
	return c.TrustsMFA && slices.Contains(said.texts("amr"), "mfa")
}

// isPlausibleEmail reports whether a text may be an address. Package identity is stricter when it stores one.
func isPlausibleEmail(s string) bool {
	if len(s) > maxEmailBytes || strings.ContainsFunc(s, isUnprintable) || strings.Count(s, "@") != 1 {
		return false
	}
	parsed, err := mail.ParseAddress(s)
	return err == nil && parsed.Address == s && parsed.Name == ""
}

func isUnprintable(r rune) bool {
	return r <= ' ' || r == utf8.RuneError || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Z)
}

// plainName returns a name as one line.
func plainName(said claims) string {
	name := said.text("name")
	if strings.TrimSpace(name) == "" {
		name = said.text("given_name") + " " + said.text("family_name")
	}
	name = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r) || unicode.In(r, unicode.Zl, unicode.Zp):
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == utf8.RuneError:
			return -1
		}
		return r
	}, name)
	runes := []rune(strings.Join(strings.Fields(name), " "))
	return strings.TrimSpace(string(runes[:min(len(runes), maxNameRunes)]))
}

// isPicture reports whether a text is the address of a picture that a page may show.
func isPicture(s string) bool {
	address, err := url.Parse(s)
	return err == nil && len(s) <= maxPictureBytes && isPlainText(s) && address.Scheme == "https" &&
		address.Hostname() != "" && address.User == nil
}

// isSubject reports whether a text identifies an account. U+FFFD stands for bytes that are not UTF-8, so that
// two accounts could have the same one.
func isSubject(s string) bool {
	return s != "" && len(s) <= maxSubjectBytes && !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) || r == utf8.RuneError
	})
}
