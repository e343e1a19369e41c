import { counted, formatNumber, type Words } from "../../language.js"
import type { englishSettings } from "../settings.js"

export const settings: Words<typeof englishSettings> = {
  title: "Einstellungen",
  lead: "Wie dieser Arbeitsbereich antwortet, welche Modelle er nutzt und wer was darf.",
  saved: "Die Einstellungen sind gespeichert.",
  stale:
    "Die Einstellungen wurden inzwischen geändert und neu gelesen; die eigenen Eingaben sind noch da. Bitte vergleichen und erneut speichern.",
  unchanged: "Nichts geändert.",
  general: {
    name: "Name des Arbeitsbereichs",
    review: "Tage zwischen Prüfungen",
    cache: "Zwischenspeicher für Antworten",
    cacheModes: { off: "Aus", shadow: "Beobachtend: nur vergleichen", on: "An: Antworten wiederverwenden" },
    answers: "Wortlaut der Antworten",
    instructions: "Anweisungen an das Chat-Modell",
    language: "Sprachkürzel (leer: Sprache der Frage)",
    tone: "Ton, etwa „formell“",
    gitignore: "Dateien aus .gitignore übergehen",
    caps: "Grenzen",
    cap: {
      agentSpendUsd: "US-Dollar für Agenten im Monat",
      activeRuns: "Gleichzeitige Läufe",
      dataRows: "Zeilen je Abfrage",
      dataBytes: "Bytes je Abfrage",
      dataTimeoutMs: "Zeit je Abfrage in ms"
    },
    budgets: "Budget eines Laufs",
    usage: "Dieser Monat",
    spend: "Von Agenten verbraucht",
    of: "von",
    tokens: "Token",
    active: "Laufende Läufe"
  },
  policy: {
    mode: "Modus",
    modes: {
      off: "Aus: nichts wird entschieden oder aufbewahrt",
      shadow: "Beobachtend: entscheiden und protokollieren, Antworten nicht ändern",
      enforce: "Streng: nachfragen oder nicht antworten, wo die Belege nicht tragen"
    },
    thresholds: "Schwellen",
    threshold: {
      coverage: "Anteil der Frage, den die Stellen enthalten müssen",
      cosine: "Mindestähnlichkeit (leer: keine)",
      confidence: "Konfidenz für Antworten ohne Vorbehalt (leer: aus der Kalibrierung)",
      floor: "Konfidenz, unter der es keine Antwort gibt"
    },
    unsupported: "Sätze, die keine Quelle belegt",
    unsupportedKinds: {
      "": "Wie üblich (zeigen)",
      show: "Zeigen, mit Kennzeichnung",
      withhold: "Weglassen und darauf hinweisen"
    },
    keepQuestions: "Fragen und Antworten im Protokoll aufbewahren",
    questions: "Wer Fragen anderer lesen darf",
    questionReaders: {
      own: "Nur, wer gefragt hat",
      workspace: "Wer gefragt hat, und die Administration"
    }
  },
  retention: {
    versionsPerDocument: "Versionen je Dokument",
    answerDays: "Tage für Antworten (0: keine)",
    decisionDays: "Tage für Entscheidungen",
    dataRowDays: "Tage für Zeilen von Abfragen",
    trashDays: "Tage im Papierkorb"
  },
  models: {
    roles: {
      chat: "Chat",
      judge: "Prüfung",
      embedding: "Vektoren",
      reranker: "Neuordnung",
      extraction: "Erkennung"
    },
    hints: {
      chat: "Schreibt Antworten und führt Agenten aus.",
      judge: "Prüft die Aussagen von Antworten.",
      embedding: "Berechnet Vektoren. Nach einer Änderung werden alle neu berechnet.",
      reranker: "Ordnet Ergebnisse neu.",
      extraction: "Liest Dokumente für den Graphen. Nach einer Änderung werden alle neu gelesen."
    },
    server: "Vorgabe des Servers",
    provider: "Anbieter",
    model: "Modell",
    address: "Adresse (leer: die des Anbieters)",
    credential: "Schlüssel",
    credentialHint: "Wird verschlüsselt gespeichert und nie wieder angezeigt.",
    kept: "Ein Wert ist gespeichert. Leer lassen, um ihn zu behalten.",
    enabled: "Eingeschaltet",
    works: (model) => `in Gebrauch: ${model}`,
    notInUse: "keines",
    saveFirst: "Zuerst speichern. Der Test ruft das gespeicherte Modell auf.",
    test: "Testen",
    testing: "Wird gefragt …",
    fallback: "Bei Ausfall des Chat-Modells auf das eingebaute ausweichen",
    tested: {
      answered: (model, ms) => `${model} hat nach ${formatNumber(ms)} ms geantwortet.`,
      failed: (model, error) => `${model}: ${error}`,
      builtIn: "Kein Modell ausgewählt; das eingebaute wird benutzt."
    }
  },
  keys: {
    create: "Neuer Schlüssel",
    name: "Name",
    scopes: "Rechte",
    expires: "Läuft ab",
    expiresNever: "nie",
    secretTitle: "Der neue Schlüssel",
    secretHint: "Jetzt kopieren. Er wird nur einmal gezeigt und nur als Hash gespeichert.",
    copy: "Kopieren",
    copied: "Kopiert",
    lastUsed: "zuletzt benutzt",
    created: "erstellt",
    revoke: "Sperren",
    revokeTitle: (name) => `Schlüssel „${name}“ sperren?`,
    revokeText: "Programme damit werden ab der nächsten Anfrage abgewiesen. Das ist endgültig.",
    rotate: "Erneuern",
    rotateTitle: (name) => `Schlüssel „${name}“ erneuern?`,
    rotateText: "Ein neuer Schlüssel mit denselben Rechten ersetzt ihn; der alte gilt noch eine Stunde.",
    revoked: "Gesperrt",
    expired: "Abgelaufen",
    kinds: { workspace: "Arbeitsbereich", user: "Persönlich" },
    states: { all: "Alle", active: "Gültig", revoked: "Gesperrt", expired: "Abgelaufen" },
    done: "Der Schlüssel ist gesperrt.",
    tooMuch: "Dieses Recht fehlt selbst und lässt sich deshalb nicht vergeben.",
    empty: "Keine Schlüssel",
    noScope: "Mindestens ein Recht auswählen."
  },
  members: {
    owned: "verantwortet",
    stewarded: "betreut",
    empty: "Keine Mitglieder",
    emptyHint: "Die erste Person mit einem Link einladen.",
    you: "Ich",
    seen: "Zuletzt da",
    noMethod: "noch keine Anmeldung möglich",
    passkeys: (count) => counted(count, "Passkey", "Passkeys"),
    logins: "Organisation",
    keys: (count) => counted(count, "Schlüssel", "Schlüssel"),
    role: "Rolle",
    roleOf: (name) => `Rolle von ${name}`,
    seeAs: "Ansehen als",
    seeAsOf: (name) => `Ansehen als ${name}`,
    roleHints: {
      admin: "Alles, auch Mitglieder, Schlüssel und Einstellungen.",
      curator: "Lesen, schreiben, kuratieren, Agenten und Abfragen ausführen, Berichte erstellen.",
      member: "Lesen, schreiben, kuratieren, Agenten und Abfragen ausführen.",
      reader: "Fragen und lesen."
    },
    changed: (name, role) => `Neue Rolle von ${name}: ${role}.`,
    invite: "Einladen",
    inviteTitle: "Person einladen",
    invitations: "Offene Einladungen",
    invitedBy: "von",
    ends: "endet",
    makeLink: "Link erstellen",
    link: "Link",
    linkHint: "Gilt einmal, sieben Tage lang. Jetzt kopieren und weitergeben; er wird nicht wieder gezeigt.",
    newLink: "Neuer Link",
    newLinkOf: (name) => `Neuer Link für ${name}`,
    newLinkTitle: (name) => `Ein neuer Link für ${name}`,
    newLinkHint: "Für Mitglieder, die ihren Passkey verloren haben. Der neue ersetzt alle anderen.",
    remove: "Entfernen",
    removeOf: (name) => `${name} entfernen`,
    removeTitle: (name) => `${name} entfernen?`,
    removeText:
      "Sitzungen und Schlüssel verlieren sofort den Zugriff auf diesen Arbeitsbereich. Geschriebenes bleibt.",
    revoke: "Sperren",
    revokeKeyOf: (key, name) => `${key} von ${name} sperren`,
    revokeKeyTitle: (key) => `Schlüssel ${key} sperren?`
  },
  passkeys: {
    title: "Eigene Passkeys",
    device: "Name des Geräts",
    add: "Passkey hinzufügen",
    made: "erstellt",
    used: "zuletzt benutzt",
    remove: "Entfernen",
    removeOf: (name) => `${name} entfernen`,
    removeTitle: (name) => `Passkey ${name} entfernen?`,
    removeText: "Damit geht keine Anmeldung mehr. Auch auf dem Gerät löschen."
  },
  sessions: {
    current: "Diese Sitzung",
    methods: {
      key: "Mit Schlüssel",
      link: "Über einen Link",
      oidc: "Über die Organisation",
      passkey: "Mit Passkey",
      client: "Ein Assistent"
    },
    seen: "zuletzt aktiv",
    ends: "endet",
    revoke: "Abmelden",
    revokeLabel: (who) => `${who} abmelden`,
    done: "Die Sitzung ist beendet.",
    browser: (name, version, system) => `${name} ${version} unter ${system}`,
    browsers: { Edg: "Edge", OPR: "Opera", Version: "Safari" },
    unknownBrowser: "Unbekannter Browser"
  }
}
