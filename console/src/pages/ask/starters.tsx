import type { ReactNode } from "react"
import { Link } from "wouter"
import { useOperation } from "../../api/hooks.js"
import { Button } from "../../components/button.js"
import { EmptyState } from "../../components/states.js"
import { strings } from "../../strings.js"

const texts = strings.ask
const startersMax = 5

/** First questions, about the entities that most relations lead to; without documents, the way to the first one. */
export const Starters = ({ onAsk }: { readonly onAsk: (question: string) => void }): ReactNode => {
  const { data } = useOperation("getManifest", {})
  if (data === undefined) return null
  if (data.counts.documents === 0)
    return (
      <EmptyState>
        <p>{texts.noDocuments}</p>
        <p className="button-row">
          <Link href="/documents" className="button">
            {strings.nav.documents}
          </Link>
          <Link href="/connectors" className="button">
            {strings.nav.connectors}
          </Link>
        </p>
      </EmptyState>
    )
  const questions = data.hubConcepts
    .filter(({ type }) => type !== "tag")
    .slice(0, startersMax)
    .map(({ name, type }) => texts.starter(name, type === "person"))
  return questions.length === 0 ? null : (
    <section className="stack tight">
      <h2 className="muted small">{texts.starters}</h2>
      <ul className="chips">
        {questions.map((question) => (
          <li key={question}>
            <Button size="small" onClick={() => onAsk(question)}>
              <bdi dir="auto">{question}</bdi>
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}
