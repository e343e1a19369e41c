import type { ReactNode } from "react"
import type { Ambiguity, StructuredAnswer } from "../../../../server/client/index.js"
import { useOperation } from "../../api/hooks.js"
import { strings } from "../../strings.js"
import { useConsoleDecision } from "./decision.js"

const texts = strings.ask

/** The question with a name replaced by the chosen reading. */
const withReading = (
  question: string,
  surface: string,
  { name, type }: { readonly name: string; readonly type: string }
): string => {
  const at = question.toLowerCase().indexOf(surface.toLowerCase())
  const isSame = name.toLowerCase() === surface.toLowerCase()
  const reading = isSame ? `${name} (${type})` : name
  return at < 0
    ? `${question} (${reading})`
    : question.slice(0, at) + reading + question.slice(at + surface.length)
}

/** Lists the possible meanings of an ambiguous name, each as a question of its own. */
export const Readings = ({
  answer,
  answerId,
  question,
  onAsk
}: {
  readonly answer: StructuredAnswer
  readonly answerId: string | null
  readonly question: string
  readonly onAsk: (question: string) => void
}): ReactNode => {
  const surface = answer.policy.reasons.find((reason) => reason.startsWith("ambiguous_entity:"))?.slice(17)
  const decision = useConsoleDecision(surface === undefined ? null : answerId)
  const known = decision?.features.evidence.ambiguous
  // Without the decision the names are looked up.
  const found = useOperation(
    "resolveEntities",
    { q: surface ?? "", limit: 8 },
    { enabled: surface !== undefined && known === undefined }
  )
  const ambiguities: ReadonlyArray<Ambiguity> =
    known ?? (surface === undefined ? [] : [{ surface, candidates: found.data?.candidates ?? [] }])
  if (answer.policy.verdict !== "clarify") return null
  if (surface === undefined) return <p className="muted">{texts.noSubject}</p>
  return (
    <div className="stack tight">
      <p>{texts.readings}</p>
      <ul className="row">
        {ambiguities.flatMap(({ candidates, surface: name }) =>
          candidates.map((candidate) => (
            <li key={candidate.id}>
              <button
                type="button"
                className="button plain"
                data-testid="reading"
                data-id={candidate.id}
                onClick={() => onAsk(withReading(question, name, candidate))}
              >
                <bdi dir="auto">{candidate.name}</bdi>
                <span className="muted">{candidate.type}</span>
              </button>
            </li>
          ))
        )}
      </ul>
    </div>
  )
}
