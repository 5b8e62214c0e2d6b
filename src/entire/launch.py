"""Start a hook without ``site``: run by the launcher as ``python -I -S launch.py hooks ...``.

With ``run FILE ...`` it starts a plugin that is written in Python instead. Python compiles this file at each start, so
the rest is in ``entire.start``, which is loaded without looking for it.
"""

if __name__ == "__main__":
    from _frozen_importlib_external import SourceFileLoader

    folder = __file__.rpartition("/")[0] or "."
    start = {"__name__": "entire.start"}
    exec(SourceFileLoader("entire.start", folder + "/start.py").get_code("entire.start"), start)  # type: ignore[arg-type]  # noqa: S102
    start["run"](folder)  # type: ignore[operator]
