"""What roles share when there is no model: deterministic, modest, honest about what it is.

A sentence becomes a claim (`claims`, from the words that `english_words` and `chinese_words` read and the amounts and
times of `values`), two claims are laid side by side (`comparison`) and judged (`judgement`). `lexicon` holds the word
lists behind all of it. Beside that: which sentences say most (`salience`), how alike texts are (`similarity`), what a
question asks for (`questions`), and which sentences answer it (`answers`).
"""
