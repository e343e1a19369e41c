import { createHash } from "node:crypto"
import type Database from "better-sqlite3"
import { z } from "zod"
import { hashedText } from "../../core/audit/index.js"

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

/** Links the trail anew, as if what is there now were all that there ever was. */
export const relinkTrail = (database: Database.Database): void => {
  const heads = new Map<string, { readonly seq: number; readonly hash: string }>()
  const rows = database.prepare("select * from audit order by workspace_id, seq").all()
  database.exec("delete from audit; delete from audit_head")
  for (const row of z.array(z.record(z.string(), z.any())).parse(rows)) {
    const { seq, hash: prevHash } = heads.get(row["workspace_id"]) ?? {
      seq: 0,
      hash: sha256(`kanon-audit:${row["workspace_id"]}`)
    }
    const hash = sha256(
      hashedText({
        id: row["id"],
        action: row["action"],
        actor: row["actor"],
        activity: row["activity"],
        subjectId: row["subject_id"],
        at: row["at"],
        details: row["details"],
        requestId: row["request_id"],
        prevHash
      })
    )
    heads.set(row["workspace_id"], { seq: seq + 1, hash })
    const linked = { ...row, seq: seq + 1, prev_hash: prevHash, hash }
    const names = Object.keys(linked)
    database
      .prepare(
        `insert into audit (${names.join(", ")}) values (${names.map((name) => `@${name}`).join(", ")})`
      )
      .run(linked)
  }
  for (const [workspace, { hash, seq }] of heads)
    database.prepare("insert into audit_head values (?, ?, ?)").run(workspace, seq, hash)
}
