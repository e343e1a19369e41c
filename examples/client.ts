import { createClient, KanonApiError } from "kanon/client"

const client = createClient({
  baseUrl: process.env["KANON_URL"] ?? "http://127.0.0.1:7420",
  key: process.env["KANON_KEY"] ?? ""
})

// Write, and ask about it.
const { docId } = await client.createDocument({
  path: "projects/borealis.md",
  content: "# Borealis\n\nThe launch of Borealis is on 12 March 2027.\n"
})
const answer = await client.query({ question: "When is the launch of Borealis?" })
for (const claim of answer.claims) console.log(claim.text, claim.citations.join(" "))

// Refusals are errors with a code.
try {
  await client.createDocument({ path: "projects/borealis.md" })
} catch (error) {
  if (!(error instanceof KanonApiError && error.code === "conflict")) throw error
  console.log("it is there already:", error.existingId === docId)
}

// Lists, one item after the other, however many pages that takes.
for await (const document of client.each.listDocuments({ pathPrefix: "projects/" })) {
  console.log(document.path, document.version)
}

// Give up after a while, or when somebody leaves.
const control = new AbortController()
const found = await client.search({ q: "launch" }, { timeoutMs: 5000, signal: control.signal })
console.log("passages:", found.total)

await client.deleteDocument({ id: docId })
