import { isRetired } from "../../knowledge/entities/index.js"
import type { Question } from "../../language/questions/index.js"
import { analyse } from "../../language/tokenization/index.js"
import type { EvidenceData } from "../evidence/index.js"
import type { Named } from "./disambiguate.js"

/**
 * Returns the definition of the concept that a question such as "What is a sextant?" asks about, as one row: the
 * description that a person or a vocabulary gave. It has the id of the entity where other rows have that of a data
 * call. Null for other questions, several concepts of the name, and concepts without a definition. Pure.
 */
export const definitionAsked = (
  { subject }: Question,
  names: ReadonlyArray<Named>
): Omit<EvidenceData, "id"> | null => {
  if (subject === null) return null
  const asked = termsOf(subject)
  const [entity, ...others] = names
    .filter(({ detection }) => termsOf(detection.surface) === asked)
    .flatMap(({ entities }) => entities)
  if (entity === undefined || others.length > 0 || !entity.touched || isRetired(entity)) return null
  if (entity.lifecycle !== "published") return null
  const definition = entity.description?.trim() ?? ""
  if (definition === "") return null
  return {
    queryTitle: entity.name,
    about: entity.name,
    columns: ["definition"],
    rows: [{ definition }],
    rowCount: 1,
    truncated: false,
    call: { dataCallId: entity.id, connectorName: "vocabulary", executedAt: entity.updatedAt }
  }
}

const termsOf = (text: string): string =>
  analyse(text)
    .map(({ term }) => term)
    .join(" ")
