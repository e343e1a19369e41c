import type { GetPromptResult, Prompt } from "@modelcontextprotocol/server"
import * as Either from "effect/Either"

/** A prompt that a person chooses in a client, with the tools that its text names. */
interface PromptKind {
  readonly prompt: Prompt
  /** Tools without which the prompt cannot be followed. */
  readonly tools: ReadonlyArray<string>
  readonly text: (given: Readonly<Record<string, string>>) => string
}

/** Most characters of an argument. */
const argumentMax = 4000

const kinds: ReadonlyArray<PromptKind> = [
  {
    prompt: {
      name: "ask",
      title: "Ask the workspace",
      description: "Answer a question from the documents of the workspace, with citations.",
      arguments: [{ name: "question", description: "The question.", required: true }]
    },
    tools: ["svc_query"],
    text: ({ question = "" }) =>
      `Answer this question from the workspace with svc_query, and keep the markers of the sources behind what they support. Follow the verdict of the answer: name its caveats, and say so if the workspace does not answer.\n\nQuestion: ${question}`
  },
  {
    prompt: {
      name: "find",
      title: "Find documents",
      description: "Find the documents about a subject and say what each contributes.",
      arguments: [{ name: "subject", description: "What the documents are about.", required: true }]
    },
    tools: ["search", "fetch"],
    text: ({ subject = "" }) =>
      `Find the documents of the workspace about the subject below with search, read the three best with fetch, and list them with title, link and one sentence on what each says about it. List no document that does not treat the subject.\n\nSubject: ${subject}`
  },
  {
    prompt: {
      name: "what-changed",
      title: "What changed",
      description: "Summarize what changed in the workspace lately.",
      arguments: [{ name: "since", description: "A date, such as 2026-01-31; the last week by default." }]
    },
    tools: ["svc_list_documents", "svc_get_document"],
    text: ({ since }) =>
      `List the documents of the workspace with svc_list_documents and sort "updatedAt", newest first, page by page until updatedAt is before ${since === undefined ? "one week ago" : `the date in this line: ${since}`}. Read those that matter with svc_get_document, and summarize by subject what changed, each point with the path of its document.`
  },
  {
    prompt: {
      name: "review-stale",
      title: "Review stale documents",
      description: "Find documents whose review is due and propose what to do with each.",
      arguments: []
    },
    tools: ["svc_list_documents", "svc_get_document", "svc_check_grounding"],
    text: () =>
      'List documents with svc_list_documents and sort "nextVerifyAt", and keep those whose nextVerifyAt has passed. Read each with svc_get_document and check its central statements with svc_check_grounding. For each document, say whether it still holds, contradicts another document, or is outdated, with the passages that show it. Change nothing: a person verifies or deprecates documents.'
  }
]

/** The prompts that a caller with these tools can follow. */
export const promptsFor = (tools: ReadonlySet<string>): Array<Prompt> =>
  kinds.filter((kind) => kind.tools.every((name) => tools.has(name))).map(({ prompt }) => prompt)

/** The message of a prompt with its arguments, or what is wrong with them. */
export const promptNamed = (
  tools: ReadonlySet<string>,
  name: string,
  given: Readonly<Record<string, string>>
): Either.Either<GetPromptResult, string> => {
  const kind = kinds.find(
    ({ prompt, tools: needed }) => prompt.name === name && needed.every((one) => tools.has(one))
  )
  if (kind === undefined) return Either.left(`There is no prompt ${name}.`)
  const declared = kind.prompt.arguments ?? []
  const missing = declared.find((one) => one.required === true && (given[one.name] ?? "").trim() === "")
  if (missing !== undefined) return Either.left(`arguments.${missing.name}: is missing.`)
  const long = Object.keys(given).find((key) => (given[key] ?? "").length > argumentMax)
  if (long !== undefined) return Either.left(`arguments.${long}: has more than ${argumentMax} characters.`)
  return Either.right({
    description: kind.prompt.description ?? "",
    messages: [{ role: "user", content: { type: "text", text: kind.text(given) } }]
  })
}
