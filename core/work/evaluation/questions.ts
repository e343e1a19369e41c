import { z } from "zod"

/** A question whose answer is known. */
export const JudgedQuestion = z
  .object({
    question: z.string().trim().min(1).max(4000),
    /** Statements any one of which makes an answer right. */
    answers: z.array(z.string().trim().min(1).max(4000)).max(100),
    /** The documents hold an answer. */
    answerable: z.boolean()
  })
  .refine(({ answerable, answers }) => answerable === answers.length > 0, {
    message: "An answerable question has answers, and one that is not has none.",
    path: ["answers"]
  })
export type JudgedQuestion = z.infer<typeof JudgedQuestion>

/** Problem of a line; lines count from 1. */
export interface LineProblem {
  readonly line: number
  readonly message: string
}

/** Reads JSON lines; empty ones are skipped. Every bad line is told, and one is enough to take none of them. */
export const readQuestions = (
  text: string
): { readonly questions: ReadonlyArray<JudgedQuestion>; readonly problems: ReadonlyArray<LineProblem> } => {
  const questions: Array<JudgedQuestion> = []
  const problems: Array<LineProblem> = []
  const seen = new Map<string, number>()
  for (const [at, raw] of text
    .replace(/^\uFEFF/u, "")
    .split(/\r?\n/u)
    .entries()) {
    if (raw.trim() === "") continue
    const line = at + 1
    const parsed = readLine(raw)
    if ("problem" in parsed) {
      problems.push({ line, message: parsed.problem })
      continue
    }
    const before = seen.get(parsed.question)
    if (before === undefined) questions.push(parsed)
    else problems.push({ line, message: `The same question stands in line ${before}.` })
    seen.set(parsed.question, line)
  }
  return { questions, problems }
}

const readLine = (raw: string): JudgedQuestion | { readonly problem: string } => {
  let value: unknown
  try {
    value = JSON.parse(raw)
  } catch {
    return { problem: "It is no JSON." }
  }
  const parsed = JudgedQuestion.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const path = issue?.path.join(".") ?? ""
  return { problem: path === "" ? (issue?.message ?? "It is no question.") : `${path}: ${issue?.message}` }
}
