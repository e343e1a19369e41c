import { describe, expect, it } from "vitest"
import { changesAsked } from "../../../../core/answers/selection/changes-asked.js"

const today = "2026-11-30"

describe("questions for changes", () => {
  it.each([
    ["What changed in the harbour tariff since March?", "harbour tariff", "2026-03-01", null],
    ["What has changed since 3 May 2026?", "", "2026-05-03", null],
    ["What's new?", "", null, null],
    ["What is new in the handbook?", "handbook", null, null],
    ["How has the berth fee changed since last month?", "berth fee", "2026-10-01", null],
    ["What changed last week in the tariff?", "tariff", "2026-11-23", "2026-11-29"],
    ["What changes were made to the tariff in the last 30 days?", "tariff", "2026-10-31", null],
    ["What changed between March and May 2026 in the tariff?", "tariff", "2026-03-01", "2026-05-31"],
    ["What changed in the crew page this week?", "crew", "2026-11-30", null],
    ["Was hat sich am Hafentarif seit März geändert?", "Hafentarif", "2026-03-01", null],
    ["Was hat sich seit März am Tarif geändert?", "Tarif", "2026-03-01", null],
    ["Was ist neu im Handbuch?", "Handbuch", null, null],
    ["Welche Änderungen gab es am Tarif seit dem 3. Mai?", "Tarif", "2026-05-03", null],
    ["Qu’est-ce qui a changé dans le tarif depuis mars ?", "tarif", "2026-03-01", null],
    ["¿Qué ha cambiado en la tarifa desde marzo?", "tarifa", "2026-03-01", null],
    ["¿Qué cambió en la tarifa en mayo de 2026?", "tarifa", "2026-05-01", "2026-05-31"]
  ])("%s", (question, subject, from, to) => {
    expect(changesAsked(question, today)).toEqual({ subject, from, to })
  })

  it.each([
    "What is the new price?",
    "What changes the colour of the hull?",
    "What did the berth fee change to?",
    "Who changed the tariff?",
    "Was ist der neue Preis?",
    "¿Cuál es el nuevo precio?"
  ])("not %s", (question) => {
    expect(changesAsked(question, today)).toBeNull()
  })
})
