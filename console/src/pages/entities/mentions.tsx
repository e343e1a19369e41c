import { type ReactNode, useState } from "react"
import { Link } from "wouter"
import { useOperation } from "../../api/hooks.js"
import { Button } from "../../components/button.js"
import { EmptyState, Loaded } from "../../components/states.js"
import { Content, Standing } from "../../components/text.js"
import { formatShare } from "../../language.js"
import { entityText } from "../../strings/entities.js"

const text = entityText.mentions

/** Lists the mentions of the entity in documents, with their passages. */
export const Mentions = ({ id }: { readonly id: string }): ReactNode => {
  const [limit, setLimit] = useState(30)
  const mentions = useOperation("listMentions", { entityId: id, limit }, { keepPrevious: true })
  return (
    <Loaded query={mentions}>
      {({ items, total }) =>
        items.length === 0 ? (
          <EmptyState title={text.empty}>
            <p>{text.emptyHint}</p>
          </EmptyState>
        ) : (
          <>
            <ul className="list">
              {items.map((mention, index) => {
                // One passage may name an entity several times.
                const key = `${mention.chunkId} ${index}`
                return (
                  <li key={key} className="list-row">
                    <Link href={`/documents/${mention.docId}?passage=${mention.chunkId}`}>
                      <Content>{mention.docPath}</Content>
                    </Link>{" "}
                    <Standing verification={mention.docVerification} />
                    {mention.confidence < 1 && (
                      <span className="muted"> {text.confidence(formatShare(mention.confidence))}</span>
                    )}
                    <blockquote dir="auto">{mention.quote}</blockquote>
                  </li>
                )
              })}
            </ul>
            {total > items.length && limit < 200 && (
              <Button size="small" onClick={() => setLimit(200)}>
                {entityText.relations.more}
              </Button>
            )}
          </>
        )
      }
    </Loaded>
  )
}
