"""The models page: installed models and the active one."""
