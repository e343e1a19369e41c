#!/usr/bin/env bash
# What docs/server.md promises, walked by a stranger who has kanon, curl and node (to pick values out of JSON): starts
# the server on a vault, mints keys for two workspaces and a user in both, gets every documented answer once, connects
# an MCP client, reads the OpenAPI document. Ends with 0 when all of it was as promised.
#
#   test/e2e/server-walk.sh [VAULT]      demo/vault by default; it is copied, never written to
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
vault="$(realpath "${1:-$here/../../demo/vault}")"
work="$(mktemp -d)"
server=""
stop() {
  [ -z "$server" ] || { kill -TERM "$server" 2>/dev/null && wait "$server"; } || fail "the server ended with $?"
  server=""
}
fail() {
  echo "server-walk: $*" >&2
  [ ! -f "$work/body" ] || head -c 600 "$work/body" >&2
  exit 1
}
trap '[ -z "$server" ] || kill -KILL "$server" 2>/dev/null; rm -rf "$work"' EXIT
cd "$work"
say() { printf '\n== %s\n' "$*"; }

# json EXPRESSION: reads JSON from the standard input and prints `it.EXPRESSION`.
json() { node -e 'const it = JSON.parse(require("fs").readFileSync(0, "utf8")); console.log(eval("it." + process.argv[1]))' "$1"; }
administer() { kanon "$@" --data "$data" --json; }

# begin DATA [VARIABLE=VALUE…]: starts the server and waits until it says where it listens.
begin() {
  data="$1"
  shift
  : >serve.out
  env "$@" kanon serve --data "$data" --port 0 --json >serve.out 2>>serve.log &
  server=$!
  for _ in $(seq 300); do
    [ -s serve.out ] && break
    kill -0 "$server" 2>/dev/null || fail "the server does not start: $(tail -3 serve.log)"
    sleep 0.1
  done
  url="$(json url <serve.out)"
}

