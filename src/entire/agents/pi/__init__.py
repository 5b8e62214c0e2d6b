"""Pi: its events, its transcripts, our extension; as observed on versions 0.73.1 and 0.27.9."""
