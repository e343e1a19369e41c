import spectralCore, { type RulesetDefinition } from "@stoplight/spectral-core"
import spectralRulesets from "@stoplight/spectral-rulesets"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { z } from "zod"
import { openApi } from "../../../server/http/openapi.js"
import { textOf } from "../../support/tree.js"

describe("the OpenAPI document", () => {
  it("keeps to Spectral's rules", async () => {
    const { text } = openApi("https://kanon.example.org")
    const pinned = z
      .object({
        extends: z.tuple([z.tuple([z.literal("spectral:oas"), z.literal("all")])]),
        rules: z.record(z.string(), z.literal("off"))
      })
      .parse(parse(textOf(".spectral.yaml")))
    const spectral = new spectralCore.Spectral()
    const oas: RulesetDefinition = { extends: [], ...spectralRulesets.oas }
    spectral.setRuleset({ extends: [[oas, "all"]], rules: pinned.rules })
    const problemsOf = async (source: string) =>
      (await spectral.run(JSON.parse(source))).map(
        ({ code, message, path }) => `${code} ${message} ${path.join(".")}`
      )
    expect(await problemsOf(text)).toEqual([])
    const broken = text.replace('"question":"When does', '"question":1,"was":"When does')
    expect((await problemsOf(broken)).join("\n")).toContain("oas3-valid-media-example")
  })
})
