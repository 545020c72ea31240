import type { Express } from 'express';
import { WrittenPage } from '../kernel/pages.ts';

/** Has pages of lists sent as they were written; all else is written by Express. */
export function sendWrittenPages(app: Express): void {
  const { json } = app.response;
  app.response.json = function answer(body: unknown) {
    return body instanceof WrittenPage ? this.type('json').send(body.text) : json.call(this, body);
  };
}
