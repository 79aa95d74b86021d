"""The map page: papers as points, similar papers close together."""
