import type { ReactNode } from "react"
import { Link } from "wouter"
import { useOperation } from "../../api/hooks.js"
import { EmptyState, Loaded } from "../../components/states.js"
import { Badge, Content } from "../../components/text.js"
import { settingsText } from "../../strings/settings.js"

const text = settingsText.members

/** The members with what they look after. */
export const Members = (): ReactNode => {
  const members = useOperation("listMembers", { limit: 200 })
  return (
    <>
      <Loaded query={members}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState title={text.empty}>
              <p>{text.hint}</p>
            </EmptyState>
          ) : (
            <ul className="list">
              {items.map((member) => (
                <li
                  key={member.id}
                  className="list-row row spread"
                  data-testid="member-row"
                  data-id={member.id}
                >
                  <span>
                    <strong>
                      <Content>{member.displayName}</Content>
                    </strong>{" "}
                    <Badge tone={member.role === "admin" ? "info" : "neutral"}>{text[member.role]}</Badge>
                  </span>
                  <span className="muted">
                    <Link href={`/entities?ownerId=${member.id}`}>
                      {text.owned} {member.ownedConcepts}
                    </Link>{" "}
                    · {text.stewarded} {member.stewardedConcepts}
                    {member.overdueReviews > 0 && (
                      <>
                        {" "}
                        · <Badge tone="warn">{`${member.overdueReviews} ${text.overdue}`}</Badge>
                      </>
                    )}
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <p className="muted">{text.hint}</p>
    </>
  )
}
