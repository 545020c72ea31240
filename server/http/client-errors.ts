import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorCatalog } from '../../contract/errors.ts';
import type { Deps } from '../deps.ts';
import { BillingError } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { errorBody } from './error-handler.ts';
import { requestTimeout } from './request.ts';

/** A client that still sends gets this long to read the answer before its connection is cut. */
const LINGER_MS = 1_000;

/** The refusal of what Node's parser of HTTP gave up on. */
function refusalOf({ code }: NodeJS.ErrnoException): BillingError {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new BillingError('PAYLOAD_TOO_LARGE', { message: 'The URL and the headers are larger than 16 KiB' });
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return requestTimeout();
  return new BillingError('PARAMETER_INVALID', { message: 'The request is not well-formed HTTP' });
}

function responseOf(refusal: BillingError, context: { requestId: string; publicUrl: string }): string {
  const { status } = errorCatalog[refusal.code];
  const body = JSON.stringify(errorBody(refusal, context));
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Request-Id: ${context.requestId}`,
    'Cache-Control: no-store',
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}

/** Whether a connection is owed nothing: an answer is on its way, or was given before its request had come whole. */
const isOwedNothing = (latest: ServerResponse<IncomingMessage> | undefined): boolean =>
  latest?.headersSent === true && !(latest.writableFinished && latest.req.complete);

/** Answers with the usual error body what never becomes a request: no route and no middleware sees it. */
export function answerClientErrors(server: Server, { logger, settings }: Pick<Deps, 'logger' | 'settings'>): void {
  const answered = new WeakSet<Duplex>();
  const latest = new WeakMap<Duplex, ServerResponse<IncomingMessage>>();
  const refuse = (socket: Duplex, refusal: BillingError, reason: string | undefined): void => {
    const requestId = newId('req');
    const { status } = errorCatalog[refusal.code];
    logger.info({ route: 'none', status, code: refusal.code, reason, requestId }, 'request');
    socket.end(responseOf(refusal, { requestId, publicUrl: settings.publicUrl }));
    const cut = setTimeout(() => socket.destroy(), LINGER_MS).unref();
    socket.once('close', () => clearTimeout(cut));
  };
  server.on('request', (request, response) => latest.set(request.socket, response));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // The parser tells of each packet that comes after the faulty one.
    if (answered.has(socket)) return;
    answered.add(socket);
    const hasSaidNothing = 'bytesRead' in socket && socket.bytesRead === 0;
    const isGone = !socket.writable || error.code === 'ECONNRESET';
    if (isGone || hasSaidNothing || isOwedNothing(latest.get(socket))) return void socket.destroy(error);
    refuse(socket, refusalOf(error), error.code);
  });
  // Without this Node ends the connection without a word.
  server.on('connect', ({ url }, socket) => {
    socket.on('error', () => {});
    refuse(socket, new BillingError('ROUTE_NOT_FOUND', { message: `No such route: CONNECT ${url}` }), 'CONNECT');
  });
}
