"""The training page: training runs and the form for a new one."""
