"""What roles share when there is no model: deterministic, modest, honest about what it is.

A sentence becomes a claim (`claims`, with the amounts and times of `values`), two claims are laid side by side
(`comparison`) and judged (`judgement`; `office_holders` for who holds what only one holds, `accounts` for a claim
beside a whole text, `evidence` for a claim beside its sources). `lexicon` holds the word lists behind all of it.

What people say of themselves becomes statements (`statements`, by the forms of `statements_english` and
`statements_chinese`), and what they say is no longer so becomes changes (`changes`). Beside that: what a conversation
binds its people to (`commitments`), which sentences say most and how alike texts are (`salience`), what a question asks
for (`questions`), and which sentences answer it (`answer_finding`).
"""
