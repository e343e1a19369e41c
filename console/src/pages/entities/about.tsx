import type { ReactNode } from "react"
import { Link } from "wouter"
import type { EntityWithCuration } from "../../../../server/client/index.js"
import { useOperation } from "../../api/hooks.js"
import { Badge } from "../../components/text.js"
import { entityText } from "../../strings/entities.js"
import { requestText } from "../../strings/requests.js"

const text = entityText.about

/** The fields of an entity, its note for stewards, and the requests that wait. */
export const About = ({ entity }: { readonly entity: EntityWithCuration }): ReactNode => {
  const requests = useOperation("listChangeRequests", { status: "open" })
  const open = (requests.data?.requests ?? []).filter(({ entityId }) => entityId === entity.id)
  return (
    <div className="stack">
      {open.length > 0 && (
        <section className="callout">
          <h2>{text.requests}</h2>
          <ul>
            {open.map(({ id, kind, note }) => (
              <li key={id}>
                <Link href={`/requests/${id}`}>{requestText.kinds[kind]}</Link>
                {note !== null && <span dir="auto"> {note}</span>}
              </li>
            ))}
          </ul>
        </section>
      )}
      <section>
        <h2>{text.description}</h2>
        {entity.description === null ? (
          <p className="muted">{text.noDescription}</p>
        ) : (
          <p dir="auto" className="prose">
            {entity.description}
          </p>
        )}
      </section>
      <section>
        <h2>{text.aliases}</h2>
        {entity.aliases.length === 0 ? (
          <p className="muted">{text.noAliases}</p>
        ) : (
          <p className="chips">
            {entity.aliases.map((alias) => (
              <Badge key={alias}>
                <bdi dir="auto">{alias}</bdi>
              </Badge>
            ))}
          </p>
        )}
      </section>
      {entity.curation.editorialNote !== "" && (
        <section>
          <h2>{text.note}</h2>
          <p dir="auto" className="prose">
            {entity.curation.editorialNote}
          </p>
        </section>
      )}
    </div>
  )
}
