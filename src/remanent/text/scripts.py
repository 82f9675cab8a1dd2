"""Which characters belong to which script, as ranges for regular expressions.

The ranges may hold unassigned characters: they are meant for text that `fold` has cleaned.
"""

HAN = "\u3005-\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
HIRAGANA = "\u3041-\u3096\u309d-\u309f\U0001b001-\U0001b11f\U0001b132-\U0001b152"
KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\U0001aff0-\U0001b000\U0001b120-\U0001b131\U0001b153-\U0001b16f"
KANA = HIRAGANA + KATAKANA
HANGUL = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\uac00-\ud7ff"
# Bopomofo, Thai, Lao, Myanmar, Khmer: written without spaces between words, too.
OTHER_UNSPACED = "\u3105-\u312f\u31a0-\u31bf\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
# Where a space does not tell one word from the next, or (Korean) hides the stem inside a longer unit.
UNSPACED = HAN + KANA + HANGUL + OTHER_UNSPACED
