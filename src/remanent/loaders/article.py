"""The article within a web page, by trafilatura from the extra `documents`: without menus, side columns and notices."""

import re

_TWICE = re.compile(r"<(/?)pre>\s*<\1pre>")


def article_of(html: str) -> str | None:
    """Return the part of a page that somebody wrote, as HTML; None where there is none, or nothing to find it with."""
    try:
        from trafilatura import extract
    except ImportError:
        return None
    found = extract(html, output_format="html", include_tables=True, include_comments=False, favor_recall=True)
    return _TWICE.sub(r"<\1pre>", found) if found else None
