import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { consoleWorld } from "../support/console-world.js"

const world = consoleWorld()

/** Scripts, handlers, addresses, drawings and control characters that texts of a workspace may hold. */
const attacks = [
  "<script>window.hit = 1</script>",
  "<img src=x onerror='window.hit = 1'>",
  "<svg onload='window.hit = 1'><script>window.hit = 1</script></svg>",
  "<iframe srcdoc='<script>parent.hit = 1</script>'></iframe>",
  "[link](javascript:window.hit=1)",
  "[link](JaVaScRiPt:window.hit=1)",
  "[link](data:text/html,<script>window.hit=1</script>)",
  "![picture](https://attacker.example/leak.png)",
  "![picture](//attacker.example/leak.svg)",
  "<style>@import 'https://attacker.example/x.css'</style>",
  "<a href='javascript:window.hit=1' onclick='window.hit=1'>a</a>",
  "<form action='https://attacker.example'><button autofocus onfocus='window.hit=1'>b</button></form>",
  "<math><mtext><table><mglyph><style><img src=x onerror=window.hit=1>",
  "<base href='https://attacker.example/'>",
  "<meta http-equiv=refresh content='0;url=https://attacker.example'>",
  "\u202Egnp.exe\u202C \u2066hidden\u2069",
  "<b onmouseover='window.hit=1'>bold</b>",
  "```html\n<script>window.hit=1</script>\n```",
  "| <img src=x onerror=window.hit=1> |\n|---|\n| [x](vbscript:window.hit=1) |"
]

describe("texts of a workspace in the console", () => {
  it("run nothing and send nothing, wherever they are shown", async () => {
    const { document, open } = world()
    const some = fc.sample(fc.shuffledSubarray(attacks, { minLength: 3 }), { numRuns: 4, seed: 41 })
    const ids = await Promise.all(
      [attacks, ...some].map((texts, at) =>
        document(
          `hostile/${at} ' onerror='hit' &lt;b&gt;.md`,
          `---\ntitle: "<img src=x onerror='window.hit = 1'> ${at}"\n---\n\n# <svg onload='window.hit=1'> Hostile ${at}\n\n${texts.join("\n\n")}\n`
        )
      )
    )
    const { by, close, page } = await open("/documents")
    const outside: Array<string> = []
    page.on("request", (request) => {
      if (!request.url().startsWith(world().url)) outside.push(request.url())
    })
    let dialogs = 0
    page.on("dialog", (dialog) => {
      dialogs += 1
      void dialog.dismiss()
    })
    const unharmed = async () => {
      expect(await page.evaluate("window.hit")).toBeUndefined()
      const html = page.locator("main")
      expect(await html.locator("script, iframe, form[action], style, base, meta, svg script").count()).toBe(
        0
      )
      expect(
        await html.locator("a[href^='javascript'], a[href^='data'], [onerror], [onclick], [onload]").count()
      ).toBe(0)
    }
    await by("document-row").first().waitFor()
    await unharmed()
    for (const id of ids) {
      await page.goto(`${world().url}/documents/${id}`)
      await by("document-html").waitFor()
      await unharmed()
    }
    await by("document-edit").click()
    await page.getByRole("region", { name: "Preview" }).locator("article").waitFor()
    await unharmed()
    await page.goto(`${world().url}/search?q=hostile+script`)
    await by("search-row").first().waitFor()
    await unharmed()
    await page.goto(`${world().url}/`)
    await by("ask-question").fill("What does hostile <script>window.hit=1</script> say?")
    await by("ask-submit").click()
    await by("answer").waitFor()
    await unharmed()
    expect(outside).toEqual([])
    expect(dialogs).toBe(0)
    await close()
  })

  it("go through a policy that lets no other script, frame or address in", async () => {
    const { url } = world()
    const response = await fetch(`${url}/documents/doc_x`)
    const policy = response.headers.get("content-security-policy") ?? ""
    for (const part of [
      "default-src 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types kanon"
    ])
      expect(policy).toContain(part)
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
    expect(response.headers.get("x-content-type-options")).toBe("nosniff")
    expect(response.headers.get("referrer-policy")).toBe("no-referrer")
  })
})
