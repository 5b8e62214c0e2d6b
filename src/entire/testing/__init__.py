"""Tools for the tests of packages that build on Entire. The product itself never imports this room; pytest must be
installed (``pip install entire[testing]``).
"""

import pytest

pytest.register_assert_rewrite("entire.testing.promises")
