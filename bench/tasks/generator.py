"""Makes long tasks with known answers: the same seed gives the same tasks."""

import random
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from bench.tasks.chinese import CHINESE
from bench.tasks.english import ENGLISH
from bench.tasks.material import Fact, Sort, TaskMaterial

Language = Literal["en", "zh"]


class TaskKind(StrEnum):
    """What sort of long task it is."""

    RESEARCH = "deep research"
    DOCUMENT = "long document"
    DIALOGUE = "long dialogue"


@dataclass(frozen=True, slots=True)
class Passage:
    """One text that the task comes with, in the order in which it comes."""

    text: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class TaskCase:
    """A task, what is known for it, and what must come of it."""

    kind: TaskKind
    language: Language
    question: str
    given: tuple[Passage, ...]
    library: tuple[Passage, ...] = ()
    """What a search can find beside what was given."""
    answer: str = ""
    """The value that a right answer holds."""
    evidence: str = ""
    """The sentence that says so."""
    wrong: str = ""
    """The value that contradicts it; empty when nothing was planted."""
    about: tuple[str, ...] = ()
    """The names that stand beside the answer in whatever wording."""

    @property
    def characters(self) -> int:
        """How long what is given is."""
        return sum(len(passage.text) for passage in self.given)


def task_cases(kind: TaskKind, *, count: int = 50, seed: int = 7) -> list[TaskCase]:
    """Return tasks of one kind, every other one Chinese; half of the research tasks have nothing planted."""
    cases = []
    for number in range(count):
        language: Language = "zh" if number % 2 else "en"
        source = random.Random(f"{seed} {kind} {number}")
        maker = _Maker(CHINESE if language == "zh" else ENGLISH, source, language)
        if kind is TaskKind.RESEARCH:
            cases.append(maker.research(planted=number % 4 < 2))
        elif kind is TaskKind.DOCUMENT:
            cases.append(maker.document())
        else:
            cases.append(maker.dialogue(planted=number % 4 < 2))
    return cases


@dataclass(slots=True)
class _Maker:
    material: TaskMaterial
    source: random.Random
    language: Language
    said: dict[tuple[str, str], str] = field(default_factory=dict)
    """The value of each subject's fact, so that all tell the same."""

    # ── research ─────────────────────────────────────────────────────────────

    def research(self, *, planted: bool) -> TaskCase:
        """Several sources tell of one subject; one of them may contradict the others on what is asked."""
        sort = self.source.choice(self.material.sorts)
        who = self.source.choice(sort.names)
        facts = self.source.sample(sort.facts, 4)
        asked = facts[0]
        right, wrong = self.source.sample(asked.values, 2)
        self.said[who, asked.question] = right
        intros = self.source.sample(self.material.sources, 4)
        given = []
        for place, intro in enumerate(intros[:2]):
            told = [asked, *self.source.sample(facts[1:], 2)]
            override = {asked.question: wrong} if planted and place == 1 else {}
            given.append(Passage(self._article(sort, who, intro, told, override), intro.format(who=who)))
        library = [
            Passage(self._article(sort, who, intro, [asked, facts[place + 1]], {}), intro.format(who=who))
            for place, intro in enumerate(intros[2:])
        ]
        return TaskCase(
            TaskKind.RESEARCH,
            self.language,
            self._started(asked.question.format(who=who)),
            tuple(given),
            tuple(library),
            answer=right,
            evidence=self._started(asked.wordings[0].format(who=who, value=right)),
            wrong=wrong if planted else "",
            about=(who.removeprefix("the "),),
        )

    def _article(self, sort: Sort, who: str, intro: str, facts: list[Fact], override: dict[str, str]) -> str:
        sentences = [self._stated(fact, who, override.get(fact.question)) for fact in facts]
        sentences += [remark.format(who=who) for remark in self.source.sample(sort.remarks, 2)]
        self.source.shuffle(sentences)
        body = self.material.joint.join(self._started(sentence) for sentence in sentences)
        return f"{intro.format(who=who)}\n{body}"

    def _stated(self, fact: Fact, who: str, value: str | None = None) -> str:
        known = self.said.setdefault((who, fact.question), self.source.choice(fact.values))
        return self.source.choice(fact.wordings).format(who=who, value=value or known)

    def _started(self, sentence: str) -> str:
        return sentence[0].upper() + sentence[1:]

    # ── a long document ──────────────────────────────────────────────────────

    def document(self) -> TaskCase:
        """One long text with a section for every subject; the answer stands in one of them."""
        subjects = [(sort, who) for sort in self.material.sorts for who in sort.names]
        self.source.shuffle(subjects)
        subjects = subjects[:12]
        sections = []
        for number, (sort, who) in enumerate(subjects, 1):
            facts = list(sort.facts)
            self.source.shuffle(facts)
            first = self._paragraph(sort, who, facts[:3])
            second = self._paragraph(sort, who, facts[3:])
            sections.append(f"## {number}. {self._started(who)}\n\n{first}\n\n{second}")
        sort, who = self.source.choice(subjects)
        asked = self.source.choice(sort.facts)
        value = self.said[who, asked.question]
        text = "\n\n".join(sections)
        stated = [self._started(wording.format(who=who, value=value)) for wording in asked.wordings]
        return TaskCase(
            TaskKind.DOCUMENT,
            self.language,
            self._started(asked.question.format(who=who)),
            (Passage(text, "document"),),
            answer=value,
            evidence=next(sentence for sentence in stated if sentence in text),
            about=(who.removeprefix("the "),),
        )

    def _paragraph(self, sort: Sort, who: str, facts: list[Fact]) -> str:
        sentences = [self._stated(fact, who) for fact in facts]
        sentences += [remark.format(who=who) for remark in self.source.sample(sort.remarks, 2)]
        return self.material.joint.join(self._started(sentence) for sentence in sentences)

    # ── a long dialogue ──────────────────────────────────────────────────────

    def dialogue(self, *, planted: bool) -> TaskCase:
        """A talk in which the user says several things of themselves; one of them may change later."""
        changes = self.source.sample(self.material.changes, 4)
        asked = changes[0]
        old, new = self.source.sample(asked.values, 2)
        turns = [self._talk() for _ in range(24)]
        places = sorted(self.source.sample(range(2, 22), 5))
        first = self.source.choice(asked.said).format(value=old)
        turns[places[0]] = (first, turns[places[0]][1])
        for place, change in zip(places[1:4], changes[1:], strict=True):
            said = self.source.choice(change.said).format(value=self.source.choice(change.values))
            turns[place] = (said, turns[place][1])
        evidence = first
        if planted:
            evidence = self.source.choice(asked.changed).format(old=old, value=new)
            turns[places[4]] = (evidence, turns[places[4]][1])
        user, assistant = self.material.speakers
        sessions = [turns[start : start + 6] for start in range(0, len(turns), 6)]
        given = tuple(
            Passage(_written(session, user, assistant), f"session {number}")
            for number, session in enumerate(sessions, 1)
        )
        return TaskCase(
            TaskKind.DIALOGUE,
            self.language,
            asked.question,
            given,
            answer=new if planted else old,
            evidence=evidence,
            wrong=old if planted else "",
        )

    def _talk(self) -> tuple[str, str]:
        return self.source.choice(self.material.talk)


def _written(session: list[tuple[str, str]], user: str, assistant: str) -> str:
    return "\n".join(f"{user}: {said}\n{assistant}: {replied}" for said, replied in session)
