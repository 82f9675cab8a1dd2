"""One module per role, from what is asked to how it is done without a model.

Each holds, in this order: the request and the response, which are the same with a model and without; what a model is
told, in Chinese and in English; how its reply is checked against what it was shown; and the offline counterpart. What
several roles share lies beside this package: prompts in `wording`, numbered passages in `passages`, bounds of a reply
in `reply_fields` and `tidying`, and the reading of statements in `offline`.
"""
