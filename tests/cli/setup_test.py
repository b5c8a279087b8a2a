"""The set-up script where no network answers."""

import os
import shutil
import subprocess
import unittest

from tool import SOURCE_DIR, ToolTest


class SetupTest(ToolTest):
    def test_without_a_network_it_says_so_and_does_not_take_itself_for_done(self):
        tools = self.folder / "tools"
        tools.mkdir()
        for name in ("setup.sh", "requirements.txt"):
            shutil.copy(SOURCE_DIR / "tools" / name, tools)
        nowhere = "http://127.0.0.1:9"  # The discard port: nothing listens there.
        proxies = {name: nowhere for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")}
        # Neither a nearby index nor a cache stands in for the network.
        alone = {"no_proxy": "", "NO_PROXY": "", "PIP_CONFIG_FILE": os.devnull, "PIP_INDEX_URL": "https://pypi.org/simple"}
        environment = {key: value for key, value in os.environ.items() if not key.startswith("PIP_")}
        for attempt in range(1):
            with self.subTest(attempt=attempt):
                result = subprocess.run(
                    [tools / "setup.sh"], env={**environment, **proxies, **alone}, capture_output=True, text=True,
                    stdin=subprocess.DEVNULL, timeout=300, check=False,
                )  # fmt: skip
                self.assertEqual(result.returncode, 1, result.stderr)
                self.assertRegex(result.stderr, r"\Asetup: [^\n]*no network[^\n]*\n\Z")
                self.assertFalse((self.folder / ".venv" / "setup.sha256").exists())


if __name__ == "__main__":
    unittest.main()
