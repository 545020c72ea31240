import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import express, { type Request, type RequestHandler } from 'express';
import { JSON_DEPTH_MAX, JSON_FIELDS_MAX, JSON_VALUES_MAX } from '../../contract/json.ts';
import { BillingError } from '../kernel/errors.ts';
import { excessOf, withInexactNumbers } from './json-text.ts';

export const BODY_BYTES_MAX = 256 * 1_024;

/** Bodies up to this are read at once: many times what a usual request needs. */
export const SMALL_BODY_BYTES = 32 * 1_024;

/** So large a body may be by what is said of it: one that is packed is larger than its length. */
export const mostBytesOf = ({ 'content-length': length, ...headers }: IncomingHttpHeaders): number =>
  headers['transfer-encoding'] === undefined && headers['content-encoding'] === undefined
    ? Number(length ?? 0)
    : BODY_BYTES_MAX;

const NOT_JSON = 'The body is not JSON';
const NOT_UTF8 = 'The body must be UTF-8';

/** The bytes of a body that is being read, in each of the buffers that had them. */
const buffers = new WeakMap<object, Buffer[]>();

/** JSON is UTF-8: other bytes would be stored as replacement characters. */
const UTF8 = 'utf-8';

const hasMoreThan = (code: 'MALFORMED_JSON' | 'PAYLOAD_TOO_LARGE', most: number, what: string) => () =>
  new BillingError(code, { message: `The body has more than ${most.toLocaleString('en')} ${what}` });

const oversized = {
  levels: hasMoreThan('MALFORMED_JSON', JSON_DEPTH_MAX, 'levels'),
  fields: hasMoreThan('PAYLOAD_TOO_LARGE', JSON_FIELDS_MAX, 'fields'),
  values: hasMoreThan('PAYLOAD_TOO_LARGE', JSON_VALUES_MAX, 'fields and list entries'),
};

/** Whatever reads a body may recurse over it and judge each part: none that is parsed is deep or large enough to keep others waiting. */
function judgeText(request: object, _response: unknown, body: Buffer, encoding: string): void {
  buffers.get(request)?.push(body);
  if (encoding !== UTF8) throw new BillingError('UNSUPPORTED_MEDIA_TYPE', { message: NOT_UTF8 });
  if (!isUtf8(body)) throw new BillingError('MALFORMED_JSON', { message: 'The body is not UTF-8' });
  const excess = excessOf(body);
  if (excess !== null) throw oversized[excess]();
}

const hasBody = (headers: {
  'content-length'?: string | undefined;
  'transfer-encoding'?: string | undefined;
}): boolean => headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** What the parser throws, by the `type` it puts on its errors. */
const parserRefusals: Record<string, (bytesMax: number) => BillingError> = {
  'entity.too.large': (bytesMax) =>
    new BillingError('PAYLOAD_TOO_LARGE', { message: `The body is larger than ${bytesMax} bytes` }),
  'parameters.too.many': () => new BillingError('PAYLOAD_TOO_LARGE', { message: 'The form has too many fields' }),
  'entity.parse.failed': () => new BillingError('MALFORMED_JSON', { message: NOT_JSON }),
  'encoding.unsupported': () =>
    new BillingError('UNSUPPORTED_MEDIA_TYPE', { message: 'The Content-Encoding is not supported' }),
  'charset.unsupported': () => new BillingError('UNSUPPORTED_MEDIA_TYPE', { message: NOT_UTF8 }),
  'request.size.invalid': () =>
    new BillingError('MALFORMED_JSON', { message: 'The body is not as long as Content-Length says' }),
  'request.aborted': () => new BillingError('MALFORMED_JSON', { message: 'The body broke off' }),
};

const translate = (error: unknown, bytesMax: number): unknown => {
  if (!(error instanceof Error) || error instanceof BillingError) return error;
  const known = 'type' in error ? parserRefusals[String(error.type)] : undefined;
  if (known !== undefined) return known(bytesMax);
  // What a broken compression throws carries no type of its own.
  const isOfClient = 'statusCode' in error && error.statusCode === 400;
  return isOfClient ? new BillingError('MALFORMED_JSON', { message: 'The body cannot be read' }) : error;
};

/**
 * Follows the buffers of a body, and answers how to overwrite them: a buffer that is freed keeps its bytes until its memory
 * is used for something else, and a card may be in them (docs/operations.md#what-memory-holds).
 */
function followBuffers(request: Request, bytesMax: number): () => void {
  const followed: Buffer[] = [];
  let bytes = 0;
  const follow = (chunk: Buffer): void => {
    bytes += chunk.length;
    // What is too large is read to its end, and is not held on to.
    if (bytes <= bytesMax) followed.push(chunk);
  };
  buffers.set(request, followed);
  request.on('data', follow);
  return () => {
    request.off('data', follow);
    for (const buffer of followed) buffer.fill(0);
  };
}

/** Reads bodies of one media type by its parser; refuses other media types, and whatever the parser throws. */
function readerOf({ mediaType, parse, bytesMax }: { mediaType: string; parse: RequestHandler; bytesMax: number }) {
  const reader: RequestHandler = (request, response, next) => {
    if (!hasBody(request.headers)) return next();
    if (!request.is(mediaType)) {
      const came = request.get('content-type') ?? 'none';
      const message = `Send the body as ${mediaType}; Content-Type was ${came}`;
      return next(new BillingError('UNSUPPORTED_MEDIA_TYPE', { message }));
    }
    const overwriteBuffers = followBuffers(request, bytesMax);
    parse(request, response, (error?: unknown) => {
      overwriteBuffers();
      const goOn = (): void => next(translate(error, bytesMax));
      // A large one took its time: what came meanwhile does not also wait for what is done with it.
      if (mostBytesOf(request.headers) > SMALL_BODY_BYTES) setImmediate(goOn);
      else goOn();
    });
  };
  return reader;
}

/** Reads a JSON body; refuses other media types, bodies above a limit, what is not JSON, and what is nested too deep (docs/product/requests.md#bodies). */
export const bodyReader = (bytesMax: number): RequestHandler =>
  readerOf({
    mediaType: 'application/json',
    parse: express.json({ limit: bytesMax, strict: false, verify: judgeText, reviver: withInexactNumbers }),
    bytesMax,
  });

/** Reads what a browser sends of a form by itself, field by field; refuses other media types, and more bytes or fields than said. */
export const formReader = ({ bytesMax, fieldsMax }: { bytesMax: number; fieldsMax: number }): RequestHandler =>
  readerOf({
    mediaType: 'application/x-www-form-urlencoded',
    parse: express.urlencoded({ limit: bytesMax, extended: false, parameterLimit: fieldsMax }),
    bytesMax,
  });

/** The body of a request of the API. */
export const readBody: RequestHandler = bodyReader(BODY_BYTES_MAX);
