# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Every Python snippet of the documentation runs: those of a page in order, in one new interpreter."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

pytestmark = pytest.mark.partners

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/**/*.md")])
# ```python runs; ```python raises=NAME must raise that exception; ```python norun is only compiled (it needs a device).
FENCE = re.compile(r"^```python[ ]*(?P<mark>[^\n]*)\n(?P<code>.*?)^```$", re.DOTALL | re.MULTILINE)

RUNNER = """
import json, sys
namespace = {"__name__": "__main__"}
for mark, line, name, code in json.load(sys.stdin):
    program = compile("\\n" * line + code, name, "exec")
    if mark == "norun":
        continue
    try:
        exec(program, namespace)
    except Exception as error:
        if mark != "raises=" + type(error).__name__:
            raise
    else:
        if mark:
            raise SystemExit(f"{name}:{line + 1}: the snippet was to be '{mark}'")
"""


def snippets(page: pathlib.Path) -> list[tuple[str, int, str, str]]:
    text = page.read_text()
    name = page.relative_to(ROOT).as_posix()
    return [(m["mark"].strip(), text[: m.start("code")].count("\n"), name, m["code"]) for m in FENCE.finditer(text)]


WITH_SNIPPETS = [page for page in PAGES if snippets(page)]


@pytest.mark.parametrize("page", WITH_SNIPPETS, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_snippets_of_a_page_run(page, tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", RUNNER],
        input=json.dumps(snippets(page)),
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "JAX_PLATFORMS": "cpu"},
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_spec_s30_the_zero_copy_page_has_snippets_that_run():
    found = snippets(ROOT / "docs/zero-copy.md")
    assert sum(mark != "norun" for mark, *_ in found) >= 8


def test_every_page_is_linked_from_the_readme_or_from_another_page():
    linked = {ROOT / "README.md", ROOT / "CONTRIBUTING.md"}
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
            path = (page.parent / target).resolve()
            assert path.exists(), f"{page.name} links {target}, which does not exist"
            linked.add(path)
    assert [page.name for page in PAGES if page not in linked] == []


def test_the_readme_opens_with_the_two_commands():
    text = (ROOT / "README.md").read_text()
    assert len(text.splitlines()) <= 60
    first = re.search(r"```(?:bash|sh)\n(.*?)```", text, re.DOTALL)[1]
    commands = [line.split("#")[0].strip() for line in first.splitlines() if line.strip()]
    assert commands == ["scripts/demo", "scripts/test"]
    for command in commands:
        assert os.access(ROOT / command, os.X_OK)
