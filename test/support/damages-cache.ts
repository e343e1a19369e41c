import { type Damage, run } from "./harm.js"

const entry = `insert into answer_cache_entry select id, 'an entry', 'scope', 'evidence', 'versions', 'How long?',
  '{"answer":"Ten.","claims":[],"checks":[],"sources":[],"entityIds":[],"verdict":null}', 100,
  '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', '2999-01-01T00:00:00.000Z' from workspace`

const resting = (seq: string) =>
  `insert into answer_cache_document select workspace_id, id, 'an entry', ${seq} from document where path = 'quarry.md'`

/** Every kind of damage to answers that may be given again. */
export const cacheDamages: ReadonlyArray<Damage> = [
  ["cache_entry_astray", "an answer that rests on nothing", run(entry)],
  ["cache_entry_astray", "an answer that rests on an earlier text", run(`${entry}; ${resting("seq - 1")}`)],
  [
    "cache_entry_astray",
    "what an answer rests on, without the answer",
    run("pragma foreign_keys = off", resting("seq"))
  ],
  [
    "row_unreadable",
    "an answer that is no answer",
    run(`${entry}; ${resting("seq")}; update answer_cache_entry set kept = '{'`)
  ]
]
