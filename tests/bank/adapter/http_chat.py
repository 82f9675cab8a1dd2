"""A chat model as integrations of LangChain have it, in a file of its own: loading LangChain takes a second of CPU."""

import json
from collections.abc import Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, convert_to_openai_messages
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool


class HttpChat(BaseChatModel):
    """A chat model behind an OpenAI-compatible URL, as integrations have it."""

    base_url: str

    @property
    def _llm_type(self) -> str:
        return "http"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[Any, AIMessage]:
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        raise NotImplementedError

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        from openai import AsyncOpenAI

        async with AsyncOpenAI(base_url=self.base_url, api_key="none", max_retries=0) as client:
            said: Any = convert_to_openai_messages(messages)
            answer = await client.chat.completions.create(model="scripted", messages=said, **kwargs)
        message = answer.choices[0].message
        tool_calls = [
            {
                "name": call.function.name,
                "args": json.loads(call.function.arguments),
                "id": call.id,
                "type": "tool_call",
            }
            for call in message.tool_calls or []
            if call.type == "function"
        ]
        reply = AIMessage(content=message.content or "", tool_calls=tool_calls)
        return ChatResult(generations=[ChatGeneration(message=reply)])
