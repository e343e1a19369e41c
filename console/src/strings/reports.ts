import { inLanguage } from "../language.js"

export const englishReports = {
  title: "Reports",
  lead: "What people ask, what stays unanswered, and what the documents and the graph cover.",
  create: "New report",
  name: "Title",
  kind: "About",
  kinds: { engagement: "Questions of the last 30 days", coverage: "What is covered now" },
  statuses: { ready: "Ready", archived: "Archived" },
  made: "The report is ready.",
  empty: "No reports yet",
  emptyHint: "Create a report from the decision log and the graph.",
  archivedHint: "A newer report with this title replaced it.",
  highlights: "Highlights",
  coverage: "Coverage",
  coverageHint: "Documents (and mentions) of each concept, by folder and verification.",
  concept: "Concept",
  by: "by",
  print: "Print",
  numbers: {
    windowDays: "Days",
    questions: "Questions",
    answered: "Answered",
    unanswered: "Unanswered",
    citedDocuments: "Cited documents",
    neverCitedDocuments: "Never cited",
    unverifiedCited: "Cited, unverified",
    overdueCited: "Cited, overdue",
    documents: "Documents",
    entities: "Entities",
    relations: "Relations",
    unownedEntities: "Entities without owner"
  } as Readonly<Record<string, string>>
}

export const reportText = inLanguage("reports", englishReports)
