import type { ReactNode } from "react"
import { Link } from "wouter"
import { useOperation } from "../../api/hooks.js"
import { ApiCall } from "../../components/api-call.js"
import { Page } from "../../components/page.js"
import { Loaded } from "../../components/states.js"
import type { PageRoute } from "../../page-route.js"
import { settingsText as text } from "../../strings/settings.js"
import { strings } from "../../strings.js"
import { General } from "./general.js"
import { Keys } from "./keys.js"
import { Members } from "./members.js"
import { Models } from "./models.js"
import { Passkeys } from "./passkeys.js"
import { Policy } from "./policy.js"
import { Retention } from "./retention.js"
import { Sessions } from "./sessions.js"

const sections = strings.settings
type Section = keyof typeof sections

/** The settings of the workspace by section. */
const Settings: PageRoute["page"] = ({ params }): ReactNode => {
  const section: Section =
    params["section"] !== undefined && params["section"] in sections
      ? (params["section"] as Section)
      : "general"
  const workspace = useOperation("getWorkspace", {})
  return (
    <Page title={text.title} lead={text.lead}>
      <nav className="tab-links" aria-label={text.title}>
        {(Object.keys(sections) as ReadonlyArray<Section>).map((name) => (
          <Link key={name} href={`/settings/${name}`} aria-current={name === section ? "page" : undefined}>
            {sections[name]}
          </Link>
        ))}
      </nav>
      {section === "keys" && <Keys />}
      {section === "members" && <Members />}
      {section === "sessions" && (
        <>
          <Passkeys />
          <Sessions />
        </>
      )}
      <Loaded query={workspace}>
        {(view) => (
          <>
            {section === "general" && <General key={view.id} view={view} />}
            {section === "policy" && <Policy key={view.id} view={view} />}
            {section === "retention" && <Retention key={view.id} view={view} />}
            {section === "models" && <Models key={view.id} view={view} />}
          </>
        )}
      </Loaded>
      {section === "keys" ? (
        <ApiCall name="listKeys" input={{}} />
      ) : section === "members" ? (
        <ApiCall name="listMembers" input={{}} />
      ) : (
        <ApiCall name="getWorkspace" input={{}} />
      )}
    </Page>
  )
}

export default Settings
