// Command manifests checks Kubernetes manifests against the API's own types: kinds, fields and their types.
// It needs no cluster.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
)

func main() {
	decoder, err := newDecoder()
	if err == nil {
		for _, path := range os.Args[1:] {
			err = errors.Join(err, check(decoder, path))
		}
	}
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// newDecoder returns a decoder that refuses unknown and repeated fields.
func newDecoder() (runtime.Decoder, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		appsv1.AddToScheme, batchv1.AddToScheme, corev1.AddToScheme, policyv1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	return serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer(), nil
}

// check decodes each document of a file.
func check(decoder runtime.Decoder, path string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(content)))
	for number := 1; ; number++ {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			_, _, err = decoder.Decode(document, nil, nil)
		}
		if err != nil {
			return fmt.Errorf("%s: document %d: %w", path, number, err)
		}
	}
}
