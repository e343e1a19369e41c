/** A conversation with cited answers; choosing a citation opens its source at the words that carry the sentence. */
import { createClient } from "kanon/client"
import {
  type CitationTarget,
  Composer,
  KanonProvider,
  SourceView,
  Thread,
  useDocument,
  useThread
} from "kanon/react"
import "kanon/react/style.css"
import { useState } from "react"
import { createRoot } from "react-dom/client"

// A proxy of the page's own origin adds the key; see same-origin-proxy.ts.
const client = createClient({ baseUrl: "/kanon" })

const Assistant = () => {
  const thread = useThread()
  const [cited, setCited] = useState<CitationTarget | null>(null)
  return (
    <main>
      <Thread thread={thread} onCite={setCited} />
      <Composer thread={thread} />
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
