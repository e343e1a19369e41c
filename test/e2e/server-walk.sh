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
server="" model=""
stop() {
  [ -z "$server" ] || { kill -TERM "$server" 2>/dev/null && wait "$server"; } || fail "the server ended with $?"
  server=""
}
fail() {
  echo "server-walk: $*" >&2
  [ ! -f "$work/body" ] || head -c 600 "$work/body" >&2
  exit 1
}
trap 'for one in $server $model; do kill -KILL "$one" 2>/dev/null || true; done; rm -rf "$work"' EXIT
cd "$work"
say() { printf '\n== %s (%s s)\n' "$*" "$SECONDS"; }

# json FILE EXPRESSION: prints `it.EXPRESSION` of the JSON in a file. One process picks all values.
coproc values { exec node "$here/walk-values.mjs"; }
json() {
  local found
  printf '%s\t%s\n' "$1" "$2" >&"${values[1]}"
  IFS= read -r found <&"${values[0]}"
  printf '%s\n' "$found"
}
# administer COMMAND…: leaves what the command prints in the file `told`.
administer() { kanon "$@" --data "$data" --json >told || fail "kanon $*"; }

# begin DATA [VARIABLE=VALUE…]: starts the server and waits until it says where it listens.
begin() {
  data="$1"
  shift
  : >serve.out
  env "$@" kanon serve --data "$data" --port 0 --json >serve.out 2>>serve.log &
  server=$!
  for _ in $(seq 600); do
    [ -s serve.out ] && break
    kill -0 "$server" 2>/dev/null || fail "the server does not start: $(tail -3 serve.log)"
    sleep 0.05
  done
  url="$(json serve.out url)"
}

