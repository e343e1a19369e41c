/** Tasks as people word them to an assistant, each with the tools that do it. */
export const toolTasks: ReadonlyArray<{ readonly task: string; readonly tools: ReadonlyArray<string> }> = [
  { task: "How much oil does the gearbox take?", tools: ["svc_query"] },
  { task: "Who is the owner of the entity Harbour crane?", tools: ["svc_get_entity"] },
  { task: "Which page is about the wind limit? Find the document.", tools: ["search"] },
  { task: "Note that the north gate closes at 18:00 in winter.", tools: ["remember"] },
  { task: "Please keep in mind what I say: the user wants reports on Monday.", tools: ["remember"] },
  { task: "What did I tell you to write down about the gate? Recall my notes.", tools: ["recall"] },
  { task: "Forget the note about the gate.", tools: ["forget"] },
  { task: "Which documents are stale and due for review?", tools: ["svc_list_documents"] },
  { task: "What changed recently in the documents?", tools: ["svc_list_documents"] },
  { task: "Check whether this draft is true.", tools: ["svc_check_grounding"] },
  { task: "Why was that answer refused? Explain the decision.", tools: ["svc_explain_answer"] },
  { task: "What does the abbreviation WTG mean?", tools: ["svc_resolve_entity"] },
  { task: "What is the crane connected to?", tools: ["svc_neighborhood"] },
  { task: "Who changed this entity, and when?", tools: ["svc_entity_history"] },
  { task: "Which proposals wait for my approval?", tools: ["svc_list_change_requests"] },
  { task: "Suggest to rename the entity and let a person approve it.", tools: ["svc_propose_change"] },
  { task: "Update the page on cranes with this new text.", tools: ["svc_replace_document"] },
  { task: "Create a page on the new ferry.", tools: ["svc_create_document"] },
  { task: "Where does this document come from, and who verified it?", tools: ["svc_document_lineage"] },
  { task: "What are the current numbers of open orders in the database?", tools: ["svc_run_data_query"] }
]

/** A tool as a model sees it, as far as the chooser reads. */
interface SeenTool {
  readonly name: string
  readonly description: string
}

const ignored = new Set(
  "a an and are as at by for from how i in is it its of on or that the this to was what where which who why with you".split(
    " "
  )
)

const stem = (word: string): string => word.replace(/(?:ies|ing|ed|es|s|d)$/u, "").slice(0, 6)

const wordsOf = (text: string): ReadonlyArray<string> =>
  (text.toLowerCase().match(/\p{L}+/gu) ?? [])
    .filter((word) => !ignored.has(word) && word.length > 2)
    .map(stem)

/** Chooses the tool whose name and description share the rarest words with a task; the first of equals. */
export const keywordChoice = (tools: ReadonlyArray<SeenTool>, task: string): string | undefined => {
  const texts = tools.map(({ description, name }) => ({
    name,
    // An example's arguments are no words of the tool.
    words: new Set(wordsOf(`${name.replaceAll("_", " ")} ${description.replace(/Example: .*$/su, "")}`))
  }))
  const rarity = (word: string): number => {
    const holders = texts.filter(({ words }) => words.has(word)).length
    return holders === 0 ? 0 : Math.log(1 + tools.length / holders)
  }
  const asked = [...new Set(wordsOf(task))]
  const scored = texts.map(({ name, words }) => ({
    name,
    // Long descriptions hold more words by chance.
    score:
      asked.reduce((sum, word) => sum + (words.has(word) ? rarity(word) : 0), 0) /
      Math.sqrt(Math.sqrt(words.size))
  }))
  const best = scored.reduce((most, one) => (one.score > most.score ? one : most), { name: "", score: 0 })
  return best.score === 0 ? undefined : best.name
}
