"""PDF: complete, contained, the same bytes twice, readable by programs and by people."""

from __future__ import annotations

import gc
import io
import os
import re
import subprocess
import sys
import tempfile
import unicodedata
from datetime import UTC, datetime, timedelta, timezone
from hashlib import sha256
from pathlib import Path
from typing import Any

import pikepdf
import pytest
from PIL import Image

from derive.render import fonts, math, pdf
from derive.render.pdf import RenderError, RenderWarning, write

from .pdf_reading import elements, run

LEDGER = b'{"format": "derive-ledger"}'
ATTACHED = [("ledger.json", LEDGER, "application/json", "the ledger")]
STYLE = f"""@page {{ size: A5; margin: 15mm; @bottom-center {{ content: "page " counter(page);
  font-family: {fonts.SANS_STACK} }} }} body {{ font: 10pt {fonts.SANS_STACK} }}"""


def page(body: str, head: str = "") -> str:
    start = f'<!doctype html><html lang="en"><head><style>{STYLE}</style>{head}</head>'
    return f"{start}<body>{body}</body></html>"


def sample() -> tuple[str, dict[str, tuple[bytes, str]]]:
    formulas = [
        r"I_{\mathrm{decode}} = \frac{F_{\mathrm{step}}}{Q_{\mathrm{step}}}",
        r"70{,}553{,}706{,}496\,\text{param} \times 2\,\text{FLOP/param/token}",
    ]
    store, images = {}, ""
    for n, latex in enumerate(formulas):
        drawn = math.picture(latex, size=13)
        store[f"derive:m{n}"] = (drawn.svg, "image/svg+xml")
        low = f"vertical-align:-{drawn.descent}px"
        images += f'<p>式 <img src="derive:m{n}" alt="formula {n}" style="{low}"></p>'
    body = (
        '<h1 id="top">Capacity</h1><p lang="zh">算术强度<b>加粗</b>，⌈x⌉ ✓ 镕堃</p>'
        f'{images}<p><a href="#top">up</a></p><h2 style="break-before: page">Table</h2>'
        '<table><thead><tr><th>row<th>value</thead><tbody><tr><th scope="row">b<td>8</table>'
    )
    return page(body), store


@pytest.fixture(scope="module")
def made() -> bytes:
    html, store = sample()
    return write(html, store, title="容量 Capacity", lang="en", attachments=ATTACHED)


