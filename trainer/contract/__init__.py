"""The door between trainer and app: what a package, a frame and a method are; free of torch."""
