import { operations } from "../../core/operations.js"
import { group, operationCommand } from "./command.js"
import { tableOf } from "./tables.js"
import { cleanLine } from "./text.js"

const list = operationCommand("list", operations.listGroups, {
  description: "List groups with their members.",
  print: ({ items }) =>
    items.length === 0
      ? "No groups."
      : tableOf(items, ["name", ["members", ({ members }) => members.join(" ")]], { shrink: ["members"] })
})

const name = { description: "Name of the group." }
const userId = { name: "user", placeholder: "ID", description: "Id of the user (usr_…)." }

const add = operationCommand("add", operations.addToGroup, {
  description: "Add a member of the workspace to a group.",
  arguments: { name },
  flags: { userId },
  print: ({ changed, name: to, userId: user }) =>
    changed ? `${user} is in ${cleanLine(to)} now.` : `${user} was in ${cleanLine(to)} already.`
})

const remove = operationCommand("remove", operations.removeFromGroup, {
  description: "Remove a user from a group, effective at once.",
  arguments: { name },
  flags: { userId },
  print: ({ changed, name: from, userId: user }) =>
    changed ? `${user} is not in ${cleanLine(from)} any more.` : `${user} was not in ${cleanLine(from)}.`
})

export const groupCommands = group("groups", "Groups of users, which lists of readers name.", [
  list,
  add,
  remove
])
