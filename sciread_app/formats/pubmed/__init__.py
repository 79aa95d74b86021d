"""PubMed's formats: XML and MEDLINE text."""
