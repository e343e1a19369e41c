import type { Words } from "../../language.js"
import type { englishReports } from "../reports.js"

export const reports: Words<typeof englishReports> = {
  title: "Berichte",
  lead: "Was gefragt wird, was ohne Antwort bleibt und was Dokumente und Graph abdecken.",
  create: "Neuer Bericht",
  name: "Titel",
  kind: "Thema",
  kinds: { engagement: "Fragen der letzten 30 Tage", coverage: "Was jetzt abgedeckt ist" },
  statuses: { ready: "Fertig", archived: "Archiviert" },
  made: "Der Bericht ist fertig.",
  empty: "Noch keine Berichte",
  emptyHint: "Ein Bericht entsteht aus dem Entscheidungsprotokoll und dem Graphen.",
  archivedHint: "Ein neuerer Bericht mit diesem Titel hat ihn ersetzt.",
  highlights: "Das Wichtigste",
  coverage: "Abdeckung",
  coverageHint: "Dokumente (und Erwähnungen) je Begriff, nach Ordner und Status.",
  concept: "Begriff",
  by: "von",
  print: "Drucken",
  numbers: {
    windowDays: "Tage",
    questions: "Fragen",
    answered: "Beantwortet",
    unanswered: "Ohne Antwort",
    citedDocuments: "Zitierte Dokumente",
    neverCitedDocuments: "Nie zitiert",
    unverifiedCited: "Zitiert, ungeprüft",
    overdueCited: "Zitiert, überfällig",
    documents: "Dokumente",
    entities: "Entitäten",
    relations: "Beziehungen",
    unownedEntities: "Entitäten ohne Verantwortliche"
  }
}
