from remanent.language.models.conversation import ask_again, describe_form
from remanent.language.role import Said


def test_the_form_of_the_answer_is_told_in_the_language_of_the_rest() -> None:
    schema = {"type": "object", "description": "一"}
    assert describe_form("Do it.", schema, tongue="en") == (
        "Do it.\n\nReply with one JSON object that fits this JSON schema, and with nothing else:\n"
        '{"type":"object","description":"一"}'
    )
    assert describe_form("请做。", schema, tongue="zh") == (
        "请做。\n\n只回复一个符合以下 JSON Schema 的 JSON 对象，不要写任何其他内容：\n"
        '{"type":"object","description":"一"}'
    )


def test_a_bad_answer_is_shown_with_what_is_wrong_with_it() -> None:
    assert ask_again("nonsense", "it is {no} JSON", form="json", tongue="en", longest=100) == (
        Said("assistant", "nonsense"),
        Said(
            "user",
            "Your reply could not be used: it is {no} JSON. "
            "Reply again, with one JSON object of the form that was asked for and nothing else.",
        ),
    )
    _, again = ask_again("胡说", "不是 JSON", form="json", tongue="zh", longest=100)
    assert again.text == "你的回复无法使用：不是 JSON。请重新回复，只写一个符合要求的 JSON 对象，不要写任何其他内容。"
    _, again = ask_again("x", "no answer", form="text", tongue="en", longest=100)
    assert again.text == "Your reply could not be used: no answer. Write the whole reply again without that mistake."
    _, again = ask_again("x", "没有回答", form="text", tongue="zh", longest=100)
    assert again.text == "你的回复无法使用：没有回答。请改正后重新写出完整的回复。"


def test_a_long_answer_is_shown_by_its_ends_and_an_empty_one_by_a_word() -> None:
    shown, _ = ask_again("a" * 500 + "b" * 500, "wrong", form="json", tongue="en", longest=10)
    assert shown.text == "aaaaa … bbbbb"
    shown, _ = ask_again(" \n", "it is empty", form="json", tongue="en", longest=10)
    assert shown.text == "(no reply)"
