import { operations } from "../../core/operations.js"
import type { StewardshipPage } from "../../core/upkeep/overview/index.js"
import { operationCommand } from "./command.js"
import { dayOf, listing, tableOf, wordsOf } from "./tables.js"
import { paint } from "./terminal.js"

export const stewardshipCommand = operationCommand("stewardship", operations.listStewardship, {
  description: "List what needs a steward.",
  flags: {
    view: { description: "What to list; overdue by default." },
    ownerId: { name: "owner", description: "Only what this person owns." }
  },
  print: (page) => {
    const { contested, documentsDue, neverReviewed, overdue, ownerless } = page.counts
    const counts = [
      `overdue ${overdue}`,
      `never reviewed ${neverReviewed}`,
      `ownerless ${ownerless}`,
      `contested ${contested}`,
      `documents due ${documentsDue}`
    ].join(" · ")
    const [one, many] =
      page.view === "documents_due" ? (["document", "documents"] as const) : (["entity", "entities"] as const)
    const rows =
      page.total === 0 ? "" : page.view === "documents_due" ? documentTable(page) : entityTable(page)
    return [
      paint.dim(counts),
      "",
      page.total === 0
        ? `Nothing in the view ${page.view}; --view shows another.`
        : listing(rows, page, page.items.length, one, many)
    ].join("\n")
  }
})

const entityTable = ({ items }: StewardshipPage): string =>
  tableOf(
    items.flatMap((item) => (item.kind === "entity" ? [item] : [])),
    [
      "name",
      ["authority", ({ authority }) => wordsOf(authority)],
      ["owner", "ownerId"],
      ["due", ({ nextReviewAt }) => dayOf(nextReviewAt)],
      ["requests", "openRequests"],
      "id"
    ],
    { shrink: ["name", "owner"], right: ["requests"] }
  )

const documentTable = ({ items }: StewardshipPage): string =>
  tableOf(
    items.flatMap((item) => (item.kind === "document" ? [item] : [])),
    [
      "path",
      "verification",
      ["verified by", "verifiedBy"],
      ["due", ({ nextVerifyAt }) => dayOf(nextVerifyAt)],
      "id"
    ],
    { shrink: ["path", "verified by"] }
  )
