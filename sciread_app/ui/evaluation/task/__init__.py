"""Details of one evaluation task."""
