import { describe, expect, it } from "vitest"
import { missingPage } from "../../../../core/knowledge/extraction/name-claims.js"

const nameOf = (target: string) =>
  missingPage({ type: "links_to", to: { link: { kind: "wiki", target } }, start: null, quote: "" })

describe("a wiki link to a page that is not there", () => {
  it.each([
    ["Heat pump", "Heat pump"],
    ["devices/Heat pump", "Heat pump"]
  ])("names what it leads to: %s", (target, name) => {
    expect(nameOf(target)).toBe(name)
  })

  it.each(["../../etc/passwd", "notes/../../../secret", "/etc/passwd", "picture.png"])(
    "names nothing where it is a file or leads out of the vault: %s",
    (target) => {
      expect(nameOf(target)).toBeNull()
    }
  )
})
