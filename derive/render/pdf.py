"""HTML to PDF with WeasyPrint: tagged PDF/A-3 with attachments, made of what is handed in only."""

from __future__ import annotations

import gc
import html as html_module
import logging
import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from datetime import UTC, datetime
from io import StringIO
from typing import Any, NoReturn

from derive import cache
from derive.render import fonts, pdf_tags
from derive.text import Text, tr

Store = Mapping[str, tuple[bytes, str]]
Attached = tuple[str, bytes, str, str]  # file name, content, MIME type, description
Warn = Callable[[str], None]

VARIANT = "pdf/a-3a"
OLDEST = (70, 0)  # the release that closed ways round a fetcher of one's own
UNDATED = datetime(1970, 1, 1, tzinfo=UTC)  # never written: only keeps the clock out


class RenderWarning(UserWarning):
    """WeasyPrint had something to say about a document."""


class RenderError(RuntimeError):
    """A document that cannot be written: a fault of the program."""


def available() -> Text | None:
    """Why no PDF can be written on this machine; None when it can."""
    with redirect_stdout(StringIO()), warnings.catch_warnings(), _own_fonts():
        warnings.simplefilter("ignore")  # what it warns of is asked for below
        try:
            import weasyprint
            from weasyprint.text import ffi
        except ImportError:
            return tr("WeasyPrint is not installed: install derive again with its dependencies")
        except OSError as error:
            library = str(error).splitlines()[0][:120]
            return tr(
                "WeasyPrint cannot load Pango ({library}); on Debian: apt-get install "
                "libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0",
                library=library,
            )
    if _version(weasyprint.__version__) < OLDEST:
        return tr(
            "WeasyPrint {found} is too old, at least {needed} is needed",
            found=weasyprint.__version__, needed=".".join(map(str, OLDEST)),
        )  # fmt: skip
    if ffi.harfbuzz_subset is None:
        return tr(
            "the library harfbuzz-subset is missing; on Debian: apt-get install libharfbuzz-subset0"
        )
    return None


def write(
    html: str,
    store: Store,
    *,
    title: str,
    lang: str,
    date: datetime | None = None,
    attachments: Sequence[Attached] = (),
    warn: Warn | None = None,
    progress: fonts.Progress | None = None,
) -> bytes:
    """The PDF of a page whose resources are all in `store` (address: bytes, MIME type).

    The families of `fonts` are there without a rule in the page. Same input, same bytes; without a
    `date` none is written. WeasyPrint's warnings go to `warn`, else they become RenderWarning.
    Raises RenderError for a resource that is not in the store.
    """
    if problem := available():
        raise RenderError(problem.en)
    from weasyprint import CSS, HTML, Attachment
    from weasyprint.text.fonts import FontConfiguration
    from weasyprint.urls import FatalURLFetchingError

    warn = warn or _as_warning
    stamp = UNDATED if date is None else _utc(date)
    faces = {f"derive:font/{n}": face for n, face in enumerate(_faces(html, store, progress))}
    files = dict(store) | {url: (face.data, "font/ttf") for url, face in faces.items()}
    fetcher = _closed(files)
    with _heard(warn), _own_fonts(), pdf_tags.tagging(warn) as tags:
        config = FontConfiguration()
        try:
            page = HTML(string=html, url_fetcher=fetcher, base_url="derive:", media_type="print")
            rules = CSS(string=_rules(faces), url_fetcher=fetcher, font_config=config)
            document = page.render(stylesheets=[rules], font_config=config, pdf_variant=VARIANT)
            document.metadata.title = title
            document.metadata.lang = lang
            document.metadata.created = document.metadata.modified = (
                None if date is None else stamp.strftime("%Y-%m-%dT%H:%M:%SZ")
            )
            document.metadata.attachments = [
                Attachment(string=data, name=name, description=description, created=stamp,
                           modified=stamp, relationship="Data", url_fetcher=fetcher)
                for name, data, _, description in attachments
            ]  # fmt: skip

            def finish(done: Any, pdf: Any) -> None:
                from weasyprint.pdf import pydyf

                _foreign_fonts(done, warn)
                _attachments(pdf, [mime for _, _, mime, _ in attachments], date is not None)
                tags.finish(pdf, pydyf)

            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ResourceWarning)  # its colour profile stays open
                result: bytes = document.write_pdf(pdf_variant=VARIANT, finisher=finish)
        except FatalURLFetchingError as error:
            raise RenderError(str(error)) from None
        finally:
            config.__del__()  # its copies of the fonts, also when the process ends by os._exit
    if fetcher.refused:  # inside a drawing even a fatal error only leaves the drawing out
        raise RenderError(fetcher.refused[0])
    return result


