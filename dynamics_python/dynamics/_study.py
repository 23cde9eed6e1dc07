# SPDX-License-Identifier: Apache-2.0
"""Studies: many independent cases of one description, by threads or by Dask."""
from __future__ import annotations

import concurrent.futures
import importlib
import itertools
import json
import os
import pathlib
import time
from typing import Any, Dict, Iterator, List, Optional, Tuple, Union

import numpy as np
from numpy.typing import NDArray

from . import _core

Path = Union[str, "os.PathLike[str]"]
Rows = Tuple[NDArray[np.float64], Dict[int, str], str]


def _rows(study: _core.Study, numbers: List[int]) -> Rows:
    """Compute some cases. Runs in a thread or on a worker of Dask."""
    values, errors = study.run(numbers)
    return values, errors, _core.instruction_set()


def _rows_and_worker(study: _core.Study, numbers: List[int]) -> Tuple[Rows, str]:
    """Compute some cases on a worker of Dask; return its address too."""
    worker: Any = importlib.import_module("distributed").get_worker()
    return _rows(study, numbers), str(worker.address)


def _chunks(numbers: List[int], size: int) -> Iterator[List[int]]:
    for first in range(0, len(numbers), size):
        yield numbers[first:first + size]


def _append(folder: _core.StudyFolder, numbers: List[int], rows: Rows, where: str) -> None:
    values, errors, instructions = rows
    if instructions != _core.instruction_set():
        raise _core.ArgumentError(
            f"{where} computes with {instructions}, this process with {_core.instruction_set()}: "
            "the rows of a table must come from one instruction set (set DYNAMICS_ISA)")
    folder.append(numbers, values, errors)


def _by_threads(study: _core.Study, folder: _core.StudyFolder, chunks: List[List[int]],
                threads: int) -> Dict[str, int]:
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        try:
            for numbers, rows in zip(chunks, pool.map(_rows, itertools.repeat(study), chunks)):
                _append(folder, numbers, rows, "a thread")
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return {"threads": threads}


def _by_dask(client: Any, study: _core.Study, folder: _core.StudyFolder,
             chunks: List[List[int]]) -> Dict[str, int]:
    distributed: Any = importlib.import_module("distributed")  # has no type stubs

    shared = client.scatter(study, broadcast=True)
    # a few chunks per worker are on their way: the scheduler's memory does not grow with the study
    waiting = iter(chunks)
    numbers_of: Dict[Any, List[int]] = {}

    def submit(numbers: List[int]) -> Any:
        future = client.submit(_rows_and_worker, shared, numbers, pure=False)
        numbers_of[future.key] = numbers
        return future

    ahead = 4 * max(1, sum(client.nthreads().values()))
    first = [submit(numbers) for numbers in itertools.islice(waiting, ahead)]
    pending = distributed.as_completed(first)
    by_worker: Dict[str, int] = {}
    for future in pending:
        rows, worker = future.result()
        numbers = numbers_of.pop(future.key)
        _append(folder, numbers, rows, f"worker {worker}")
        by_worker[worker] = by_worker.get(worker, 0) + len(numbers)
        following = next(waiting, None)
        if following is not None:
            pending.add(submit(following))
    return by_worker


def study(description: Path, output: Path, *, client: Any = None, threads: Optional[int] = None,
          resume: bool = False, chunk: Optional[int] = None) -> Dict[str, Any]:
    """Run a study (docs/studies.md) and return its summary.

    The same as the program `dynamics study`: the same folder, and the same table.csv, bit for bit,
    on the same instruction set.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> loads = folder / "loads.yaml"
    >>> _ = loads.write_text("{robot: puma, run: {terms: {}}, keep: [gravity_*], "
    ...                      "vary: [{parameter: payload, set: {list: [0, 1, 2]}}]}")
    >>> dynamics.study(loads, folder / "out", threads=2)["cases"]
    3
    >>> client = distributed.Client("scheduler:8786")                       # doctest: +SKIP
    >>> summary = dynamics.study(loads, folder / "again", client=client)    # doctest: +SKIP

    description: a file; names in it are relative to its folder.
    output: folder for rows and results; the process that calls this function writes it.
    client: a distributed.Client (package python3-distributed); its workers need this module, but
        none of the study's files. Without one, threads of this process compute.
    threads: number of threads without a client (default: all processors).
    resume: compute only the cases that the folder does not have; a changed study is refused.
    chunk: cases per task (default: about 64 tasks per thread, at most 256 cases).
    """
    if client is not None and threads is not None:
        raise _core.ArgumentError("threads has no effect with a client: its workers have their own")
    if threads is not None and threads < 1:
        raise _core.ArgumentError(f"threads is {threads}; it must be at least 1")
    if chunk is not None and chunk < 1:
        raise _core.ArgumentError(f"chunk is {chunk}; it must be at least 1")
    path = pathlib.Path(description)
    if not path.is_file():
        raise _core.ParseError(f"{path}: cannot be read: no such file")
    text = path.read_bytes().decode("utf-8", errors="surrogateescape")
    task = _core.Study(text, str(path), str(path.resolve().parent))
    if task.runs:
        raise _core.ArgumentError("`runs` is supported by the program `dynamics study` only")
    folder = _core.StudyFolder(os.fspath(output), task, resume)
    start = time.monotonic()
    missing = folder.missing()
    workers = threads or os.cpu_count() or 1
    if client is not None:
        workers = max(1, sum(client.nthreads().values()))
    size = chunk or max(1, min(256, len(missing) // (64 * workers)))
    chunks = list(_chunks(missing, size))
    if client is None:
        computed = _by_threads(task, folder, chunks, workers)
    else:
        computed = _by_dask(client, task, folder, chunks)
    run = {"resumed": task.cases - len(missing), "computed": len(missing),
           "threads" if client is None else "by_worker":
               computed["threads"] if client is None else computed,
           "seconds": time.monotonic() - start}
    folder.write_results(json.dumps(run))
    result: Dict[str, Any] = json.loads((pathlib.Path(output) / "summary.json").read_text())
    return result
