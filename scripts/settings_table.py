"""Write docs/settings.md from the settings model; with --check, only say whether it is up to date."""

import sys
from pathlib import Path

from remanent.settings import PROJECT_FILE, setting_rows

DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "settings.md"

HEAD = f"""\
# Settings · 设置

Made by `scripts/settings_table.py` from the settings model; change it there.

A setting is taken from the first place that has it: a flag or argument, the environment, `{PROJECT_FILE}` in the
current directory, `~/.config/remanent/config.yaml` (under `$XDG_CONFIG_HOME` where that is set), the default. A name
with a dot is nested in a file: `jobs.lease` is `lease` under `jobs`.

设置按以下顺序取第一个出现的值：命令行或参数、环境变量、当前目录下的 `{PROJECT_FILE}`、
`~/.config/remanent/config.yaml`（设置了 `$XDG_CONFIG_HOME` 时在其下）、默认值。带点的名称在文件中是嵌套的：
`jobs.lease` 即 `jobs` 之下的 `lease`。

```yaml
language: zh
jobs:
  lease: 120
```

A language model is optional. It is used when a provider is named; its key may stand in the provider's own variable
(`DEEPSEEK_API_KEY` here). A tier or a role can have another model, or another provider with a key of its own.

语言模型是可选的。指明提供方即启用；密钥可放在提供方自己的环境变量中（此处为 `DEEPSEEK_API_KEY`）。
某一层级或某一角色可另选模型，也可另选提供方并使用各自的密钥。

```yaml
model:
  provider: deepseek
  name: deepseek-chat
  tiers:
    intent: {{provider: ollama, name: "qwen3:4b"}}
  roles:
    planning: {{temperature: 0.4, window: 64000}}
```

| setting · 名称 | variable · 环境变量 | values · 取值 | default · 默认 | meaning | 含义 |
|---|---|---|---|---|---|
"""


def document() -> str:
    """Return the whole document."""
    lines = [
        f"| `{row.name}` | `{row.variable}` | {row.values} | {row.default} | {row.english} | {row.chinese} |"
        for row in setting_rows()
    ]
    return HEAD + "\n".join(lines) + "\n"


def main() -> int:
    """Write the document, or compare it."""
    wanted = document()
    if "--check" not in sys.argv[1:]:
        DOCUMENT.parent.mkdir(exist_ok=True)
        DOCUMENT.write_text(wanted, encoding="utf-8")
        return 0
    if DOCUMENT.is_file() and DOCUMENT.read_text(encoding="utf-8") == wanted:
        return 0
    print("docs/settings.md does not fit the settings model. Run: python scripts/settings_table.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
