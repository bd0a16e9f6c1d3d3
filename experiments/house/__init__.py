"""What `experiments.house_rules` consists of: rule sets, measures, agents tuned to rules, comparison, cards and search."""
