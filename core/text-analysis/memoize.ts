/** Something that follows from a value alone: worked out when it is first asked for, forgotten with the value. */
export const memoize = <Of extends object, Fact>(make: (of: Of) => Fact): ((of: Of) => Fact) => {
  const known = new WeakMap<Of, { readonly fact: Fact }>()
  return (of) => {
    const held = known.get(of)
    if (held !== undefined) return held.fact
    const fact = make(of)
    known.set(of, { fact })
    return fact
  }
}
