"""What all experiments share: statistics over deals, storage, the command line, plots, tables, progress.

`command` runs an experiment from a shell or a notebook, `deal_sums` gathers games per deal, `statistics`, `best` and
`precision` turn them into estimates with intervals, `storage` writes results, `plots` and `tables` show them.
"""
