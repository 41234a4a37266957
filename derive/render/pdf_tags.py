"""What WeasyPrint leaves out of its tag tree, added while it builds the tree.

The language of a passage, the scope of table headers, running heads as artifacts, the place of a
figure in the page's own coordinates, and the PDF/UA mark. WeasyPrint is patched only for the time
of one document, and a version whose inside differs is left alone and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

PX = 0.75  # points in one CSS pixel

# PDF/A wants to be told of every XMP property that it does not know itself: the mark of PDF/UA.
UA_MARK = b"""\
<rdf:Description rdf:about="" xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/" pdfuaid:part="1" />\
<rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/" \
xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" \
xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">\
<pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource">\
<pdfaSchema:namespaceURI>http://www.aiim.org/pdfua/ns/id/</pdfaSchema:namespaceURI>\
<pdfaSchema:prefix>pdfuaid</pdfaSchema:prefix>\
<pdfaSchema:schema>PDF/UA identification schema</pdfaSchema:schema>\
<pdfaSchema:property><rdf:Seq><rdf:li rdf:parseType="Resource">\
<pdfaProperty:category>internal</pdfaProperty:category>\
<pdfaProperty:description>PDF/UA version identifier</pdfaProperty:description>\
<pdfaProperty:name>part</pdfaProperty:name>\
<pdfaProperty:valueType>Integer</pdfaProperty:valueType>\
</rdf:li></rdf:Seq></pdfaSchema:property></rdf:li></rdf:Bag></pdfaExtension:schemas>\
</rdf:Description></rdf:RDF>"""


class Tagging:
    """What one document still needs once its tree is built."""

    def __init__(self) -> None:
        self.artifacts: list[tuple[int, int]] = []  # page number, marked-content id
        self.height = 0.0  # of the page whose tree is being built, px

    def wrap(self, build: Callable[..., Any], boxes: Any, pydyf: Any) -> Callable[..., Any]:
        """WeasyPrint's recursive builder of the tree, with the additions."""

        def tree(box: Any, parent: Any, pdf: Any, page: int, nums: Any, *rest: Any) -> Any:
            if isinstance(box, boxes.PageBox):
                self.height = box.margin_height()
            if isinstance(box, boxes.MarginBox):
                self._artifact(box, page, nums, rest[-1])
                return
            for element in build(box, parent, pdf, page, nums, *rest):
                self._complete(element, getattr(box, "_box", box), pydyf)
                yield element

        return tree

    def _artifact(self, box: Any, page: int, nums: Any, tags: Any) -> None:
        """Running heads and page numbers: not read out, not in the tree."""
        if box in tags:
            mcid = tags.pop(box)["mcid"]
            nums[mcid] = "null"
            self.artifacts.append((page, mcid))
        for child in getattr(box, "children", ()):
            self._artifact(child, page, nums, tags)

    def _complete(self, element: Any, box: Any, pydyf: Any) -> None:
        if box.element is None or "derive" in element.__dict__:
            return
        element.derive = True  # the first caller is the box the element was made from
        if lang := box.element.get("lang"):
            element["Lang"] = pydyf.String(lang)
        if element["S"] == "/TH" and "A" in element:
            element["A"]["Scope"] = "/Row" if box.element.get("scope") == "row" else "/Column"
        if element["S"] == "/Figure" and "A" in element:
            x1, y1, x2, y2 = element["A"]["BBox"]
            corners = (x1, self.height - y2, x2, self.height - y1)
            element["A"]["BBox"] = pydyf.Array(round(PX * c, 2) for c in corners)

    def finish(self, pdf: Any, pydyf: Any) -> None:
        """Rewrite the artifacts' marks in the pages, and the metadata."""
        pages = pdf.pages["Kids"][::3]
        for page, mcid in self.artifacts:
            content = _object(pdf, pdf.objects[pages[page]]["Contents"]).stream
            for at, item in enumerate(content):
                if isinstance(item, pydyf.Dictionary) and item.get("MCID") == mcid:
                    content[at - 1] = "/Artifact"
                    content[at] = pydyf.Dictionary({"Type": "/Pagination"})
        metadata = _object(pdf, pdf.catalog["Metadata"])
        metadata.stream = [part.replace(b"</rdf:RDF>", UA_MARK) for part in metadata.stream]
        metadata.compress = False  # readable for programs that know nothing of PDF


def _object(pdf: Any, reference: bytes) -> Any:
    return pdf.objects[int(reference.split()[0])]


@contextmanager
def tagging(warn: Callable[[str], None]) -> Iterator[Tagging]:
    """WeasyPrint's tree builder with the additions, inside the context."""
    from weasyprint.formatting_structure import boxes
    from weasyprint.pdf import pydyf, tags

    state = Tagging()
    build = getattr(tags, "_build_box_tree", None)
    if build is None:
        warn("this WeasyPrint builds its tags differently: passages carry no language in the PDF")
        yield state
        return
    tags._build_box_tree = state.wrap(build, boxes, pydyf)  # noqa: SLF001
    try:
        yield state
    finally:
        tags._build_box_tree = build  # noqa: SLF001