# call METHOD PATH KEY [curl options]: leaves the answer in $status, $code and the file `body`, and keeps a record.
status="" code=""
call() {
  local method="$1" path="$2" key="$3"
  shift 3
  status="$(curl -sS -o body -w '%{http_code}' -X "$method" ${key:+-H "Authorization: Bearer $key"} "$@" "$url$path")"
  code="$(sed -nE '1s/^\{"error":"([^"]+)".*/\1/p' body)"
  code="${code:--}"
  echo "$method $path $status $code" >>seen
}
# want STATUS [CODE]: what the last call has to have come to.
want() { [ "$status $code" = "$1 ${2:--}" ] || fail "wanted $1 ${2:-}, got $status $code from $(tail -1 seen)"; }
# send METHOD PATH JSON: with the key that may everything.
send() { call "$1" "$2" "$admin" -H 'Content-Type: application/json' -d "$3"; }
get() { call GET "$1" "$admin"; }
value() { json "$1" <body; }

say "start on $(basename "$vault")"
cp -r "$vault" notes
rm -rf notes/.kanon
kanon init --vault notes --json >made
admin="$(json key <made)" first="$(json workspaceId <made)"
kanon ingest --vault notes >/dev/null
limits=(KANON_BODY_TIMEOUT_MS=1500 KANON_BODY_LIMIT_BYTES=100000)
begin "$work/notes/.kanon" "${limits[@]}"
for path in /healthz /metrics; do [ "$(curl -sS -o /dev/null -w '%{http_code}' "$url$path")" = 200 ] || fail "$path"; done
curl -sS --retry 60 --retry-delay 1 --retry-all-errors -f -o /dev/null "$url/readyz" || fail "it does not become ready"

say "keys for two workspaces, and for a user in both"
second="$(administer workspaces create --name Handbook --vault "$work/handbook" | json id)"
ada="$(administer users create --name Ada | json id)"
administer members add --user "$ada" >/dev/null
administer members add --user "$ada" --workspace "$second" >/dev/null
handbook="$(administer keys create --workspaces "$second" --scopes kb:read,kb:write | json key)"
both="$(administer keys create --kind user --user "$ada" --workspaces all --scopes agents:run,kb:read,kb:write,runs:read,workspace:admin | json key)"
narrow="$(administer keys create --scopes reports:read | json key)"
narrow_of_reports="$(administer keys create --scopes data:read | json key)"
stale="$(administer keys create --scopes kb:read --json)"
call GET /api/v1/documents "$both" -H "X-Workspace-Id: $first" && want 200
call GET /api/v1/documents "$both" -H "X-Workspace-Id: $second" && want 200
call GET /api/v1/documents "$handbook" && want 200
call GET /api/v1/documents "$(json key <<<"$stale")" && want 200
administer keys revoke "$(json id <<<"$stale")" >/dev/null
call GET /api/v1/documents "$(json key <<<"$stale")" && want 401 unauthorized

say "the OpenAPI document"
call GET /api/v1/openapi.json "" -D head && want 200
cp body openapi.json
[ "$(json openapi <openapi.json)" = 3.1.0 ] || fail "another OpenAPI"
[ "$(json 'servers[0].url' <openapi.json)" = "$url" ] || fail "another origin"
etag="$(sed -nE 's/^etag: (.*)\r$/\1/pI' head)"
call GET /api/v1/openapi.json "" -H "If-None-Match: $etag" && want 304
node "$here/document.mjs" operations openapi.json | grep -v ' /api/v1/openapi.json ' >operations

say "what every operation answers alike"
head -c 120000 /dev/zero | tr '\0' x >large
slow=()
while read -r method path body; do
  call "$method" "$path" "" && want 401 unauthorized
  case "$path" in */reports*) other="$narrow_of_reports" ;; *) other="$narrow" ;; esac
  call "$method" "$path" "$other" && want 403 insufficient_scope
  call "$method" "$path" "$both" && want 400 workspace_required
  call "$method" "$path" "$both" -H 'X-Workspace-Id: ws_00000000000000000000000000' && want 403 workspace_forbidden
  call TRACE "$path" "$admin" && want 405 method_not_allowed
  case "$path" in *_00000*) [ "$body" = body ] || { call "$method" "$path" "$admin" && want 404 not_found; } ;; esac
  [ "$body" = body ] || continue
  call "$method" "$path" "$admin" -H 'Content-Type: text/plain' -d x && want 415 unsupported_media_type
  call "$method" "$path" "$admin" -H 'Content-Type: application/json' --data-binary @large && want 413 payload_too_large
  call "$method" "$path" "$admin" -H 'Content-Type: application/json' -d '[]' && want 400 invalid_body
  {
    printf '{'
    sleep 4
  } | curl -sS -o /dev/null -w "$method $path %{http_code} request_timeout\n" -X "$method" -T - -H 'Content-Type: application/json' \
    -H "Authorization: Bearer $admin" "$url$path" >>slow 2>/dev/null &
  slow+=($!)
done <operations
wait "${slow[@]}"
if grep -v ' 408 ' slow; then fail "a slow body was waited for"; fi
cat slow >>seen
call GET /api/v1/nothing "$admin" && want 404 not_found
[ "$(curl -sS -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $admin" -H 'Origin: https://elsewhere.example' -d '{}' "$url/api/mcp")" = 403 ] ||
  fail "MCP serves pages of other sites"

say "documents"
send POST /api/v1/documents '{"path": "walk/one.md", "content": "# Walk\n\nThe walk was made by Wanda Walker.\n"}' && want 201
doc="$(value docId)"
send POST /api/v1/documents '{"path": "walk/one.md", "content": "# Again\n"}' && want 409 conflict
[ "$(value existingId)" = "$doc" ] || fail "the conflict names another document"
send POST /api/v1/documents '{"path": "walk/two.md", "content": "# Two\n"}' && want 201
two="$(value docId)"
get "/api/v1/documents/$doc" && want 200
get '/api/v1/documents?limit=x' && want 400 invalid_params
call GET "/api/v1/documents/$doc" "$handbook" && want 404 not_found
send PATCH "/api/v1/documents/$doc" '{"content": "# Walk\n\nThe walk was made by Wanda Walker, twice.\n"}' && want 200
send PATCH /api/v1/documents/doc_00000000000000000000000000 '{"content": "# No\n"}' && want 404 not_found
send POST "/api/v1/documents/$doc/move" '{"path": "walk/two.md"}' && want 409 conflict
send POST "/api/v1/documents/$doc/move" '{"path": "walk/moved.md"}' && want 200
send POST /api/v1/documents/doc_00000000000000000000000000/move '{"path": "walk/x.md"}' && want 404 not_found
get "/api/v1/documents/$doc/versions" && want 200
get "/api/v1/documents/$doc/versions?limit=x" && want 400 invalid_params
call DELETE "/api/v1/documents/$two" "$admin" && want 200
get /api/v1/trash && want 200
get '/api/v1/trash?limit=x' && want 400 invalid_params
send POST "/api/v1/trash/$two/restore" '{"path": "walk/moved.md"}' && want 409 conflict
send POST "/api/v1/trash/$two/restore" '{}' && want 200
send POST /api/v1/trash/doc_00000000000000000000000000/restore '{}' && want 404 not_found