@contextmanager
def quick_process() -> Iterator[None]:
    """No garbage collection while a report is made: a third less time, a little more memory."""
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        cache.flush()
        gc.enable()
        gc.unfreeze()


def leave(code: int) -> NoReturn:
    """End the process without tearing down; only once every file is in place."""
    cache.flush()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code)


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".")[:2] if part.isdigit())


def _utc(date: datetime) -> datetime:
    return date.replace(tzinfo=UTC) if date.tzinfo is None else date.astimezone(UTC)


def _faces(html: str, store: Store, progress: fonts.Progress | None) -> list[fonts.Face]:
    """The faces for the characters of a page and of its drawings."""
    drawings = (data.decode("utf-8", "replace") for data, mime in store.values() if "svg" in mime)
    text = {c for part in (html, *drawings) for c in html_module.unescape(part) if c > "\x7f"}
    return fonts.faces("".join(sorted(text)), progress)


def _rules(faces: Mapping[str, fonts.Face]) -> str:
    return "".join(
        f'@font-face{{font-family:"{face.family}";font-weight:{face.weight};src:url({url})}}'
        for url, face in faces.items()
    )


def _closed(files: Store) -> Any:
    """A fetcher that knows the given files alone and stops the build at anything else."""
    from weasyprint.urls import FatalURLFetchingError, URLFetcher, URLFetcherResponse

    class OnlyOurs(URLFetcher):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(allowed_protocols=(), allow_redirects=False)
            self.refused: list[str] = []

        def fetch(self, url: str, headers: Any = None) -> Any:  # noqa: ARG002
            if url not in files:
                self.refused.append(f"not in the report: {url[:80]}")
                raise FatalURLFetchingError(self.refused[0])
            body, mime = files[url]
            return URLFetcherResponse(url, body, {"Content-Type": mime})

    return OnlyOurs()


def _as_warning(message: str) -> None:
    warnings.warn(message, RenderWarning, stacklevel=4)


@contextmanager
def _heard(warn: Warn) -> Iterator[None]:
    """WeasyPrint's log, from warnings upwards."""

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            warn(record.getMessage())

    handler, logger = Handler(logging.WARNING), logging.getLogger("weasyprint")
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


@contextmanager
def _own_fonts() -> Iterator[None]:
    """Fontconfig without the machine's fonts: they would change the bytes from place to place."""
    before = os.environ.get("FONTCONFIG_FILE")
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
        file.write('<?xml version="1.0"?><fontconfig></fontconfig>\n')
        file.flush()
        os.environ["FONTCONFIG_FILE"] = file.name
        try:
            yield
        finally:
            if before is None:
                del os.environ["FONTCONFIG_FILE"]
            else:
                os.environ["FONTCONFIG_FILE"] = before


def _foreign_fonts(document: Any, warn: Warn) -> None:
    families = {font.family for font in document.fonts.values()}
    for family in sorted(families - {fonts.SANS, fonts.RARE, fonts.MATH}):
        warn(f"the font {family!r} is not one of the report's")


def _attachments(pdf: Any, mimes: Sequence[str], dated: bool) -> None:
    """MIME types as given, no date where none is known, each file named once."""
    embedded = [o for o in pdf.objects if getattr(o, "extra", {}).get("Type") == "/EmbeddedFile"]
    for stream, mime in zip(embedded, mimes, strict=True):
        stream.extra["Subtype"] = "/" + mime.replace("/", "#2f").replace("+", "#2b")
        if not dated:
            stream.extra["Params"].pop("CreationDate")
            stream.extra["Params"].pop("ModDate")
    if "AF" in pdf.catalog:
        pdf.catalog["AF"][:] = dict.fromkeys(pdf.catalog["AF"])
