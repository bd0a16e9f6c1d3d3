"""The parts of `experiments.tournament`: who meets whom, sums over deals, the standing in tables, words, a picture."""
