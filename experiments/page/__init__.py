"""What `experiments.report` consists of: gathering results, their tables and texts, rule cards, a round of Stella."""
