import type { ReactNode } from "react"
import type { PageRoute } from "../../page-route.js"
import { EntityList } from "./entity-list.js"
import { EntityPage } from "./entity-page.js"

/** The page `/entities`: the list, or one entity. */
const Entities: PageRoute["page"] = ({ params: { id } }): ReactNode =>
  id === undefined ? <EntityList /> : <EntityPage key={id} id={id} />

export default Entities
