package identity

import (
	"cmp"
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/jellydator/ttlcache/v3"
	"golang.org/x/sync/singleflight"

	"research/internal/publicnet"
)

// ClientDocuments configures the documents that apps have about themselves (OAuth Client ID Metadata
// Documents, draft-ietf-oauth-client-id-metadata-document).
type ClientDocuments struct {
	// Hosts is OAUTH_CLIENT_HOSTS: the hosts ("host" or "host:port") whose documents are accepted. Their
	// addresses may be private. Empty means all hosts with public addresses.
	Hosts []string
	// Roots are the certificate authorities of these hosts; nil means those of the system.
	Roots *x509.CertPool
	// Timeout bounds a fetch; zero means 5 s.
	Timeout time.Duration
}

const (
	documentTimeout = 5 * time.Second
	documentBytes   = 64 << 10
	// A document is kept as long as its server says, within these bounds, and a failure for the shorter one.
	minDocumentAge = time.Minute
	maxDocumentAge = 24 * time.Hour
	// maxDocuments bounds the memory of what is kept: a document has some 20 KB at most.
	maxDocuments = 1000
	// maxFetches bounds the connections to servers that do not answer.
	maxFetches = 32
)

// clientDocuments fetches and keeps metadata documents.
type clientDocuments struct {
	hosts   []string // in lower case
	timeout time.Duration
	client  *publicnet.Client
	now     func() time.Time
	group   singleflight.Group
	slots   chan struct{}
	kept    *ttlcache.Cache[string, keptDocument] // least recently used first out
}

// A keptDocument is what a fetch found.
type keptDocument struct {
	metadata ClientMetadata
	err      error // a *ClientMetadataError, or nil
	until    time.Time
}

func newClientDocuments(cfg ClientDocuments, now func() time.Time) *clientDocuments {
	d := &clientDocuments{
		timeout: cmp.Or(cfg.Timeout, documentTimeout), now: now, slots: make(chan struct{}, maxFetches),
		kept: ttlcache.New(ttlcache.WithCapacity[string, keptDocument](maxDocuments)),
	}
	for _, host := range cfg.Hosts {
		d.hosts = append(d.hosts, strings.ToLower(host))
	}
	d.client = publicnet.NewClient(publicnet.Config{
		ExemptHosts: d.hosts, Timeout: d.timeout, Roots: cfg.Roots,
	})
	return d
}

// check rejects URLs that must not be client ids (section 3 of the draft), and hosts that are not allowed.
func (d *clientDocuments) check(address string) error {
	parsed, err := url.Parse(address)
	if err != nil || len(address) > maxRedirectURIBytes || !uriCharacters.MatchString(address) ||
		parsed.Scheme != "https" || parsed.Hostname() == "" || parsed.User != nil || !hasPlainHost(parsed) {
		return badMetadata("A client_id that is a URL must begin with https://, have a host in ASCII, and " +
			"neither a fragment nor a user name.")
	}
	if strings.Trim(parsed.Path, "/") == "" {
		return badMetadata("A client_id that is a URL must have a path.")
	}
	for segment := range strings.SplitSeq(parsed.Path, "/") {
		if segment == "." || segment == ".." {
			return badMetadata("A client_id that is a URL must not have . or .. in its path.")
		}
	}
	if len(d.hosts) > 0 && !d.client.Exempts(parsed) {
		return badMetadata("Apps of this host may not ask for access here (OAUTH_CLIENT_HOSTS).")
	}
	return nil
}

// lookUp returns what is kept about a document.
func (d *clientDocuments) lookUp(address string) (keptDocument, bool) {
	item := d.kept.Get(address)
	if item == nil || !d.now().Before(item.Value().until) {
		return keptDocument{}, false
	}
	return item.Value(), true
}

// fetch fetches a document. Concurrent fetches of the same one are a single one, which does not end with the
// request that began it. Errors: *LimitError, that of ctx.
func (d *clientDocuments) fetch(ctx context.Context, address string) (keptDocument, error) {
	fetched := d.group.DoChan(address, func() (any, error) {
		if kept, found := d.lookUp(address); found {
			return kept, nil
		}
		lasting := context.WithoutCancel(ctx)
		if err := d.enter(lasting); err != nil {
			return nil, err
		}
		defer func() { <-d.slots }()
		ctx, cancel := context.WithTimeout(lasting, d.timeout)
		defer cancel()
		kept := d.read(ctx, address)
		d.kept.Set(address, kept, ttlcache.NoTTL)
		return kept, nil
	})
	select {
	case <-ctx.Done():
		return keptDocument{}, ctx.Err()
	case result := <-fetched:
		if result.Err != nil {
			return keptDocument{}, result.Err
		}
		return result.Val.(keptDocument), nil
	}
}

// enter waits for a slot, as long as a fetch may take. Its error is a *LimitError.
func (d *clientDocuments) enter(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	select {
	case d.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return &LimitError{ErrTooManyDocuments, d.timeout}
	}
}

// read fetches and checks a document.
func (d *clientDocuments) read(ctx context.Context, address string) keptDocument {
	failed := func(err error) keptDocument { return keptDocument{err: err, until: d.now().Add(minDocumentAge)} }
	document, err := d.client.FetchJSON(ctx, address, documentBytes)
	var known *publicnet.DocumentError
	switch {
	case errors.As(err, &known):
		return failed(badMetadata("The metadata document of the app %s.", known.Reason))
	case err != nil:
		return failed(badMetadata("The metadata document of the app did not arrive in time."))
	}
	metadata, err := parseClientDocument(address, document.Body)
	if err != nil {
		return failed(err)
	}
	age := min(max(document.MaxAge, minDocumentAge), maxDocumentAge)
	return keptDocument{metadata: metadata, until: d.now().Add(age)}
}

// parseClientDocument reads the document at an address (section 4.1 of the draft). Its error is a
// *ClientMetadataError.
func parseClientDocument(address string, body []byte) (ClientMetadata, error) {
	var document struct {
		ClientID        string          `json:"client_id"`
		ClientSecret    json.RawMessage `json:"client_secret"`
		RedirectURIs    []string        `json:"redirect_uris"`
		GrantTypes      []string        `json:"grant_types"`
		ResponseTypes   []string        `json:"response_types"`
		AuthMethod      string          `json:"token_endpoint_auth_method"`
		ApplicationType string          `json:"application_type"`
		Name            string          `json:"client_name"`
		URI             string          `json:"client_uri"`
		LogoURI         string          `json:"logo_uri"`
	}
	if err := json.Unmarshal(body, &document); err != nil {
		return ClientMetadata{}, badMetadata("The metadata document of the app is not JSON, or has other types.")
	}
	if document.ClientID != address {
		return ClientMetadata{}, badMetadata("The client_id in the metadata document of the app is not its URL.")
	}
	// Everybody can read the document, so that nothing in it is a secret. A client with keys is accepted as a
	// public one: what it signs is not needed.
	public := slices.Contains([]string{"", AuthMethodNone, "private_key_jwt"}, document.AuthMethod)
	if !public || document.ClientSecret != nil {
		return ClientMetadata{}, badMetadata("The metadata document of the app must not have a secret: " +
			"token_endpoint_auth_method must be none.")
	}
	return ClientMetadata{
		RedirectURIs: document.RedirectURIs, GrantTypes: document.GrantTypes,
		ResponseTypes: document.ResponseTypes, AuthMethod: AuthMethodNone,
		ApplicationType: document.ApplicationType, Name: document.Name, URI: document.URI,
		LogoURI: document.LogoURI,
	}.prepare()
}
