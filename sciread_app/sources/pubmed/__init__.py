"""PubMed through NCBI's E-utilities."""
