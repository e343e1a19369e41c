/** A page that asks, shows the answer with its citations, and opens a source at the words that carry a sentence. */
import { createClient } from "kanon/client"
import { Answer, type CitationTarget, KanonProvider, SourceView, useAsk, useDocument } from "kanon/react"
import { type FormEvent, useState } from "react"
import { createRoot } from "react-dom/client"

// A proxy of the page's own origin adds the key; see same-origin-proxy.ts.
const client = createClient({ baseUrl: "/kanon" })

const Assistant = () => {
  const { ask, error, isAsking, last } = useAsk()
  const [question, setQuestion] = useState("")
  const [cited, setCited] = useState<CitationTarget | null>(null)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void ask({ question })
  }
  return (
    <main>
      <form onSubmit={submit}>
        <input aria-label="Question" value={question} onChange={(event) => setQuestion(event.target.value)} />
        <button type="submit" disabled={isAsking}>
          Ask
        </button>
      </form>
      {error !== null && <p role="alert">{String(error)}</p>}
      {last !== undefined && <Answer answer={last.answer} answerId={last.answerId} onCite={setCited} />}
      {cited?.kind === "source" && <Source docId={cited.source.docId} quotes={cited.quotes} />}
    </main>
  )
}

const Source = ({
  docId,
  quotes
}: {
  docId: string
  quotes: ReadonlyArray<{ start: number; end: number }>
}) => {
  const { data } = useDocument(docId)
  return data === undefined ? <p>Loading…</p> : <SourceView document={data} marks={quotes} />
}

const place = document.getElementById("root")
if (place !== null)
  createRoot(place).render(
    <KanonProvider client={client}>
      <Assistant />
    </KanonProvider>
  )
