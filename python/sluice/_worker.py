"""The program that runs in a worker process. _workers.py starts it.

It runs by its path, because ``sluice`` can only be imported after it has set ``sys.path``.
"""

import faulthandler
import os
import pickle
import runpy
import signal
import sys
import types


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the main program, which ends this process
    faulthandler.enable()  # a crash prints the traceback to standard error
    sys.stdout.reconfigure(line_buffering=True)
    # The workers already use the cores, so libraries get one thread each. They read this when
    # loaded.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    place, asked = sys.argv[1:3]
    try:
        with open(place, "rb") as file:
            told = pickle.load(file)
            pickled = file.read()
    except FileNotFoundError:  # the program has ended and needs no workers
        sys.exit(0)
    sys.path[:] = told["path"]
    sys.argv[:] = told["argv"]
    from sluice import _core, _workers

    _workers.in_worker = True
    _core.serve_worker(
        asked, told["types"], told["ended_by"],
        lambda worker, workers: _function_of(told, pickled, worker, workers),
        told["inputs"], told["together"],
    )


def _function_of(told: dict, pickled: bytes, worker: int, workers: int):
    """Returns the function that makes samples, from (index, epoch) or from values."""
    from sluice import _core, sources

    os.environ.pop("SLUICE_WORKER", None)  # processes that the dataset starts are not workers
    try:
        _run_main(told["main"])
        data = pickle.loads(pickled)
    except Exception as error:
        raise _core.BuildError(
            f"the {told['what']} cannot be unpickled in a worker process: {type(error).__name__}: {error}"
        ) from error
    begin = getattr(data, "__worker_init__", None)
    if begin is not None:
        begin(worker, workers)
    if told["together"]:
        several = sources.Several(sources.call_of(data, together=True), ends=bool(told["ended_by"]))

        def one_of(indices, epoch, place):
            return _packed(several.take(indices, epoch, place), told)

        return one_of
    if told["in_order"]:
        get = sources.InOrderByPlace(data)
    else:
        get = sources.call_of(data) if told["inputs"] is None else _unpacked(data, told)
    if not told["pickled"]:
        return get
    return lambda *arguments: _packed(get(*arguments), told)


def _packed(given, told: dict):
    """Pickles the values of a sample that are sent pickled."""
    count = len(told["types"])
    if not told["pickled"]:
        return given
    if count == 1:
        return pickle.dumps(given, pickle.HIGHEST_PROTOCOL)
    if not isinstance(given, (tuple, list)) or len(given) != count:
        return given  # the function that receives it reports the error
    values = list(given)
    for i in told["pickled"]:
        values[i] = pickle.dumps(values[i], pickle.HIGHEST_PROTOCOL)
    return values


def _unpacked(function, told: dict):
    """Returns a function that unpickles some of its arguments and calls this one."""
    if not told["unpickled"]:
        return function

    def loaded(pickled: bytes):
        try:
            return pickle.loads(pickled)
        except AttributeError:  # it refers to the program's own file, which the function did not need
            main, told["main_of_inputs"] = told["main_of_inputs"], None
            if main is None:
                raise
            _run_main(main)
            return pickle.loads(pickled)

    def call(*given):
        values = list(given)
        for i in told["unpickled"]:
            values[i] = loaded(values[i])
        return function(*values)

    return call


def _run_main(main: tuple[str, str] | None) -> None:
    """Runs the program's own file under another name, as multiprocessing does, to define its classes and functions.

    Code under ``if __name__ == "__main__":`` does not run.
    """
    if main is None:
        return
    kind, where = main
    run = runpy.run_path if kind == "file" else runpy.run_module
    module = types.ModuleType("__mp_main__")
    from sluice import _workers

    _workers.runs_main = True
    try:
        module.__dict__.update(run(where, run_name="__mp_main__"))
    finally:
        _workers.runs_main = False
    sys.modules["__main__"] = sys.modules["__mp_main__"] = module


if __name__ == "__main__":
    main()
