"""What is put into HTML is text, whatever it looks like."""

from sglang_exporter.overview.html import Markup, tag, together

EVIL = "<script>alert('x')</script>&\" onload=\"x"


def test_text_and_attributes_are_escaped_and_markup_is_not() -> None:
    assert tag("p", EVIL) == "<p>&lt;script&gt;alert('x')&lt;/script&gt;&amp;\" onload=\"x</p>"
    assert (
        tag("p", title=EVIL)
        == '<p title="&lt;script&gt;alert(&#x27;x&#x27;)&lt;/script&gt;&amp;&quot; onload=&quot;x"></p>'
    )
    assert tag("p", tag("b", "x"), " & ", None, Markup("&amp;")) == "<p><b>x</b> &amp; &amp;</p>"
    assert together("<", tag("b"), ">") == "&lt;<b></b>&gt;"


def test_markup_is_escaped_in_an_attribute() -> None:
    assert tag("p", title=tag("b")) == '<p title="&lt;b&gt;&lt;/b&gt;"></p>'


def test_names_of_attributes() -> None:
    assert tag("p", class_="a b", aria_label="c", tabindex="-1") == '<p class="a b" aria-label="c" tabindex="-1"></p>'
    assert tag("p", hidden=True, open=False, id=None, value=0.5) == '<p hidden value="0.5"></p>'
