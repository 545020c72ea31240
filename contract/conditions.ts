type Condition = { readonly [keyword: string]: unknown };

/**
 * Says in JSON Schema what depends on the value of another field. Generators of types pass over these words, where `oneOf` would
 * double each type; generators of values and validators obey them.
 */
export const conditional = ({ when, so, otherwise }: { when: Condition; so: Condition; otherwise?: Condition }) => ({
  if: when,
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: so,
  ...(otherwise !== undefined && { else: otherwise }),
});

/** A field has this value. */
export const whenField = (name: string, value: string): Condition => ({
  properties: { [name]: { const: value } },
  required: [name],
});

/** A field must be absent. */
export const without = (name: string): Condition => ({ not: { required: [name] } });