say "search and answers"
get '/api/v1/search?q=Wanda%20Walker' && want 200
chunk="$(value 'results[0].chunkId')"
get '/api/v1/search?q=a&limit=0' && want 400 invalid_params
get "/api/v1/chunks/$chunk" && want 200
get "/api/v1/chunks/$chunk?context=x" && want 400 invalid_params
send POST /api/v1/query '{"question": "Who made the walk?"}' && want 200
get /api/v1/manifest && want 200
get /api/v1/workspace && want 200

say "decisions, text to check, the cache, settings"
get '/api/v1/policy/decisions?limit=1' && want 200
decision="$(value 'items[0].id')"
get '/api/v1/policy/decisions?limit=x' && want 400 invalid_params
get "/api/v1/policy/decisions/$decision" && want 200
[ "$(value replayable)" = true ] || fail "the decision does not follow from its features"
get /api/v1/policy/decisions/dec_00000000000000000000000000 && want 404 not_found
get /api/v1/policy/stats && want 200
send POST /api/v1/grounding/check '{"text": "Wanda Walker made the walk."}' && want 200
send POST /api/v1/grounding/check '{"text": "Wanda Walker made the walk.", "judge": true}' && want 409 no-model-configured
get /api/v1/cache/stats && want 200
send PATCH /api/v1/workspace '{"policy": {"mode": "enforce"}}' && want 200
send PATCH /api/v1/workspace '{"policy": {"mode": "shadow"}}' && want 200
send PATCH /api/v1/workspace '{"name": "Late", "expectRevision": 99}' && want 409 conflict

say "curation, change requests, the audit trail, SKOS"
send POST /api/v1/entities '{"name": "A governed thing", "type": "thing"}' && want 201
thing="$(value id)"
send POST /api/v1/entities '{"name": "Its successor", "type": "thing"}' && want 201
next="$(value id)"
send POST "/api/v1/entities/$thing/certify" '{"note": "Read it."}' && want 200
send POST "/api/v1/entities/$thing/review" '{}' && want 200
send POST "/api/v1/entities/$thing/authority" '{"authority": "curated"}' && want 200
send POST "/api/v1/entities/$thing/authority" '{"authority": "perhaps"}' && want 400 invalid_body
send POST "/api/v1/entities/$thing/lifecycle" '{"lifecycleStatus": "draft"}' && want 200
send POST "/api/v1/entities/$thing/lifecycle" '{"lifecycleStatus": "published"}' && want 200
# request KIND [MORE]: proposes a change of the thing and keeps its id in $request.
request=""
request() { send POST /api/v1/change-requests "{\"kind\": \"$1\", \"entityId\": \"$thing\"${2:+, $2}}" && want 201 && request="$(value id)"; }
request update '"payload": {"description": "Said otherwise."}'
get "/api/v1/change-requests/$request" && want 200
[ "$(value preview.applicable)" = true ] || fail "the request cannot be applied"
send POST "/api/v1/change-requests/$request/approve" '{"note": "Yes."}' && want 200
send POST "/api/v1/change-requests/$request/approve" '{}' && want 409 not_open
request delete
send POST "/api/v1/change-requests/$request/reject" '{"note": "No."}' && want 200
request delete
send POST "/api/v1/change-requests/$request/withdraw" '{}' && want 200
send POST /api/v1/change-requests '{"kind": "update", "entityId": "ent_00000000000000000000000000", "payload": {"name": "x"}}' && want 404 not_found
send POST /api/v1/change-requests '{"kind": "create", "payload": {"colour": "red"}}' && want 400 invalid_body
request update '"payload": {"description": "Once more."}'
send POST "/api/v1/entities/$thing/owner" '{"ownerId": "ada", "stewardIds": ["grace"]}' && want 200
send POST "/api/v1/change-requests/$request/approve" '{}' && want 409 reviewer_required
send POST "/api/v1/entities/$thing/owner" '{"ownerId": null, "stewardIds": []}' && want 200
send POST "/api/v1/entities/$thing/deprecate" "{\"supersededBy\": \"$next\"}" && want 200
send POST "/api/v1/entities/$thing/deprecate" '{}' && want 409 invalid_transition
get '/api/v1/change-requests?status=rejected' && want 200
get "/api/v1/entities/$thing/revisions" && want 200
[ "$(value 'revisions[0].changeKind')" = supersede ] || fail "the last revision tells of something else"
get '/api/v1/audit?limit=5' && want 200
get '/api/v1/audit?limit=x' && want 400 invalid_params
governed="$(get '/api/v1/documents?limit=1' && value 'items[0].id')"
send POST "/api/v1/documents/$governed/verify" '{"verification": "verified"}' && want 200
get "/api/v1/documents/$governed/lineage" && want 200
[ "$(value governance.verification)" = verified ] || fail "the lineage does not tell of the verification"
get /api/v1/export/skos && want 200
vocabulary='{"@context": {"skos": "http://www.w3.org/2004/02/skos/core#"}, "@id": "https://example.org/lens", "@type": "skos:Concept", "skos:prefLabel": "Lens"}'
send POST /api/v1/import/skos "{\"document\": $vocabulary, \"dryRun\": true}" && want 200
send POST /api/v1/import/skos "{\"document\": $vocabulary, \"mode\": \"apply\"}" && want 202
send POST /api/v1/import/skos '{"document": {"a": 1}}' && want 400 invalid_body

