/** Workspaces whose values are held, those set last. */
const workspacesMax = 64

/** Values of workspaces as of a stamp: of no use any more once the stamp is another. */
export class StampedValue<Value> {
  readonly #values = new Map<string, { readonly stamp: string; readonly value: Value }>()

  /** The value, unless something changed since; nothing is known without a stamp. */
  get(workspace: string, stamp: string | null): Value | undefined {
    const held = this.#values.get(workspace)
    return stamp !== null && held?.stamp === stamp ? held.value : undefined
  }

  set(workspace: string, stamp: string | null, value: Value): void {
    this.#values.delete(workspace)
    if (stamp === null) return
    this.#values.set(workspace, { stamp, value })
    if (this.#values.size <= workspacesMax) return
    for (const oldest of this.#values.keys()) {
      this.#values.delete(oldest)
      return
    }
  }
}
