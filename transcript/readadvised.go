package transcript

// ReadAdvised does what Read does, with the advice of a model.
func ReadAdvised(data []byte, decided Reading, advice Advice) (*Transcript, error) {
	src, err := detect(data)
	if err != nil {
		return nil, err
	}
	return src.read(decided, advice)
}
