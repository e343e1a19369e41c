import { describe, expect, it } from "vitest"
import { answersIn } from "../../../support/asked-vaults.js"

/** Asks questions of one vault beside twenty unrelated notes; a reply without claims is `NONE`. */
const ask = async (
  files: Readonly<Record<string, string>>,
  expected: ReadonlyArray<readonly [question: string, want: RegExp, never?: RegExp]>
): Promise<void> => {
  const said = await answersIn({
    neighbours: true,
    files,
    checks: expected.map(([question]) => ({ ask: question, want: "" }))
  })
  for (const [at, [question, want, never]] of expected.entries()) {
    expect(said[at], question).toMatch(want)
    if (never !== undefined) expect(said[at], question).not.toMatch(never)
  }
}

describe("what a page says in its own form", () => {
  it("reads days and hours of a timetable", () =>
    ask({ "c.md": "# Quay office\n\nOpening hours: Mon–Fri 9–17, Sat 10–14, Sun closed\n" }, [
      ["When is it open on Saturday?", /10–14/u],
      ["Is it open on Sunday?", /Sun closed/u],
      ["When is it open on Tuesday?", /Mon–Fri 9–17/u]
    ]))

  it("dates a release by its heading", () =>
    ask(
      {
        "CHANGELOG.md":
          "# Changelog of Oar\n\n## 2.4.0 (2025-03-02)\n\n- Added the tide table.\n\n## 2.3.1 (2025-01-15)\n\n- Fixed a crash.\n"
      },
      [["When was Oar 2.4.0 released?", /2025-03-02/u, /2025-01-15/u]]
    ))

  it("names the release that a kind of change stands under", () =>
    ask(
      {
        "CHANGELOG.md":
          "# Changelog\n\n## [3.2.0] - 2026-03-11\n\n### Added\n\n- Support for MQTT 5.\n\n### Changed\n\n- The interval defaults to 15 s.\n\n## [3.0.0] - 2025-10-20\n\n### Removed\n\n- The `legacy-http` transport.\n"
      },
      [
        ["When was 3.2.0 released?", /2026-03-11/u, /2025-10-20/u],
        ["Which version added support for MQTT 5?", /3\.2\.0/u, /3\.0\.0/u]
      ]
    ))

  it("labels each line of a paragraph with its own term", () =>
    ask(
      {
        "e.md":
          "# Error codes\n\n**FW-101** – The workspace is locked.\n**FW-102** – The sensor did not answer in time.\n"
      },
      [["What does error FW-102 mean?", /did not answer in time/u, /FW-101/u]]
    ))

  it("takes the verb of a record for granted", () =>
    ask(
      {
        "u.md":
          "# Users\n\n```yaml\nusers:\n  - name: ida\n    shell: zsh\n  - name: jon\n    shell: fish\nenv:\n  - name: LOG_LEVEL\n    value: info\n```\n"
      },
      [
        ["Which shell does jon use?", /fish/u, /zsh/u],
        ["What is the LOG_LEVEL?", /info/u]
      ]
    ))

  it("tells an item from its list, and the next step from the one that is named", () =>
    ask(
      {
        "s.md": "# Shops\n\n- Vik\n  - opens at 9:00\n  - closed on Monday\n- Lund\n  - opens at 10:30\n",
        "p.md":
          "# Pump\n\nClean the pump:\n\n1. Close the valve.\n2. Rinse the housing.\n3. Grease the shaft.\n"
      },
      [
        ["When does the Lund shop open?", /10:30/u, /9:00/u],
        ["What do I do after rinsing the housing?", /Grease/u, /Close/u]
      ]
    ))

  it("gives all steps of a list that fills several passages", () =>
    ask(
      {
        "i.md": `# Changing the impeller\n\nChange the impeller every 500 hours:\n\n${Array.from(
          { length: 12 },
          (_, at) =>
            `${at + 1}. Turn screw ${at + 1}.\n\n   ${"Mind the seal and keep the parts in order. ".repeat(14)}\n`
        ).join("")}`
      },
      [["How do I change the impeller?", /Turn screw 1\b[\s\S]*Turn screw 6\b[\s\S]*Turn screw 12\b/u]]
    ))

  it("reads the row that is named, and the extreme one only where none is", () =>
    ask(
      {
        "v.md":
          "# Loads of the swing bridge\n\n| Vehicle | Max weight | Max height |\n|---|---|---|\n| Van | 3.5 t | 2.4 m |\n| Bus | 19 t | 3.6 m |\n| Truck | 26 t | 4.1 m |\n"
      },
      [
        ["What is the maximum weight for a bus?", /19 t/u, /26 t/u],
        ["Which vehicle has the maximum weight?", /Truck/u, /Bus/u]
      ]
    ))

  it("takes the place of a row for where a thing stands", () =>
    ask(
      {
        "g.md":
          "# Geräte im Labor\n\n| Gerät | Standort | Baujahr |\n|---|---|---|\n| Zentrifuge Z-36 | Raum 2.14 | 2018 |\n| Autoklav A-12 | Raum 2.03 | 2011 |\n\nDer Autoklav darf höchstens mit 134 °C betrieben werden.\n"
      },
      [["Wo steht der Autoklav?", /Raum 2\.03/u, /2\.14/u]]
    ))

  it("gives the meaning of a term in a list of definitions", () =>
    ask(
      {
        "r.html":
          "<h1>Harbour rules</h1><dl><dt>Fine for speeding</dt><dd>NOK 2,500</dd><dt>Fine for dumping waste</dt><dd>NOK 12,000</dd></dl>"
      },
      [["What is the fine for dumping waste?", /12,000/u, /2,500/u]]
    ))

  it("accepts a circumstance for a time", () =>
    ask({ "m.md": "# Pier\n\nThe pier is 80 m long. The pier closes in storms.\n" }, [
      ["When does the pier close?", /in storms/u]
    ]))
})