say "entities and relations"
send POST /api/v1/entities '{"name": "Walk of the stranger", "type": "event"}' && want 201
event="$(value id)"
send POST /api/v1/entities '{"name": "Walk of the stranger", "type": "event"}' && want 409 conflict
send POST /api/v1/entities '{"name": "A stranger", "type": "person"}' && want 201
person="$(value id)"
send POST /api/v1/entities '{"name": "Another stranger", "type": "person"}' && want 201
twin="$(value id)"
get '/api/v1/entities?limit=20' && want 200
get '/api/v1/entities?limit=x' && want 400 invalid-pagination
get '/api/v1/entities/resolve?q=A%20stranger' && want 200
get /api/v1/entities/resolve && want 400 invalid_params
get "/api/v1/entities/$person" && want 200
send PATCH "/api/v1/entities/$person" '{"name": "The stranger"}' && want 200
send PATCH "/api/v1/entities/$person" '{"name": "Another stranger"}' && want 409 conflict
send PATCH /api/v1/entities/ent_00000000000000000000000000 '{"name": "Nobody"}' && want 404 not_found
relation="{\"srcEntityId\": \"$person\", \"dstEntityId\": \"$event\", \"type\": \"made\"}"
send POST /api/v1/relations "$relation" && want 201
edge="$(value relationId)"
send POST /api/v1/relations "$relation" && want 409 conflict
send POST /api/v1/relations "{\"srcEntityId\": \"ent_00000000000000000000000000\", \"dstEntityId\": \"$event\", \"type\": \"made\"}" && want 404 not_found
get /api/v1/relations && want 200
get '/api/v1/relations?entityId=ent_00000000000000000000000000' && want 404 not_found
get '/api/v1/relations?limit=x' && want 400 invalid_params
get "/api/v1/entities/$person/neighborhood?depth=2" && want 200
get "/api/v1/entities/$person/neighborhood?depth=x" && want 400 invalid-params
get "/api/v1/mentions?entityId=$person" && want 200
get '/api/v1/mentions?entityId=ent_00000000000000000000000000' && want 404 not_found
get '/api/v1/mentions?limit=x' && want 400 invalid_params
send POST "/api/v1/entities/$twin/merge" "{\"intoId\": \"$person\"}" && want 200
send POST "/api/v1/entities/$twin/merge" '{"intoId": "ent_00000000000000000000000000"}' && want 404 not_found
call DELETE "/api/v1/relations/$edge" "$admin" && want 200
call DELETE "/api/v1/entities/$event" "$admin" && want 200

