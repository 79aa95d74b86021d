"""Creation of model packages from training runs and from the hub."""