describe("what a page says of something else", () => {
  it("spells out an abbreviation only where the page does", () =>
    ask(
      {
        "el.md": "# Wiring\n\nThe protective earth (PE) is green. PE is connected first.\n",
        "f.md": "# Shares\n\nA PE ratio above 40 is dear.\n"
      },
      [["What does PE stand for?", /protective earth/u, /ratio|first/u]]
    ))

  it("keeps years, numbers, colours and levels apart", () =>
    ask(
      {
        "2024.md": "# Prices 2024\n\n| Part | Price |\n|---|---|\n| Anchor A2 | 310 |\n",
        "2025.md": "# Prices 2025\n\n| Part | Price |\n|---|---|\n| Anchor A2 | 335 |\n",
        "alarm.md":
          "# Gas alarm\n\n| Level | What it does |\n|---|---|\n| Amber | fans start |\n| Red | siren |\n",
        "sec.md": "# Security\n\nOur security level is normally 1.\n",
        "funnel.md": "# Ferry Tern\n\nThe lounge of the Tern is beside the funnel.\n"
      },
      [
        ["What did the Anchor A2 cost in 2024?", /310/u, /335/u],
        ["What does the gas alarm do at the purple level?", /^NONE/u],
        ["What do we do at security level 4?", /^NONE/u],
        ["What colour is the funnel of the Tern?", /^NONE/u]
      ]
    ))

  it("names nobody where the page does not", () =>
    ask(
      {
        "t.md":
          "# Ferry Tern\n\nThe Tern was lengthened by twelve metres in 2006. In 2022 a spring parted, and a deckhand broke his wrist.\n",
        "f.md": "# Festival\n\nIf it blows more than force 7, the marquee has to come down.\n"
      },
      [
        ["Who lengthened the Tern in 2006?", /^NONE/u],
        ["Which deckhand broke his wrist?", /^NONE/u],
        ["When did the marquee come down?", /^NONE/u],
        ["By how many metres was the Tern lengthened?", /twelve metres/u]
      ]
    ))
})
