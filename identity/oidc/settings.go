package oidc

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"slices"
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
		if wrong := c.check(); wrong != "" {
			return nil, fmt.Errorf("has a provider %s that %s", s.Name, wrong)
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
		return nil, fmt.Errorf("has a field %s of another type", wrongType.Field)
	case errors.As(err, &wrongType):
		return nil, errors.New("must be a JSON array of objects")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errors.New("is not JSON (it ends too early)")
	case err != nil:
		return nil, fmt.Errorf("has a field that is not one of name, label, issuer, client_id, client_secret, " +
			"scopes, trusts_email and trusts_mfa")
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("must be one JSON array")
	}
	return list, nil
}

// ordinal counts the items of a list for people.
func ordinal(i int) string {
	names := []string{"first", "second", "third"}
	if i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("%dth", i+1)
}

// check returns what is wrong, as a predicate without secrets, or "". Whether the issuer may be asked is
// checked by New, which knows the hosts that are allowed.
func (c Config) check() string {
	name, custom := strings.CutPrefix(c.Name, CustomPrefix)
	if custom && !customName.MatchString(name) || !custom && c.Name != NameGoogle && c.Name != NameAzure {
		return "has no valid name"
	}
	if c.Label == "" || utf8.RuneCountInString(c.Label) > maxLabelRunes || !utf8.ValidString(c.Label) ||
		strings.ContainsFunc(c.Label, unicode.IsControl) {
		return fmt.Sprintf("has a label that is not one line of 1 to %d characters", maxLabelRunes)
	}
	if wrong := c.checkIssuer(); wrong != "" {
		return wrong
	}
	if wrong := c.checkClient(); wrong != "" {
		return wrong
	}
	if len(c.Scopes) > maxScopes || !allFunc(c.Scopes, isScope) {
		return fmt.Sprintf("has scopes that are not a list of at most %d words", maxScopes)
	}
	if c.TrustsEmail && !custom {
		return "has rules of its own for addresses"
	}
	return ""
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
	if c.Name == NameAzure && !azureIssuer.MatchString(parsed.Path) {
		return "has a tenant that is not common, organizations, consumers, an id or a domain"
	}
	return ""
}

var azureIssuer = regexp.MustCompile(`^/[A-Za-z0-9](?:[A-Za-z0-9.-]{0,250})/v2\.0$`)

func (c Config) checkClient() string {
	valid := func(id string) bool { return len(id) <= maxAddressBytes && isPlainText(id) }
	switch {
	case len(c.ClientIDs) == 0:
		return "has no client id"
	case len(c.ClientIDs) > maxClientIDs || !allFunc(c.ClientIDs, valid):
		return fmt.Sprintf("has client ids that are not at most %d words, separated by commas", maxClientIDs)
	case len(c.ClientSecret) > maxSecretBytes || strings.ContainsFunc(c.ClientSecret, unicode.IsControl):
		return fmt.Sprintf("has a client secret that is not one line of at most %d bytes", maxSecretBytes)
	}
	return ""
}

func allFunc(list []string, valid func(string) bool) bool {
	return !slices.ContainsFunc(list, func(s string) bool { return !valid(s) })
}
