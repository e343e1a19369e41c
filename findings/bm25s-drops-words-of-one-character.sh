#!/bin/sh
# bm25s.tokenize takes words of two characters and more (`\b\w\w+\b`), so single digits and letters are in no index and
# in no query: "Room 5" and "Room 7" are the same text, as are "plan A" and "plan B", and a query of "7" has no terms.
# `retrieve` then still returns k documents, with a score of 0.
#
# Version: bm25s 0.3.11 with numpy as it requires, Python 3.11.
# Seen: "room 7" ranks both rooms with one score; the query "7" returns two documents with 0.0.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check bm25s==0.3.11
cat > "$folder/run.py" <<'PY'
import bm25s

texts = ["Room 5 is on the left.", "Room 7 is on the right.", "Keys hang in the hall."]
tokens = bm25s.tokenize(texts, show_progress=False, return_ids=False)
print("tokens:", tokens)
assert tokens[0] == ["room", "left"] and tokens[1] == ["room", "right"], tokens
index = bm25s.BM25()
index.index(bm25s.tokenize(texts, show_progress=False), show_progress=False)


def scores(query):
    words = bm25s.tokenize(query, show_progress=False)
    ids, values = index.retrieve(words, k=2, show_progress=False)
    return dict(zip((int(one) for one in ids[0]), (float(one) for one in values[0])))


rooms = scores("room 7")
print("room 7:", rooms)
assert set(rooms) == {0, 1} and rooms[0] == rooms[1] > 0, rooms
none = scores("7")
print("7:", none)
assert len(none) == 2 and set(none.values()) == {0.0}, none
PY
"$folder/venv/bin/python" "$folder/run.py"
