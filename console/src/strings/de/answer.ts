import type { AnswerWords } from "../../../../react/words.js"
import { counted, formatShare } from "../../language.js"

export const answer: AnswerWords = {
  title: "Antwort",
  verdicts: {
    answer: "Beantwortet",
    answer_with_caveats: "Mit Vorbehalt beantwortet",
    clarify: "Die Frage lässt mehrere Lesarten zu",
    abstain_with_pointers: "Die Dokumente beantworten das nicht"
  },
  wouldHave: (verdict) =>
    verdict === "clarify"
      ? "Bei strenger Prüfung käme eine Rückfrage"
      : "Bei strenger Prüfung gäbe es keine Antwort",
  builtIn: "Das Chat-Modell war nicht nutzbar; das eingebaute Modell zitiert die Dokumente.",
  confidence: (confidence) => `${formatShare(confidence)} Konfidenz`,
  grounded: (verified, total) =>
    verified === total
      ? total === 1
        ? "Der Satz ist belegt"
        : `Alle ${total} Sätze sind belegt`
      : `${verified} von ${total} Sätzen belegt`,
  statuses: {
    supported: "belegt",
    partly: "teilweise belegt",
    contradicted: "eine Quelle widerspricht",
    unsupported: "keine Quelle belegt das"
  },
  unmatched: "Dieses Wort steht in keiner Quelle",
  standings: {
    certified: "Zertifiziert",
    verified: "Geprüft",
    unverified: "Ungeprüft",
    overdue: "Prüfung überfällig",
    deprecated: "Veraltet",
    data: "Livedaten"
  },
  chip: (id, standing) => `Quelle ${id}, ${standing.charAt(0).toLowerCase()}${standing.slice(1)}`,
  page: (page) => `Seite ${page}`,
  rows: (count) => counted(count, "Zeile", "Zeilen"),
  caveats: "Vorbehalte",
  conflict: (subject, attribute) =>
    attribute === ""
      ? `Die Quellen widersprechen sich bei ${subject}`
      : `Die Quellen widersprechen sich: ${subject}, ${attribute}`,
  preferred: (sourceId, reason) => `${sourceId} hat Vorrang: ${reason}`,
  noPreference: "Nichts spricht für eine der beiden Seiten.",
  pointers: "Hier könnte es stehen:",
  sources: "Quellen"
}
