"""Tools for the tests of packages that build on Entire, and the suite of `entire plugin check`, which alone uses this
room in the product. The promises need pytest (``pip install entire[testing]``); the suite does not.
"""

import sys

if "pytest" in sys.modules:
    sys.modules["pytest"].register_assert_rewrite("entire.testing.promises")
