"""What `experiments.calibration` is made of: people's figures, the model's turns and marks, likelihoods, comparisons."""
