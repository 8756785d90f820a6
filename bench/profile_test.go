package bench

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

var profiles = flag.String("profiles", "", "folder for profiles of serve's and the worker's CPU time; none if empty")

// keepProfiles writes profiles of the program's CPU time, a second each, to files that begin with prefix, until
// the program ends. address is its METRICS_ADDR.
func (p *program) keepProfiles(address, prefix string) {
	for i := 0; p.ended.Err() == nil; i++ {
		profile, err := fetchProfile(p.ended, "http://"+address+"/debug/pprof/profile?seconds=1")
		if err != nil { // it does not listen yet, or has ended
			<-time.After(50 * time.Millisecond)
			continue
		}
		if err := os.WriteFile(fmt.Sprintf("%s-%d.pprof", prefix, i), profile, 0o600); err != nil {
			panic(err)
		}
	}
}

func fetchProfile(ctx context.Context, url string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("profile: %s", response.Status)
	}
	return io.ReadAll(response.Body)
}
