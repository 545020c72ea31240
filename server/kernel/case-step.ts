/** Where a case stands: over, or to be looked at again. `note` and `status` are for the operator who reads the case. */
export type CaseStep =
  | { readonly done: true }
  | { readonly done: false; readonly dueInSeconds: number; readonly status: string; readonly note: string };

export const DONE: CaseStep = { done: true };

/** A confirmed payment, and an acquirer that does not answer, are looked at again after this. */
export const LOOK_SECONDS = 60;

/** Whatever advances an account's clock does what falls due, and tells the cases when it is done. */
export const HELD: CaseStep = {
  done: false,
  dueInSeconds: LOOK_SECONDS,
  status: 'clock advancing',
  note: 'The test clock is advanced: what falls due is done at its instant, and this is looked at again afterwards.',
};
