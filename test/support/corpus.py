# SPDX-License-Identifier: Apache-2.0
"""Small, deterministic libraries of items with everything that makes a search
hard: accents in both forms, CJK, punctuation, repeated and overlapping words,
empty fields, equal times, items without a project."""
import random
import unicodedata
from datetime import datetime, timedelta, timezone

WORDS = """error timeout retry cache index invoice export import deploy server
client token session schema migration rollback jezero.toml E0433 don't multi-agent
GB/s C++ node_modules aaaa aaa banana bananas ananas title:invoice NOT OR AND
facturación Facturacion FACTURACIÓN niño año número conexión exportación straße
STRASSE Łódź smørrebrød İstanbul ΣΊΣΥΦΟΣ σίσυφος ﬁle x ab 42 1.5s %_ (( * ^ \\""".split()
CJK_WORDS = ["发票", "导出", "发票导出", "失败", "设", "備", "請求書", "出力",
             "결제", "오류", "コード", "カ", "文字コード", "rerun重跑gen"]
PROJECTS = ["billing", "Billing", "shop-web", "tileserver", "facturación",
            "发票", None]
SOURCES = ["agent-claude-code-laptop", "agent-codex-work-mac",
           "agent-opencode-mini", "mail-dana", "notes"]
KINDS = ["decision", "rationale", "fix", "error", "command", "fact", "risk"]
EPOCH = datetime(2026, 1, 1, tzinfo=timezone.utc)


def text(rnd, low, high):
    words = []
    for _ in range(rnd.randint(low, high)):
        word = rnd.choice(CJK_WORDS if rnd.random() < 0.15 else WORDS)
        if rnd.random() < 0.2:
            word = unicodedata.normalize("NFD", word)
        words.append(word)
    return rnd.choice([" ", " ", " ", "  ", "\n"]).join(words)


def item(rnd, number):
    return {
        "source": rnd.choice(SOURCES),
        "external_id": f"session-{number}#0",
        "occurred_at": (EPOCH + timedelta(
            hours=rnd.choice((1, 24)) * rnd.randint(0, 300))).isoformat(),
        "title": text(rnd, 0, 6).replace("\n", " "),
        "summary": text(rnd, 0, 30),
        "questions": [text(rnd, 0, 6) for _ in range(rnd.randint(0, 3))],
        "atoms": [{"kind": rnd.choice(KINDS), "text": text(rnd, 1, 8)}
                  for _ in range(rnd.randint(0, 12))],
        "project": rnd.choice(PROJECTS),
        "account": None,
        "original_ref": f"session:{number}",
        "trust": rnd.choice(["own", "own", "external"]),
    }


def items(count, seed):
    rnd = random.Random(f"items-{seed}")
    return [item(rnd, number) for number in range(count)]


def query(rnd):
    parts = []
    for _ in range(rnd.choice((1, 1, 2, 3, 5, 12))):
        kind = rnd.random()
        if kind < 0.55:
            part = rnd.choice(WORDS + CJK_WORDS)
        elif kind < 0.75:
            part = '"' + text(rnd, 1, 3) + '"'
        elif kind < 0.85:
            whole = rnd.choice(WORDS + CJK_WORDS)
            start = rnd.randrange(len(whole))
            part = whole[start:start + rnd.randint(1, 5)]
        elif kind < 0.9:
            part = "zq" + rnd.choice("xyz") * 3
        else:
            part = rnd.choice(['"', '""', "'", "\u3000", "-", "of", "🚀"])
        if rnd.random() < 0.3:
            part = rnd.choice([str.upper, str.title,
                               lambda s: unicodedata.normalize("NFD", s)])(part)
        parts.append(part)
    return " ".join(parts)
