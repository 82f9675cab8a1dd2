"""What speakers are called before their words."""

from remanent.language.tongue import Tongue, tongue_of

_CHINESE = {"user": "用户", "assistant": "助手", "agent": "助手", "tool": "工具", "system": "系统"}


def speaker_name(speaker: str, tongue: Tongue) -> str:
    """Return a speaker's name in a language; a person's own name is the same in both."""
    if tongue == "zh":
        return _CHINESE.get(speaker, speaker)
    return speaker[:1].upper() + speaker[1:]


def with_speaker(text: str, speaker: str) -> str:
    """Return something that was said with its speaker before it."""
    tongue = tongue_of(text)
    return f"{speaker_name(speaker, tongue)}{'：' if tongue == 'zh' else ': '}{text}"
