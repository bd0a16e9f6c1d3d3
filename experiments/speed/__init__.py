"""What `python -m experiments.benchmark` measures with."""
