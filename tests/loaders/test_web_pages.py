# ruff: noqa: E501 - pages as their programs write them
"""Pages built as the usual programs of the web build them: what is read of each, under which headings, and what not."""

from dataclasses import dataclass

import pytest

from remanent.loaders.document import Reading
from remanent.loaders.html import read
from remanent.loaders.types import HTML

LONG = "The bridge was opened in 1932 after ten years of work, and it is painted grey every seven years. "
TEXT = "大桥于一九三二年通车，历时十年建成，每七年重新粉刷一次，是当时世界上最长的钢拱桥之一。"


@dataclass(frozen=True)
class Page:
    """A page, the headings that it has, what must be read of it and what must not."""

    html: str
    paths: list[tuple[str, ...]]
    said: tuple[str, ...]
    unsaid: tuple[str, ...] = ()
    encoding: str = "utf-8"


PAGES = {
    "an encyclopedia": Page(
        f"""<!DOCTYPE html><html class="client-nojs"><head><meta charset="UTF-8"><title>Bridge - Encyclopedia</title>
        <script>RLCONF={{"a":1}}</script></head><body><div id="mw-navigation"><nav><ul><li><a>Main page</a></li></ul></nav></div>
        <div id="content"><h1 id="firstHeading"><span class="mw-title">Bridge</span></h1><div id="bodyContent">
        <table class="infobox"><tbody><tr><th>Span</th><td>503 m</td></tr><tr><th>Opened</th><td>1932</td></tr></tbody></table>
        <p>{LONG * 3}<sup class="reference">[1]</sup></p><h2><span class="mw-headline">History</span></h2><p>{LONG * 2}</p>
        <h3>Design</h3><ul><li>steel</li><li>stone</li></ul></div></div><footer>Creative Commons</footer></body></html>""",
        [("Bridge",), ("Bridge", "History"), ("Bridge", "History", "Design")],
        ("503 m", "steel", "opened in 1932"),
        ("Main page", "RLCONF", "Creative Commons"),
    ),
    "a newspaper": Page(
        f"""<!doctype html><html><head><title>Bridge reopens | Daily</title><style>.a{{}}</style></head><body>
        <header><a>Sign in</a><a>Subscribe</a></header><main><article><header><h1>Bridge reopens</h1>
        <p class="byline">By Ada Byron</p></header><div class="body"><p>{LONG * 3}</p><aside>Most read: ten soups</aside>
        <figure><img src="a.jpg"><figcaption>The bridge at dawn</figcaption></figure><p>{LONG * 3}</p></div></article></main>
        <footer>© Daily</footer></body></html>""",
        [("Bridge reopens",)],
        ("opened in 1932",),
        ("Sign in", "ten soups", "© Daily"),
    ),
    "a blog": Page(
        f"""<html><head><title>On bridges</title></head><body class="single"><div id="page"><div class="site-branding">
        <p class="site-title"><a href="/">My blog</a></p></div><article class="post hentry"><h1 class="entry-title">On bridges</h1>
        <div class="entry-content"><p>{LONG * 4}</p><h2>Why steel</h2><p>{LONG * 4}</p><blockquote><p>No stone.</p></blockquote>
        <pre class="wp-block-code"><code>span = 503
year = 1932</code></pre></div></article><div id="comments"><h3>2 thoughts</h3><p>Nice!</p></div></div></body></html>""",
        [("On bridges",), ("On bridges", "Why steel")],
        ("No stone.", "span = 503\nyear = 1932"),
        ("2 thoughts",),
    ),
    "a manual": Page(
        f"""<!DOCTYPE html><html><head><title>bridge — docs 1.0</title></head><body><div class="document"><div class="body" role="main">
        <section id="bridge"><h1>bridge<a class="headerlink" href="#bridge">¶</a></h1><p>{LONG * 8}</p><section id="use">
        <h2>Use<a class="headerlink" href="#use">¶</a></h2><dl class="py function"><dt class="sig"><code>open(span)</code></dt>
        <dd><p>{LONG}</p></dd></dl><div class="highlight"><pre><span></span><span class="k">def</span> f():
    <span class="k">return</span> 1
</pre></div></section></section></div></div><div class="sphinxsidebar"><h3>Navigation</h3></div></body></html>""",
        [("bridge",), ("bridge", "Use")],
        ("open(span)", "def f():\n    return 1"),
    ),
    "questions and answers": Page(
        f"""<html><head><title>How long is it?</title></head><body><div id="question-header"><h1>How long is it?</h1></div>
        <div class="question"><div class="s-prose"><p>{LONG * 3}</p><pre><code>measure(bridge)</code></pre></div></div>
        <div id="answers"><h2>1 Answer</h2><div class="answer"><div class="s-prose"><p>It is 503 m. {LONG * 3}</p></div></div></div>
        </body></html>""",
        [("How long is it?",)],
        ("measure(bridge)", "It is 503 m."),
    ),
    "a shop": Page(
        """<html><head><title>Rivet 12 mm</title></head><body><nav>Cart</nav><div class="product"><h1>Rivet 12 mm</h1>
        <div class="price">€ 0.40</div><table class="specs"><tr><td>Length</td><td>12 mm</td></tr><tr><td>Steel</td><td>S355</td></tr>
        </table><form><button>Add to cart</button></form></div></body></html>""",
        [("Rivet 12 mm",)],
        ("€ 0.40", "| Length | 12 mm\n| Steel | S355"),
        ("Add to cart", "Cart"),
    ),
    "a forum of 2003": Page(
        """<HTML><HEAD><TITLE>Forum</TITLE></HEAD><BODY BGCOLOR=#FFFFFF><CENTER><FONT SIZE=5>Bridges</FONT></CENTER>
        <TABLE WIDTH=100%><TR><TD><B>ada</B><TD>Is it painted?<BR>I saw it in grey.<TR><TD><B>bob</B><TD>Yes, every seven years.
        </TABLE><P>Powered by nothing<P>Unclosed <B>bold""",
        [],
        ("| ada | Is it painted? I saw it in grey.", "| bob | Yes, every seven years.", "Unclosed bold"),
    ),
    "a Chinese newspaper": Page(
        f"""<!DOCTYPE html><html><head><meta http-equiv="Content-Type" content="text/html; charset=gb2312"><title>大桥通车</title>
        </head><body><div class="nav"><a href="/">首页</a></div><div class="main"><h1>大桥通车</h1><div class="article" id="artibody">
        <p>　　{TEXT * 8}</p><p>　　{TEXT * 8}</p></div></div></body></html>""",
        [("大桥通车",)],
        (TEXT,),
        encoding="gb2312",
    ),
    "a Chinese notice": Page(
        """<html><head><title>关于大桥限行的通知</title></head><body><div class="content"><h2>关于大桥限行的通知</h2>
        <p>各有关单位：</p><table><tr><td rowspan="2">时段</td><td>早高峰</td></tr><tr><td>晚高峰</td></tr></table><p>二〇二四年三月一日</p>
        </div></body></html>""",
        [("关于大桥限行的通知",)],
        ("各有关单位：", "| 时段 | 早高峰\n| 晚高峰", "二〇二四年三月一日"),
    ),
    "an application": Page(
        """<!doctype html><html><head><title>App</title><script>window.__DATA__={"h1":"<h1>No</h1>"}</script></head>
        <body><div id="root"><div><div><div role="heading">Bridges</div><div><span>Opened</span> <span>in&nbsp;1932</span></div>
        </div></div></div><noscript>Enable scripts</noscript><template><p>hidden</p></template></body></html>""",
        [],
        ("Bridges\n\nOpened in 1932",),
        ("Enable scripts", "hidden", "__DATA__"),
    ),
}


@pytest.mark.spec("KB-01")
@pytest.mark.parametrize("kind", PAGES)
def test_a_page_is_read_with_its_structure_and_without_what_is_around_it(kind: str) -> None:
    page = PAGES[kind]
    found = read(page.html.encode(page.encoding), Reading("a.html", HTML))
    assert [section.path for section in found.sections] == page.paths
    for said in page.said:
        assert said in found.text
    for unsaid in page.unsaid:
        assert unsaid not in found.text
