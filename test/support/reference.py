# SPDX-License-Identifier: Apache-2.0
"""The five reads by a plain scan over all items: slow, and easy to check
against the documentation line by line. The library must give the same ids,
order and scores."""
import fnmatch
import math
import re
import unicodedata

K1, B = 1.2, 0.75
WEIGHTS = (2.0, 1.0, 1.5, 1.5, 0.5)
CJK = ((0x3005, 0x3005), (0x3040, 0x30FF), (0x31F0, 0x31FF), (0x3400, 0x4DBF),
       (0x4E00, 0x9FFF), (0xAC00, 0xD7AF), (0xF900, 0xFAFF), (0xFF66, 0xFF9F),
       (0x20000, 0x3FFFF))
WHITE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B)))


def fold(text):
    text = unicodedata.normalize("NFD", text)
    text = "".join(c for c in text if unicodedata.combining(c) == 0)
    return unicodedata.normalize("NFC", text.casefold())


def fold_case(text):
    return unicodedata.normalize(
        "NFC", unicodedata.normalize("NFD", text).casefold())


def is_cjk(c):
    return any(low <= ord(c) <= high for low, high in CJK)


def words(query):
    """Words and phrases, in order."""
    at = 0
    while at < len(query):
        if query[at] in WHITE:
            at += 1
        elif query[at] == '"':
            end = query.find('"', at + 1)
            if end >= 0:
                yield query[at + 1:end].strip(WHITE)
                at = end
            at += 1
        else:
            end = at
            while end < len(query) and query[end] not in WHITE + '"':
                end += 1
            yield query[at:end]
            at = end


def terms(query):
    found = []
    for word in words(query[:8192]):
        term = fold(word)[:256]
        if (len(term) >= 3 or any(map(is_cjk, term))) and term not in found:
            found.append(term)
    return found[:64]


def occurrences(text, term):
    count, at = 0, text.find(term)
    while at >= 0:
        count += 1
        at = text.find(term, at + 1)
    return count


def seconds(text):
    from datetime import datetime
    return int(datetime.fromisoformat(text).timestamp())


class Doc:
    def __init__(self, item):
        self.item = item
        self.id = item["id"]
        self.time = seconds(item["occurred_at"])
        self.project = (fold_case(item["project"])
                        if item["project"] is not None else None)
        self.columns = [[fold(item["title"])], [fold(item["summary"])],
                        [fold(q) for q in item["questions"]],
                        [fold(a["text"]) for a in item["atoms"]],
                        [fold(item["project"])] if item["project"] else []]
        self.length = sum(max(0, len("\n".join(c)) - 2) for c in self.columns)
        self.whole = "\0".join("\0".join(c) for c in self.columns)
        self.cache = {}

    def tf(self, term):
        if term not in self.whole:
            return 0.0
        if term not in self.cache:
            self.cache[term] = sum(
                weight * sum(occurrences(part, term) for part in parts)
                for weight, parts in zip(WEIGHTS, self.columns))
        return self.cache[term]


def glob(pattern, text):
    return fnmatch.fnmatchcase(text, pattern)


class Reference:
    def __init__(self, items, now):
        self.docs = [Doc(item) for item in items]
        self.now = now

    def in_scope(self, scope):
        return [d for d in self.docs if scope is None or
                any(glob(g, d.item["source"]) for g in scope)]

    def relevance(self, query_terms, docs, keep):
        """(relevance, doc) of the docs that match and are kept."""
        total = len(docs)
        average = sum(d.length for d in docs) / total if total else 0.0
        sums, idf_sum = {}, 0.0
        for term in query_terms:
            having = [d for d in docs if d.tf(term) > 0]
            idf = math.log(1.0 + (total - len(having) + 0.5) /
                           (len(having) + 0.5))
            idf_sum += idf
            for d in having:
                if keep(d):
                    tf = d.tf(term)
                    ratio = d.length / average if average > 0 else 1.0
                    norm = 1.0 - B + B * ratio
                    sums[d] = sums.get(d, 0.0) + idf * (
                        (tf * (K1 + 1.0)) / (tf + K1 * norm))
        best = idf_sum * (K1 + 1.0)
        hits = [(s / best, d) for d, s in sums.items()]
        hits.sort(key=lambda h: (-h[0], -h[1].time, -h[1].id))
        return hits

    def keeper(self, project=None, source=None, since=None, until=None):
        key = fold_case(project) if project else None
        return lambda d: ((key is None or d.project == key) and
                          (not source or glob(source, d.item["source"])) and
                          (since is None or d.time >= since) and
                          (until is None or d.time <= until))

    def search(self, query, scope=None, limit=10, pool=200, **where):
        """[(id, score)]"""
        hits = self.relevance(terms(query), self.in_scope(scope),
                              self.keeper(**where))[:pool]
        scored = []
        for relevance, d in hits:
            age = max(0, self.now - d.time) / 86400.0
            score = round(relevance * ((1.0 - 0.3) +
                                       0.3 * math.pow(0.5, age / 90.0)), 4)
            scored.append((score, d))
        scored.sort(key=lambda s: (-s[0], -s[1].time, -s[1].id))
        return [(d.id, score) for score, d in scored[:limit]]

    def later(self, item_id, query=None, scope=None, limit=5):
        """(matched_by, [id]), or None if the item is not found."""
        docs = self.in_scope(scope)
        own = next((d for d in docs if d.id == item_id), None)
        if own is None:
            return None
        if own.project is not None:
            place = lambda d: d.project == own.project
        else:
            place = lambda d: d.item["source"] == own.item["source"]
        keep = lambda d: place(d) and d.time >= own.time
        hits = self.relevance(terms(query or own.item["title"]), docs, keep)
        newest = lambda ds: sorted(ds, key=lambda d: (-d.time, -d.id))
        if hits:
            floor = hits[0][0] * 0.3
            others = [h for h in hits if h[1] is not own][:50]
            others = [d for r, d in others if r >= floor]
            closest = others[:min(2, limit)]
            rest = newest(others[len(closest):])[:limit - len(closest)]
            if others:
                return "subject", [d.id for d in newest(closest + rest)]
        rest = newest(d for d in docs if keep(d) and d is not own)
        return "project_timeline", [d.id for d in rest[:limit]]

    def timeline(self, scope=None, limit=20, **where):
        docs = [d for d in self.in_scope(scope) if self.keeper(**where)(d)]
        docs.sort(key=lambda d: (-d.time, -d.id))
        return [d.id for d in docs[:limit]]

    def list_sources(self, scope=None):
        found = {}
        for d in self.in_scope(scope):
            entry = found.setdefault(d.item["source"],
                                     {"items": 0, "latest": ""})
            entry["items"] += 1
            entry["latest"] = max(entry["latest"], d.item["occurred_at"])
        return found
