"""The map of the library: papers as points, similar papers close together."""
