"""The texts' way to the translators: gather them from the source, bring the catalogues up to date, check both.

    python host/messages_workflow.py update [LANGUAGE...]    # new languages get an empty catalogue
    python host/messages_workflow.py check                   # status 1 when anything is stale, missing or ill-formed

Needs Babel (a development package); at run time plain gettext does. Files are the same on every run: sorted, without
places in the source, dates or versions.
"""

from __future__ import annotations

import io
import string
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

PACKAGE = Path(__file__).parent / "ordertray"
DOMAIN = "ordertray"
# Besides gettext's own names: translators passed around, and plurals by `plural = ngettext(language)`.
KEYWORDS = {**DEFAULT_KEYWORDS, "translate": None, "plural": (1, 2)}
NO_DATE = datetime(2000, 1, 1, tzinfo=UTC)
_HEADER_NOISE = (b'"Generated-By:', b'"Report-Msgid-Bugs-To:', b'"Last-Translator:', b'"Language-Team:')
HEADER = "# Texts of the order tray. Written by `make messages`; translate in the .po files."


def extracted(package: Path = PACKAGE) -> Catalog:
    """The template catalogue: every marked text of the package."""
    catalogue = Catalog(domain=DOMAIN, project="ordertray", creation_date=NO_DATE, header_comment=HEADER, fuzzy=False)
    for _name, _line, message, comments, context in extract_from_dir(package, keywords=KEYWORDS):
        if message:
            catalogue.add(message, auto_comments=comments, context=context)
    return catalogue


def locale_directory(package: Path = PACKAGE) -> Path:
    """Where the catalogues are."""
    return package / "messages" / "locale"


def catalogue_path(language: str, package: Path = PACKAGE) -> Path:
    """A language's catalogue."""
    return locale_directory(package) / language / "LC_MESSAGES" / f"{DOMAIN}.po"


def catalogue_languages(package: Path = PACKAGE) -> list[str]:
    """The languages with a catalogue."""
    return sorted(path.parent.parent.name for path in locale_directory(package).glob(f"*/LC_MESSAGES/{DOMAIN}.po"))


def updated(language: str, template: Catalog, package: Path = PACKAGE) -> Catalog:
    """A language's catalogue with the template's texts: translations kept, texts that are gone left out."""
    catalogue = Catalog(
        locale=language, domain=DOMAIN, project="ordertray", header_comment=HEADER, fuzzy=False,
        creation_date=NO_DATE, revision_date=NO_DATE, last_translator="", language_team="",
    )  # fmt: skip
    path = catalogue_path(language, package)
    old = read_po(io.BytesIO(path.read_bytes()), locale=language, domain=DOMAIN) if path.exists() else None
    for message in template:
        if not message.id:
            continue
        known = old.get(message.id, message.context) if old is not None else None
        keep = known is not None and isinstance(known.id, str) == isinstance(message.id, str)
        catalogue.add(message.id, known.string if keep and known is not None else None, context=message.context)
    return catalogue


def as_text(catalogue: Catalog) -> bytes:
    """The file of a catalogue."""
    file = io.BytesIO()
    write_po(file, catalogue, width=0, no_location=True, sort_output=True, ignore_obsolete=True)
    lines = file.getvalue().splitlines(keepends=True)
    return b"".join(line for line in lines if not line.startswith(_HEADER_NOISE))


def update(languages: Sequence[str] = (), package: Path = PACKAGE) -> None:
    """Write the template and the catalogues of all languages there are, and of these."""
    template = extracted(package)
    locale_directory(package).mkdir(parents=True, exist_ok=True)
    (locale_directory(package) / f"{DOMAIN}.pot").write_bytes(as_text(template))
    for language in sorted({*catalogue_languages(package), *languages}):
        path = catalogue_path(language, package)
        content = as_text(updated(language, template, package))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        compile_catalogue(path)


def compile_catalogue(path: Path) -> None:
    """Write what gettext reads beside a catalogue; installing does the same (`build_messages.py`)."""
    with path.open("rb") as source, path.with_suffix(".mo").open("wb") as target:
        write_mo(target, read_po(source))


def problems(package: Path = PACKAGE) -> Iterator[str]:
    """Everything that keeps a player from reading his own language."""
    template = extracted(package)
    pot = locale_directory(package) / f"{DOMAIN}.pot"
    if not pot.exists() or pot.read_bytes() != as_text(template):
        yield f"{pot.name}: stale; run `make messages`"
    for language in catalogue_languages(package):
        path = catalogue_path(language, package)
        current = updated(language, template, package)
        if path.read_bytes() != as_text(current):
            yield f"{language}: stale; run `make messages`"
        for message in current:
            if message.id:
                yield from (f"{language}: {problem}" for problem in _message_problems(message))


def _message_problems(message: Message) -> Iterator[str]:
    sources = message.id if isinstance(message.id, tuple | list) else (message.id,)
    strings = message.string if isinstance(message.string, tuple | list) else (message.string,)
    shown = repr(sources[0])
    if not all(strings):
        yield f"not translated: {shown}"
        return
    if message.fuzzy:
        yield f"fuzzy: {shown}"
    wanted = set().union(*(fields(source) for source in sources))
    for text in strings:
        found = fields(text or "")
        # A plural form may leave a number out ("one disc"), but may not name what is not given.
        if found - wanted or (len(sources) == 1 and found != wanted):
            yield f"fields {sorted(found)} instead of {sorted(wanted)}: {shown}"


def fields(text: str) -> set[str]:
    """The `{fields}` of a text; an ill-formed text has one that no source has."""
    try:
        return {name for _literal, name, _spec, _conversion in string.Formatter().parse(text) if name is not None}
    except ValueError:
        return {f"ill-formed: {text}"}


def main(arguments: Sequence[str]) -> int:
    """Run `update` or `check`; the exit status."""
    match list(arguments):
        case ["update", *languages]:
            update(languages)
            return 0
        case ["check"]:
            found = list(problems())
            for problem in found:
                print(problem, file=sys.stderr)
            return 1 if found else 0
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
