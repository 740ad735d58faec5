"""PySpark, which the rest of the package does without."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # It is no part of the environment in which types are checked.
    Column = DataFrame = SparkSession = Any
    F: Any
    TaskContext: Any
    Window: Any
else:
    try:
        from pyspark import TaskContext
        from pyspark.sql import Column, DataFrame, SparkSession, Window
        from pyspark.sql import functions as F
    except ImportError as fault:
        raise ImportError("webmill.spark needs PySpark: pip install 'pyspark==4.*' pandas pyarrow, and Java 17") from fault

__all__ = ["Column", "DataFrame", "F", "SparkSession", "TaskContext", "Window"]
