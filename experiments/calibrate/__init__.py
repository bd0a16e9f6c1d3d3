"""What `experiments.calibration` is made of: people's figures, turns, marks, likelihoods, comparisons."""
