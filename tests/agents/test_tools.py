from typing import Annotated, Literal

import pytest
from pydantic import Field, JsonValue

from remanent.agents.tools import AgentTool, File, FunctionTool, ToolOutput
from remanent.errors import InvalidInput
from remanent.model import Origin


async def weigh(
    animal: Literal["cat", "dog"], *, times: Annotated[int, Field(ge=1, description="how often")] = 1
) -> dict[str, JsonValue]:
    """Weigh an animal."""
    return {"animal": animal, "kg": 4 * times}


def shout(text: str) -> str:
    return text.upper()


@pytest.mark.spec("BANK-25")
def test_a_typed_function_declares_itself_as_a_standard_tool() -> None:
    tool = FunctionTool(weigh)
    assert isinstance(tool, AgentTool)
    assert (tool.declaration.name, tool.declaration.description, tool.origin) == ("weigh", "Weigh an animal.", "tool")
    assert tool.declaration.parameters == {
        "type": "object",
        "properties": {
            "animal": {"enum": ["cat", "dog"], "title": "Animal", "type": "string"},
            "times": {"default": 1, "description": "how often", "minimum": 1, "title": "Times", "type": "integer"},
        },
        "required": ["animal"],
        "additionalProperties": False,
    }


async def test_a_function_is_called_with_checked_arguments_and_its_result_is_told() -> None:
    assert (await FunctionTool(weigh).call({"animal": "cat", "times": 2})).text == '{"animal": "cat", "kg": 8}'
    assert (await FunctionTool(shout, name="loud", origin=Origin.WEB).call({"text": "猫 cat"})).text == "猫 CAT"


@pytest.mark.parametrize(
    "arguments", [{}, {"animal": "cow"}, {"animal": "cat", "times": 0}, {"animal": "cat", "colour": "red"}]
)
async def test_arguments_that_do_not_fit_are_refused_and_the_function_is_not_called(
    arguments: dict[str, JsonValue],
) -> None:
    with pytest.raises(InvalidInput, match=r"invalid weigh: (animal|times|colour)"):
        await FunctionTool(weigh).call(arguments)


async def test_a_tool_may_give_files_beside_its_text() -> None:
    def draw() -> ToolOutput:
        return ToolOutput("drawn", files=(File("a.svg", "image/svg+xml", b"<svg/>"),))

    assert (await FunctionTool(draw).call({})).files[0].name == "a.svg"


def test_parameters_without_a_name_or_of_a_type_that_json_cannot_carry_are_refused() -> None:
    def many(*values: int) -> int:
        return sum(values)

    def strange(value: AgentTool) -> None: ...

    for function in (many, strange):
        with pytest.raises(InvalidInput):
            FunctionTool(function)
