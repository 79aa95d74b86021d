"""Text processing: folding, stemming, sentences, TeX, and matches of query terms."""
