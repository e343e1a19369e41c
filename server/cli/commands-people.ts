import { family, leaf } from "./grammar.js"
import { run } from "./leaves.js"
import { argument, choice, common, number, text } from "./options.js"

const keys = () => import("./keys.js")
const key = argument("id", "Id of the key (key_…).")
const keysCreate = leaf(
  "create",
  "Make a key; its secret is shown this once.",
  {
    ...common,
    kind: choice("kind", ["workspace", "user"], "What the key belongs to; a workspace by default."),
    name: text("name", "NAME", "By which people know it; its kind by default."),
    scopes: text("scopes", "A,B", "What it may do. Without any it acts as keys from before scopes do."),
    workspaces: text("workspaces", "ID,ID", "Which workspaces it reaches, or all; --workspace by default."),
    expires: text("expires", "TIMESTAMP", "When it ends, such as 2027-01-31T00:00:00Z; never by default."),
    user: text("user", "ID", "The owner of a user key (usr_…).")
  },
  (input) => run(keys, (module) => module.create(input))
)
const keysList = leaf("list", "List keys, newest first; their secrets are nowhere.", common, (input) =>
  run(keys, (module) => module.list(input))
)
const keysRevoke = leaf("revoke", "Take a key out of use, at once.", { ...common, id: key }, (input) =>
  run(keys, (module) => module.revoke(input))
)
const keysRotate = leaf(
  "rotate",
  "Make a key of the same rights in place of this one.",
  {
    ...common,
    id: key,
    grace: number("grace", "Seconds for which the old key stays good", { from: 0, to: 604_800, usual: 0 })
  },
  (input) => run(keys, (module) => module.rotate(input))
)

const people = () => import("./people.js")
const user = text("user", "ID", "Id of the user (usr_…).")
const usersCreate = leaf(
  "create",
  "Add a user.",
  { ...common, name: text("name", "NAME", "The name to show.") },
  (input) => run(people, (module) => module.createPerson(input))
)
const usersList = leaf("list", "List users.", common, (input) =>
  run(people, (module) => module.listPeople(input))
)
const membersAdd = leaf(
  "add",
  "Make a user a member of the workspace.",
  { ...common, user, role: choice("role", ["admin", "member"], "It informs; member by default.") },
  (input) => run(people, (module) => module.add(input))
)
const membersRemove = leaf("remove", "End a membership, at once.", { ...common, user }, (input) =>
  run(people, (module) => module.remove(input))
)
const membersList = leaf("list", "List the members of the workspace.", common, (input) =>
  run(people, (module) => module.listMembers(input))
)

const workspaces = () => import("./workspaces.js")
const workspacesCreate = leaf(
  "create",
  "Make another workspace in the same data.",
  {
    ...common,
    name: text("name", "NAME", "Its name."),
    vault: text(
      "vault",
      "DIR",
      "The folder of its files, or database: or s3://bucket/prefix; a folder within the data by default."
    )
  },
  ({ vault: files, ...input }) =>
    run(workspaces, (module) => module.create({ ...input, vault: undefined, files }))
)
const workspacesList = leaf("list", "List the workspaces of the data.", common, (input) =>
  run(workspaces, (module) => module.list(input))
)

const workspacesShow = leaf(
  "show",
  "Show the workspace: its settings, what models do in it, and what was used this month.",
  common,
  (input) => run(workspaces, (module) => module.show(input))
)
const workspacesSet = leaf(
  "set",
  "Change settings of the workspace.",
  {
    ...common,
    answerDays: text(
      "answer-days",
      "DAYS",
      "Days for which answers are kept with their questions; 0 keeps none."
    ),
    trashDays: text(
      "trash-days",
      "DAYS",
      "Days after which a deleted document is gone for good; 0 keeps the trash for ever."
    )
  },
  (input) => run(workspaces, (module) => module.set(input))
)

const about = {
  keyCommands: "Keys of the server.",
  userCommands: "People whom the server knows.",
  memberCommands: "Who belongs to a workspace.",
  workspaceCommands: "The workspaces of the data."
}

export const keyCommands = family("keys", about.keyCommands, [keysCreate, keysList, keysRevoke, keysRotate])
export const userCommands = family("users", about.userCommands, [usersCreate, usersList])
export const memberCommands = family("members", about.memberCommands, [
  membersAdd,
  membersRemove,
  membersList
])
export const workspaceCommands = family("workspaces", about.workspaceCommands, [
  workspacesCreate,
  workspacesList,
  workspacesShow,
  workspacesSet
])
