"""The landing page, as a browser without scripts reads it."""

import base64
import hashlib
from html.parser import HTMLParser

from sglang_exporter.web.landing import POLICY, Followed, Landing, landing_page


class Reader(HTMLParser):
    """Collects the text, the links, and every tag."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.links: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]
        self.links += [value for name, value in attrs if name == "href" and value]

    def handle_data(self, data: str) -> None:
        self.texts.append(data.strip())


FOLLOWED = (Followed("server", "prod/a", "steady"), Followed("job", "math", "1,234 of 88,000"))


def test_every_server_and_job_is_listed_with_its_state() -> None:
    texts = Reader(landing_page(Landing("1.2.3", FOLLOWED))).texts
    for row in FOLLOWED:
        at = texts.index(row.name)
        assert texts[at - 1 : at + 2] == [row.kind, row.name, row.state]


def test_links_lead_to_the_other_pages_and_nothing_is_loaded() -> None:
    page = Reader(landing_page(Landing("1.2.3", FOLLOWED)))
    assert page.links == ["/metrics", "/-/healthy", "/-/ready"]
    assert not {"script", "link", "img", "iframe"} & set(page.tags)
    assert "src" not in page.attributes


def test_names_are_text_and_never_markup() -> None:
    evil = "<script>alert('x')</script>&\""
    page = Reader(landing_page(Landing(evil, (Followed("server", evil, evil),))))
    assert "script" not in page.tags
    assert page.texts.count(evil) == 2


def test_nothing_followed_is_said() -> None:
    assert "No file was found yet." in Reader(landing_page(Landing("1.2.3", ()))).texts


def test_policy_allows_its_own_style_and_no_other() -> None:
    page = landing_page(Landing("1", ()))
    style = page.partition("<style>")[2].partition("</style>")[0]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert POLICY.startswith(f"default-src 'none'; style-src 'sha256-{digest}'; ")
    assert "unsafe" not in POLICY
