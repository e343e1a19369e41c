#!/bin/sh
# Orama's default tokenizer splits a text wherever a character is outside a list for its language, and the list of
# English has à è é ì ò ó ù and no other letters with marks. An English text with names loses them: "Müller" becomes the
# words "m" and "ller", "Bücherei" "b" and "cherei", "Škoda" "koda", and "Łódź" "od".
#
# Version: @orama/orama 3.1.18, Node 20.20.2; `create` without a language.
# Seen: a search for "ller" finds Müller, one for "muller" finds nothing; the tokens that are checked below.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
printf '{"private":true,"type":"module"}\n' > package.json
npm install --silent --no-audit --no-fund --ignore-scripts @orama/orama@3.1.18
cat > run.mjs <<'JS'
import assert from "node:assert/strict"
import { create, insert, search } from "@orama/orama"

const database = create({ schema: { text: "string" } })
const tokens = database.tokenizer.tokenize("Müller Bücherei Škoda Łódź café", "english")
console.log("tokens:", tokens.join(" "))
assert.deepEqual(tokens, ["m", "ller", "b", "cherei", "koda", "od", "cafe"])
insert(database, { text: "Herr Müller leads the office." })
const hits = async (term) => (await search(database, { term })).hits.length
assert.equal(await hits("ller"), 1)
assert.equal(await hits("muller"), 0)
console.log("ller finds Müller, muller does not")
JS
node run.mjs
