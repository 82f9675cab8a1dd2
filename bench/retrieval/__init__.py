"""How well recall finds what was said, on public sets, beside other ways of searching."""
