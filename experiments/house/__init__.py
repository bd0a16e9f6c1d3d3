"""The parts of `experiments.house_rules`: rule sets, measures, agents tuned to rules, comparison, cards, search."""
