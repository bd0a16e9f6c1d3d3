"""What `experiments.robustness` is made of: sampled worlds and indices, extreme worlds, words, the figure."""
