/** An answer with the HTTP response it came in. */
export interface WithResponse<T> {
  data: T;
  /** Status and headers of the answer; its body has been read. */
  response: Response;
  /** Id of the request, to quote when you ask for help. */
  requestId: string | null;
}

/** The answer to come: await it for the object, or `.withResponse()` for the HTTP response too. */
export interface Answer<T> extends Promise<T> {
  withResponse(): Promise<WithResponse<T>>;
}

export function answerOf<T>(full: Promise<WithResponse<T>>): Answer<T> {
  const data = full.then((answer) => answer.data);
  const withResponse = () => {
    data.catch(() => {}); // the caller hears of a failure from `full`
    return full;
  };
  return Object.assign(data, { withResponse });
}
