/** Memoizes a function of an object by identity; the result is released with the object. */
export const memoize = <Of extends object, Fact>(make: (of: Of) => Fact): ((of: Of) => Fact) => {
  const known = new WeakMap<Of, { readonly fact: Fact }>()
  return (of) => {
    const cached = known.get(of)
    if (cached !== undefined) return cached.fact
    const fact = make(of)
    known.set(of, { fact })
    return fact
  }
}
