import { createHash } from "node:crypto"
import { questionKey } from "../../core/answer-cache/index.js"
import { canonicalJson } from "../../core/kernel/index.js"
import { type Damage, run } from "./harm.js"
import type { Patient } from "./patient.js"

const entry = `insert into answer_cache_entry select id, 'an entry', 'scope', 'evidence', 'versions', 'How long?',
  '{"answer":"Ten.","claims":[],"checks":[],"sources":[],"entityIds":[],"verdict":null}', 100,
  '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', '2999-01-01T00:00:00.000Z' from workspace`

const resting = (seq: string) =>
  `insert into answer_cache_document select workspace_id, id, 'an entry', ${seq} from document where path = 'quarry.md'`

/** Two answers as they are kept. */
const kept = ({ sql }: Patient): void =>
  sql((database) => {
    for (const [question, answer] of [
      ["How long?", "Ten."],
      ["How wide?", "Four."]
    ] as const) {
      const asked = canonicalJson(["scope", "evidence", questionKey(question)])
      const id = createHash("sha256").update(asked).digest("hex")
      const said = { answer, claims: [], checks: [], sources: [], entityIds: [], verdict: null, of: id }
      database
        .prepare(
          `insert into answer_cache_entry select id, ?, 'scope', 'evidence', 'versions', ?, ?, 100,
            '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', '2999-01-01T00:00:00.000Z' from workspace`
        )
        .run(id, question, JSON.stringify(said))
    }
    database.exec(`insert into answer_cache_document select d.workspace_id, d.id, e.id, d.seq
      from document d, answer_cache_entry e where d.path = 'quarry.md'`)
  })

const swapped =
  (column: string) =>
  (patient: Patient): void => {
    kept(patient)
    run(`update answer_cache_entry set ${column} =
      (select e.${column} from answer_cache_entry e where e.id <> answer_cache_entry.id)`)(patient)
  }

/** Every kind of damage to answers that may be given again, and to what was decided about answers. */
export const cacheDamages: ReadonlyArray<Damage> = [
  ["cache_entry_astray", "an answer that rests on nothing", run(entry)],
  ["cache_entry_astray", "an answer that rests on an earlier text", run(`${entry}; ${resting("seq - 1")}`)],
  [
    "cache_entry_astray",
    "what an answer rests on, without the answer",
    run("pragma foreign_keys = off", resting("seq"))
  ],
  ["cache_entry_astray", "an answer in the place of another", swapped("kept")],
  ["cache_entry_astray", "a question in the place of another", swapped("question")],
  [
    "decision_misfiled",
    "a decision that counts as another",
    async (patient) => {
      await patient.using((engine) => engine.ask("What does the orchard hold?"))
      run(
        `update policy_decision set verdict = 'x', gate = 'y', confidence = 0.123, confidence_bin = 3,
          reason_kinds = 'z', claims = claims + 1`
      )(patient)
    }
  ],
  [
    "row_unreadable",
    "an answer that is no answer",
    run(`${entry}; ${resting("seq")}; update answer_cache_entry set kept = '{'`)
  ]
]