# call METHOD PATH KEY [curl options]: leaves the answer in $status, $code and the file `body`, and keeps a record.
status="" code=""
call() {
  local method="$1" path="$2" key="$3" first=""
  shift 3
  status="$(curl -sS -o body -w '%{http_code}' -X "$method" ${key:+-H "Authorization: Bearer $key"} "$@" "$url$path")"
  IFS= read -r -n 200 first <body || true
  code=-
  [[ ! $first =~ ^\{\"error\":\"([^\"]+)\" ]] || code="${BASH_REMATCH[1]}"
  echo "$method $path $status $code" >>seen
}
# want STATUS [CODE]: what the last call has to have come to.
want() { [ "$status $code" = "$1 ${2:--}" ] || fail "wanted $1 ${2:-}, got $status $code from $(tail -1 seen)"; }
# send METHOD PATH JSON: with the key that may everything.
send() { call "$1" "$2" "$admin" -H 'Content-Type: application/json' -d "$3"; }
get() { call GET "$1" "$admin"; }
value() { json body "$1"; }
# until_value PATH EXPRESSION VALUE: reads until it has come to this.
until_value() {
  for _ in $(seq 300); do
    get "$1" && want 200
    [ "$(value "$2")" != "$3" ] || return 0
    sleep 0.1
  done
  fail "$1 does not come to $3"
}

# expect STATUS CODE METHOD PATH KEY [curl configuration lines]: a call that `ask_all` makes, with all others over one
# connection.
expect() {
  local status="$1" code="$2" method="$3" path="$4" key="$5"
  shift 5
  echo "$method $path $status $code" >>expected
  {
    [ ! -s asked ] || echo next
    printf 'silent\nshow-error\nrequest = "%s"\nurl = "%s"\nwrite-out = "\\n%%{http_code}\\n"\n' "$method" "$url$path"
    [ -z "$key" ] || printf 'header = "Authorization: Bearer %s"\n' "$key"
    [ $# = 0 ] || printf '%s\n' "$@"
  } >>asked
}
ask_all() {
  curl -K asked >answers || fail "curl ended with $?"
  # Each answer is a line of JSON and a line with its status.
  sed -nE 'N; s/^(\{"error":"([^"]+)")?[^\n]*\n([0-9]+)$/\3 \2/p' answers | sed 's/ $/ -/' >came
  cut -d ' ' -f 1,2 expected | paste -d ' ' - came >got
  diff expected got >differs || fail "wanted (<) and got (>): $(head -20 differs)"
  cat got >>seen
  rm expected asked
}

say "start on $(basename "$vault")"
cp -r "$vault" notes
rm -rf notes/.kanon
kanon init --vault notes --json >made
admin="$(json made key)" first="$(json made workspaceId)"
kanon ingest --vault notes >/dev/null
mkdir live
limits=(KANON_BODY_TIMEOUT_MS=1500 KANON_BODY_LIMIT_BYTES=100000 KANON_LIVE_DATA_FOLDERS="$work/live")
begin "$work/notes/.kanon" "${limits[@]}"
for path in /healthz /metrics; do [ "$(curl -sS -o /dev/null -w '%{http_code}' "$url$path")" = 200 ] || fail "$path"; done
curl -sS --retry 60 --retry-delay 1 --retry-all-errors -f -o /dev/null "$url/readyz" || fail "it does not become ready"

say "keys for two workspaces, and for a user in both"
administer workspaces create --name Handbook --vault "$work/handbook" && second="$(json told id)"
administer users create --name Ada && ada="$(json told id)"
administer members add --user "$ada" --role admin
administer members add --user "$ada" --workspace "$second" --role admin
administer keys create --workspaces "$second" --scopes kb:read,kb:write && handbook="$(json told key)"
administer keys create --kind user --user "$ada" --workspaces all --scopes agents:run,data:read,data:run,kb:read,kb:write,runs:read,workspace:admin &&
  both="$(json told key)"
administer keys create --scopes reports:read && narrow="$(json told key)"
administer keys create --scopes data:read && narrow_of_reports="$(json told key)"
administer keys create --scopes kb:read && stale="$(json told key)" stale_id="$(json told id)"
call GET /api/v1/documents "$both" -H "X-Workspace-Id: $first" && want 200
call GET /api/v1/documents "$both" -H "X-Workspace-Id: $second" && want 200
call GET /api/v1/documents "$handbook" && want 200
call GET /api/v1/documents "$stale" && want 200
administer keys revoke "$stale_id"
call GET /api/v1/documents "$stale" && want 401 unauthorized

say "the OpenAPI document"
call GET /api/v1/openapi.json "" -D head && want 200
cp body openapi.json
[ "$(json openapi.json openapi)" = 3.1.0 ] || fail "another OpenAPI"
[ "$(json openapi.json 'servers[0].url')" = "$url" ] || fail "another origin"
etag="$(sed -nE 's/^etag: (.*)\r$/\1/pI' head)"
call GET /api/v1/openapi.json "" -H "If-None-Match: $etag" && want 304
node "$here/document.mjs" operations openapi.json | grep -v ' /api/v1/openapi.json ' >operations

say "what every operation answers alike"
head -c 120000 /dev/zero | tr '\0' x >large
json='header = "Content-Type: application/json"'
node "$here/walk-slow.mjs" "$url" "$admin" operations >slow &
slow=$!
while read -r method path body; do
  expect 401 unauthorized "$method" "$path" ""
  case "$path" in */reports*) other="$narrow_of_reports" ;; *) other="$narrow" ;; esac
  expect 403 insufficient_scope "$method" "$path" "$other"
  expect 400 workspace_required "$method" "$path" "$both"
  expect 403 workspace_forbidden "$method" "$path" "$both" 'header = "X-Workspace-Id: ws_00000000000000000000000000"'
  expect 405 method_not_allowed TRACE "$path" "$admin"
  case "$path" in *_00000*) [ "$body" = body ] || expect 404 not_found "$method" "$path" "$admin" ;; esac
  [ "$body" = body ] || continue
  expect 415 unsupported_media_type "$method" "$path" "$admin" 'header = "Content-Type: text/plain"' 'data = "x"'
  expect 413 payload_too_large "$method" "$path" "$admin" "$json" 'data-binary = "@large"'
  expect 400 invalid_body "$method" "$path" "$admin" "$json" 'data = "[]"'
done <operations
ask_all
wait "$slow"
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

say "live data"
live() { node "$here/walk-sqlite.mjs" "$work/live/shop.sqlite" "$1"; }
live "create table artist (name text, albums integer); insert into artist values ('Laksa', 2)"
shop="{\"name\": \"Shop\", \"kind\": \"sqlite\", \"settings\": {\"path\": \"$work/live/shop.sqlite\"}, \"limits\": {\"timeoutMs\": 500}}"
send POST /api/v1/data/connectors "$shop" && want 201
connector="$(value id)"
send POST /api/v1/data/connectors "$shop" && want 409 conflict
get /api/v1/data/connectors && want 200
# query SLUG SQL [MORE]: publishes a query of one parameter.
query() {
  send PUT "/api/v1/data/queries/$1" "{\"title\": \"$1\", \"connectorId\": \"$connector\", \"sql\": \"$2\"${3:+, $3}}"
}
parameter='"params": [{"name": "artist", "type": "string"}]'
query albums 'select albums from artist where name = :artist' "$parameter" && want 201
query albums 'select albums from artist where name = :artist' "$parameter" && want 200
query albums 'select albums from artist' '"expectRevision": 9' && want 409 conflict
query albums 'delete from artist' && want 400 invalid_body
query No_Slug 'select 1 as one' && want 400 invalid_params
get /api/v1/data/queries && want 200
get '/api/v1/data/queries?connectorId=con_00000000000000000000000000' && want 404 not_found
get /api/v1/data/queries/albums && want 200
run_albums() { send POST /api/v1/data/queries/albums/run '{"params": {"artist": "Laksa"}}'; }
run_albums && want 200
[ "$(value 'rows[0].albums')" = 2 ] || fail "other rows"
get "/api/v1/data/calls/$(value dataCallId)" && want 200
[ "$(value outcome)" = ok ] || fail "the call was recorded otherwise"
send POST /api/v1/data/queries/albums/run '{}' && want 400 invalid-params
query endless 'with recursive n (i) as (select 1 union all select i + 1 from n) select count(*) as c from n' && want 201
send POST /api/v1/data/queries/endless/run '{}' && want 504 query_timeout
live 'alter table artist rename to musician'
run_albums && want 502 query_failed
send PATCH "/api/v1/data/connectors/$connector" '{"enabled": false}' && want 200
run_albums && want 409 connector-disabled
call DELETE "/api/v1/data/connectors/$connector" "$admin" && want 200
send POST /api/v1/data/connectors "{\"name\": \"Nowhere\", \"kind\": \"sqlite\", \"settings\": {\"path\": \"$work/live/none.sqlite\"}, \"probe\": false}" && want 201
connector="$(value id)"
query nothing 'select 1 as one' && want 201
send POST /api/v1/data/queries/nothing/run '{}' && want 502 connector_unreachable

say "content connectors"
uploads='{"name": "Uploads", "kind": "markdown_upload"}'
send POST /api/v1/connectors "$uploads" && want 201
connector="$(value id)"
send POST /api/v1/connectors "$uploads" && want 409 conflict
send PATCH "/api/v1/connectors/$connector" '{"name": "What was uploaded"}' && want 200
get /api/v1/connectors && want 200
send POST "/api/v1/connectors/$connector/sync" '{"files": [{"path": "one.md", "content": "# Uploaded\n"}]}' && want 202
until_value "/api/v1/connectors/$connector" 'syncs[0].status' succeeded
[ "$(value 'syncs[0].created')" = 1 ] || fail "the sync made something else"
send PATCH "/api/v1/connectors/$connector" '{"enabled": false}' && want 200
send POST "/api/v1/connectors/$connector/sync" '{"files": [{"path": "two.md", "content": "# Two\n"}]}' && want 409 connector-disabled
call DELETE "/api/v1/connectors/$connector" "$admin" && want 200

say "agents and their runs"
get /api/v1/agents && want 200
get /api/v1/agents/researcher && want 200
get /api/v1/agents/nobody && want 404 not_found
clerk='"name": "Clerk", "instructions": "Write it down.", "tools": [{"name": "svc_create_document"}]'
send PUT /api/v1/agents/clerk "{$clerk}" && want 201
send PUT /api/v1/agents/clerk "{$clerk}" && want 200
send PUT /api/v1/agents/clerk "{$clerk, \"expectVersion\": 9}" && want 409 conflict
# start_run AGENT INPUT: leaves the id in $run.
run=""
start_run() { send POST "/api/v1/agents/$1/runs" "{\"input\": \"$2\"}" && [ "$status" != 202 ] || run="$(value runId)"; }
start_run researcher 'Who made the walk?' && want 202
get "/api/v1/runs/$run/stream" && want 200
grep -q '"type":"final"' body || fail "the stream ends otherwise"
get "/api/v1/runs/$run" && want 200
[ "$(value run.status)" = succeeded ] || fail "the run did not succeed"
get "/api/v1/runs/$run/steps" && want 200
get '/api/v1/runs?status=succeeded' && want 200
send POST "/api/v1/runs/$run/feedback" '{"kind": "thumb", "value": {"thumb": "up"}}' && want 201
send POST "/api/v1/runs/$run/feedback" '{"kind": "thumb", "value": {"thumb": "sideways"}}' && want 400 invalid_body
call POST "/api/v1/runs/$run/cancel" "$admin" && want 200

say "judgments, evaluation runs, reports"
judgments="{\"judgments\": [{\"set\": \"walk\", \"queryId\": \"q1\", \"query\": \"Who made the walk?\", \"docId\": \"$doc\", \"grade\": 3}]}"
send PUT /api/v1/qrels "$judgments" && want 200
send PUT /api/v1/qrels "${judgments//$doc/doc_00000000000000000000000000}" && want 404 not_found
get '/api/v1/qrels?set=walk' && want 200
evaluate='"suite": "retrieval", "set": "walk"'
send POST /api/v1/evals "{\"name\": \"One\", $evaluate}" && want 202
evaluation="$(value id)"
send POST /api/v1/evals "{\"name\": \"Two\", $evaluate}" && want 202
other="$(value id)"
for one in "$evaluation" "$other"; do until_value "/api/v1/evals/$one" eval.status succeeded; done
get /api/v1/evals && want 200
get "/api/v1/evals/$other/compare?baseline=$evaluation" && want 200
send PUT /api/v1/qrels "${judgments//q1/q2}" && want 200
send POST /api/v1/evals "{\"name\": \"Three\", $evaluate}" && want 202
other="$(value id)"
until_value "/api/v1/evals/$other" eval.status succeeded
get "/api/v1/evals/$other/compare?baseline=$evaluation" && want 409 conflict
send POST /api/v1/reports '{"title": "The walk"}' && want 201
get "/api/v1/reports/$(value id)" && want 200
get /api/v1/reports && want 200

say "MCP"
node "$here/mcp.mjs" "$url/api/mcp" "$both" "$second" | tee mcp
[ "$(json mcp isError)" = false ] || fail "the tool failed"
[ "$(json mcp 'tools.includes("svc_query")')" = true ] || fail "no tool for questions"

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
begin "$work/notes/.kanon" KANON_BUILT_IN_MODELS=false KANON_PRIVATE_MODEL_ADDRESSES=true KANON_SECRET_KEY=short
get "/api/v1/documents/$doc" && want 200

say "no model"
send POST /api/v1/query '{"question": "Who made the walk?"}' && want 409 no-model-configured
start_run researcher 'Who made the walk?' && want 409 no-model-configured
send POST /api/v1/evals '{"name": "Four", "suite": "abstention", "set": "walk"}' && want 409 no-model-configured

say "a model that asks for approval"
node "$here/walk-model.mjs" >model.port &
model=$!
for _ in $(seq 100); do [ -s model.port ] && break || sleep 0.1; done
send PATCH /api/v1/workspace \
  "{\"models\": {\"chat\": {\"provider\": \"openai-compatible\", \"model\": \"walk\", \"baseUrl\": \"http://127.0.0.1:$(<model.port)/v1\"}}}" && want 200
start_run clerk 'Write down the walk.' && want 202
get "/api/v1/runs/$run/stream" && want 200
get "/api/v1/runs?status=suspended" && want 200
decision="{\"approvalId\": \"$(value 'items[0].pendingApproval.approvalId')\", \"decision\": \"allow\"}"
send POST "/api/v1/runs/$run/approve" '{"approvalId": "apv_00000000000000000000000000", "decision": "allow"}' && want 404 not_found
send POST "/api/v1/runs/$run/approve" "$decision" && want 202
send POST "/api/v1/runs/$run/approve" "$decision" && want 409 not_open
get "/api/v1/runs/$run/stream" && want 200
get "/api/v1/documents?pathPrefix=walk" && want 200
[ "$(value 'items.some(({ path }) => path === "walk/written.md")')" = true ] || fail "the agent wrote nothing"

say "more runs than a workspace may have, and more than it may spend"
start_run researcher 'Wait for me.' && want 202
caps() { send PATCH /api/v1/workspace "{\"caps\": {$1}}" && want 200; }
caps '"activeRuns": 1'
start_run researcher 'Who made the walk?' && want 429 run_capacity_full
call POST "/api/v1/runs/$run/cancel" "$admin" && want 200
caps '"activeRuns": 8, "agentSpendUsd": "0"'
start_run researcher 'Who made the walk?' && want 402 spend_cap_exceeded

say "a model that cannot be reached"
kill -KILL "$model"
{ wait "$model" || true; } 2>/dev/null
model=""
send POST /api/v1/query '{"question": "Who made the walk?"}' && want 503 model_unavailable

say "a master key that is none"
send PATCH /api/v1/workspace '{"models": {"chat": {"provider": "anthropic", "model": "claude", "credential": "x"}}}' && want 503 secrets_unavailable
stop

say "data that is broken"
cp -r notes broken
begin "$work/broken/.kanon" "${limits[@]}"
database="$work/broken/.kanon/kanon.sqlite"
rm -f "$database-wal" "$database-shm"
dd if=/dev/zero of="$database" bs=4096 seek=1 count=$(($(stat -c %s "$database") / 4096 - 1)) conv=notrunc status=none
while read -r method path body; do
  if [ "$body" = body ]; then expect 500 internal "$method" "$path" "$admin" "$json" 'data = "{}"'; else expect 500 internal "$method" "$path" "$admin"; fi
done <operations
ask_all
kill -KILL "$server"
{ wait "$server" || true; } 2>/dev/null
server=""

say "what was seen"
node "$here/document.mjs" judge openapi.json seen
