import { counted, formatNumber, type Words } from "../../language.js"
import type { englishConnectors } from "../connectors.js"

export const connectors: Words<typeof englishConnectors> = {
  title: "Konnektoren",
  lead: "Wikis, Dokumentablagen, Chats und Uploads, die hier zu Dokumenten werden und aktuell bleiben.",
  create: "Neuer Konnektor",
  kinds: {
    wiki: "Wiki",
    document_library: "Dokumentablage",
    chat: "Chat oder Mail",
    markdown_upload: "Hochgeladene Dateien"
  },
  providers: {
    mediawiki: "MediaWiki",
    confluence: "Confluence",
    web: "Website oder Feed",
    webdav: "WebDAV (Nextcloud und andere)",
    s3: "S3-Bucket",
    git: "Git-Repository",
    slack: "Slack",
    slack_export: "Slack-Export",
    mattermost_export: "Mattermost-Export",
    imap: "Postfach (IMAP)",
    github: "GitHub",
    jira: "Jira Cloud"
  },
  fields: {
    url: "Adresse",
    username: "Benutzername",
    bucket: "Bucket",
    endpoint: "Endpunkt",
    region: "Region",
    prefix: "Präfix",
    accessKeyId: "Kennung des Zugriffsschlüssels",
    branch: "Branch",
    paths: "Pfadmuster (eines je Zeile)",
    namespaces: "Namensräume (einer je Zeile)",
    spaces: "Bereiche (einer je Zeile)",
    channels: "Kanäle (einer je Zeile)",
    mailboxes: "Postfächer (eines je Zeile)",
    since: "Ab",
    sitemap: "Sitemap",
    repository: "Repository (Besitzer/Name)",
    projects: "Projekte (eines je Zeile)"
  },
  name: "Name",
  kind: "Art",
  provider: "Quelle",
  credential: "Passwort, Token oder Schlüssel",
  credentialHint: "Wird verschlüsselt gespeichert und nie wieder angezeigt.",
  kept: "Ein Wert ist gespeichert. Leer lassen, um ihn zu behalten.",
  schedule: "Zeitplan",
  scheduleHint: "Cron-Ausdruck mit fünf Feldern in UTC, etwa 0 3 * * *. Leer: nur von Hand.",
  noSchedule: "nur von Hand",
  prefix: "Ordner",
  prefixHint: "Ohne Angabe entsteht er aus dem Namen. Er lässt sich nicht ändern.",
  enabled: "Eingeschaltet",
  disabled: "Ausgeschaltet",
  never: "noch nie abgeglichen",
  lastSync: "Letzter Abgleich",
  empty: "Noch keine Konnektoren",
  emptyHint:
    "Ein Wiki oder eine Ablage verbinden oder Dateien hochladen. Vor dem ersten Abgleich wird nichts gelesen.",
  sync: {
    now: "Jetzt abgleichen",
    full: "Alles neu lesen",
    dry: "Nur zeigen, was sich ändern würde",
    removals: "Dokumente entfernen, die es in der Quelle nicht mehr gibt",
    options: "Optionen",
    started: "Der Abgleich läuft.",
    disabled: "Der Konnektor ist ausgeschaltet.",
    uploadOnly: "Unten Dateien wählen: Dieser Konnektor nimmt Uploads an."
  },
  upload: {
    title: "Dateien hochladen",
    choose: "Dateien wählen",
    folder: "Ordner wählen",
    hint: "Markdown, Office-Dateien, PDF und andere Formate; bis zu 200 Dateien und 10 MB auf einmal.",
    all: "Das sind alle Dateien: fehlende Dokumente in den Papierkorb legen",
    send: (count) => `${counted(count, "Datei", "Dateien")} hochladen`,
    none: "Zuerst Dateien wählen.",
    tooMany:
      "Höchstens 200 Dateien auf einmal. Weniger wählen oder kanon connectors sync für Ordner jeder Größe nutzen.",
    tooLarge: "Zusammen haben diese Dateien mehr als 7 MB. Weniger wählen oder kanon connectors sync nutzen."
  },
  runs: {
    title: "Abgleiche",
    empty: "Noch kein Abgleich",
    emptyHint: "Ein Abgleich importiert die Dokumente.",
    statuses: {
      queued: "In der Warteschlange",
      running: "Läuft",
      succeeded: "Fertig",
      failed: "Fehlgeschlagen",
      cancelled: "Abgebrochen"
    },
    dry: "Probelauf",
    modes: { full: "Vollständig", incremental: "Nur Änderungen" },
    counts: {
      seen: "gefunden",
      created: "neu",
      updated: "geändert",
      unchanged: "unverändert",
      removed: "entfernt",
      failed: "fehlgeschlagen",
      warned: "unvollständig"
    },
    held: (count) =>
      count === 1
        ? "1 Dokument bleibt, obwohl die Quelle es nicht mehr nennt. Wenn das so stimmt, noch einmal abgleichen und Entfernen erlauben."
        : `${formatNumber(count)} Dokumente bleiben, obwohl die Quelle sie nicht mehr nennt. Wenn das so stimmt, noch einmal abgleichen und Entfernen erlauben.`,
    failures: (count) => `${formatNumber(count)} fehlgeschlagen`,
    warnings: (count) => `${formatNumber(count)} unvollständig`,
    changes: "Was sich ändern würde",
    whole: "Der ganze Abgleich",
    ops: {
      create: "neu",
      update: "ändern",
      move: "verschieben",
      remove: "entfernen",
      restore: "wiederherstellen",
      conflict: "Konflikt"
    },
    retry: "Fehlgeschlagenes versucht der nächste Abgleich erneut."
  },
  edit: "Ändern",
  disable: "Ausschalten",
  disableHint: "Ein laufender Abgleich wird abgebrochen.",
  enable: "Einschalten",
  remove: "Löschen",
  removeTitle: (name) => `Konnektor „${name}“ löschen?`,
  removeText: "Die Zugangsdaten werden gelöscht.",
  removeKeep: "Dokumente behalten",
  removeTrash: "Dokumente in den Papierkorb legen",
  documents: "Seine Dokumente",
  saved: "Gespeichert.",
  removed: "Der Konnektor ist gelöscht."
}
