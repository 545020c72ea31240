/**
 * What a field does when it is changed: the refusal of what was sent before goes at once. It would go when the field is left, and the
 * button that is pressed then would move away below the pointer.
 */
export const refusalEnds =
  ({ error, reset }: { readonly error: Error | null; readonly reset: () => void }) =>
  (): void => {
    if (error !== null) reset();
  };
