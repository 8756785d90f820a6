package oidc

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of what an operator sets. They keep a mistake from becoming a page of buttons, or an address that
// browsers cut off.
const (
	maxProviders   = 20
	maxLabelRunes  = 60
	maxClientIDs   = 20
	maxSecretBytes = 1000
	maxScopes      = 20
)

var customName = regexp.MustCompile(`^[a-z0-9-]{1,40}$`)

// ParseConfigs reads EXTERNAL_PROVIDERS: a JSON array of objects with name, label, issuer, client_id,
// client_secret, scopes, trusts_email and trusts_mfa. The name "acme" becomes "custom:acme". Its error is a
// phrase that follows the name of the setting, and has no secrets.
func ParseConfigs(text string) ([]Config, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	list, err := decodeSettings(text)
	if err != nil {
		return nil, err
	}
	if len(list) > maxProviders {
		return nil, fmt.Errorf("has more than %d providers", maxProviders)
	}
	var configs []Config
	for i, s := range list {
		if !customName.MatchString(s.Name) {
			return nil, fmt.Errorf("has a provider whose name is not 1 to 40 of a-z, 0-9 and - (the %s)", ordinal(i))
		}
		c := s.config()
		if slices.ContainsFunc(configs, func(other Config) bool { return other.Name == c.Name }) {
			return nil, fmt.Errorf("has two providers with the name %s", s.Name)
		}
		if wrong := c.check(); wrong != nil {
			return nil, fmt.Errorf("has a provider %s that %s", s.Name, wrong.Reason)
		}
		configs = append(configs, c)
	}
	return configs, nil
}

// A setting is a provider in EXTERNAL_PROVIDERS.
type setting struct {
	Name         string   `json:"name"`
	Label        string   `json:"label"`
	Issuer       string   `json:"issuer"`
	ClientID     string   `json:"client_id"`
	ClientSecret string   `json:"client_secret"`
	Scopes       []string `json:"scopes"`
	TrustsEmail  bool     `json:"trusts_email"`
	TrustsMFA    bool     `json:"trusts_mfa"`
}

func (s setting) config() Config {
	label := strings.TrimSpace(s.Label)
	if label == "" {
		label = s.Name
	}
	return Config{
		Name: CustomPrefix + s.Name, Label: label, Issuer: s.Issuer, ClientIDs: splitList(s.ClientID),
		ClientSecret: s.ClientSecret, Scopes: s.Scopes, TrustsEmail: s.TrustsEmail, TrustsMFA: s.TrustsMFA,
	}
}

// decodeSettings does not repeat what it cannot read: a value without quotes may be a secret.
func decodeSettings(text string) (list []setting, err error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	err = decoder.Decode(&list)
	var syntax *json.SyntaxError
	var wrongType *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return nil, fmt.Errorf("is not JSON (at byte %d)", syntax.Offset)
	case errors.As(err, &wrongType) && wrongType.Field != "":
		return nil, fmt.Errorf("has a field %s that is not %s", wrongType.Field, fieldType(wrongType.Field))
	case errors.As(err, &wrongType):
		return nil, errors.New("must be a JSON array of objects")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errors.New("is not JSON (it ends too early)")
	case err != nil:
		return nil, fmt.Errorf("has an unknown field%s: the fields are name, label, issuer, client_id, "+
			"client_secret, scopes, trusts_email and trusts_mfa", unknownField(err))
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("must be one JSON array")
	}
	return list, nil
}

// fieldType names the type of a field.
func fieldType(field string) string {
	switch field {
	case "scopes":
		return "a list of texts"
	case "trusts_email", "trusts_mfa":
		return "true or false"
	}
	return "a text"
}

// maxFieldBytes bounds what is repeated of an unknown field.
const maxFieldBytes = 40

// unknownField returns the name in an error of package json, with a space before it, or "" if it is no plain
// word.
func unknownField(err error) string {
	quoted, _ := strings.CutPrefix(err.Error(), "json: unknown field ")
	field, err := strconv.Unquote(quoted)
	if err != nil || field == "" || !isPlainText(field) {
		return ""
	}
	return " " + field[:min(len(field), maxFieldBytes)]
}

// ordinal counts the items of a list for people.
func ordinal(i int) string {
	names := []string{"first", "second", "third"}
	if i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("%dth", i+1)
}

// A ConfigError says what is wrong with a Config. It has no secrets.
type ConfigError struct {
	// Provider is the Name of the Config.
	Provider string
	// Field is the field of EXTERNAL_PROVIDERS, or "tenant" for Azure's.
	Field string
	// Reason is the predicate of a sentence about the provider, or about the setting that has the field.
	Reason string
}

func (e *ConfigError) Error() string { return "the provider " + e.Provider + " " + e.Reason }

// check returns what is wrong, or nil. Whether the issuer may be asked is checked by New, which knows the
// hosts that are allowed. Names are those of Google, Azure and ParseConfigs.
func (c Config) check() *ConfigError {
	wrong := func(field, reason string, args ...any) *ConfigError {
		return &ConfigError{Provider: c.Name, Field: field, Reason: fmt.Sprintf(reason, args...)}
	}
	if c.Label == "" || utf8.RuneCountInString(c.Label) > maxLabelRunes || !utf8.ValidString(c.Label) ||
		strings.ContainsFunc(c.Label, unicode.IsControl) {
		return wrong("label", "has a label that is not one line of 1 to %d characters", maxLabelRunes)
	}
	if c.Name == NameAzure && !azureIssuer.MatchString(c.Issuer) {
		return wrong("tenant", "has a tenant that is not common, organizations, consumers, an id or a domain")
	}
	if reason := c.checkIssuer(); reason != "" {
		return wrong("issuer", "%s", reason)
	}
	valid := func(id string) bool { return len(id) <= maxAddressBytes && isPlainText(id) }
	switch {
	case len(c.ClientIDs) == 0:
		return wrong("client_id", "has no client id")
	case len(c.ClientIDs) > maxClientIDs || !allFunc(c.ClientIDs, valid):
		return wrong("client_id", "has client ids that are not at most %d words, separated by commas", maxClientIDs)
	case len(c.ClientSecret) > maxSecretBytes || strings.ContainsFunc(c.ClientSecret, unicode.IsControl):
		return wrong("client_secret", "has a client secret that is not one line of at most %d bytes",
			maxSecretBytes)
	case len(c.Scopes) > maxScopes || !allFunc(c.Scopes, isScope):
		return wrong("scopes", "has scopes that are not a list of at most %d words", maxScopes)
	}
	return nil
}

func (c Config) checkIssuer() string {
	if c.Issuer == "" {
		return "has no issuer"
	}
	parsed, err := url.Parse(c.Issuer)
	if err != nil || parsed.Host == "" || len(c.Issuer) > maxAddressBytes || !isPlainText(c.Issuer) ||
		parsed.Scheme != "https" && parsed.Scheme != "http" || parsed.User != nil ||
		strings.ContainsAny(c.Issuer, "?#") {
		return "has an issuer that is not a URL with https://, without ? and #"
	}
	if strings.HasSuffix(parsed.Path, discoveryPath) {
		return "has an issuer with " + discoveryPath + ", which must be left out"
	}
	return ""
}

// azureIssuer matches issuers whose tenant is one of the words, an id or a domain. Tests have other hosts.
var azureIssuer = regexp.MustCompile(`^https?://[^/]+/(common|organizations|consumers|` +
	`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z0-9-]{1,63})/v2\.0$`)

func allFunc(list []string, valid func(string) bool) bool {
	return !slices.ContainsFunc(list, func(s string) bool { return !valid(s) })
}
