import { type FaultTag, faultCodes } from "../core/platform/kernel/index.js"

/** When an embedded engine rejects with a fault; null for those of other programs' doors. */
const meanings: { readonly [Tag in FaultTag]: string | null } = {
  InvalidInput:
    "A value is invalid: an empty question, a limit out of range, a path that leaves the vault. `fault.issues` lists what and where.",
  NotFound: "No such document, entity, relation, run or job, or a deleted one.",
  Conflict:
    "The path or name is taken, or a concurrent change came first. `fault.existingId` names what is there.",
  InvalidTransition: "The present state does not allow the operation (`fault.from`, `fault.to`).",
  NotOpen: "The change request or the approval was decided already.",
  ReviewerRequired: "The entity has an owner or stewards, and the member is none of them.",
  NoModelConfigured: "No chat model, and the built-in one is switched off.",
  ModelUnavailable:
    "The chat model cannot be reached, and the workspace disallows the built-in one. `fault.retryAfterSeconds` says when to retry.",
  SpendCapExceeded:
    "Agents and evaluation runs of the workspace have spent what they may spend in this month.",
  RunCapacityFull: "As many agent runs are active as the workspace allows.",
  VaultUnavailable:
    "The vault, or one of its files, cannot be read or written (`fault.code` of the file system).",
  SecretsUnavailable:
    "A credential cannot be sealed or opened: the master key is missing, invalid or another one.",
  ConnectorDisabled: "The named query or its connector is disabled.",
  InvalidParams: "Parameters of a named query are missing or invalid.",
  ConnectorUnreachable: "The live database of a connector cannot be reached, or went away.",
  QueryFailed: "The live database, or the guard in front of it, refused the query.",
  QueryTimeout: "The time limit of the connector stopped the query.",
  InvalidExport: "The export is truncated, changed, or of a newer program (`fault.reason`, `fault.line`).",
  ImportUnfinished:
    "An import into the data folder is unfinished: `fault.state` is `under_way`, `cut_short`, or `unknown` if another machine or container started it; `fault.folder` names the folder.",
  DataBusy:
    "Other processes wrote for 30 s without a pause; nothing was changed. `fault.retryAfterSeconds` says when to retry.",
  DataReadOnly: "The data folder or the database is read-only.",
  DataFull: "The disk of the data folder is full or rejects writes; nothing was changed.",
  DataUnreadable: "The database is damaged, or belongs to another program.",
  DataTooNew:
    "A newer Kanon has changed the database (`fault.madeBy`, `schema`, `newestKnown`); nothing was changed.",
  DataUnavailable:
    "The database server cannot be reached. `fault.outcome` is `unchanged`, or `unknown` if the connection was lost during a commit; `fault.reason` says why it could not be opened.",
  ModuleMissing:
    "A package is not installed, or its compiled part was not built; `fault.remedy` is the command that helps.",
  EngineClosed: "The engine was closed before the call, or before the call ended.",
  Unauthorized: null,
  InsufficientScope: null,
  WorkspaceForbidden: null,
  WorkspaceRequired: null
}

const [begin, end] = ["<!-- errors -->\n", "<!-- /errors -->"]

/** Returns the page with the table of error codes between its marks. */
export const withErrorTable = (page: string): string => {
  const tags = Object.keys(faultCodes).filter((tag): tag is FaultTag => Object.hasOwn(meanings, tag))
  const rows = tags.flatMap((tag) =>
    meanings[tag] === null ? [] : [`| \`${faultCodes[tag]}\` | \`${tag}\` | ${meanings[tag]} |`]
  )
  const table = ["| `code` | `fault._tag` | When |", "|---|---|---|", ...rows, ""].join("\n")
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from < 0 || to < from) throw new Error("The page has no marks for the table of errors.")
  return page.slice(0, from + begin.length) + table + page.slice(to)
}
