"""The map's canvas: points, labels, camera and mouse."""
