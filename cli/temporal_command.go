package cli

import (
	"regexp"
	"strings"

	"research/config"
)

// temporalAdvice returns what temporalCommand does, after what its environment needs.
func temporalAdvice(cfg config.Temporal, args ...string) string {
	return temporalEnvironment(cfg) + temporalCommand(cfg, args...)
}

// temporalCommand returns a command of Temporal's CLI for the server of the settings, to be pasted into a
// shell. It contains no secret: the CLI reads an API key and the certificates from the same variables as the
// service, which temporalEnvironment names.
func temporalCommand(cfg config.Temporal, args ...string) string {
	args = append(args, "--address", cfg.Address, "--namespace", cfg.Namespace)
	if cfg.TLS.Enabled != nil && *cfg.TLS.Enabled {
		args = append(args, "--tls")
	}
	for i, arg := range args {
		args[i] = shellQuote(arg)
	}
	return "temporal " + strings.Join(args, " ")
}

// temporalEnvironment says which settings a command of temporalCommand needs in its environment.
func temporalEnvironment(cfg config.Temporal) string {
	var needs []string
	if cfg.APIKey != "" {
		needs = append(needs, "TEMPORAL_API_KEY")
	}
	tls := cfg.TLS
	tls.Enabled = nil
	if tls != (config.TemporalTLS{}) {
		needs = append(needs, "the TEMPORAL_TLS_ settings")
	}
	if len(needs) == 0 {
		return ""
	}
	return "with " + strings.Join(needs, " and ") + " in the environment: "
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:@%+,=-]+$`)

// shellQuote quotes an argument for a POSIX shell where it has to be.
func shellQuote(arg string) string {
	if plainWord.MatchString(arg) {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}
