import type { ReactNode } from "react"
import { Link } from "wouter"
import { useOperation } from "../../api/hooks.js"
import { Loaded } from "../../components/states.js"
import { Badge, Content, Person, Standing, Time } from "../../components/text.js"
import { strings } from "../../strings.js"

const texts = strings.documents.lineage

/** Shows the origin of a document, who verified it, and the data derived from it. */
export const Lineage = ({ id }: { readonly id: string }): ReactNode => {
  const lineage = useOperation("getDocumentLineage", { id })
  return (
    <Loaded query={lineage}>
      {({ audit, derived, downstream, governance, origin }) => (
        <div className="stack">
          <div className="cards">
            <section className="panel">
              <h2>{texts.origin}</h2>
              <p>{texts.kinds[origin.kind]}</p>
              {origin.source !== null && /^https?:/i.test(origin.source) && (
                <p>
                  <a href={origin.source} target="_blank" rel="noopener noreferrer">
                    {texts.source}
                  </a>
                </p>
              )}
              {origin.lastSyncAt !== null && (
                <p className="muted small">
                  {texts.lastSync} <Time at={origin.lastSyncAt} />
                </p>
              )}
              {origin.failure !== null && (
                <p className="note warn" dir="auto">
                  {texts.failure}: {origin.failure}
                </p>
              )}
              {origin.warnings.length > 0 && (
                <>
                  <p className="muted small">{texts.warnings}</p>
                  <ul className="bullets small">
                    {origin.warnings.map((warning) => (
                      <li key={warning} dir="auto">
                        {warning}
                      </li>
                    ))}
                  </ul>
                </>
              )}
            </section>
            <section className="panel">
              <h2>{texts.standing}</h2>
              <p className="row">
                <Standing verification={governance.verification} overdue={governance.reviewDue} />
              </p>
              {governance.verifiedBy !== null && (
                <p className="muted small">
                  {texts.by} <Person id={governance.verifiedBy} /> <Time at={governance.verifiedAt} />
                </p>
              )}
              {governance.nextVerifyAt !== null && (
                <p className="muted small">
                  {texts.next} <Time at={governance.nextVerifyAt} form="exact" />
                </p>
              )}
            </section>
            <section className="panel">
              <h2>{texts.used}</h2>
              <ul className="stack tight">
                <li>{texts.answers(downstream.answerCount)}</li>
                <li>{texts.entities(downstream.groundedEntityCount)}</li>
                <li className="muted small">
                  {texts.passages(derived.chunkCount)}, {texts.relations(derived.relationCount)}
                </li>
              </ul>
            </section>
          </div>
          {derived.concepts.length > 0 && (
            <section className="stack tight">
              <h2>{texts.concepts}</h2>
              <ul className="row">
                {derived.concepts.map(({ id: entityId, name, type }) => (
                  <li key={entityId}>
                    <Link href={`/entities/${entityId}`} className="button plain small">
                      <bdi dir="auto">{name}</bdi> <span className="muted">{type}</span>
                    </Link>
                  </li>
                ))}
              </ul>
            </section>
          )}
          <section className="stack tight">
            <h2>{texts.history}</h2>
            <ul className="list">
              {audit.map(({ action, actor, at, id: eventId }) => (
                <li key={eventId} className="list-row row">
                  <Badge>{action}</Badge>
                  <Person id={actor} />
                  <span className="muted small">
                    <Time at={at} />
                  </span>
                </li>
              ))}
            </ul>
            {audit.length === 0 && <Content>—</Content>}
          </section>
        </div>
      )}
    </Loaded>
  )
}
