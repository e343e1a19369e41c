#!/bin/sh
# @hey-api/openapi-ts declares the peer `typescript >=5.5.3 || >=6.0.0`, so npm installs TypeScript 7, whose package has
# no JavaScript API any more (`require("typescript")` gives the version alone). The generator then ends at its own
# import, before it reads a document: a folder that installs it without naming TypeScript cannot generate a client.
#
# Versions: @hey-api/openapi-ts 0.95.0 with typescript 7.0.2 (fails) and 5.9.3 (works), Node 20.20.2.
# Seen: "TypeError: Cannot read properties of undefined (reading 'LineFeed')" and exit status 1, against exit status 0.
# Who installs the generator names `typescript@5` beside it.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
printf '{"private":true,"type":"module"}\n' > package.json
# The generator takes the nearest tsconfig of the folders above otherwise.
printf '{}\n' > tsconfig.json
cat > api.json <<'JSON'
{
  "openapi": "3.1.0",
  "info": { "title": "things", "version": "1" },
  "paths": {
    "/things": {
      "get": {
        "operationId": "listThings",
        "responses": {
          "200": {
            "description": "The things.",
            "content": { "application/json": { "schema": { "type": "array", "items": { "type": "string" } } } }
          }
        }
      }
    }
  }
}
JSON

npm install --silent --no-audit --no-fund --ignore-scripts @hey-api/openapi-ts@0.95.0 typescript@7.0.2
status=0
node_modules/.bin/openapi-ts -i api.json -o with-7 > seven.txt 2>&1 || status=$?
grep -q "TypeError: Cannot read properties of undefined (reading 'LineFeed')" seven.txt
[ "$status" -eq 1 ]
[ ! -e with-7 ]

npm install --silent --no-audit --no-fund --ignore-scripts typescript@5.9.3
node_modules/.bin/openapi-ts -i api.json -o with-5 > five.txt 2>&1
[ -e with-5/sdk.gen.ts ]

echo "TypeScript 7.0.2, which the peer range takes: $(grep -m1 TypeError seven.txt)"
echo "TypeScript 5.9.3: a client is written."
