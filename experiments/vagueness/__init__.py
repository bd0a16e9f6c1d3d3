"""Parts of the experiment `clue_vagueness`: its tables of per-deal sums, and its figure."""
