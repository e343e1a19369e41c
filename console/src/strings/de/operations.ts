import { counted, formatNumber, type Words } from "../../language.js"
import type { englishAudit, englishJobs } from "../operations.js"

export const audit: Words<typeof englishAudit> = {
  title: "Protokoll",
  lead: "Wer was wann und auf welchem Weg getan hat. Jeder Eintrag enthält den Hash des vorigen.",
  filters: {
    action: "Aktion",
    actor: "Wer",
    subject: "Gegenstand",
    from: "Ab",
    to: "Vor",
    clear: "Filter entfernen"
  },
  actionHint: "etwa entity.certify",
  verified: "Die Kette der gezeigten Einträge ist unversehrt.",
  broken: "Hier ist die Kette unterbrochen: Ein Eintrag wurde geändert, entfernt oder eingefügt.",
  head: "Ende der Kette",
  via: "über",
  details: "Einzelheiten",
  request: "Anfrage",
  more: "Ältere Einträge zeigen",
  empty: "Keine Einträge",
  emptyFiltered: "Kein Eintrag passt zu diesen Filtern",
  export: "Als JSON-Zeilen herunterladen",
  count: (count) => counted(count, "Eintrag", "Einträge")
}

export const jobs: Words<typeof englishJobs> = {
  title: "Aufgaben",
  lead: "Arbeit im Hintergrund: Dateien lesen, Index, Abgleiche, Auswertung.",
  statuses: {
    scheduled: "Geplant",
    queued: "In der Warteschlange",
    running: "Läuft",
    succeeded: "Fertig",
    dead: "Fehlgeschlagen",
    cancelled: "Abgebrochen"
  },
  filters: { status: "Zustand", kind: "Art", any: "Alle" },
  depth: (count) => (count === 1 ? "1 Aufgabe wartet" : `${formatNumber(count)} Aufgaben warten`),
  oldest: "die älteste:",
  failed: (count) =>
    count === 1 ? "1 Aufgabe ist fehlgeschlagen" : `${formatNumber(count)} Aufgaben sind fehlgeschlagen`,
  retryAll: "Alle fehlgeschlagenen wiederholen",
  retryOne: "Erneut versuchen",
  retryLabel: (kind) => `Aufgabe ${kind} erneut versuchen`,
  retried: (count) =>
    count === 1
      ? "1 Aufgabe wartet auf einen neuen Versuch."
      : `${formatNumber(count)} Aufgaben warten auf einen neuen Versuch.`,
  noFailed: "Keine Aufgabe ist fehlgeschlagen.",
  attempt: (attempt) => `Versuch ${attempt}`,
  next: "nächster Versuch",
  start: "Aufgabe starten",
  startKind: "Was",
  startHint: {
    ingest: "Den Index an die Dateien anpassen.",
    reindex: "Stellen neu einteilen und den Textindex neu aufbauen.",
    reembed: "Die Vektoren neu berechnen.",
    reextract: "Alle Dokumente für den Graphen neu lesen.",
    graph_analytics: "Ränge berechnen.",
    reconcile: "Beheben, was ein Absturz hinterlassen hat."
  },
  kinds: {
    ingest: "Dateien einlesen",
    reindex: "Index neu aufbauen",
    reembed: "Vektoren neu berechnen",
    reextract: "Graph neu aufbauen",
    graph_analytics: "Graph ordnen",
    reconcile: "Abgleichen"
  },
  own: {
    extraction: "Für den Graphen lesen",
    embedding: "Vektoren berechnen",
    index_merge: "Index zusammenführen",
    evaluation: "Messlauf",
    retention: "Aufbewahrung",
    staleness: "Überfälliges suchen",
    agent_run: "Lauf eines Agenten",
    agent_runs: "Läufe starten",
    skos_import: "Vokabular importieren",
    skos_settle: "Vokabular einordnen",
    connector_sync: "Konnektor abgleichen",
    connector_schedule: "Abgleiche planen",
    contradictions: "Dokumente vergleichen",
    topic_pages: "Geschriebene Seiten auffrischen"
  },
  started: (count) =>
    count === 1
      ? "1 Aufgabe ist gestartet oder stand schon an."
      : `${formatNumber(count)} Aufgaben sind gestartet oder standen schon an.`,
  empty: "Keine Aufgaben",
  emptyHint: "Aufgaben erscheinen hier mit ihrem Fortschritt.",
  health: {
    title: "Zustand",
    documents: "Dokumente",
    passages: "Stellen",
    entities: "Entitäten",
    relations: "Beziehungen",
    vectors: "Vektoren",
    upToDate: "aktuell",
    behind: "im Rückstand",
    vault: "Ablage",
    readable: "lesbar",
    version: "Version"
  }
}
