"""The reader: files of papers in the window, page under page, with what was marked in them."""
