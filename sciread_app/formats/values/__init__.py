"""Values shared by several formats: names, dates, identifiers of files, LaTeX."""
