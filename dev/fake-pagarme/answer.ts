import type { z } from 'zod';

export interface Answer {
  readonly status: number;
  readonly body: object | null;
}

/** A call that is not done, as Pagar.me says it. */
export class Refused extends Error {
  readonly answer: Answer;

  constructor(status: number, message: string, errors?: Readonly<Record<string, readonly string[]>>) {
    super(message);
    this.answer = { status, body: errors === undefined ? { message } : { message, errors } };
  }
}

export const notFound = (what: string): Refused => new Refused(404, `${what} not found.`);

/** 422 with the fields that are wrong, each under the name of what it stands in. */
export function read<T extends z.ZodType>(form: T, body: unknown, root: string): z.output<T> {
  const { data, error } = form.safeParse(body);
  if (error === undefined) return data;
  const errors: Record<string, string[]> = {};
  for (const { path, message } of error.issues) {
    const name = [root, ...path].join('.');
    errors[name] = [...(errors[name] ?? []), message];
  }
  throw new Refused(422, 'The request is invalid.', errors);
}