@pytest.fixture(scope="module")
def file(made: bytes, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pdf") / "report.pdf"
    path.write_bytes(made)
    return path


def test_programs_read_it(file: Path) -> None:
    assert "No syntax or stream encoding errors" in run("qpdf", "--check", file)
    info = run("pdfinfo", file)
    assert re.search(r"Title: +容量 Capacity", info)
    assert re.search(r"Tagged: +yes", info)
    assert re.search(r"Pages: +2", info)
    rows = run("pdffonts", file).splitlines()[2:]
    assert len(rows) == 4
    for row in rows:
        name, *_, embedded, subset, mapped, _, _ = row.split()
        assert "+Derive-" in name
        assert (embedded, subset, mapped) == ("yes", "yes", "yes")


def test_text_and_formulas_are_found(file: Path) -> None:
    text = unicodedata.normalize("NFKC", run("pdftotext", "-layout", file, "-"))
    for word in (
        "Capacity",
        "算术强度加粗",
        "⌈x⌉",
        "镕堃",
        "decode",
        "70,553,706,496 param",
        "page 2",
    ):
        assert word in text


def test_pages_are_not_blank(file: Path) -> None:
    run("pdftoppm", "-r", "60", "-png", file, file.with_suffix(""))
    for number in (1, 2):
        with Image.open(f"{file.with_suffix('')}-{number}.png") as image:
            grey = image.convert("L")
        ink = sum(grey.histogram()[:128]) / (grey.width * grey.height)
        assert 0.001 < ink < 0.3


def test_what_it_says_of_itself(made: bytes) -> None:
    with pikepdf.open(io.BytesIO(made)) as document:
        xmp = document.Root.Metadata.read_bytes().decode()
        assert str(document.Root.Lang) == "en"
        assert document.docinfo.keys() == {"/Title", "/Producer"}  # no date was given
        with document.open_metadata() as metadata:
            assert metadata["pdfaid:part"] == "3"
            assert metadata["pdfaid:conformance"] == "A"
            assert metadata["pdfuaid:part"] == "1"
    assert xmp.count("<rdf:RDF") == xmp.count("</rdf:RDF>") == 1
    assert "pdfaExtension:schemas" in xmp
    assert "Date" not in xmp


def test_the_ledger_travels_inside(made: bytes) -> None:
    with pikepdf.open(io.BytesIO(made)) as document:
        assert dict(document.attachments).keys() == {"ledger.json"}
        spec = document.attachments["ledger.json"]
        assert spec.get_file().read_bytes() == LEDGER
        assert spec.description == "the ledger"
        (entry,) = document.Root.AF
        assert str(entry.AFRelationship) == "/Data"
        stream = entry.EF.F
        assert str(stream.Subtype) == "/application/json"
        assert set(stream.Params.keys()) == {"/CheckSum", "/Size"}


def test_readers_get_languages_headers_and_alternatives(made: bytes) -> None:
    with pikepdf.open(io.BytesIO(made)) as document:
        tree = elements(document.Root.StructTreeRoot)
        by_tag: dict[str, list[Any]] = {}
        for element in tree:
            by_tag.setdefault(str(element.S), []).append(element)
        assert {str(e.Lang) for e in tree if "/Lang" in e} == {"zh"}
        assert [str(e.A.Scope) for e in by_tag["/TH"]] == ["/Column", "/Column", "/Row"]
        assert [str(e.Alt) for e in by_tag["/Figure"]] == ["formula 0", "formula 1"]
        for figure in by_tag["/Figure"]:
            x1, y1, x2, y2 = (float(n) for n in figure.A.BBox)
            *_, width, height = (float(n) for n in document.pages[0].MediaBox)
            assert 0 < x1 < x2 < width
            assert 0 < y1 < y2 < height
        assert {"/H1", "/H2", "/P", "/Table", "/Link"} <= by_tag.keys()
        for n, sheet in enumerate(document.pages):  # the page number is no content
            commands = pikepdf.parse_content_stream(sheet)
            marks = [c for c in commands if str(c.operator) in ("BDC", "BMC")]
            artifacts = [c for c in marks if str(c.operands[0]) == "/Artifact"]
            assert any(len(c.operands) == 2 for c in artifacts), n
            content = {
                int(c.operands[1].MCID) for c in marks if "/MCID" in (c.operands[-1:] or [{}])[0]
            }
            parents = document.Root.StructTreeRoot.ParentTree.Nums[2 * n + 1]
            assert {i for i, p in enumerate(parents) if p is not None} == content


def test_dates_only_as_given() -> None:
    html, store = page("<p>x</p>"), {}
    here = datetime(2026, 3, 4, 7, 6, 5, tzinfo=timezone(timedelta(hours=2)))
    made = write(html, store, title="t", lang="en", date=here, attachments=ATTACHED)
    with pikepdf.open(io.BytesIO(made)) as document:
        assert str(document.docinfo["/CreationDate"]) == "D:20260304050605Z"
        assert str(document.docinfo["/ModDate"]) == "D:20260304050605Z"
        params = document.Root.AF[0].EF.F.Params
        assert str(params.ModDate) == "D:20260304050605Z"
        assert "2026-03-04T05:06:05Z" in document.Root.Metadata.read_bytes().decode()
    same = write(html, store, title="t", lang="en", date=here.astimezone(UTC), attachments=ATTACHED)
    assert made == same


AGAIN = """
from tests.render import test_pdf
from derive.render import pdf
html, store = test_pdf.sample()
with pdf.quick_process():
    data = pdf.write(html, store, title="容量 Capacity", lang="en", attachments=test_pdf.ATTACHED)
print(test_pdf.sha256(data).hexdigest())
pdf.leave(0)
"""


def test_two_processes_write_the_same_bytes(made: bytes) -> None:
    before = set(Path(tempfile.gettempdir()).glob("weasyprint-*"))
    for seed in ("0", "1"):
        env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": ".", "TZ": f"Etc/GMT+{seed}"}
        done = subprocess.run(
            [sys.executable, "-c", AGAIN], check=True, env=env, cwd=Path(__file__).parents[2],
            capture_output=True, text=True,
        )  # fmt: skip
        assert done.stdout.strip() == sha256(made).hexdigest()
        assert done.stderr == ""
    assert set(Path(tempfile.gettempdir()).glob("weasyprint-*")) <= before


@pytest.mark.parametrize(
    "hostile",
    [
        '<img src="file:///etc/passwd" alt="a">',
        '<img src="/etc/passwd" alt="a">',
        '<img src="http://127.0.0.1:9/x.png" alt="a">',
        '<img src="derive:absent" alt="a">',
        '<img src="data:image/svg+xml;base64,PHN2Zy8+" alt="a">',
        '<object data="file:///etc/passwd"></object>',
        '<embed src="file:///etc/passwd">',
        '<p style="background:url(file:///etc/passwd)">x',
        '<style>@import "file:///etc/passwd";</style>',
        "<style>@font-face{font-family:F;src:url(file:///etc/passwd)}</style>",
        '<link rel="stylesheet" href="file:///etc/passwd">',
        '<svg width="9" height="9"><image href="file:///etc/passwd" width="9" height="9"/></svg>',
    ],
)
def test_nothing_but_the_store_is_read(hostile: str) -> None:
    with pytest.raises(RenderError, match="not in the report"):
        write(page(hostile), {}, title="t", lang="en", warn=lambda _: None)


def test_a_hostile_picture_reads_nothing() -> None:
    svg = (b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">'
           b'<image href="file:///etc/passwd" width="9" height="9"/></svg>')  # fmt: skip
    store = {"derive:a": (svg, "image/svg+xml")}
    with pytest.raises(RenderError, match="not in the report"):
        write(page('<img src="derive:a" alt="a">'), store, title="t", lang="en", warn=print)


def test_a_page_attaches_nothing() -> None:
    html = page("x", '<link rel="attachment" href="file:///etc/passwd">')
    made = write(html, {}, title="t", lang="en")
    with pikepdf.open(io.BytesIO(made)) as document:
        assert not document.attachments


def test_warnings_are_not_swallowed() -> None:
    html = page("<p>x</p>", "<style>p { no-such-property: 1 }</style>")
    heard: list[str] = []
    write(html, {}, title="t", lang="en", warn=heard.append)
    assert any("no-such-property" in message for message in heard)
    with pytest.warns(RenderWarning, match="no-such-property"):
        write(html, {}, title="t", lang="en")


def test_characters_without_a_glyph_are_reported() -> None:
    heard: list[str] = []
    write(page("<p>🚀</p>"), {}, title="t", lang="en", warn=heard.append)
    assert any("U+1F680" in message for message in heard)


def test_machine_fonts_stay_outside() -> None:
    before = os.environ.get("FONTCONFIG_FILE")
    html = page('<p style="font-family: DejaVu Sans, serif">text 文字</p>')
    made = write(html, {}, title="t", lang="en")
    with pikepdf.open(io.BytesIO(made)) as document:
        names = {str(o.BaseFont) for o in document.objects
                 if isinstance(o, pikepdf.Dictionary) and "/BaseFont" in o}  # fmt: skip
    assert names
    assert all("Derive" in name for name in names)
    assert os.environ.get("FONTCONFIG_FILE") == before


def test_why_there_is_no_pdf(monkeypatch: pytest.MonkeyPatch) -> None:
    assert pdf.available() is None
    import weasyprint
    from weasyprint.text import ffi

    with monkeypatch.context() as patch:
        patch.setattr(weasyprint, "__version__", "69.2")
        assert "69.2 is too old, at least 70.0" in pdf.available().en
    with monkeypatch.context() as patch:
        patch.setattr(ffi, "harfbuzz_subset", None)
        assert "libharfbuzz-subset0" in pdf.available().zh
        with pytest.raises(RenderError, match="harfbuzz-subset"):
            write(page("x"), {}, title="t", lang="en")
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "weasyprint", None)
        assert "not installed" in pdf.available().en


MISSING = """
import cffi
real = cffi.FFI.dlopen
def dlopen(self, name, *rest):
    if name and "pango" in name:
        raise OSError(f"cannot load library {name!r}")
    return real(self, name, *rest)
cffi.FFI.dlopen = dlopen
from derive.render import pdf
print(pdf.available().en)
"""


def test_a_machine_without_pango_says_so() -> None:
    done = subprocess.run(
        [sys.executable, "-c", MISSING], check=True, capture_output=True, text=True
    )
    assert done.stderr == ""
    (line,) = done.stdout.splitlines()
    assert "cannot load Pango" in line
    assert "apt-get install libpango-1.0-0" in line


def test_no_collection_while_a_report_is_made() -> None:
    assert gc.isenabled()
    with pdf.quick_process():
        assert not gc.isenabled()
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0
