package oidc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"research/internal/publicnet"
)

// A Report is what Check found.
type Report struct {
	// Problem is the predicate of a sentence about the provider. It is empty if all is well.
	Problem string
	// Advice is a phrase that says what to do: "set the issuer to …". Without a Problem it says what could not
	// be checked, and is empty if there is no such thing.
	Advice string
}

// OK reports whether there is no problem.
func (r Report) OK() bool { return r.Problem == "" }

// impossibleCode is a code that no provider has issued.
const impossibleCode = "research-doctor-asks-whether-the-client-secret-is-right"

// impossibleSecret is a secret that no client has.
const impossibleSecret = "research-doctor-asks-with-a-wrong-secret" //nolint:gosec // it opens nothing

// Check fetches discovery and keys, whatever is kept of them, and asks the token endpoint with a code that
// cannot exist whether it knows our client.
func (p *Provider) Check(ctx context.Context) Report {
	m, err := p.discover(ctx)
	if err == nil && !p.issuers.discovered(m.Issuer) {
		return p.otherIssuer(m.Issuer)
	}
	if err == nil {
		m, err = p.checkMetadata(m)
	}
	if err != nil {
		return p.problem(err, "check the issuer: "+p.discoveryAddress()+" must be its discovery document")
	}
	if _, err := p.fetchKeys(ctx, m); err != nil {
		return p.problem(err, "correct the key set at the provider: nobody can sign in before")
	}
	return p.checkClient(ctx, m)
}

// problem makes a Report of an error. advice is for a provider that can be reached.
func (p *Provider) problem(err error, advice string) Report {
	var known *Error
	if !errors.As(err, &known) {
		issuer, _ := url.Parse(p.config.Issuer) // New has parsed it
		known = &Error{
			Reason: "did not answer in time", cause: publicnet.ErrUnreachable, host: hostAndPort(issuer),
		}
	}
	host, _, _ := net.SplitHostPort(known.host)
	switch {
	case errors.Is(known.cause, publicnet.ErrPrivate):
		advice = "add " + host + " to EXTERNAL_ALLOWED_HOSTS, if it is a host of your network"
	case errors.Is(known.cause, publicnet.ErrUnknownAuthority):
		advice = "set SSL_CERT_FILE to a file with the certificate of the authority, for serve as well"
	case errors.Is(known.cause, publicnet.ErrCertificate):
		advice = "correct the certificate of " + host + ": it must name the host, and not have expired"
	case errors.Is(known.cause, publicnet.ErrUnknownHost):
		advice = "check the name " + host + ", and the name servers of this machine"
	case errors.Is(known.cause, publicnet.ErrUnreachable):
		advice = "allow connections from this machine to " + known.host + ": serve uses no proxy"
	}
	return Report{Problem: known.Reason, Advice: advice}
}

// otherIssuer says what the issuer must be. Operators often leave out a slash at the end, or add one.
func (p *Provider) otherIssuer(found string) Report {
	switch {
	case strings.TrimSuffix(found, "/") == strings.TrimSuffix(p.config.Issuer, "/"):
		slash := "without a slash at the end"
		if strings.HasSuffix(found, "/") {
			slash = "with a slash at the end"
		}
		return Report{
			Problem: "has an issuer that differs by the slash at the end",
			Advice:  fmt.Sprintf("set the issuer to %s, %s", found, slash),
		}
	case strings.Contains(found, azureTemplate) && p.issuers.before == "":
		return Report{
			Problem: "has an issuer for several tenants",
			Advice:  "use EXTERNAL_AZURE_CLIENT_ID for Microsoft, or the issuer of one tenant",
		}
	case p.net.check(found) == "":
		return Report{
			Problem: "says that it is another issuer",
			Advice:  fmt.Sprintf("if %s is the right one, set the issuer to it", found),
		}
	}
	return Report{
		Problem: "has a discovery document without a valid issuer",
		Advice:  "check the issuer: " + p.discoveryAddress() + " must be its discovery document",
	}
}

// checkClient asks whether the client id and secret are right. Most providers look at them before the code.
func (p *Provider) checkClient(ctx context.Context, m metadata) Report {
	var refused *oauth2.RetrieveError
	var style oauth2.AuthStyle
	for _, style = range p.authStyles(m) {
		var err error
		if refused, err = p.askToken(ctx, m, style, p.config.ClientSecret); err != nil {
			return p.problem(err, "try again later: nobody can sign in before the token endpoint answers")
		}
		if !rejectsClient(refused) {
			break
		}
	}
	code := safeCode(refused.ErrorCode)
	report := p.judgeClient(refused.Response.StatusCode, code)
	if !report.OK() {
		return report
	}
	if late := p.checkClock(refused.Response.Header); !late.OK() {
		return late
	}
	if code == "invalid_grant" && p.config.ClientSecret != "" {
		// A provider that says the same of a wrong secret has looked at the code first.
		wrong, err := p.askToken(ctx, m, style, impossibleSecret)
		if err == nil && wrong.ErrorCode == code {
			return Report{Advice: "sign in to see whether the secret is right: the token endpoint " +
				"looks at the code first"}
		}
	}
	return report
}

// judgeClient says what the answer to an impossible code means (RFC 6749, section 5.2).
func (p *Provider) judgeClient(status int, code string) Report {
	switch {
	case code == "invalid_grant":
		return Report{}
	case status >= 500 || status == http.StatusTooManyRequests:
		return p.problem(refusedCode(status, code),
			"try again later: nobody can sign in before the token endpoint answers")
	case slices.Contains([]string{"invalid_client", "unauthorized_client"}, code),
		status == http.StatusUnauthorized:
		return Report{
			Problem: "does not accept the client id or the client secret: " +
				cmp.Or(code, fmt.Sprintf("status %d", status)),
			Advice: "copy both from the provider again; a secret may have expired, and belongs to the first of the " +
				"client ids",
		}
	case code == "redirect_uri_mismatch":
		return Report{
			Problem: "does not know the redirect URI of this service",
			Advice:  "add " + p.redirectURI + " to the redirect URIs of the client there",
		}
	}
	return Report{Advice: "sign in to see whether the secret is right: the token endpoint responded with " +
		cmp.Or(code, fmt.Sprintf("status %d", status))}
}

// askToken exchanges an impossible code, as a sign-in exchanges one, and returns the refusal.
func (p *Provider) askToken(
	ctx context.Context, m metadata, style oauth2.AuthStyle, secret string,
) (*oauth2.RetrieveError, error) {
	client := p.client(m, style)
	client.ClientSecret = secret
	_, err := client.Exchange(p.net.forOAuth(ctx), impossibleCode, oauth2.VerifierOption(impossibleCode))
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) {
		return refused, nil
	}
	return nil, tokenError(ctx, err)
}

// checkClock compares our clock with that of the provider. ID tokens are accepted within clockSkew.
func (p *Provider) checkClock(header http.Header) Report {
	theirs, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return Report{}
	}
	ahead := p.now().Sub(theirs)
	if ahead.Abs() <= clockSkew {
		return Report{}
	}
	direction := "ahead of"
	if ahead < 0 {
		direction = "behind"
	}
	// Date has whole seconds, and was written a while ago.
	difference := ahead.Abs().Round(10 * time.Second)
	return Report{
		Problem: fmt.Sprintf("has another time: this machine's clock is %s %s its clock", difference, direction),
		Advice:  "synchronize the clock of this machine (NTP): a minute's difference is accepted",
	}
}