say "people, keys and jobs"
get /api/v1/members && want 200
get '/api/v1/members?limit=x' && want 400 invalid_params
get /api/v1/keys && want 200
get '/api/v1/keys?state=lost' && want 400 invalid_params
send POST /api/v1/keys '{"name": "website", "scopes": ["kb:read"]}' && want 201
key="$(value id)"
send POST /api/v1/keys '{"name": "website", "scopes": ["kb:read"], "replaces": "key_00000000000000000000000000"}' && want 404 not_found
call DELETE "/api/v1/keys/$key" "$admin" && want 200
send POST /api/v1/keys "{\"name\": \"website\", \"scopes\": [\"kb:read\"], \"replaces\": \"$key\"}" && want 409 conflict
get '/api/v1/jobs?status=succeeded' && want 200
job="$(value 'items[0].id')"
get '/api/v1/jobs?limit=x' && want 400 invalid_params
send POST /api/v1/jobs '{"kind": "retry", "all": true}' && want 202
send POST /api/v1/jobs "{\"kind\": \"retry\", \"subjectIds\": [\"$job\"]}" && want 409 invalid_transition
send POST /api/v1/jobs '{"kind": "retry", "subjectIds": ["job_00000000000000000000000000"]}' && want 404 not_found

say "MCP"
node "$here/mcp.mjs" "$url/api/mcp" "$both" "$second" | tee mcp
[ "$(json isError <mcp)" = false ] || fail "the tool failed"
[ "$(json 'tools.includes("svc_query")' <mcp)" = true ] || fail "no tool for questions"

say "files that cannot be written"
send_there() { call "$1" "$2" "$handbook" -H 'Content-Type: application/json' -d "$3"; }
for name in one two three; do
  send_there POST /api/v1/documents "{\"path\": \"$name.md\", \"content\": \"# $name\\n\"}" && want 201
  eval "$name=\"$(value docId)\""
done
mv handbook handbook.away && : >handbook
send_there POST /api/v1/documents '{"path": "four.md", "content": "# Four\n"}' && want 503 vault_unavailable
send_there PATCH "/api/v1/documents/$one" '{"content": "# One more\n"}' && want 503 vault_unavailable
send_there POST "/api/v1/documents/$two/move" '{"path": "moved.md"}' && want 503 vault_unavailable
call DELETE "/api/v1/documents/$three" "$handbook" && want 503 vault_unavailable
rm handbook && mv handbook.away handbook

say "a stop, and what was saved is there after it"
stop
begin "$work/notes/.kanon" KANON_BUILT_IN_MODELS=false
get "/api/v1/documents/$doc" && want 200

say "no model"
send POST /api/v1/query '{"question": "Who made the walk?"}' && want 409 no-model-configured
stop

say "a model that cannot be reached"
begin "$work/notes/.kanon" KANON_BUILT_IN_MODELS=false KANON_CHAT_BASE_URL=http://127.0.0.1:9/v1 KANON_CHAT_MODEL=none KANON_CHAT_API_KEY=none
send POST /api/v1/query '{"question": "Who made the walk?"}' && want 503 model_unavailable
stop

say "a master key that is none"
begin "$work/notes/.kanon" KANON_SECRET_KEY=short
send PATCH /api/v1/workspace '{"models": {"chat": {"provider": "anthropic", "model": "claude", "credential": "x"}}}' && want 503 secrets_unavailable
stop

say "data that is broken"
cp -r notes broken
begin "$work/broken/.kanon" "${limits[@]}"
database="$work/broken/.kanon/kanon.sqlite"
rm -f "$database-wal" "$database-shm"
dd if=/dev/zero of="$database" bs=4096 seek=1 count=$(($(stat -c %s "$database") / 4096 - 1)) conv=notrunc status=none
while read -r method path body; do
  if [ "$body" = body ]; then send "$method" "$path" '{}'; else call "$method" "$path" "$admin"; fi
  want 500 internal
done <operations
kill -KILL "$server"
{ wait "$server" || true; } 2>/dev/null
server=""

say "what was seen"
node "$here/document.mjs" judge openapi.json seen
