"""Run the notebooks and store their output: python notebooks/execute.py [NAME ...]   (all of them without a name)"""

import sys
from pathlib import Path

import nbclient
import nbformat

HERE = Path(__file__).resolve().parent
SECONDS = 600
"""A cell that takes longer has gone wrong."""


def execute(path):
    """The notebook with fresh output, without traces of the machine: no times, no progress bars, no messages of stderr."""
    notebook = nbformat.read(path, as_version=4)
    where = {"metadata": {"path": str(path.parent)}}
    nbclient.NotebookClient(notebook, timeout=SECONDS, kernel_name="python3", resources=where, record_timing=False).execute()
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for cell in notebook.cells:
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if not passing(output)]
    return notebook


def passing(output):
    """A progress bar, or what was said on standard error while it ran."""
    if output.output_type == "stream":
        return output.name == "stderr"
    return output.output_type == "display_data" and "image/png" not in output.data


if __name__ == "__main__":
    names = sys.argv[1:]
    for path in sorted(HERE.glob("*.ipynb")):
        if not names or any(path.name.startswith(name) for name in names):
            nbformat.write(execute(path), path)
            print(path.name)
