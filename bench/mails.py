#!/usr/bin/env python3
"""Whether topics of raw mails and tweets are about their subjects, not about headers and links.

usage: mails.py PROGRAM DATA [--topics 20] [--seed N]

Mails are drawn from BBC news: each article gets the headers of a news group's article, with lines
that go on, perhaps a quoted part of another one with its introduction, and perhaps a signature, of
which half begin with the line that marks it and half with a rule. Tweets are as they are, and once
more with up to three links each. Exits with 1 if a word of headers, addresses or links is among the
first ten of any topic.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

PLACES = ["cs.example.edu", "news.example.com", "mail.example.org", "phys.example.ac.uk"]
PEOPLE = ["jsmith", "mary.k", "bob", "dr.who", "a.nother", "kim", "lee77", "frank"]
# What no subject of the news has; of tweets only what belongs to links.
HEADERS = """nntp posting host xref lines organization distribution newsreader references mime
sender reply message id newsgroups path writes article edu apr gmt tin version pl8 expires
supersedes followup inc keywords summary uucp""".split()
LINKS = "http https www com org html htm co amp quot nbsp href mp4 ext_tw_video php url".split()


def header(rng: random.Random, subject: str) -> str:
    """Lines before an article."""
    who, where = rng.choice(PEOPLE), rng.choice(PLACES)
    first, second = rng.randrange(10**6), rng.randrange(10**6)
    lines = [
        f"From: {who}@{where} ({who.title()} Person)",
        f"Subject: {'Re: ' if rng.random() < 0.5 else ''}{subject}",
        f"Path: {rng.choice(PLACES)}!{rng.choice(PLACES)}!{who}",
        f"Xref: {where} misc.test:{rng.randrange(9999)}",
        "Newsgroups: misc.test,\n\tmisc.talk",
        f"Message-ID: <{rng.randrange(10**6)}.{rng.randrange(10**4)}@{where}>",
        f"References: <{first}@{rng.choice(PLACES)}>\n <{second}@{where}>",
        f"Organization: University of Examples, {where}",
        f"Date: {rng.randrange(1, 29)} Apr 1993 10:{rng.randrange(10, 60)}:00 GMT",
        f"Lines: {rng.randrange(5, 90)}",
        f"Nntp-Posting-Host: {where}",
        "X-Newsreader: TIN [version 1.1 PL8]",
        "Distribution: inet",
        f"Reply-To: {who}@{where}",
    ]
    top, rest = lines[:2], lines[2:]
    rng.shuffle(rest)
    return "\n".join(top + rest[: rng.randrange(4, len(rest) + 1)]) + "\n\n"


def mail(rng: random.Random, text: str, other: str) -> str:
    """An article with all that surrounds it."""
    who, where = rng.choice(PEOPLE), rng.choice(PLACES)
    words = text.split()
    body = "\n".join(" ".join(words[i : i + 12]) for i in range(0, len(words), 12))
    quoted = ""
    if rng.random() < 0.5:
        begin = (
            f"In article <{rng.randrange(10**6)}@{where}>, {who}@{where} ({who.title()}) writes:"
        )
        lines = [" ".join(other.split()[i : i + 10]) for i in range(0, 60, 10)]
        quoted = "\n".join([begin, *(f"> {line}" for line in lines)]) + "\n\n"
    signature = ""
    if rng.random() < 0.6:
        mark = rng.choice(["-- ", "-" * 60])
        signature = (
            f"\n{mark}\n{who.title()} Person   {who}@{where}   (555) {rng.randrange(10**7)}\n"
        )
    return header(rng, " ".join(words[:5])) + quoted + body + signature


def first_words(program: str, data: Path, topics: int) -> list[list[str]]:
    """The ten first words of each topic."""
    command = [program, "topics", str(data), "-k", str(topics), "--json", "--quiet"]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [topic["words"][:10] for topic in json.loads(told)["topics"]]


def write_mails(data: Path, folder: Path, rng: random.Random) -> None:
    """A file for each mail."""
    csv.field_size_limit(sys.maxsize)
    with gzip.open(data / "bbc/articles.csv.gz", "rt", encoding="utf-8", newline="") as lines:
        articles = list(csv.DictReader(lines))
    for number, article in enumerate(articles):
        file = folder / article["label"] / str(number)
        file.parent.mkdir(parents=True, exist_ok=True)
        text = mail(rng, article["text"], rng.choice(articles)["text"])
        file.write_text(text, encoding="utf-8")


def write_tweets(data: Path, file: Path, rng: random.Random) -> None:
    """Tweets with more links than they have."""
    with gzip.open(data / "tweets/tweets.tsv.gz", "rt", encoding="utf-8") as lines:
        texts = [line.rstrip("\n") for line in lines][1:]
    shape = ["https://t.co/{}", "http://www.example.com/{}/index.html", "bit.ly/{}", "www.x.org/{}"]
    with file.open("w", encoding="utf-8") as out:
        for text in texts:
            links = [rng.choice(shape).format(f"{rng.randrange(16**6):x}") for _ in range(3)]
            out.write(" ".join([text, *links[: rng.randrange(4)]]) + "\n")


def main() -> None:
    """Looks at both."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("program")
    parser.add_argument("data", type=Path)
    parser.add_argument("--topics", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    failed = False
    with tempfile.TemporaryDirectory() as work:
        mails, tweets = Path(work) / "mails", Path(work) / "tweets.txt"
        write_mails(args.data, mails, rng)
        write_tweets(args.data, tweets, rng)
        looks = [("mails", mails, {*HEADERS, *LINKS}), ("tweets", tweets, set(LINKS))]
        for name, file, wrong in looks:
            lists = first_words(args.program, file, args.topics)
            found = [word for words in lists for word in words if word in wrong]
            failed |= bool(found)
            words = "; ".join(" ".join(words[:3]) for words in lists)
            told = ", ".join(found) or "none"
            print(
                f"- {name}, {len(lists)} topics; words of headers and links: {told}. First words:"
            )
            print(f"  {words}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
