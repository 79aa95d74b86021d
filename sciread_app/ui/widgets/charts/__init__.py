"""Line charts and their parts."""
