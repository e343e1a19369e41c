/** Memoizes a function of an object by identity; the result is released with the object. */
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
