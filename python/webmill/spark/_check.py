"""Whether executors have this very version of webmill, asked before work begins."""

from __future__ import annotations

import importlib
import types
from typing import Any

from .._error import Error
from ._arrow import compiled
from ._pyspark import SparkSession

# What tasks of the check run. It is shipped by value, so that a machine without webmill can say so.
_ASK = """
def ask(batches):
    import pyarrow as pa
    for batch in batches:
        try:
            import pandas
            from webmill import _webmill
            import webmill.spark
            said = _webmill.__version__
        except BaseException as fault:
            said = f"!{type(fault).__name__}: {fault}"
        import platform, socket, sys
        where = f"{socket.gethostname()}, Python {platform.python_version()} at {sys.executable}"
        yield pa.record_batch([pa.array([said]), pa.array([where])], names=["said", "machine"])
"""
_checked: dict[str, str] = {}


def check(spark: SparkSession) -> str:
    """Asks executors for their webmill; its version. Done once an application, by what begins work.

    Raises :class:`webmill.Error` that names the machines where it is missing, fails, or is of another version.
    """
    for name in ("pandas", "pyarrow"):
        try:
            importlib.import_module(name)
        except ImportError as fault:
            raise Error(f"PySpark hands over no columns without {name}: pip install {name} here and on every machine", kind="config") from fault
    context = spark.sparkContext
    version = compiled().__version__
    if _checked.get(context.applicationId) == version:
        return version
    tasks = max(1, context.defaultParallelism)
    try:
        rows = spark.range(0, tasks, 1, tasks).mapInArrow(_by_value(), "said string, machine string").collect()
    except Exception as fault:
        if not any(name in str(fault) for name in ("PACKAGE_NOT_INSTALLED", "ModuleNotFoundError", "ImportError")):
            raise
        raise Error(
            "the Python of the executors lacks pandas or pyarrow: pip install pandas pyarrow there, or name one that has them by "
            "PYSPARK_PYTHON or spark.pyspark.python",
            kind="config",
        ) from fault
    wrong = sorted({(row.said, row.machine) for row in rows if row.said != version})
    if wrong:
        told = "; ".join(
            f"{machine}: {said[1:] if said.startswith('!') else 'version ' + said}" for said, machine in wrong[:5]
        )
        raise Error(
            f"executors have no webmill {version}, the version of the driver: {told}. Ship the wheel that the driver has "
            "(docs/spark.md: spark.archives, or an image that has it)",
            kind="config",
        )
    _checked[context.applicationId] = version
    return version


def _by_value() -> Any:
    # A function of no importable module is pickled with its code.
    module: dict[str, Any] = {"__name__": "__main__", "__builtins__": __builtins__}
    exec(compile(_ASK, "<webmill check>", "exec"), module)
    made = module["ask"]
    assert isinstance(made, types.FunctionType)
    return made

