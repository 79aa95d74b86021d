"""Train and run the models that SciRead searches with."""
